"""Sampled frames put into words, one window at a time, so that a long video needs no more memory than a short one."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import overload

import numpy as np

from ravu_kg.perception.describing.kinds import ANIMALS, PEOPLE
from ravu_kg.perception.describing.relations import Measured, relations_among
from ravu_kg.perception.describing.scene import Placed, Scene
from ravu_kg.perception.describing.wording import (
    capitalised,
    companion_phrase,
    enumerated,
    motion_attribute,
    place_phrase,
    predicate_text,
    verb_phrase,
)
from ravu_kg.types import (
    Frame,
    FrameNode,
    GivenRelation,
    Relation,
    SameAs,
    SampledFrame,
    SceneWindow,
    frame_id,
    frame_node_id,
)
from ravu_kg.types import entity_id as entity_id_of

MAIN_RELATIONS = ("moving_with", "approaching", "moving_away_from", "inside", "overlapping", "near", "far_from")
"""What a sentence says of others: the first of these that holds, of the nearest entity."""
FRAME_ENTITIES = 12
"""A frame description names at most so many entities and counts the rest."""


@dataclass(frozen=True, slots=True, eq=False)
class Windows(Sequence[SceneWindow]):
    """The windows of a video, each made when it is asked for."""

    scene: Scene
    video_id: str
    frames_per_window: int
    tracks_in: dict[int, list[int]] = field(init=False)
    """Frame index -> tracks that have a node there, ascending."""

    def __post_init__(self) -> None:
        tracks_in: defaultdict[int, list[int]] = defaultdict(list)
        for track_id in sorted(self.scene.frames_of):
            for index in self.scene.frames_of[track_id]:
                tracks_in[int(index)].append(track_id)
        object.__setattr__(self, "tracks_in", dict(tracks_in))

    def __len__(self) -> int:
        return -(-len(self.scene.perception.frames) // self.frames_per_window)

    @overload
    def __getitem__(self, index: int) -> SceneWindow: ...
    @overload
    def __getitem__(self, index: slice) -> list[SceneWindow]: ...
    def __getitem__(self, index: int | slice) -> SceneWindow | list[SceneWindow]:
        """One window (or several), described now."""
        if isinstance(index, slice):
            return [self._window(position) for position in range(*index.indices(len(self)))]
        position = index if index >= 0 else index + len(self)
        if not 0 <= position < len(self):
            raise IndexError(index)
        return self._window(position)

    def _window(self, position: int) -> SceneWindow:
        start = position * self.frames_per_window
        sampled = self.scene.perception.frames[start : start + self.frames_per_window]
        given = [
            relation
            for relation in self.scene.perception.relations
            if relation.start_s <= sampled[-1].timestamp_s and relation.end_s > sampled[0].timestamp_s
        ]
        frames: list[Frame] = []
        nodes: list[FrameNode] = []
        relations: list[Relation] = []
        same_as: list[SameAs] = []
        for frame in sampled:
            picture = _Picture.of(self.scene, frame, self.tracks_in.get(frame.index, []), given)
            frames.append(
                Frame(
                    id=frame_id(self.video_id, frame.index),
                    video_id=self.video_id,
                    index=frame.index,
                    source_frame=frame.source_frame,
                    timestamp_s=frame.timestamp_s,
                    description=picture.description(),
                )
            )
            nodes += [picture.node(track_id, self.video_id) for track_id in picture.placed]
            relations += picture.relations(self.video_id)
            same_as += [link for track_id in picture.placed for link in self._same_as(track_id, frame)]
        return SceneWindow(position, tuple(frames), tuple(nodes), tuple(relations), tuple(same_as))

    def _same_as(self, track_id: int, frame: SampledFrame) -> list[SameAs]:
        """The link from the entity's appearance before this one, which may lie in an earlier window."""
        indexes = self.scene.frames_of[track_id]
        position = int(np.searchsorted(indexes, frame.index))
        if position == 0:
            return []
        earlier = self.scene.perception.frames[int(indexes[position - 1])]
        track = self.scene.tracks[track_id]
        gap_s = frame.timestamp_s - earlier.timestamp_s
        seen = int(
            np.count_nonzero((track.timestamps_s > earlier.timestamp_s) & (track.timestamps_s <= frame.timestamp_s))
        )
        given = track.source == "annotation"
        return [
            SameAs(
                earlier_id=frame_node_id(self.video_id, earlier.index, track_id),
                later_id=frame_node_id(self.video_id, frame.index, track_id),
                gap_s=gap_s,
                # The share of tracking steps in between that saw the entity: a bridged gap is less sure.
                score=1.0 if given else min(1.0, seen * self.scene.ticks_s[track_id] / gap_s),
                method="annotation" if given else self.scene.perception.tracker,
            )
        ]


