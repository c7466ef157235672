"""Colour names of a picture area, decided in CIELAB, where equal distances look alike.

Thirteen names: black, gray, white, and by hue red, orange, brown, beige, yellow, green, turquoise, blue, purple, pink.
Brown and beige are dark and pale oranges and yellows, pink a pale red or purple: people name them so.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ravu_kg.looks import small_picture, to_lab
from ravu_kg.types import Box, Image

COLOR_NAMES = (
    "black",
    "gray",
    "white",
    "red",
    "orange",
    "brown",
    "beige",
    "yellow",
    "green",
    "turquoise",
    "blue",
    "purple",
    "pink",
)

_INDEX = {name: position for position, name in enumerate(COLOR_NAMES)}
_SIDE_PX = 24
_INNER_WIDTH = 0.5
_INNER_HEIGHT = 0.7
_LEAST_SHARE = 0.18
_MOST_NAMES = 3
# Upper ends of the hue sectors in degrees of CIELAB's a-b plane, counted from +a (red) towards +b (yellow).
_HUES = ((45.0, "red"), (75.0, "orange"), (105.0, "yellow"), (172.0, "green"), (228.0, "turquoise"), (307.0, "blue"))
_HUES_END = ((338.0, "purple"), (360.0, "pink"))


def color_names(image: Image, box: Box) -> tuple[str, ...]:
    """Names of the colours in the inner area of a box, the most common first, at most three.

    The inner area is the box's middle, half its width and 0.7 of its height: less of the background. A name counts
    from 18 % of that area on; the most common one always does. Empty when the box lies outside the picture.
    """
    area = inner_area(image, box)
    if area is None:
        return ()
    shares = np.bincount(name_indexes(to_lab(area)).ravel(), minlength=len(COLOR_NAMES)) / (
        area.shape[0] * area.shape[1]
    )
    order = np.argsort(-shares, kind="stable")[:_MOST_NAMES]
    return tuple(
        COLOR_NAMES[int(index)] for rank, index in enumerate(order) if rank == 0 or shares[index] >= _LEAST_SHARE
    )


def inner_area(image: Image, box: Box) -> Image | None:
    """The middle of a box as a small picture (at most 24 x 24 px, averaged down); None outside the picture."""
    margin_x = box.width * (1 - _INNER_WIDTH) / 2
    margin_y = box.height * (1 - _INNER_HEIGHT) / 2
    inner = Box(box.x_min + margin_x, box.y_min + margin_y, box.x_max - margin_x, box.y_max - margin_y)
    return small_picture(image, inner, _SIDE_PX, _SIDE_PX)


def name_indexes(lab: NDArray[np.float32]) -> NDArray[np.intp]:
    """For each pixel the position of its colour's name in ``COLOR_NAMES``."""
    lightness, a, b = lab[..., 0], lab[..., 1], lab[..., 2]
    chroma = np.hypot(a, b)
    hue = np.degrees(np.arctan2(b, a)) % 360.0
    names = np.full(lightness.shape, _INDEX["red"], dtype=np.intp)
    low = 0.0
    for high, name in (*_HUES, *_HUES_END):
        names[(hue >= low) & (hue < high)] = _INDEX[name]
        low = high
    warm = (hue >= 45) & (hue < 100)
    names[warm & (lightness < 58) & (chroma < 62)] = _INDEX["brown"]
    names[(hue >= 20) & (hue < 45) & (lightness < 45) & (chroma < 35)] = _INDEX["brown"]
    names[(hue >= 45) & (hue < 105) & (lightness >= 58) & (chroma < 32)] = _INDEX["beige"]
    reddish = (hue >= 338) | (hue < 35)
    names[reddish & (lightness >= 60)] = _INDEX["pink"]
    names[(hue >= 338) & (lightness < 45)] = _INDEX["purple"]
    names[(hue >= 350) & (lightness < 60)] = _INDEX["red"]
    # The eye sees no hue in what is pale or dark: the floor of chroma rises towards black.
    dull = chroma < np.where(lightness < 35, 14.0, 10.0)
    names[dull] = _INDEX["gray"]
    names[dull & (lightness >= 80)] = _INDEX["white"]
    names[(dull & (lightness < 28)) | (lightness < 12)] = _INDEX["black"]
    return names
