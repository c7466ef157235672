"""Shared by the trackers: boxes as arrays, overlap matrices and the best one-to-one assignment."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment  # pyright: ignore # scipy has no types

from ravu_kg.errors import ConfigurationError
from ravu_kg.types import Boxes, Detection, overlaps


def require_plain(name: str, model: str, options: Mapping[str, object]) -> None:
    """Refuses a model or options for a tracker that has neither.

    Raises:
        ConfigurationError: something was given.
    """
    if model:
        raise ConfigurationError(f"The tracker {name} takes no model: write '{name}' instead of '{name}:{model}'.")
    if options:
        raise ConfigurationError(f"The tracker {name} has no options; remove: {', '.join(sorted(options))}.")


def as_boxes(detections: Sequence[Detection]) -> Boxes:
    """The boxes of some detections, (n, 4)."""
    return np.array(
        [(d.box.x_min, d.box.y_min, d.box.x_max, d.box.y_max) for d in detections], dtype=np.float64
    ).reshape(-1, 4)


def overlap(first: Boxes, second: Boxes) -> NDArray[np.float64]:
    """Intersection over union of every pair, (n, m)."""
    return overlaps(first[:, None], second[None])


def best_pairs(similarity: NDArray[np.float64], least: float) -> list[tuple[int, int]]:
    """The one-to-one assignment of greatest total similarity (Hungarian); pairs under ``least`` are left out."""
    if not similarity.size:
        return []
    # What is under the floor must not take part: two weak pairs could otherwise displace a strong one.
    weights = np.where(similarity >= least, similarity, 0.0)
    # scipy has no types: the assignment is a pair of index arrays.
    pairs: list[tuple[int, int]] = list(zip(*linear_sum_assignment(weights, maximize=True), strict=True))  # pyright: ignore
    return [(int(row), int(column)) for row, column in pairs if similarity[row, column] >= least]
