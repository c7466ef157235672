"""Faces made unrecognisable in pictures that leave the program.

Found by the face detectors that come with OpenCV (Haar cascades, upright faces from the front and from the side), and
taken for granted at the top of every box of a person. What neither finds stays: see :data:`NO_GUARANTEE`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

import cv2
import numpy as np

from ravu_kg.types import Box, Image

NO_GUARANTEE = (
    "Faces were blurred where a face detector found one and at the top of the boxes of people. A face that neither "
    "found, such as a small, turned, hidden or mirrored one, is still visible, and clothes, bodies and places can "
    "tell who somebody is. Look at every picture before you pass it on."
)
PEOPLE = frozenset({"person", "man", "woman", "boy", "girl", "child", "baby", "adult", "pedestrian", "people"})

_CASCADES = ("haarcascade_frontalface_alt2.xml", "haarcascade_profileface.xml")
_SEARCHED_PX = 960
"""Longer pictures are made smaller to be searched; faces below some 20 of these pixels are not found."""
_SMALLEST_FACE_PX = 20
_FACE_MARGIN = 0.25
_HEAD_OF_TALL, _HEAD_OF_WIDE = 0.28, 0.6
"""Share of a person's box that is taken for the head: of a whole figure, and of one cut at the picture's edge."""
_TALL = 1.4
_HEAD_MARGIN = 0.08
_BLOCKS = 5
"""A face keeps so many blocks across: too few for eyes and mouth."""


class FaceBlur:
    """Blurs faces; make one and use it for many pictures."""

    def __init__(self) -> None:
        folder = Path(cv2.__file__).parent / "data"
        self._cascades = [cv2.CascadeClassifier(str(folder / name)) for name in _CASCADES]

    def blurred(self, image: Image, people: Iterable[Box]) -> Image:
        """A copy of a picture with its faces blurred.

        Args:
            image: RGB.
            people: boxes of people in it, in its pixels.
        """
        result = image.copy()
        for box in [*self._faces(image), *(head(box) for box in people)]:
            _blur(result, box)
        return result

    def _faces(self, image: Image) -> list[Box]:
        height_px, width_px = image.shape[:2]
        scale = min(1.0, _SEARCHED_PX / max(width_px, height_px))
        whole = cv2.cvtColor(image, cv2.COLOR_RGB2GRAY)
        smaller = cv2.resize(whole, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA) if scale < 1 else whole
        gray = np.asarray(smaller, dtype=np.uint8)
        frontal, profile = self._cascades
        found = [*_found(frontal, gray), *_found(profile, gray)]
        width = gray.shape[1]
        # The detector of profiles knows faces that look to one side only.
        found += [(width - x - w, y, w, h) for x, y, w, h in _found(profile, np.ascontiguousarray(gray[:, ::-1]))]
        return [
            Box(
                (x - _FACE_MARGIN * w) / scale,
                (y - _FACE_MARGIN * h) / scale,
                (x + (1 + _FACE_MARGIN) * w) / scale,
                (y + (1 + _FACE_MARGIN) * h) / scale,
            )
            for x, y, w, h in found
        ]


def head(person: Box) -> Box:
    """Where the head is in the box of a person, over its whole width: generous rather than exact."""
    share = _HEAD_OF_TALL if person.height > _TALL * person.width else _HEAD_OF_WIDE
    aside, above = _HEAD_MARGIN * person.width, _HEAD_MARGIN * person.height
    return Box(person.x_min - aside, person.y_min - above, person.x_max + aside, person.y_min + share * person.height)


def is_person(label: str) -> bool:
    """Whether a label says that somebody has a face to blur."""
    return not PEOPLE.isdisjoint(label.lower().split())


def _found(cascade: cv2.CascadeClassifier, gray: Image) -> Sequence[tuple[int, int, int, int]]:
    least = (_SMALLEST_FACE_PX, _SMALLEST_FACE_PX)
    boxes = cascade.detectMultiScale(gray, scaleFactor=1.1, minNeighbors=3, minSize=least)
    return [(int(x), int(y), int(w), int(h)) for x, y, w, h in boxes]


def _blur(image: Image, box: Box) -> None:
    """Replace a region by a few blocks of its colours, softened."""
    inside = box.clip(image.shape[1], image.shape[0])
    left, top, right, bottom = int(inside.x_min), int(inside.y_min), round(inside.x_max), round(inside.y_max)
    region = image[top:bottom, left:right]
    if region.size == 0:
        return
    size = (right - left, bottom - top)
    side = max(1, min(size) // _BLOCKS)
    blocks = cv2.resize(region, (max(1, size[0] // side), max(1, size[1] // side)), interpolation=cv2.INTER_AREA)
    image[top:bottom, left:right] = cv2.resize(blocks, size, interpolation=cv2.INTER_LINEAR)
