"""Boxes as models write them: four numbers of 0..1000, in an order that depends on the model."""

from __future__ import annotations

import math
from collections.abc import Sequence

from ravu_kg.types import Box

SCALE = 1000.0
_SMALLEST_PX = 2.0
_Y_FIRST = "y_min, x_min, y_max, x_max"
_X_FIRST = "x_min, y_min, x_max, y_max"


def convention(reference: str) -> str:
    """The order of numbers that a model was trained on, as the request names it.

    Gemini writes y before x; all others are asked for x first.

    Args:
        reference: of the model, such as ``gemini:gemini-3-flash``; also when another server gives it.
    """
    return _Y_FIRST if "gemini" in reference.lower() else _X_FIRST


def from_model(numbers: Sequence[float] | None, order: str, width_px: int, height_px: int) -> Box | None:
    """A box in displayed pixels; swapped corners are put right, what lies outside of the picture is cut off.

    Args:
        numbers: four numbers; None for no box. All of at most 1 are taken for shares of the picture.
        order: from :func:`convention`.
        width_px: of the displayed picture.
        height_px: of the displayed picture.

    Returns:
        The box; None when there is none or nothing of it lies in the picture.
    """
    if numbers is None or len(numbers) != 4 or not all(math.isfinite(number) for number in numbers):
        return None
    scale = 1.0 if max(numbers) <= 1.0 else SCALE
    shares = [number / scale for number in numbers]
    if order == _Y_FIRST:
        shares = [shares[1], shares[0], shares[3], shares[2]]
    xs, ys = sorted((shares[0], shares[2])), sorted((shares[1], shares[3]))
    box = Box(xs[0] * width_px, ys[0] * height_px, xs[1] * width_px, ys[1] * height_px).clip(width_px, height_px)
    return box if box.width >= _SMALLEST_PX and box.height >= _SMALLEST_PX else None
