"""Tracks made of masks: what becomes a track, which detection belongs to which, when one ends.

A :class:`Segmenter` follows masks from picture to picture; :class:`MaskTracker` tells it whom to follow:

* a detection that agrees with no mask is a prompt, and its mask a new track unless that mask is followed already;
* a mask goes on where there is no detection, but a track that detections cease to confirm is believed ever less;
* a track ends when its mask was gone for more than a second, is no longer believed, or lies on another track's;
* every ten seconds a track is handed over: the box of the detection that agrees with its mask, else the mask itself,
  is the prompt of a new chunk under the same id, and what was remembered before is let go.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

import cv2
import numpy as np
from numpy.typing import NDArray

from ravu_kg.providers.association import as_boxes, best_pairs, overlap
from ravu_kg.types import Box, Detection, Image, TrackedDetection, VideoFrame

Mask = NDArray[np.bool_]
"""The pixels of one thing, (rows, columns); covers the whole picture at any resolution, one for all masks."""

CHUNK_S = 10.0
"""After so long a track is prompted anew."""

_LONGEST_GAP_S = 1.0
_TIMES_TOLERANCE_S = 1e-6
_LEAST_CONFIDENCE = 0.1
_STARTS_TRACK = 0.5
_PART = 0.1

# Association.
_LEAST_OVERLAP = 0.4
_OTHER_LABEL = 0.6
_COMES_BACK = 0.3
_SAME_MASK = 0.5
_INSIDE = 0.85
_LIES_ON_ANOTHER = 0.8

# Half-lives of a belief that no detection confirms. Where the detector spoke, but of other things, it is as much longer
# as detections confirmed it before. Where it said nothing it may have been left out, as a slow detector is in most
# pictures: then it is longer by what it once took from one detection to the next.
_DENIED_S = 0.4
_MOST_CONFIRMATIONS = 5
_SILENT_S = 2.0
_WAITS = 2.0


class Segmenter(Protocol):
    """Follows masks from picture to picture; things are named by numbers of its own."""

    def advance(self, image: Image) -> Mapping[int, Mask]:
        """Go on to the next picture; the masks in it of everything that is followed and can be seen.

        Raises:
            ProviderError: the model failed.
        """
        ...

    def start(self, where: Box | Mask) -> tuple[int, Mask] | None:
        """Follow one more thing, from the present picture on.

        Args:
            where: a box around it in pixels of the picture, or its mask.

        Returns:
            Its number, never used before, and its mask; None when there is nothing, and nothing is followed then.

        Raises:
            ProviderError: the model failed.
        """
        ...

    def drop(self, number: int) -> None:
        """Follow a thing no longer."""
        ...

    def clear(self) -> None:
        """Follow nothing any more and forget all pictures."""
        ...


@dataclass(slots=True, eq=False)
class _Track:
    track_id: int
    number: int
    votes: Counter[str]
    confidence: float
    seen_s: float
    started_s: float
    box: Box
    mask: Mask | None = None
    """None while it cannot be seen."""
    detection: Detection | None = None
    """The one of this picture that agrees with it."""
    confirmed_s: float = -np.inf
    longest_wait_s: float = 0.0

    @property
    def label(self) -> str:
        return self.votes.most_common(1)[0][0]

    def see(self, mask: Mask, box: Box, now_s: float) -> None:
        self.mask, self.box, self.seen_s = mask, box, now_s

    def start_anew(self, number: int, now_s: float) -> None:
        self.number, self.started_s = number, now_s

    def confirm(self, detection: Detection, now_s: float) -> None:
        if self.votes:
            self.longest_wait_s = max(self.longest_wait_s, now_s - self.confirmed_s)
        self.detection, self.confirmed_s = detection, now_s
        self.votes[detection.label] += 1
        self.confidence = max(self.confidence, detection.confidence)

    def fade(self, step_s: float, *, denied: bool) -> None:
        confirmations = min(self.votes.total(), _MOST_CONFIRMATIONS)
        half_life_s = _DENIED_S * confirmations if denied else _SILENT_S + _WAITS * self.longest_wait_s
        self.confidence *= 0.5 ** (step_s / half_life_s)


class MaskTracker:
    """A tracker over the masks of a segmenter; see the module's text."""

    def __init__(self, name: str, segmenter: Segmenter) -> None:
        self.name = name
        self._segmenter = segmenter
        self._tracks: list[_Track] = []
        self._next_id = 1
        self._last_s = 0.0

    def update(self, frame: VideoFrame, detections: Sequence[Detection]) -> list[TrackedDetection]:
        """What is followed in this frame, by track id: the mask's box, the label most of its detections gave.

        The confidence is the highest a detection gave it, which halves with the time that none confirms it.

        Raises:
            ProviderError: the segmenter failed.
        """
        now_s = frame.timestamp_s
        rows, columns = frame.image.shape[:2]
        clipped = [replace(detection, box=detection.box.clip(columns, rows)) for detection in detections]
        found = [one for one in clipped if one.confidence >= _LEAST_CONFIDENCE and one.box.area > 0]
        step_s, self._last_s = now_s - self._last_s, now_s
        self._see(frame)
        unmatched = self._confirm(found, now_s)
        for track in self._tracks:
            if track.detection is None:
                track.fade(step_s, denied=bool(found))
        self._end(now_s)
        self._start(unmatched, frame)
        self._hand_over(now_s)
        return [
            TrackedDetection(track.track_id, Detection(track.box, track.label, track.confidence))
            for track in self._tracks
            if track.mask is not None
        ]

    def reset(self) -> None:
        """Ends all tracks; ids are never used again."""
        self._tracks.clear()
        self._segmenter.clear()

    def _see(self, frame: VideoFrame) -> None:
        masks = self._segmenter.advance(frame.image)
        for track in self._tracks:
            track.mask = track.detection = None
            mask = masks.get(track.number)
            box = None if mask is None else box_of(mask, frame.image)
            if mask is not None and box is not None:
                track.see(mask, box, frame.timestamp_s)

    def _confirm(self, found: Sequence[Detection], now_s: float) -> list[Detection]:
        """Give detections to the tracks whose masks they agree with; the others, surest first."""
        tracks = [track for track in self._tracks if track.mask is not None]
        seen = [Detection(track.box, track.label, track.confidence) for track in tracks]
        labels = np.array([[1.0 if a.label == b.label else _OTHER_LABEL for b in found] for a in seen])
        similarity = overlap(as_boxes(seen), as_boxes(found))
        pairs = best_pairs(similarity * labels.reshape(similarity.shape), _LEAST_OVERLAP)
        for row, column in pairs:
            tracks[row].confirm(found[column], now_s)
        taken = {column for _, column in pairs}
        return sorted(
            (one for at, one in enumerate(found) if at not in taken), key=lambda detection: -detection.confidence
        )

    def _end(self, now_s: float) -> None:
        kept: list[_Track] = []
        # Of two masks on one thing the one that a detection confirmed last stays, else the older.
        for track in sorted(self._tracks, key=lambda track: (-track.confirmed_s, track.track_id)):
            lost = now_s - track.seen_s > _LONGEST_GAP_S + _TIMES_TOLERANCE_S
            if lost or track.confidence < _LEAST_CONFIDENCE or any(_lies_on(track, other) for other in kept):
                self._segmenter.drop(track.number)
            else:
                kept.append(track)
        self._tracks = sorted(kept, key=lambda track: track.track_id)

    def _start(self, unmatched: Sequence[Detection], frame: VideoFrame) -> None:
        now_s = frame.timestamp_s
        for detection in unmatched:
            if detection.confidence < _STARTS_TRACK:
                break
            started = self._segmenter.start(detection.box)
            if started is None:
                continue
            number, mask = started
            box = box_of(mask, frame.image)
            twin = next((track for track in self._tracks if _is_seen_as(track, mask, detection.label)), None)
            if box is None or twin is not None:
                self._segmenter.drop(number)
                if twin is not None:
                    twin.confirm(detection, now_s)
                continue
            track = self._returning(detection)
            if track is None:
                track = _Track(self._next_id, number, Counter(), 0.0, now_s, now_s, box)
                self._next_id += 1
                self._tracks.append(track)
            else:
                self._segmenter.drop(track.number)
            track.start_anew(number, now_s)
            track.see(mask, box, now_s)
            track.confirm(detection, now_s)

    def _returning(self, detection: Detection) -> _Track | None:
        """The track that is out of sight and was last seen where this detection is."""
        hidden = [track for track in self._tracks if track.mask is None and track.label == detection.label]
        track = max(hidden, key=lambda track: track.box.iou(detection.box), default=None)
        return track if track is not None and track.box.iou(detection.box) >= _COMES_BACK else None

    def _hand_over(self, now_s: float) -> None:
        for track in self._tracks:
            if track.mask is None or now_s - track.started_s < CHUNK_S - _TIMES_TOLERANCE_S:
                continue
            started = self._restart(track.mask, track.detection)
            if started is not None:
                self._segmenter.drop(track.number)
                track.start_anew(started, now_s)

    def _restart(self, mask: Mask, detection: Detection | None) -> int | None:
        # A box cures a mask that has drifted, but it may also show the one who stands in front.
        started = None if detection is None else self._segmenter.start(detection.box)
        if started is not None:
            if _shared(started[1], mask)[0] >= _SAME_MASK:
                return started[0]
            self._segmenter.drop(started[0])
        started = self._segmenter.start(mask)
        return None if started is None else started[0]