@dataclass(frozen=True, slots=True, eq=False)
class _Picture:
    """One sampled frame with its entities in place."""

    scene: Scene
    frame: SampledFrame
    placed: dict[int, Placed]
    measured: dict[int, list[Measured]]
    """By subject."""
    given: dict[int, list[GivenRelation]]

    @classmethod
    def of(
        cls, scene: Scene, frame: SampledFrame, track_ids: Sequence[int], given: Sequence[GivenRelation]
    ) -> _Picture:
        placed = {track_id: scene.placed(track_id, frame.timestamp_s) for track_id in track_ids}
        measured: defaultdict[int, list[Measured]] = defaultdict(list)
        for relation in relations_among(list(placed.values())):
            measured[relation.subject].append(relation)
        holding: defaultdict[int, list[GivenRelation]] = defaultdict(list)
        for relation in given:
            both = relation.subject_track in placed and relation.object_track in placed
            if both and relation.start_s <= frame.timestamp_s < relation.end_s:
                holding[relation.subject_track].append(relation)
        return cls(scene, frame, placed, dict(measured), dict(holding))

    def description(self) -> str:
        """The frame description: its shot when there are several, then what each entity does, by name."""
        cuts_s = self.scene.perception.cuts_s
        shot = 1 + sum(cut_s <= self.frame.timestamp_s for cut_s in cuts_s)
        prefix = f"Shot {shot} of {len(cuts_s) + 1}. " if cuts_s else ""
        if not self.placed:
            return f"{prefix}No entity is seen."
        names = self.scene.wording.names
        told = list(self.placed)[:FRAME_ENTITIES]
        clauses = [f"{names[track_id]} {self._predicate(track_id, with_given=True, by_name=True)}" for track_id in told]
        rest = len(self.placed) - len(told)
        more = [f"and {rest} more"] if rest else []
        return f"{prefix}{capitalised('; '.join([*clauses, *more]))}."

    def node(self, track_id: int, video_id: str) -> FrameNode:
        """The frame node with its attributes and sentence."""
        scene, track = self.scene, self.scene.tracks[track_id]
        path = scene.paths[track_id]
        position = path.position(self.frame.timestamp_s)
        motion, fast = path.motion(position)
        box = self.placed[track_id].box
        attributes = (
            *track.colors.get(self.frame.index, scene.wording.colors[track_id]),
            scene.wording.size(box),
            place_phrase(int(path.columns[position]), int(path.rows[position])),
            *motion_attribute(motion, fast=fast),
        )
        subject = capitalised(scene.wording.subject(track_id))
        nearest = int(np.argmin(np.abs(track.timestamps_s - self.frame.timestamp_s)))
        return FrameNode(
            id=frame_node_id(video_id, self.frame.index, track_id),
            video_id=video_id,
            entity_id=entity_id_of(video_id, track_id),
            frame_index=self.frame.index,
            timestamp_s=self.frame.timestamp_s,
            label=track.label,
            box=box,
            confidence=float(track.confidences[nearest]),
            attributes=attributes,
            description=f"{subject} {self._predicate(track_id, with_given=True)}.",
            geometry_attributes=attributes,
            geometry_description=f"{subject} {self._predicate(track_id, with_given=False)}.",
            source=track.source,
        )

    def relations(self, video_id: str) -> list[Relation]:
        """Measured and given relations of the frame."""
        ids = {track_id: frame_node_id(video_id, self.frame.index, track_id) for track_id in self.placed}
        measured = [
            Relation(ids[one.subject], ids[one.object], one.predicate, predicate_text(one.predicate), "geometry", 1.0)
            for track_id in self.placed
            for one in self.measured.get(track_id, [])
        ]
        given = [
            Relation(
                subject_id=ids[one.subject_track],
                object_id=ids[one.object_track],
                predicate=canonical_predicate(one.predicate),
                text=_said(one),
                source="annotation",
                confidence=1.0,
            )
            for track_id in self.placed
            for one in self.given.get(track_id, [])
        ]
        return measured + given

    def _predicate(self, track_id: int, *, with_given: bool, by_name: bool = False) -> str:
        """What the entity does and where, with its given relations and its main measured one."""
        scene, path = self.scene, self.scene.paths[track_id]
        position = path.position(self.frame.timestamp_s)
        motion, fast = path.motion(position)
        does = verb_phrase(scene.tracks[track_id].label, motion, fast=fast, upright=bool(path.upright[position]))
        where = f"{place_phrase(int(path.columns[position]), int(path.rows[position]))} of the picture"
        phrases: list[str] = []
        if with_given and track_id in self.given:
            phrases.append(
                enumerated(
                    [
                        f"{_said(one).lower()} {self._mention(one.object_track, track_id, by_name)}"
                        for one in self.given[track_id]
                    ]
                )
            )
        main = self._main_relation(track_id, with_given=with_given)
        if main:
            in_alive = main.predicate == "inside" and self.placed[main.object].label in PEOPLE | ANIMALS
            predicate = "overlapping" if in_alive else main.predicate
            phrases.append(companion_phrase(predicate, self._mention(main.object, track_id, by_name)))
        return ", ".join([f"{does}{' ' if motion == 'still' else ', '}{where}", *phrases])

    def _mention(self, other: int, seen_from: int, by_name: bool) -> str:
        return self.scene.wording.names[other] if by_name else self.scene.wording.other(other, seen_from)

    def _main_relation(self, track_id: int, *, with_given: bool) -> Measured | None:
        """The relation that the sentence tells; not of those whom a given relation has told of."""
        told = {one.object_track for one in self.given.get(track_id, []) if with_given}
        candidates = [one for one in self.measured.get(track_id, []) if one.object not in told and self._matters(one)]
        box = self.placed[track_id].box
        return min(
            candidates,
            key=lambda one: (
                MAIN_RELATIONS.index(one.predicate),
                box.distance(self.placed[one.object].box),
                one.object,
            ),
            default=None,
        )

    def _matters(self, relation: Measured) -> bool:
        """Things that stay are told by the things around them, not by who passes."""
        subject, other = self.placed[relation.subject], self.placed[relation.object]
        if relation.predicate not in MAIN_RELATIONS:
            return False
        alive, other_alive = (one.label in PEOPLE | ANIMALS for one in (subject, other))
        if relation.predicate == "far_from":
            # Worth saying of two who have to do with each other, not of a crowd.
            return alive and other_alive and (subject.label != other.label or len(self.placed) == 2)
        return alive or subject.moving or not (other_alive or other.moving)


def canonical_predicate(text: str) -> str:
    """A relation's words in snake case: ``next to`` is ``next_to``."""
    return "_".join("".join(letter if letter.isalnum() else " " for letter in text.lower()).split())


def _said(relation: GivenRelation) -> str:
    return predicate_text(relation.text or relation.predicate)
