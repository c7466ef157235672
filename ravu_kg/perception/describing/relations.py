"""Relations between the boxes of one frame.

Near and far (see :mod:`ravu_kg.nearness`) compare the gap between two boxes with the pair's scale, which is the same in
every frame: in pixels each of its near frames is strictly nearer than each of its far frames.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import hypot

from ravu_kg.nearness import FAR_SIZES, NEAR_SIZES
from ravu_kg.perception.describing.scene import Placed
from ravu_kg.types import Box

INSIDE_SHARE = 0.85
"""Share of the smaller box that lies in the larger one."""
OVERLAP_SHARE = 0.1
BESIDE_SHARE = 0.5
"""Centres apart by this share of the boxes' mean extent have a side; nearer ones have none."""
CLOSING_SIZES_PER_S = 0.25
HEADING = 0.7
"""Cosine between an entity's motion and the direction to the other: within 45 degrees."""
MOTION_REACH_SIZES = 3.0
"""Beyond this gap nobody is said to approach or leave anybody."""
TOGETHER_SHARE = 0.4
"""Two velocities that differ by less than this share of the faster one are one motion."""
NEIGHBOURS = 2
"""How many nearest entities each entity is related to: a crowd of n has at most n * NEIGHBOURS pairs."""


@dataclass(frozen=True, slots=True)
class Measured:
    """A relation between two tracks in one frame."""

    subject: int
    object: int
    predicate: str


def relations_among(placed: Sequence[Placed]) -> list[Measured]:
    """The relations of one frame, each said from both sides that it holds from, in a fixed order."""
    by_id = {one.track_id: one for one in placed}
    pairs: set[tuple[int, int]] = set()
    for one in placed:
        others = sorted(
            (other for other in placed if other.track_id != one.track_id),
            key=lambda other: (*_closeness(one.box, other.box), other.track_id),
        )
        pairs.update(
            (min(one.track_id, other.track_id), max(one.track_id, other.track_id)) for other in others[:NEIGHBOURS]
        )
    found = [
        Measured(subject, other, predicate)
        for first, second in sorted(pairs)
        for subject, other in ((first, second), (second, first))
        for predicate in predicates(by_id[subject], by_id[other])
    ]
    return found


def predicates(subject: Placed, other: Placed) -> list[str]:
    """What the subject is to the other: containment, distance, side and motion, at most one of each."""
    found = [_containment(subject.box, other.box), _distance(subject, other), side(subject.box, other.box)]
    return [predicate for predicate in (*found, relative_motion(subject, other)) if predicate]


def scale_px(subject: Placed, other: Placed) -> float:
    """The length with which this pair's distances are compared."""
    return (subject.size_px + other.size_px) / 2


def is_near(subject: Placed, other: Placed) -> bool:
    """The gap is at most half the pair's scale."""
    return subject.box.distance(other.box) <= NEAR_SIZES * scale_px(subject, other)


def overlaps(first: Box, second: Box) -> bool:
    """A tenth of the smaller box at least lies in the other."""
    return first.intersection(second) >= OVERLAP_SHARE * max(min(first.area, second.area), 1.0)


def side(subject: Box, other: Box) -> str:
    """``left_of``, ``right_of``, ``above``, ``below``, or nothing when the centres are too close to have a side."""
    dx = subject.center[0] - other.center[0]
    dy = subject.center[1] - other.center[1]
    across = abs(dx) / max((subject.width + other.width) / 2, 1.0)
    along = abs(dy) / max((subject.height + other.height) / 2, 1.0)
    if max(across, along) < BESIDE_SHARE:
        return ""
    if across >= along:
        return "left_of" if dx < 0 else "right_of"
    return "above" if dy < 0 else "below"


def relative_motion(subject: Placed, other: Placed) -> str:
    """``approaching``, ``moving_away_from``, ``moving_with``, or nothing; told of a subject that moves."""
    if not subject.moving:
        return ""
    scale = scale_px(subject, other)
    gap = subject.box.distance(other.box)
    if gap > MOTION_REACH_SIZES * scale:
        return ""
    speed, other_speed = hypot(*subject.velocity), hypot(*other.velocity)
    slowest = CLOSING_SIZES_PER_S * scale
    if speed < slowest:
        return ""
    relative = (subject.velocity[0] - other.velocity[0], subject.velocity[1] - other.velocity[1])
    if other.moving and hypot(*relative) <= TOGETHER_SHARE * max(speed, other_speed):
        return "moving_with" if gap < FAR_SIZES * scale and other_speed >= slowest else ""
    dx = other.box.center[0] - subject.box.center[0]
    dy = other.box.center[1] - subject.box.center[1]
    apart = hypot(dx, dy)
    if apart == 0:
        return ""
    towards = (subject.velocity[0] * dx + subject.velocity[1] * dy) / apart
    closing = (relative[0] * dx + relative[1] * dy) / apart
    if abs(towards) < HEADING * speed or abs(closing) < slowest or towards * closing < 0:
        return ""
    if towards < 0:
        return "moving_away_from"
    return "approaching" if gap > 0 else ""


def _containment(subject: Box, other: Box) -> str:
    shared = subject.intersection(other)
    if subject.area < other.area and shared >= INSIDE_SHARE * max(subject.area, 1.0):
        return "inside"
    return "overlapping" if overlaps(subject, other) else ""


def _distance(subject: Placed, other: Placed) -> str:
    if is_near(subject, other):
        return "near"
    return "far_from" if subject.box.distance(other.box) >= FAR_SIZES * scale_px(subject, other) else ""


def _closeness(first: Box, second: Box) -> tuple[float, float]:
    (x, y), (other_x, other_y) = first.center, second.center
    return first.distance(second), hypot(x - other_x, y - other_y)
