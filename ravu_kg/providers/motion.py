"""What moves, found by OpenCV's background subtraction: needs no weights and names nothing.

The background is learned over about half a minute of frames, so something that stops long enough becomes part of it.
A picture that changes as a whole (a cut, a panning camera, however slowly it pans) gives no boxes; the background is
then learned anew.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from math import hypot

import cv2
import numpy as np

from ravu_kg.providers.detector_options import no_model, only
from ravu_kg.types import Box, Detection, FloatArray, Image, VideoFrame

LABEL = "moving object"

_LONG_SIDE_PX = 320
_HISTORY_FRAMES = 150
_BACKGROUND_SHARE = 0.6
"""How firmly the background is held to: somebody who waits at a table for ten seconds still stands out."""
_WHOLE_PICTURE = 0.4
"""Share of changed pixels from which the camera is taken to have moved or cut."""
_SMALLEST = 0.0015
"""Share of the picture below which a blob is noise."""
_JOIN_GAP = 0.02
"""Blobs closer than this share of the picture's long side are parts of one object."""
_PAN_PX = 1.0
"""Shift of the whole picture, at the size that is looked at, from which a camera pans when it goes on that way."""
_PAN_SURE = 0.6
"""How well two pictures must agree when one is shifted; something large that passes by agrees less."""
_CELLS = 4
_STEP_LEVELS = 15
_CHANGED_SHARE = 0.02
_CHANGED_CELLS = 8
"""A pan changes most of the picture's 4 x 4 cells (in each 2 % of the pixels, by 15 grey levels); a single thing that
crosses a still picture shifts it as well, but changes few."""
_MOVING = 255
"""MOG2 marks shadows by 127."""


def create(model: str, options: Mapping[str, object]) -> MotionDetector:
    """Entry point ``motion``.

    Raises:
        ConfigurationError: a model or an option was given; it has neither.
    """
    no_model("motion", model)
    only("motion", options, ())
    return MotionDetector()


class MotionDetector:
    """Moving regions of frames from one video, in time order."""

    name = "motion"
    stateful = True

    def __init__(self) -> None:
        self._background = _new_background()
        self._learned = False
        self._last_gray: FloatArray | None = None
        self._last_shift = (0.0, 0.0)

    def detect(self, frames: Sequence[VideoFrame]) -> list[list[Detection]]:
        """Boxes around what moves in each frame, largest first; none in the first frame of a video or shot."""
        return [self._detect(frame.image) for frame in frames]

    def _detect(self, image: Image) -> list[Detection]:
        height_px, width_px = image.shape[:2]
        factor = min(1.0, _LONG_SIDE_PX / max(height_px, width_px))
        size = max(1, round(width_px * factor)), max(1, round(height_px * factor))
        small = np.asarray(cv2.resize(image, size, interpolation=cv2.INTER_AREA), dtype=np.uint8)
        if self._pans(small):
            self._background = _new_background()
            return self._start(small)
        if not self._learned:
            return self._start(small)
        known = np.asarray(self._background.getBackgroundImage(), dtype=np.uint8)
        mask = np.asarray(self._background.apply(_evened(small, known)), dtype=np.uint8)
        if np.count_nonzero(mask) > _WHOLE_PICTURE * mask.size:
            self._background = _new_background()
            return self._start(small)
        moving = (mask == _MOVING).astype(np.uint8)
        moving = np.asarray(cv2.morphologyEx(moving, cv2.MORPH_OPEN, np.ones((3, 3), np.uint8)), dtype=np.uint8)
        smallest_px = _SMALLEST * moving.size
        found: list[Detection] = []
        for box in _joined(_blobs(moving), _JOIN_GAP * max(size)):
            left, top, right, bottom = (int(edge) for edge in (box.x_min, box.y_min, box.x_max, box.y_max))
            pixels = int(moving[top:bottom, left:right].sum())
            if pixels >= smallest_px:
                scaled = Box(*(edge / factor for edge in (left, top, right, bottom))).clip(width_px, height_px)
                # The fuller its box, the surer it is one object; half is certain enough to start a track.
                found.append(Detection(scaled, LABEL, 0.5 + 0.5 * pixels / box.area))
        return sorted(found, key=lambda one: (-one.box.area, one.box.x_min, one.box.y_min))

    def _pans(self, small: Image) -> bool:
        """Whether the camera moved the same way in this picture and in the last one; a hand that shakes goes back."""
        gray = np.asarray(cv2.cvtColor(small, cv2.COLOR_RGB2GRAY), dtype=np.float32)
        last, self._last_gray = self._last_gray, gray
        if last is None:
            return False
        shift, agreement = cv2.phaseCorrelate(last, gray, _window(gray.shape))
        x, y = float(shift[0]), float(shift[1])
        (x_before, y_before), self._last_shift = self._last_shift, (x, y)
        shifts = agreement >= _PAN_SURE and hypot(x, y) >= _PAN_PX and x * x_before + y * y_before >= _PAN_PX**2
        return shifts and _changes_all_over(last, gray)

    def _start(self, small: Image) -> list[Detection]:
        self._learned = True
        self._background.apply(small)
        return []


