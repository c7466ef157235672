"""Which entity of one graph is which of another of the same video: by boxes over time, one to one."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment  # pyright: ignore # scipy has no types

from ravu_kg.memory.linting.boxes import boxes_at
from ravu_kg.memory.linting.records import Tracked
from ravu_kg.types import Span, overlaps

LEAST_OVERLAP = 0.3
"""Of two tracks that are one entity: the mean overlap of their boxes over all the time that either is seen."""
LEAST_TIME = 0.5
"""Of two stays without boxes, and of two events: the shared time as a share of both together."""
_First = TypeVar("_First")
_Second = TypeVar("_Second")


@dataclass(frozen=True, slots=True)
class Match:
    """An entity of the first graph and the one of the second that it is."""

    first: Tracked
    second: Tracked
    overlap: float | None
    """Of their boxes over time, 0..1; None where no box is known and label and time agree."""


@dataclass(frozen=True, slots=True)
class Unmatched:
    """An entity that the other graph has no counterpart of."""

    entity: Tracked
    part_of: str
    """The entity of the other graph whose boxes it shares while it is seen; empty when there is none."""
    overlap: float
    """With that one, over its own time; 0..1."""


@dataclass(frozen=True, slots=True)
class Matching:
    """The entities of two graphs."""

    matches: tuple[Match, ...]
    """In order of appearance in the first."""
    lost: tuple[Unmatched, ...]
    """Only in the first."""
    gained: tuple[Unmatched, ...]
    """Only in the second."""

    @property
    def second_of(self) -> Mapping[str, str]:
        """Entity of the first -> entity of the second."""
        return {one.first.entity_id: one.second.entity_id for one in self.matches}


def match_entities(first: Iterable[Tracked], second: Iterable[Tracked]) -> Matching:
    """Match entities by the overlap of their boxes over time; those without boxes by label and time."""
    ours, theirs = list(first), list(second)
    matches = [
        Match(ours[a], theirs[b], score) for a, b, score in best_pairs(ours, theirs, track_overlap, LEAST_OVERLAP)
    ]
    taken = {id(one) for match in matches for one in (match.first, match.second)}
    our_rest, their_rest = (
        [one for one in side if id(one) not in taken and not len(one.times_s)] for side in (ours, theirs)
    )
    matches += [
        Match(our_rest[a], their_rest[b], None) for a, b, _ in best_pairs(our_rest, their_rest, _namesakes, LEAST_TIME)
    ]
    taken |= {id(one) for match in matches for one in (match.first, match.second)}
    order = {one.entity_id: position for position, one in enumerate(ours)}
    return Matching(
        tuple(sorted(matches, key=lambda match: order[match.first.entity_id])),
        tuple(_unmatched(one, theirs) for one in ours if id(one) not in taken),
        tuple(_unmatched(one, ours) for one in theirs if id(one) not in taken),
    )


def best_pairs(
    first: Sequence[_First], second: Sequence[_Second], score: Callable[[_First, _Second], float], least: float
) -> list[tuple[int, int, float]]:
    """The one-to-one assignment of greatest total score, as positions with their score; none under ``least``."""
    scores = np.array([[score(one, other) for other in second] for one in first]).reshape(len(first), len(second))
    if not scores.size:
        return []
    # What is under the floor must not take part: two weak pairs could otherwise displace a strong one.
    weights = np.where(scores >= least, scores, 0.0)
    # scipy has no types: the assignment is a pair of index arrays.
    pairs: list[tuple[int, int]] = list(zip(*linear_sum_assignment(weights, maximize=True), strict=True))  # pyright: ignore
    return [(int(a), int(b), float(scores[a, b])) for a, b in pairs if scores[a, b] >= least]


def track_overlap(first: Tracked, second: Tracked) -> float:
    """Mean overlap of boxes over all times at which either is seen, 0..1; 0 where the other is not."""
    shared, ours, theirs = _shared(first, second)
    seen = int(np.count_nonzero(ours | theirs))
    return float(shared.sum() / seen) if seen else 0.0


def time_overlap(first: Span, second: Span) -> float:
    """Shared time as a share of the time of both together, 0..1."""
    shared = min(first[1], second[1]) - max(first[0], second[0])
    together = max(first[1], second[1]) - min(first[0], second[0])
    if together <= 0:
        return 1.0
    return max(0.0, shared / together)


def _shared(first: Tracked, second: Tracked) -> tuple[NDArray[np.float64], NDArray[np.bool_], NDArray[np.bool_]]:
    """At all times of both: the overlap of the boxes, and where each is known."""
    nothing = np.zeros(0), np.zeros(0, dtype=np.bool_), np.zeros(0, dtype=np.bool_)
    if not len(first.times_s) or not len(second.times_s):
        return nothing
    if first.times_s[-1] < second.times_s[0] or second.times_s[-1] < first.times_s[0]:
        return nothing
    times_s = np.union1d(first.times_s, second.times_s)
    our_boxes, ours = boxes_at(first, times_s)
    their_boxes, theirs = boxes_at(second, times_s)
    return np.where(ours & theirs, overlaps(our_boxes, their_boxes), 0.0), ours, theirs


def _namesakes(first: Tracked, second: Tracked) -> float:
    if first.label != second.label:
        return 0.0
    return time_overlap((first.start_s, first.end_s), (second.start_s, second.end_s))


def _unmatched(entity: Tracked, others: Sequence[Tracked]) -> Unmatched:
    """With the entity of the other graph that it is a part of, as when a tracker has cut one track in two."""
    best, overlap = "", 0.0
    for other in others:
        shared, ours, _ = _shared(entity, other)
        seen = int(np.count_nonzero(ours))
        if seen and shared.sum() / seen > overlap:
            best, overlap = other.entity_id, float(shared.sum() / seen)
    return Unmatched(entity, best, overlap) if overlap >= LEAST_OVERLAP else Unmatched(entity, "", 0.0)
