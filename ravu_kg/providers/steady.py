"""The default tracker: motion, widened overlap and looks, strong boxes first.

It follows ByteTrack's two stages. What differs is made for few frames a second and for crossings:

* boxes are compared after widening them by what a thing may have moved since it was seen (as C-BIoU does);
* a pair counts less the less the colours agree, so two people who cross keep their tracks;
* all times are seconds, so any frame rate will do, and a prediction comes to rest when nothing confirms it;
* a track is named when its boxes have been sure enough in sum, which keeps out what a detector always half sees.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from ravu_kg.looks import histogram, look
from ravu_kg.providers.association import as_boxes, best_pairs, overlap, require_plain
from ravu_kg.types import Boxes, Detection, FloatArray, TrackedDetection, VideoFrame, overlaps

_LONGEST_GAP_S = 1.0
_TIMES_TOLERANCE_S = 1e-6
_LEAST_CONFIDENCE = 0.1

# Association.
_STRONG = 0.45
_STARTS_TRACK = 0.5
_LEAST_SIMILARITY = 0.15
_LEAST_OVERLAP_ALONE = 0.5
_LEAST_OVERLAP_WEAK = 0.45
_SAME_THING = 0.7
_OTHER_LABEL = 0.6
_WIDENING, _WIDENING_A_SECOND, _WIDEST = 0.1, 0.5, 0.4

# Motion.
_VELOCITY_MEMORY_S = 0.6
_COASTING_S = 2.0
_SMOOTHING = 0.75

# Looks. Weak boxes show too little of a thing to tell its colours.
_LOOK_WEIGHT = 0.8
_LOOK_LOW, _LOOK_HIGH = 0.6, 0.9
_LOOK_MEMORY_S = 3.0
_LOOK_CONFIDENCE = 0.2
_STANDS_FREE = 0.15

# Naming a track: see _Path.weigh.
_EVIDENCE_STEP_S = 0.2
_DOUBTFUL = 0.58
_ENOUGH_EVIDENCE = 0.15


@dataclass(slots=True)
class _Path:
    """A live track: smoothed centre and size, and velocity a second."""

    track_id: int
    state: NDArray[np.float64]
    seen_s: float
    look: FloatArray | None
    velocity: NDArray[np.float64] = field(default_factory=lambda: np.zeros(4))
    boxes: int = 1
    votes: Counter[str] = field(default_factory=Counter[str])
    evidence: float = 0.0
    named: bool = False

    def predicted(self, timestamp_s: float) -> NDArray[np.float64]:
        # Coasts to rest: an unconfirmed velocity is worth ever less.
        gap_s = timestamp_s - self.seen_s
        return self.state + self.velocity * _COASTING_S * (1 - np.exp(-gap_s / _COASTING_S))

    def weigh(self, confidence: float, step_s: float) -> None:
        # A sequential test (CUSUM): sure boxes add up, doubtful ones take away, at any frame rate alike.
        share = min(1.0, step_s / _EVIDENCE_STEP_S)
        self.evidence = max(0.0, self.evidence + share * (confidence - _DOUBTFUL))
        self.named = self.named or self.evidence >= _ENOUGH_EVIDENCE

    def confirm(self, timestamp_s: float, observed: NDArray[np.float64], detection: Detection) -> None:
        gap_s = max(timestamp_s - self.seen_s, 1e-3)
        measured = (observed - self.state) / gap_s
        weight = 1 - np.exp(-gap_s / _VELOCITY_MEMORY_S)
        predicted = self.predicted(timestamp_s)
        self.velocity = self.velocity + max(weight, 1 / (self.boxes + 1)) * (measured - self.velocity)
        self.velocity[2:] = 0.0
        self.state = predicted + _SMOOTHING * (observed - predicted)
        self.weigh(detection.confidence, gap_s)
        self.seen_s = timestamp_s
        self.boxes += 1
        self.votes[detection.label] += 1

    def remember(self, seen: FloatArray, step_s: float) -> None:
        if self.look is None:
            self.look = seen
            return
        mixed = self.look + (1 - np.exp(-step_s / _LOOK_MEMORY_S)) * (seen - self.look)
        self.look = (mixed / np.linalg.norm(mixed)).astype(np.float32)


class SteadyTracker:
    """Two-stage association in seconds; see the module's text."""

    name = "steady"

    def __init__(self) -> None:
        self._paths: list[_Path] = []
        self._next_id = 1

    def update(self, frame: VideoFrame, detections: Sequence[Detection]) -> list[TrackedDetection]:
        """The tracked detections of this frame by track id; a new track is named as soon as it is sure enough."""
        now_s = frame.timestamp_s
        self._paths = [path for path in self._paths if now_s - path.seen_s <= _LONGEST_GAP_S + _TIMES_TOLERANCE_S]
        kept = _without_doubles(detections)
        boxes = as_boxes(kept)
        looks = [_look_of(frame, detection) for detection in kept]
        chosen = self._associate(now_s, kept, boxes, looks)
        observed = _centres(boxes)
        free = _stand_free(boxes)
        tracked: list[TrackedDetection] = []
        for position, detection in enumerate(kept):
            seen = looks[position]
            path = chosen.get(position)
            if path is not None:
                step_s = now_s - path.seen_s
                path.confirm(now_s, observed[position], detection)
                if seen is not None and (free[position] or path.look is None):
                    path.remember(seen, step_s)
            elif detection.confidence >= _STARTS_TRACK:
                path = _Path(self._next_id, observed[position], now_s, seen, votes=Counter([detection.label]))
                path.weigh(detection.confidence, _EVIDENCE_STEP_S)
                self._next_id += 1
                self._paths.append(path)
            if path is not None and path.named:
                tracked.append(TrackedDetection(path.track_id, detection))
        return sorted(tracked, key=lambda item: item.track_id)

    def reset(self) -> None:
        """Ends all tracks; ids are never used again."""
        self._paths.clear()

    def _associate(
        self, now_s: float, detections: Sequence[Detection], boxes: Boxes, looks: Sequence[FloatArray | None]
    ) -> dict[int, _Path]:
        """The path of each detection that continues one: by overlap and looks, by overlap alone, then weak boxes."""
        strong = [at for at, detection in enumerate(detections) if detection.confidence >= _STRONG]
        weak = [at for at, detection in enumerate(detections) if detection.confidence < _STRONG]
        paths = list(self._paths)
        chosen: dict[int, _Path] = {}
        unknown: list[FloatArray | None] = [None] * len(detections)
        for group, known, least in (
            (strong, looks, _LEAST_SIMILARITY),
            # Who turns round looks different: with nobody else to mix up, the place decides.
            (strong, unknown, _LEAST_OVERLAP_ALONE),
            (weak, looks, _LEAST_OVERLAP_WEAK),
        ):
            columns = [at for at in group if at not in chosen]
            similarity = _similarity(
                paths, now_s, [detections[at] for at in columns], boxes[columns], [known[at] for at in columns]
            )
            for row, column in best_pairs(similarity, least):
                chosen[columns[column]] = paths[row]
            taken = {path.track_id for path in chosen.values()}
            paths = [path for path in paths if path.track_id not in taken]
        return chosen


