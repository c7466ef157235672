"""People who stand or walk in full view, found by OpenCV's HOG people detector: needs no weights.

It sees upright people of about a third of the picture's long side and more, head to foot. It misses who sits, is cut
off by the border or is far away; use a trained detector where one can be had.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import cv2
import numpy as np

from ravu_kg.providers.detector_options import no_model, only
from ravu_kg.types import Box, Detection, Image, VideoFrame

LABEL = "person"

_LONG_SIDE_PX = 400
"""More pixels cost much (250 ms at 768x576) and bring more false finds than people."""
_HIT = 0.5
"""Least distance from the classifier's boundary: on the test clips nearly all hits from here on are people."""
_NMS_IOU = 0.4
_WINDOW_PX = (64, 128)


def create(model: str, options: Mapping[str, object]) -> PeopleDetector:
    """Entry point ``people``.

    Raises:
        ConfigurationError: a model or an option was given; it has neither.
    """
    no_model("people", model)
    only("people", options, ())
    return PeopleDetector()


class PeopleDetector:
    """Standing people in each frame alone."""

    name = "people"
    stateful = False

    def __init__(self) -> None:
        self._hog = cv2.HOGDescriptor()
        self._hog.setSVMDetector(np.array(cv2.HOGDescriptor.getDefaultPeopleDetector(), dtype=np.float32))

    def detect(self, frames: Sequence[VideoFrame]) -> list[list[Detection]]:
        """Boxes of people, strongest first."""
        return [self._detect(frame.image) for frame in frames]

    def _detect(self, image: Image) -> list[Detection]:
        height_px, width_px = image.shape[:2]
        factor = min(1.0, _LONG_SIDE_PX / max(height_px, width_px))
        size = max(1, round(width_px * factor)), max(1, round(height_px * factor))
        if size[0] < _WINDOW_PX[0] or size[1] < _WINDOW_PX[1]:
            return []
        small = cv2.resize(image, size, interpolation=cv2.INTER_AREA)
        # The library's own grouping depends on the order in which its threads finish: group here, in a fixed order.
        windows, weights = self._hog.detectMultiScale(
            small, hitThreshold=_HIT, winStride=(8, 8), padding=(16, 16), scale=1.1, groupThreshold=0
        )
        hits = sorted(
            zip(np.ravel(weights).tolist(), np.reshape(windows, (-1, 4)).tolist(), strict=True),
            key=lambda hit: (-hit[0], hit[1]),
        )
        kept: list[Detection] = []
        for weight, (left, top, width, height) in hits:
            # The classifier's window has a margin around the person.
            edges = left + 0.1 * width, top + 0.07 * height, left + 0.9 * width, top + 0.87 * height
            box = Box(*(edge / factor for edge in edges)).clip(width_px, height_px)
            if box.area > 0 and all(box.iou(other.box) < _NMS_IOU for other in kept):
                kept.append(Detection(box, LABEL, weight / (weight + _HIT)))
        return kept
