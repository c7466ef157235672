"""The default tracker: motion, widened overlap and size, strong boxes first.

It follows ByteTrack's two stages. What differs is made for few frames a second: boxes are compared after widening
them by what a thing may have moved since it was seen (as C-BIoU does), all times are seconds (not frames), a box of
another size is unlikely to be the same thing, and a prediction comes to rest when nothing confirms it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from ravu_kg.providers.association import Boxes, as_boxes, best_pairs, overlap, require_plain
from ravu_kg.types import Detection, TrackedDetection, VideoFrame

_LONGEST_GAP_S = 1.0
_STRONG = 0.45
_STARTS_TRACK = 0.5
_LEAST_SIMILARITY = 0.2
_LEAST_OVERLAP_WEAK = 0.3
_SAME_THING = 0.7
_OTHER_LABEL = 0.6
_VELOCITY_MEMORY_S = 0.4
_COASTING_S = 0.5
_SMOOTHING = 0.85


@dataclass(slots=True)
class _Path:
    """A live track: smoothed centre and size, and velocity a second."""

    track_id: int
    state: NDArray[np.float64]
    seen_s: float
    velocity: NDArray[np.float64] = field(default_factory=lambda: np.zeros(4))
    boxes: int = 1
    votes: Counter[str] = field(default_factory=Counter[str])

    def predicted(self, timestamp_s: float) -> NDArray[np.float64]:
        # Coasts to rest: an unconfirmed velocity is worth ever less.
        gap_s = timestamp_s - self.seen_s
        return self.state + self.velocity * _COASTING_S * (1 - np.exp(-gap_s / _COASTING_S))

    def confirm(self, timestamp_s: float, observed: NDArray[np.float64], detection: Detection) -> None:
        gap_s = max(timestamp_s - self.seen_s, 1e-3)
        measured = (observed - self.state) / gap_s
        weight = 1 - np.exp(-gap_s / _VELOCITY_MEMORY_S)
        self.velocity = self.velocity + max(weight, 1 / (self.boxes + 1)) * (measured - self.velocity)
        self.velocity[2:] = 0.0
        predicted = self.predicted(timestamp_s)
        self.state = predicted + _SMOOTHING * (observed - predicted)
        self.seen_s = timestamp_s
        self.boxes += 1
        self.votes[detection.label] += 1


class SteadyTracker:
    """Two-stage association in seconds; see the module's text."""

    name = "steady"

    def __init__(self) -> None:
        self._paths: list[_Path] = []
        self._next_id = 1

    def update(self, frame: VideoFrame, detections: Sequence[Detection]) -> list[TrackedDetection]:
        """The tracked detections of this frame, by track id; a new track is named at once."""
        now_s = frame.timestamp_s
        self._paths = [path for path in self._paths if now_s - path.seen_s <= _LONGEST_GAP_S + 1e-6]
        kept = _without_doubles(detections)
        boxes = as_boxes(kept)
        strong = [i for i, d in enumerate(kept) if d.confidence >= _STRONG]
        weak = [i for i, d in enumerate(kept) if d.confidence < _STRONG]
        free = list(range(len(self._paths)))
        matches: dict[int, _Path] = {}
        for columns, least in ((strong, _LEAST_SIMILARITY), (weak, _LEAST_OVERLAP_WEAK)):
            paths = [self._paths[i] for i in free]
            similarity = _similarity(paths, now_s, [kept[i] for i in columns], boxes[columns])
            for row, column in best_pairs(similarity, least):
                matches[columns[column]] = paths[row]
            taken = {id(path) for path in matches.values()}
            free = [i for i in free if id(self._paths[i]) not in taken]
        observed = _centres(boxes)
        tracked: list[TrackedDetection] = []
        for position, detection in enumerate(kept):
            path = matches.get(position)
            if path is not None:
                path.confirm(now_s, observed[position], detection)
            elif detection.confidence >= _STARTS_TRACK:
                path = _Path(self._next_id, observed[position], now_s, votes=Counter([detection.label]))
                self._next_id += 1
                self._paths.append(path)
            else:
                continue
            tracked.append(TrackedDetection(path.track_id, detection))
        return sorted(tracked, key=lambda item: item.track_id)

    def reset(self) -> None:
        """Ends all tracks; ids are never used again."""
        self._paths.clear()


def create(model: str, options: Mapping[str, object]) -> SteadyTracker:
    """Entry point ``steady``.

    Raises:
        ConfigurationError: a model or an option was given; it has neither.
    """
    require_plain("steady", model, options)
    return SteadyTracker()


def _without_doubles(detections: Sequence[Detection]) -> list[Detection]:
    """One box a thing: a detector may give one thing two labels."""
    ranked = sorted(detections, key=lambda d: -d.confidence)
    kept: list[Detection] = []
    for detection in ranked:
        if all(detection.box.iou(other.box) < _SAME_THING for other in kept):
            kept.append(detection)
    return kept


def _centres(boxes: Boxes) -> NDArray[np.float64]:
    """Centre and size (x, y, width, height) of boxes given by corners."""
    return np.concatenate([(boxes[:, :2] + boxes[:, 2:]) / 2, boxes[:, 2:] - boxes[:, :2]], axis=1)


def _similarity(
    paths: Sequence[_Path], now_s: float, detections: Sequence[Detection], boxes: Boxes
) -> NDArray[np.float64]:
    """Likeness 0..1 of each path's prediction and each box, (paths, boxes)."""
    if not paths or not detections:
        return np.zeros((len(paths), len(detections)))
    states = np.array([path.predicted(now_s) for path in paths])
    gaps_s = np.array([now_s - path.seen_s for path in paths])
    sizes = boxes[:, 2:] - boxes[:, :2]
    result = np.zeros((len(paths), len(detections)))
    for row, (path, state, gap_s) in enumerate(zip(paths, states, gaps_s, strict=True)):
        widening = min(0.1 + 0.5 * gap_s, 0.4)
        half = state[2:] * (0.5 + widening)
        predicted = np.concatenate([state[:2] - half, state[:2] + half])[None]
        widened = np.concatenate([boxes[:, :2] - sizes * widening, boxes[:, 2:] + sizes * widening], axis=1)
        likeness = overlap(predicted, widened)[0]
        label = path.votes.most_common(1)[0][0]
        result[row] = likeness * np.array([1.0 if d.label == label else _OTHER_LABEL for d in detections])
    return result