def _evened(small: Image, known: Image) -> Image:
    """The picture as bright as the background: a camera that adapts its exposure must not make everything move."""
    ratios = (known[::2, ::2].astype(np.float32) + 1) / (small[::2, ::2].astype(np.float32) + 1)
    gains = np.clip(np.median(ratios, axis=(0, 1)), 0.6, 1.6)  # most of the picture is background
    table = np.clip(np.arange(256)[:, None] * gains, 0, 255).astype(np.uint8)
    return np.asarray(cv2.LUT(small, table[None]), dtype=np.uint8)


def _changes_all_over(last: FloatArray, gray: FloatArray) -> bool:
    changed = (np.abs(gray - last) > _STEP_LEVELS).astype(np.float32)
    shares = np.asarray(cv2.resize(changed, (_CELLS, _CELLS), interpolation=cv2.INTER_AREA))
    return int(np.count_nonzero(shares >= _CHANGED_SHARE)) >= _CHANGED_CELLS


@cache
def _window(shape: tuple[int, ...]) -> FloatArray:
    """Weights that fade towards the borders, where a shifted picture has something else."""
    height_px, width_px = shape
    if min(shape) < 2:
        return np.ones(shape, dtype=np.float32)
    return np.asarray(cv2.createHanningWindow((width_px, height_px), cv2.CV_32F), dtype=np.float32)


def _new_background() -> cv2.BackgroundSubtractor:
    background = cv2.createBackgroundSubtractorMOG2(history=_HISTORY_FRAMES, varThreshold=25, detectShadows=True)
    background.setBackgroundRatio(_BACKGROUND_SHARE)
    return background


def _blobs(moving: Image) -> list[Box]:
    count, _, stats, _ = cv2.connectedComponentsWithStats(moving, connectivity=8)
    boxes: list[Box] = []
    for left, top, width, height, _ in np.asarray(stats, dtype=np.int64)[1:count].tolist():
        boxes.append(Box(left, top, left + width, top + height))
    return boxes


def _joined(boxes: list[Box], gap_px: float) -> list[Box]:
    """The boxes with those near each other united, until none is near another."""
    joined: list[Box] = []
    for box in boxes:
        merged = box
        near = [other for other in joined if merged.distance(other) <= gap_px]
        while near:
            joined = [other for other in joined if other not in near]
            for other in near:
                merged = Box(
                    min(merged.x_min, other.x_min),
                    min(merged.y_min, other.y_min),
                    max(merged.x_max, other.x_max),
                    max(merged.y_max, other.y_max),
                )
            near = [other for other in joined if merged.distance(other) <= gap_px]
        joined.append(merged)
    return joined
