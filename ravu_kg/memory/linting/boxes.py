"""What boxes alone tell: one thing that is tracked twice, tracks that jump, boxes that leave the picture."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from ravu_kg.memory.linting.records import Check, Memory, Suspicion, Tracked
from ravu_kg.types import Boxes, Span, overlaps

SAME_OVERLAP, OTHER_OVERLAP = 0.7, 0.85
"""From this overlap on two boxes of one label, or of two labels, are taken for one thing."""
SHORTEST_S = 1.0
"""Two things may hide each other for a moment."""
LONGEST_STEP_S = 1.0
"""A track is not read into over a longer time without an observation."""
JUMP_SIZES, JUMP_SIZES_PER_S = 2.0, 8.0
"""A track jumps when its box gets so far between two observations, and so fast; a size is the root of its area."""
OUTSIDE_PX = 1.0
"""Rounding may reach so far beyond the border."""


def duplicates(memory: Memory) -> Iterator[Suspicion]:
    """Pairs of entities whose boxes are in the same place for a second or longer."""
    entities = [one for one in memory.entities.values() if len(one.times_s)]
    for position, first in enumerate(entities):  # in order of appearance
        for second in entities[position + 1 :]:
            if second.times_s[0] > first.times_s[-1]:
                break
            yield from _coincide(first, second)


def jumps(memory: Memory) -> Iterator[Suspicion]:
    """Places where the box of a track is suddenly elsewhere."""
    for entity in memory.entities.values():
        if len(entity.times_s) < 2:
            continue
        steps_s = np.diff(entity.times_s)
        sizes_px = np.sqrt(_areas(entity.boxes))
        scale_px = np.maximum((sizes_px[:-1] + sizes_px[1:]) / 2, 1.0)
        moved_px = np.linalg.norm(np.diff(_centers(entity.boxes), axis=0), axis=1)
        sizes = moved_px / scale_px
        apart = overlaps(entity.boxes[:-1], entity.boxes[1:]) == 0
        far = (sizes >= JUMP_SIZES) & (sizes >= JUMP_SIZES_PER_S * steps_s) & (steps_s <= LONGEST_STEP_S + 1e-6)
        for at in np.flatnonzero(far & apart):
            start_s, end_s = float(entity.times_s[at]), float(entity.times_s[at + 1])
            yield _of_boxes(
                "jump",
                (entity,),
                (start_s, end_s),
                f"{entity.name} is {moved_px[at]:.0f} px away, {sizes[at]:.1f} times its size, within "
                f"{steps_s[at]:.2f} s.",
            )


def outside(memory: Memory) -> Iterator[Suspicion]:
    """Entities whose boxes reach over the border of the picture, or have no area."""
    width_px, height_px = memory.video.width_px, memory.video.height_px
    for entity in memory.entities.values():
        if not len(entity.times_s):
            continue
        boxes = entity.boxes
        over = np.stack([-boxes[:, 0], -boxes[:, 1], boxes[:, 2] - width_px, boxes[:, 3] - height_px], axis=1)
        worst = over.max(axis=1)
        empty = (boxes[:, 2] <= boxes[:, 0]) | (boxes[:, 3] <= boxes[:, 1])
        out = worst > OUTSIDE_PX
        if out.any():
            at = np.flatnonzero(out)
            side = ("left", "top", "right", "bottom")[int(over[at].max(axis=0).argmax())]
            yield _of_boxes(
                "outside",
                (entity,),
                (float(entity.times_s[at[0]]), float(entity.times_s[at[-1]])),
                f"{_boxes_of(entity, len(at))} up to {worst.max():.0f} px beyond the {side} border of the picture.",
            )
        if empty.any():
            at = np.flatnonzero(empty)
            span = (float(entity.times_s[at[0]]), float(entity.times_s[at[-1]]))
            yield _of_boxes("outside", (entity,), span, f"{_boxes_of(entity, len(at))} without any area.")


def boxes_at(entity: Tracked, times_s: NDArray[np.float64]) -> tuple[Boxes, NDArray[np.bool_]]:
    """The boxes of an entity at some times, and where they are known.

    Between two observations a box is interpolated when they are at most a second apart; outside of the track there
    is none.
    """
    sides = [np.interp(times_s, entity.times_s, entity.boxes[:, side]) for side in range(4)]
    after = np.clip(np.searchsorted(entity.times_s, times_s), 0, len(entity.times_s) - 1)
    before = np.maximum(np.where(entity.times_s[after] > times_s + 1e-9, after - 1, after), 0)
    gap_s = entity.times_s[after] - entity.times_s[before]
    known = (times_s >= entity.times_s[0] - 1e-9) & (times_s <= entity.times_s[-1] + 1e-9)
    return np.stack(sides, axis=1), known & (gap_s <= LONGEST_STEP_S + 1e-6)


def _coincide(first: Tracked, second: Tracked) -> Iterator[Suspicion]:
    boxes, known = boxes_at(second, first.times_s)
    least = SAME_OVERLAP if first.label == second.label else OTHER_OVERLAP
    overlap = np.where(known, overlaps(first.boxes, boxes), 0.0)
    for start, stop in _runs(overlap >= least):
        span = float(first.times_s[start]), float(first.times_s[stop - 1])
        if span[1] - span[0] < SHORTEST_S - 1e-6:
            continue
        text = (
            f"{first.name} and {second.name} have the same box: they overlap by {overlap[start:stop].mean():.0%} "
            f"over {span[1] - span[0]:.1f} s."
        )
        yield _of_boxes("duplicate", (first, second), span, text)


def _of_boxes(check: Check, entities: Sequence[Tracked], span: Span, text: str) -> Suspicion:
    ids = tuple(entity.entity_id for entity in entities)
    return Suspicion(
        check, *span, ids, text, "lint/show_boxes", {"entity_ids": list(ids), "from_s": span[0], "to_s": span[1]}
    )


def _runs(holds: NDArray[np.bool_]) -> list[tuple[int, int]]:
    """Stretches [start, stop) of consecutive True values."""
    edges = np.flatnonzero(np.diff(np.concatenate(([False], holds, [False])).astype(np.int8)))
    return [(int(start), int(stop)) for start, stop in zip(edges[::2], edges[1::2], strict=True)]


def _boxes_of(entity: Tracked, count: int) -> str:
    return f"{entity.name} has {count} of {len(entity.times_s)} boxes"


def _areas(boxes: Boxes) -> NDArray[np.float64]:
    return np.prod(np.clip(boxes[:, 2:] - boxes[:, :2], 0.0, None), axis=1)


def _centers(boxes: Boxes) -> NDArray[np.float64]:
    return (boxes[:, :2] + boxes[:, 2:]) / 2
