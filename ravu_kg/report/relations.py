"""Relations as they are shown: what is said from both sides is said once."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from ravu_kg.report.records import ShownRelation

_OPPOSITE = {
    "left_of": "right_of",
    "above": "below",
    "in_front_of": "behind",
    "larger_than": "smaller_than",
    "inside": "contains",
    "over": "under",
}
_OPPOSITES = {**_OPPOSITE, **{second: first for first, second in _OPPOSITE.items()}}


@dataclass(frozen=True, slots=True)
class Said:
    """A relation in one direction, or in both."""

    subject_id: str
    object_id: str
    predicate: str
    source: str
    frames: tuple[int, ...]
    mutual: bool
    """It holds from both sides: near, say."""

    @property
    def words(self) -> str:
        """The predicate as people write it."""
        return self.predicate.replace("_", " ")


def said_once(relations: Sequence[ShownRelation]) -> list[Said]:
    """Without the second of two that say the same: ``a near b`` and ``b near a``, ``a left_of b`` and ``b right_of a``.

    What is left keeps its frames; a relation that is mutual in some frames only is told for each kind of frame.
    """
    frames: dict[tuple[str, str, str, str], set[int]] = defaultdict(set)
    for one in relations:
        frames[one.subject_id, one.object_id, one.predicate, one.source].update(one.frames)
    said: list[Said] = []
    for (subject, object_, predicate, source), own in frames.items():
        back = frames.get((object_, subject, predicate, source), set())
        opposite = frames.get((object_, subject, _OPPOSITES.get(predicate, ""), source), set())
        first = subject <= object_
        if both := own & back if first else set[int]():
            said.append(Said(subject, object_, predicate, source, tuple(sorted(both)), True))
        if alone := own - back - (set() if first else opposite):
            said.append(Said(subject, object_, predicate, source, tuple(sorted(alone)), False))
    return said