def create(model: str, options: Mapping[str, object]) -> SteadyTracker:
    """Entry point ``steady``.

    Raises:
        ConfigurationError: a model or an option was given; it has neither.
    """
    require_plain("steady", model, options)
    return SteadyTracker()


def _without_doubles(detections: Sequence[Detection]) -> list[Detection]:
    """One box a thing, the surest first: a detector may give one thing two labels."""
    enough = [detection for detection in detections if detection.confidence >= _LEAST_CONFIDENCE]
    ranked = sorted(enough, key=lambda detection: -detection.confidence)
    boxes = as_boxes(ranked)
    same = overlap(boxes, boxes) >= _SAME_THING
    kept: list[int] = []
    for position in range(len(ranked)):
        if not same[position, kept].any():
            kept.append(position)
    return [ranked[position] for position in kept]


def _look_of(frame: VideoFrame, detection: Detection) -> FloatArray | None:
    if detection.confidence < _LOOK_CONFIDENCE:
        return None
    shares = histogram(frame.image, detection.box)
    return None if shares is None else look(shares)


def _stand_free(boxes: Boxes) -> NDArray[np.bool_]:
    """For each box whether it hardly overlaps any other."""
    shared = overlap(boxes, boxes)
    np.fill_diagonal(shared, 0.0)
    return np.all(shared < _STANDS_FREE, axis=1)


def _centres(boxes: Boxes) -> NDArray[np.float64]:
    """Centre and size (x, y, width, height) of boxes given by corners."""
    return np.concatenate([(boxes[:, :2] + boxes[:, 2:]) / 2, boxes[:, 2:] - boxes[:, :2]], axis=1)


def _similarity(
    paths: Sequence[_Path],
    now_s: float,
    detections: Sequence[Detection],
    boxes: Boxes,
    looks: Sequence[FloatArray | None],
) -> NDArray[np.float64]:
    """Likeness 0..1 of each path's prediction and each box, (paths, boxes)."""
    if not paths or not detections:
        return np.zeros((len(paths), len(detections)))
    unseen_s = np.array([now_s - path.seen_s for path in paths])
    widening = np.minimum(_WIDENING + _WIDENING_A_SECOND * unseen_s, _WIDEST)[:, None]
    states = np.array([path.predicted(now_s) for path in paths])
    half = states[:, 2:] * (0.5 + widening)
    predicted = np.concatenate([states[:, :2] - half, states[:, :2] + half], axis=1)
    margin = (boxes[:, 2:] - boxes[:, :2])[None] * widening[..., None]
    widened = np.concatenate([boxes[None, :, :2] - margin, boxes[None, :, 2:] + margin], axis=2)
    labels = [path.votes.most_common(1)[0][0] for path in paths]
    same_label = np.array([[detection.label == label for detection in detections] for label in labels])
    alike = np.array([[_alike(path.look, seen) for seen in looks] for path in paths])
    shared = overlaps(predicted[:, None], widened)
    return shared * np.where(same_label, 1.0, _OTHER_LABEL) * (1 - _LOOK_WEIGHT + _LOOK_WEIGHT * alike)


def _alike(first: FloatArray | None, second: FloatArray | None) -> float:
    """How well two looks agree, 0..1; 1 when one is not known."""
    if first is None or second is None:
        return 1.0
    return float(np.clip((float(first @ second) - _LOOK_LOW) / (_LOOK_HIGH - _LOOK_LOW), 0.0, 1.0))