def box_of(mask: Mask, image: Image) -> Box | None:
    """The box of a mask in pixels of its picture, without the specks that masks often have; None when it is empty."""
    _, _, parts, _ = cv2.connectedComponentsWithStats(mask.astype(np.uint8), connectivity=8)
    parts = parts[1:]  # the first is what is not in the mask
    if not len(parts):
        return None
    areas = parts[:, cv2.CC_STAT_AREA]
    parts = parts[areas >= _PART * areas.max()]
    x_min, y_min = parts[:, cv2.CC_STAT_LEFT], parts[:, cv2.CC_STAT_TOP]
    x_max, y_max = x_min + parts[:, cv2.CC_STAT_WIDTH], y_min + parts[:, cv2.CC_STAT_HEIGHT]
    across, down = image.shape[1] / mask.shape[1], image.shape[0] / mask.shape[0]
    return Box(
        float(x_min.min() * across), float(y_min.min() * down), float(x_max.max() * across), float(y_max.max() * down)
    )


def _shared(first: Mask, second: Mask) -> tuple[float, float]:
    """What two masks share, as a part of their union and of the smaller one."""
    both = int(np.count_nonzero(first & second))
    sizes = int(np.count_nonzero(first)), int(np.count_nonzero(second))
    return both / max(sum(sizes) - both, 1), both / max(min(sizes), 1)


def _is_seen_as(track: _Track, mask: Mask, label: str) -> bool:
    """Whether a mask that was prompted with a label shows what a track follows already."""
    if track.mask is None:
        return False
    of_union, of_smaller = _shared(track.mask, mask)
    # Masks of two things of one kind lie beside, not inside each other: this is a part of it, or the whole of it.
    return of_union >= _SAME_MASK or (label == track.label and of_smaller >= _INSIDE)


def _lies_on(track: _Track, other: _Track) -> bool:
    if track.mask is None or other.mask is None or track.box.iou(other.box) < _SAME_MASK:
        return False
    return _shared(track.mask, other.mask)[0] >= _LIES_ON_ANOTHER
