"""What is kept of each track while the pictures stream by: compact arrays, never a picture.

A *stay* is one continuous presence of one thing. A tracker's track becomes a new stay where it was unseen for more
than a second, where it left through the border of the picture, and at a shot cut; so one tracker id may give several
stays, and an occlusion that the tracker bridged stays one.
"""

from __future__ import annotations

from array import array
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from ravu_kg.looks import histogram
from ravu_kg.perception.colors import color_names
from ravu_kg.types import Box, Detection, FloatArray, TrackedDetection, TrackEnd, VideoFrame

LONGEST_GAP_S = 1.0
"""The longest time unseen that stays one entity, unless two frames lie further apart."""

LEAST_BOXES = 2
"""In so many frames a thing has to be seen, unless its detector is surer than most."""

_BORDER_SHARE = 0.015
_MOTION_S = 0.7
_VANISHES_S = 1.5
_TIMES_TOLERANCE_S = 1e-6
_STILL_SEEN_S = 0.5
_LEAST_SEEN_S = 0.5
_STRONG = 0.6
_STRONG_QUANTILE = 0.9
_SHORT_S = 2.0
_LOOKS_FIRST = 3
_LOOK_EVERY_S = 0.5
_COVERED_SHARE = 0.3


@dataclass(slots=True)
class Stay:
    """One continuous presence, growing while it is watched."""

    times_s: array[float] = field(default_factory=lambda: array("d"))
    boxes: array[float] = field(default_factory=lambda: array("f"))
    confidences: array[float] = field(default_factory=lambda: array("f"))
    label_weights: defaultdict[str, float] = field(default_factory=lambda: defaultdict[str, float](float))
    colors: dict[int, tuple[str, ...]] = field(default_factory=dict[int, tuple[str, ...]])
    first_colors: tuple[str, ...] = ()
    histograms: FloatArray | None = None
    clear_looks: int = 0
    looked_s: float = -np.inf
    ended_by: TrackEnd = "end"

    @property
    def label(self) -> str:
        """The label with the greatest sum of confidences; of equals the first in the alphabet."""
        return min(self.label_weights, key=lambda label: (-self.label_weights[label], label))

    def record(
        self, frame: VideoFrame, detection: Detection, others: Sequence[Detection], sampled_index: int | None
    ) -> None:
        """Takes in one box of this thing.

        Args:
            frame: the picture it is in, later than all before.
            detection: the box.
            others: the other things in the picture, which may cover it.
            sampled_index: index of the picture among the sampled frames when it is one of them.
        """
        box = detection.box
        if sampled_index is not None or not self.times_s:
            names = color_names(frame.image, box)
            if sampled_index is not None:
                self.colors[sampled_index] = names
            if not self.times_s:
                self.first_colors = names
        self.times_s.append(frame.timestamp_s)
        self.boxes.extend((box.x_min, box.y_min, box.x_max, box.y_max))
        self.confidences.append(detection.confidence)
        self.label_weights[detection.label] += detection.confidence
        self._look(frame, detection, others)

    def box_array(self) -> FloatArray:
        """All boxes, (n, 4)."""
        return np.frombuffer(self.boxes, dtype=np.float32).reshape(-1, 4).copy()

    def time_array(self) -> NDArray[np.float64]:
        """All times, (n,)."""
        return np.frombuffer(self.times_s, dtype=np.float64).copy()

    def confidence_array(self) -> FloatArray:
        """All confidences, (n,)."""
        return np.frombuffer(self.confidences, dtype=np.float32).copy()

    def _look(self, frame: VideoFrame, detection: Detection, others: Sequence[Detection]) -> None:
        due = frame.timestamp_s - self.looked_s >= _LOOK_EVERY_S - _TIMES_TOLERANCE_S
        if not due and self.clear_looks >= _LOOKS_FIRST:
            return
        box = detection.box
        # Only its like: the box of a bed or a table reaches over all that is on it.
        covered = any(
            other.label == detection.label and box.intersection(other.box) > _COVERED_SHARE * box.area
            for other in others
        )
        if covered and self.histograms is not None:
            return
        shares = histogram(frame.image, box)
        if shares is None:
            return
        # The look of a thing that stands free is the true one; a covered one only counts while there is no other.
        first_clear = self.clear_looks == 0 and not covered
        self.histograms = shares if self.histograms is None or first_clear else self.histograms + shares
        self.clear_looks += 0 if covered else 1
        self.looked_s = frame.timestamp_s


