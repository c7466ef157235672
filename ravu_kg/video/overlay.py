"""Colour-coded boxes with small labels, drawn onto a frame (step 3 of the paper's section 3.2)."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

import cv2
import numpy as np
from numpy.typing import NDArray
from PIL import Image as Pictures
from PIL import ImageColor, ImageDraw, ImageFont

from ravu_kg.types import Box, FloatArray, Image

_SMALLEST_FONT_PX = 12
_DARK, _LIGHT = "#000000", "#ffffff"


def palette(count: int) -> tuple[str, ...]:
    """Colours ``#rrggbb`` as far apart as can be in CIELAB, always the same; a shorter palette starts a longer one.

    Greys, near-black and near-white are left out: they get lost in pictures.
    """
    if count <= 0:
        return ()
    colors, lab = _candidates()
    chosen = [int(np.argmax(colors @ np.array([2, -1, -1])))]  # the purest red first
    distances = np.linalg.norm(lab - lab[chosen[0]], axis=1)
    while len(chosen) < min(count, len(colors)):
        chosen.append(int(np.argmax(distances)))
        distances = np.minimum(distances, np.linalg.norm(lab - lab[chosen[-1]], axis=1))
    names = ["#{:02x}{:02x}{:02x}".format(*colors[index].tolist()) for index in chosen]
    return tuple(names[position % len(names)] for position in range(count))


def draw(image: Image, boxes: Sequence[Box], colors: Sequence[str], labels: Sequence[str]) -> Image:
    """A copy of a picture with one outlined box and one small label for each entity.

    Lines and letters grow with the picture; a label sits on a patch of its box's colour, inside the picture and, where
    there is room, off the labels before it.

    Args:
        image: RGB picture, left as it is.
        boxes: in displayed pixels; parts outside the picture are cut off.
        colors: ``#rrggbb`` of each box.
        labels: text of each box, such as its entity's id; empty for none.

    Raises:
        ValueError: the three sequences are not equally long.
    """
    picture = Pictures.fromarray(image)
    canvas = ImageDraw.Draw(picture)
    side_px = min(picture.size)
    line_px = max(2, round(side_px / 240))
    font = ImageFont.load_default(max(_SMALLEST_FONT_PX, round(side_px / 32)))
    taken: list[Box] = []
    items = list(zip(boxes, colors, labels, strict=True))
    for box, color, _ in items:
        inside = box.clip(picture.width - 1, picture.height - 1)
        canvas.rectangle((inside.x_min, inside.y_min, inside.x_max, inside.y_max), outline=color, width=line_px)
    for box, color, label in items:  # after all lines, so that no line crosses a label
        if label:
            left, top, right, bottom = canvas.textbbox((0, 0), label, font=font)
            pad = max(1, line_px // 2)
            patch = _place(box, right - left + 2 * pad, bottom - top + 2 * pad, picture.size, taken)
            taken.append(patch)
            canvas.rectangle((patch.x_min, patch.y_min, patch.x_max, patch.y_max), fill=color)
            canvas.text((patch.x_min + pad - left, patch.y_min + pad - top), label, fill=_readable_on(color), font=font)
    return np.array(picture, dtype=np.uint8)


@cache
def _candidates() -> tuple[NDArray[np.int64], FloatArray]:
    levels = np.arange(0, 256, 17)
    colors = np.stack(np.meshgrid(levels, levels, levels, indexing="ij"), axis=-1).reshape(-1, 3).astype(np.uint8)
    lab = cv2.cvtColor((colors[None] / 255).astype(np.float32), cv2.COLOR_RGB2Lab)[0]
    lightness, chroma = lab[:, 0], np.linalg.norm(lab[:, 1:], axis=1)
    seen = (lightness > 30) & (lightness < 92) & (chroma > 35)
    return colors[seen].astype(np.int64), np.asarray(lab[seen], dtype=np.float32)


def _place(box: Box, width: float, height: float, size: tuple[int, int], taken: Sequence[Box]) -> Box:
    """Where a label goes: above, inside or below its box, the first place that is free, else the first of all."""
    spots = [
        (box.x_min, box.y_min - height),
        (box.x_min, box.y_min),
        (box.x_max - width, box.y_min),
        (box.x_min, box.y_max - height),
        (box.x_max - width, box.y_max - height),
        (box.x_min, box.y_max),
    ]
    places: list[Box] = []
    for x, y in spots:
        left = max(0.0, min(x, size[0] - 1 - width))
        top = max(0.0, min(y, size[1] - 1 - height))
        place = Box(left, top, left + width, top + height)
        if all(place.intersection(other) == 0 for other in taken):
            return place
        places.append(place)
    return places[0]


def _readable_on(color: str) -> str:
    red, green, blue = ImageColor.getrgb(color)[:3]
    return _DARK if 0.299 * red + 0.587 * green + 0.114 * blue > 128 else _LIGHT
