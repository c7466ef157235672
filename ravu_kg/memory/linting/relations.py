"""Relations that were told and that the boxes speak against.

Boxes are flat: what is far apart in the picture cannot touch, but what overlaps need not. So only such predicates are
looked at that the picture can refute, and only where it does so plainly.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from itertools import groupby

from ravu_kg.memory.linting.records import Memory, Suspicion, Told
from ravu_kg.nearness import FAR_SIZES
from ravu_kg.types import Box

LEAST_SHARE = 0.05
"""Boxes that should touch are doubted when the gap is at least this share of the picture's diagonal, ..."""
TOUCH_SIZES = FAR_SIZES
"""... and so many times the pair's size, the mean of the roots of both areas."""
NEAR_SIZES = 2 * FAR_SIZES
"""What is called near need not touch."""

_SHOWN = 25
"""Relations in the picture that a finding comes with."""
_BE = r"(?:(?:is|are|was|were)_)?"
_TOUCH = re.compile(
    _BE + r"(?:hold(?:s|ing)?|held|carr(?:y|ies|ying|ied)|rid(?:e|es|ing)|rode|wear(?:s|ing)?|wore|hug(?:s|ging|ged)?"
    r"|embrac(?:e|es|ing|ed)|kiss(?:es|ing|ed)?|grab(?:s|bing|bed)?|grip(?:s|ping|ped)?|touch(?:es|ing|ed)?"
    r"|caress(?:es|ing|ed)?|lick(?:s|ing|ed)?|bit(?:e|es|ing)|pat(?:s|ting|ted)?|stroke?(?:s|ing|d)?"
    r"|hold(?:s|ing)?_(?:on_to|onto|hands?_(?:of|with))|shak(?:e|es|ing)_hands?_with"
    r"|(?:sit|sits|sitting|sat|lie|lies|lying|lay|stand|stands|standing|stood|lean|leans|leaning|kneel|kneels"
    r"|kneeling|rest|rests|resting|perch|perches|perched)_(?:on|upon|onto|in|inside|on_top_of|against)"
    r"|on|on_top_of|inside|inside_of|attached_to)"
)
_NEAR = re.compile(_BE + r"(?:near|next_to|beside|close_to|right_next_to|alongside)")
_SIDE = {
    "left": re.compile(_BE + r"(?:left_of|to_(?:the_)?left_of)"),
    "right": re.compile(_BE + r"(?:right_of|to_(?:the_)?right_of)"),
    "above": re.compile(_BE + r"(?:above|over)"),
    "below": re.compile(_BE + r"(?:below|under|underneath|beneath)"),
}
_IS_THERE: dict[str, Callable[[Box, Box], bool]] = {
    "right": lambda one, other: one.x_min >= other.x_max,
    "left": lambda one, other: one.x_max <= other.x_min,
    "below": lambda one, other: one.y_min >= other.y_max,
    "above": lambda one, other: one.y_max <= other.y_min,
}
_OPPOSITE = {"left": "right", "right": "left", "above": "below", "below": "above"}


def contradictions(memory: Memory) -> Iterator[Suspicion]:
    """Relations that geometry contradicts, one for each stretch of consecutive frames."""
    diagonal_px = (memory.video.width_px**2 + memory.video.height_px**2) ** 0.5
    doubted = [(one, against) for one in memory.relations if (against := doubt(one, diagonal_px))]
    doubted.sort(key=lambda pair: (*_of(pair[0]), pair[0].frame_index))
    for _, group in groupby(enumerate(doubted), key=lambda one: (*_of(one[1][0]), one[1][0].frame_index - one[0])):
        stretch = [pair for _, pair in group]
        first, last = stretch[0][0], stretch[-1][0]
        subject, other = (memory.entities[one] for one in (first.subject_id, first.object_id))
        frames = f" in {len(stretch)} frames" if len(stretch) > 1 else ""
        said = f"{first.predicate.replace('_', ' ')!r} {other.name} ({first.source}){frames}"
        yield Suspicion(
            "contradiction",
            first.time_s,
            last.time_s,
            (first.subject_id, first.object_id),
            f"{subject.name} is said to be {said}, but {stretch[0][1]}.",
            "lint/show_relations",
            {
                "subject_id": first.subject_id,
                "object_id": first.object_id,
                "from_s": first.time_s,
                "to_s": last.time_s,
                "limit": _SHOWN,
            },
        )


def doubt(told: Told, diagonal_px: float) -> str:
    """What the boxes say against a relation; nothing when they leave it possible."""
    subject, other = told.subject_box, told.object_box
    for side, pattern in _SIDE.items():
        if pattern.fullmatch(told.predicate) and _IS_THERE[_OPPOSITE[side]](subject, other):
            where = f"to the {_OPPOSITE[side]} of" if side in ("left", "right") else _OPPOSITE[side]
            return f"its box is wholly {where} the other"
    touching = _TOUCH.fullmatch(told.predicate) is not None
    if not touching and not _NEAR.fullmatch(told.predicate):
        return ""
    gap_px = subject.distance(other)
    sizes = gap_px / max((subject.area**0.5 + other.area**0.5) / 2, 1.0)
    if sizes >= (TOUCH_SIZES if touching else NEAR_SIZES) and gap_px >= LEAST_SHARE * diagonal_px:
        return f"the boxes are {gap_px:.0f} px apart, {sizes:.1f} times their size"
    return ""


def _of(told: Told) -> tuple[str, str, str, str]:
    return told.subject_id, told.object_id, told.predicate, told.source