class Observer:
    """Collects stays from the tracked detections of consecutive frames.

    Stays that :func:`is_strong` takes for errors of the detector are forgotten as soon as they end.
    """

    def __init__(
        self, width_px: int, height_px: int, tracking_interval_s: float, least_boxes: int = LEAST_BOXES
    ) -> None:
        self._least_boxes = least_boxes
        self._width_px, self._height_px = width_px, height_px
        self._tracking_interval_s = tracking_interval_s
        self._longest_gap_s = max(LONGEST_GAP_S, 1.5 * tracking_interval_s)
        self._open: dict[int, Stay] = {}
        self._closed: list[Stay] = []

    def observe(self, frame: VideoFrame, tracked: Sequence[TrackedDetection], sampled_index: int | None) -> None:
        """Takes in one frame; ``sampled_index`` is its index among the sampled frames when it is one of them."""
        now_s = frame.timestamp_s
        for track_id in [
            i for i, stay in self._open.items() if now_s - stay.times_s[-1] > self._longest_gap_s + _TIMES_TOLERANCE_S
        ]:
            self._close(track_id, "lost")
        for item in tracked:
            others = [other.detection for other in tracked if other is not item]
            self._stay_of(item, now_s).record(frame, item.detection, others, sampled_index)

    def cut(self) -> None:
        """Ends all stays: the picture changed to another shot."""
        for track_id in list(self._open):
            self._close(track_id, "cut")

    def finish(self, end_s: float) -> list[Stay]:
        """The stays that are real, in order of their first time; ``end_s`` is the time of the last frame."""
        for track_id in list(self._open):
            self._close(track_id, "end" if end_s - self._open[track_id].times_s[-1] <= _STILL_SEEN_S else "lost")
        return sorted(self._closed, key=lambda stay: (stay.times_s[0], tuple(stay.boxes[:4])))

    def _stay_of(self, item: TrackedDetection, now_s: float) -> Stay:
        stay = self._open.get(item.track_id)
        if stay is not None and self._left_and_came_back(stay, now_s, item.detection.box):
            self._close(item.track_id, "left")
            stay = None
        if stay is None:
            stay = self._open[item.track_id] = Stay()
        return stay

    def _left_and_came_back(self, stay: Stay, now_s: float, box: Box) -> bool:
        if len(stay.times_s) < 2:
            return False
        usual_s = stay.times_s[-1] - stay.times_s[-2]
        if now_s - stay.times_s[-1] < 2 * usual_s - _TIMES_TOLERANCE_S:
            return False
        return bool(touched_sides(box, self._width_px, self._height_px)) and self._leaves(stay)

    def _close(self, track_id: int, ended_by: TrackEnd) -> None:
        stay = self._open.pop(track_id)
        if not is_strong(stay.confidence_array(), self._tracking_interval_s, self._least_boxes):
            return
        stay.ended_by = "left" if ended_by == "lost" and self._leaves(stay) else ended_by
        self._closed.append(stay)

    def _leaves(self, stay: Stay) -> bool:
        return leaves(stay.time_array(), stay.box_array(), self._width_px, self._height_px)


def is_strong(confidences: FloatArray, tracking_interval_s: float, least_boxes: int = LEAST_BOXES) -> bool:
    """Whether boxes with these confidences are a real thing and not an error of the detector.

    It has to be seen in two frames and for half a second in all; the 0.9 quantile of the confidences has to reach
    0.6, and so has their mean when it was seen for less than two seconds.

    Args:
        confidences: of its boxes.
        tracking_interval_s: between two frames.
        least_boxes: in how many frames it has to be seen. Detectors of single pictures see things that are not there
            in one frame and not in the next; a multimodal model looks at one frame a second and does not flicker, and
            what passes by may be in one of its frames only.
    """
    seen_s = len(confidences) * tracking_interval_s
    if len(confidences) < least_boxes or seen_s < _LEAST_SEEN_S:
        return False
    if float(np.quantile(confidences, _STRONG_QUANTILE)) < _STRONG:
        return False
    return seen_s >= _SHORT_S or float(confidences.mean()) >= _STRONG


def ending(stay: Stay, end_s: float, cuts_s: Sequence[float], width_px: int, height_px: int) -> TrackEnd:
    """Why a complete stay ended, in a video whose last frame is at ``end_s``."""
    seen_s = stay.times_s[-1]
    if end_s - seen_s <= _STILL_SEEN_S:
        return "end"
    if any(0 < cut_s - seen_s <= _STILL_SEEN_S for cut_s in cuts_s):
        return "cut"
    return "left" if leaves(stay.time_array(), stay.box_array(), width_px, height_px) else "lost"


def touched_sides(box: Box, width_px: int, height_px: int) -> frozenset[str]:
    """The borders of the picture that a box reaches (within 1.5 %): left, top, right, bottom."""
    margin_x, margin_y = _BORDER_SHARE * width_px, _BORDER_SHARE * height_px
    sides = {
        "left": box.x_min <= margin_x,
        "top": box.y_min <= margin_y,
        "right": box.x_max >= width_px - margin_x,
        "bottom": box.y_max >= height_px - margin_y,
    }
    return frozenset(side for side, touched in sides.items() if touched)


def leaves(times_s: NDArray[np.float64], boxes: FloatArray, width_px: int, height_px: int) -> bool:
    """Whether a path ends in leaving the picture.

    The last box reaches a border and its inner edge moves there so fast that nothing would be left to see within
    1.5 s. Standing at the border, cut by it, is not leaving.
    """
    last = boxes[-1]
    recent = times_s >= times_s[-1] - _MOTION_S - _TIMES_TOLERANCE_S
    elapsed_s = float(times_s[-1] - times_s[recent][0])
    if elapsed_s <= 0:
        return False
    velocity = (last - boxes[recent][0]) / elapsed_s
    x_min, y_min, x_max, y_max = (float(value) for value in last)
    sides = touched_sides(Box(x_min, y_min, x_max, y_max), width_px, height_px)
    # For each side: what is still inside, and how fast the inner edge moves outwards.
    outward = {
        "left": (x_max, -float(velocity[2])),
        "right": (width_px - x_min, float(velocity[0])),
        "top": (y_max, -float(velocity[3])),
        "bottom": (height_px - y_min, float(velocity[1])),
    }
    return any(speed > 0 and inside <= speed * _VANISHES_S for inside, speed in (outward[side] for side in sides))
