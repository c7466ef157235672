"""Boxes, spans of time, and arrays."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float32]
Boxes = NDArray[np.float64]
"""(..., 4): x_min, y_min, x_max and y_max of each."""
Image = NDArray[np.uint8]
Span = tuple[float, float]
"""Start and end in seconds, half-open."""


@dataclass(frozen=True, slots=True)
class Box:
    """An axis-aligned rectangle in displayed pixels."""

    x_min: float
    y_min: float
    x_max: float
    y_max: float

    @property
    def width(self) -> float:
        """Width in pixels, never negative."""
        return max(0.0, self.x_max - self.x_min)

    @property
    def height(self) -> float:
        """Height in pixels, never negative."""
        return max(0.0, self.y_max - self.y_min)

    @property
    def area(self) -> float:
        """Area in square pixels."""
        return self.width * self.height

    @property
    def center(self) -> tuple[float, float]:
        """Centre point (x, y) in pixels."""
        return (self.x_min + self.x_max) / 2, (self.y_min + self.y_max) / 2

    def intersection(self, other: Box) -> float:
        """Area shared with another box, in square pixels."""
        width = min(self.x_max, other.x_max) - max(self.x_min, other.x_min)
        height = min(self.y_max, other.y_max) - max(self.y_min, other.y_min)
        return max(0.0, width) * max(0.0, height)

    def iou(self, other: Box) -> float:
        """Intersection over union, 0..1; 0 when both boxes are empty."""
        shared = self.intersection(other)
        union = self.area + other.area - shared
        return shared / union if union > 0 else 0.0

    def distance(self, other: Box) -> float:
        """Gap between the nearest edges in pixels; 0 when the boxes touch or overlap."""
        dx = max(0.0, max(self.x_min, other.x_min) - min(self.x_max, other.x_max))
        dy = max(0.0, max(self.y_min, other.y_min) - min(self.y_max, other.y_max))
        return float(np.hypot(dx, dy))

    def clip(self, width_px: int, height_px: int) -> Box:
        """The part of the box inside a picture of the given size."""
        return Box(
            min(max(self.x_min, 0.0), float(width_px)),
            min(max(self.y_min, 0.0), float(height_px)),
            min(max(self.x_max, 0.0), float(width_px)),
            min(max(self.y_max, 0.0), float(height_px)),
        )


def overlaps(first: Boxes, second: Boxes) -> NDArray[np.float64]:
    """Intersection over union of boxes that are paired by broadcasting, (..., 4) each; empty boxes share nothing."""
    low = np.maximum(first[..., :2], second[..., :2])
    high = np.minimum(first[..., 2:], second[..., 2:])
    shared = _area(low, high)
    union = _area(first[..., :2], first[..., 2:]) + _area(second[..., :2], second[..., 2:]) - shared
    return shared / np.maximum(union, 1e-9)


def _area(low: Boxes, high: Boxes) -> NDArray[np.float64]:
    size = np.maximum(high - low, 0.0)
    return size[..., 0] * size[..., 1]
