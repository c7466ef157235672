"""Entities that only the model saw: followed over frames by their boxes or, without a box, by name and description.

Frames come in time order. An entity is picked up again where the model gives the same id within a stretch, where its
box overlaps the last one, or where name and description agree. After a longer absence it is a new entity with a scored
link, as with tracks: nothing is merged silently.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from ravu_kg.perception.captioning.replies import NewThing
from ravu_kg.perception.captioning.words import likeness
from ravu_kg.types import Box, TrackLink

SAME_ID, BY_BOX, BY_NAME = "model", "model box", "model name"
"""How an appearance was joined to the one before."""

_LEAST_OVERLAP, _LEAST_OVERLAP_OF_NAMESAKES = 0.5, 0.2
_LEAST_LIKENESS = 0.3
_MISSED_FRAMES = 2
"""A box is followed over at most so many frames that do not tell of it, a name over a little more."""
_MISSED_BY_NAME = 4
_LONGEST_ABSENCE_S = 60.0
_IS_TRACKED_OVERLAP = 0.7


@dataclass(frozen=True, slots=True)
class Appearance:
    """An added entity in one frame."""

    index: int
    timestamp_s: float
    box: Box | None
    score: float
    """How sure it is that this is the entity of the appearance before; 1 for the first one."""
    method: str


@dataclass(slots=True)
class Added:
    """An entity that only the model saw."""

    track_id: int
    label: str
    look: str
    appearances: list[Appearance] = field(default_factory=list[Appearance])

    @property
    def last(self) -> Appearance:
        """Where it was seen last."""
        return self.appearances[-1]


@dataclass(slots=True)
class Linker:
    """Gives added entities their track ids, frame by frame."""

    next_id: int
    """Ids go on after those of the tracks."""
    cuts_s: Sequence[float]
    added: dict[int, Added] = field(default_factory=dict[int, Added])
    """By track id."""
    links: list[TrackLink] = field(default_factory=list[TrackLink])
    _recent: list[Added] = field(default_factory=list[Added])
    """Those that may come back; a long video has many that will not."""

    def take(
        self,
        index: int,
        timestamp_s: float,
        things: Mapping[str, tuple[NewThing, Box | None]],
        tracked: Mapping[int, tuple[str, Box | None]],
        known: dict[str, int],
    ) -> dict[str, int]:
        """Take in what is new in a frame.

        Args:
            index: of the frame.
            timestamp_s: of the frame.
            things: id of the model -> what it is and where.
            tracked: track id -> label and box of the tracked entities in the frame; one that is told of again as new
                is that entity.
            known: what the model's ids stand for in this stretch of frames so far; added to.

        Returns:
            The model's id -> track id, for this frame.
        """
        found: dict[str, int] = {}
        self._recent = [one for one in self._recent if timestamp_s - one.last.timestamp_s <= _LONGEST_ABSENCE_S]
        for name, (thing, box) in things.items():
            if track_id := _tracked_as(thing, box, tracked):
                found[name] = track_id
                continue
            taken = set(found.values())
            entity, score, method = self._same_id(known.get(name), taken)
            if entity is None:
                entity, score, method = self._best(index, timestamp_s, thing, box, taken)
            if entity is None:
                entity, score, method = self._begin(timestamp_s, thing), 1.0, SAME_ID
            entity.look = entity.look or thing.look
            entity.appearances.append(Appearance(index, timestamp_s, box, score, method))
            found[name] = known[name] = entity.track_id
        return found

    def _same_id(self, track_id: int | None, taken: set[int]) -> tuple[Added | None, float, str]:
        entity = None if track_id is None or track_id in taken else self.added.get(track_id)
        return entity, 1.0, SAME_ID

    def _best(
        self, index: int, timestamp_s: float, thing: NewThing, box: Box | None, taken: set[int]
    ) -> tuple[Added | None, float, str]:
        """The entity that fits best; boxes are surer than names."""
        scored: list[tuple[bool, float, int, Added]] = []
        for entity in self._recent:
            missed = index - entity.last.index - 1
            if entity.track_id in taken or missed < 0 or missed > _MISSED_BY_NAME or self._cut(entity, timestamp_s):
                continue
            overlap = box.iou(entity.last.box) if box and entity.last.box else 0.0
            least = _LEAST_OVERLAP_OF_NAMESAKES if entity.label == thing.label else _LEAST_OVERLAP
            if overlap >= least and missed <= _MISSED_FRAMES:
                scored.append((True, overlap, -entity.track_id, entity))
            elif score := _name_score(entity, thing):
                scored.append((False, score, -entity.track_id, entity))
        if not scored:
            return None, 0.0, ""
        by_box, score, _, entity = max(scored, key=lambda one: one[:3])
        return entity, score, BY_BOX if by_box else BY_NAME

    def _begin(self, timestamp_s: float, thing: NewThing) -> Added:
        entity = Added(self.next_id, thing.label, thing.look)
        self.next_id += 1
        followed = {link.earlier_track for link in self.links}
        back = [
            (_name_score(earlier, thing), earlier.track_id)
            for earlier in self._recent
            if earlier.track_id not in followed
            and earlier.last.timestamp_s < timestamp_s
            and not self._cut(earlier, timestamp_s)
        ]
        score, earlier_id = max(back, default=(0.0, 0))
        if score > 0:
            self.links.append(TrackLink(earlier_id, entity.track_id, score, BY_NAME))
        self.added[entity.track_id] = entity
        self._recent.append(entity)
        return entity

    def _cut(self, entity: Added, timestamp_s: float) -> bool:
        return any(entity.last.timestamp_s < cut_s <= timestamp_s for cut_s in self.cuts_s)


def _name_score(entity: Added, thing: NewThing) -> float:
    """How well name and description agree, 0..1; 0 when they do not."""
    if entity.label != thing.label:
        return 0.0
    alike = likeness(entity.look, thing.look)
    return alike if alike >= _LEAST_LIKENESS else 0.0


def _tracked_as(thing: NewThing, box: Box | None, tracked: Mapping[int, tuple[str, Box | None]]) -> int | None:
    """The tracked entity that the model tells of as new: the same label at the same place."""
    for track_id, (label, where) in tracked.items():
        if box and where and label == thing.label and box.iou(where) >= _IS_TRACKED_OVERLAP:
            return track_id
    return None
