"""The words of models laid over the measured ones: a scene window as it is written.

Where a model said something it replaces the measured words, whose sentence and attributes stay beside as the geometry
ones; where it said nothing they stay. Relations of both are kept, each with its source.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeVar

from ravu_kg.perception.captioning import words
from ravu_kg.perception.captioning.boxes import from_model
from ravu_kg.perception.captioning.chain import FrameWords
from ravu_kg.perception.captioning.linking import Added, Linker
from ravu_kg.perception.describing.windows import canonical_predicate
from ravu_kg.types import (
    Coverage,
    Frame,
    FrameNode,
    Relation,
    SameAs,
    SceneWindow,
    VideoInfo,
    entity_id,
    frame_node_id,
    track_id_in,
)

_T = TypeVar("_T")

CONFIDENCE = 0.5
"""Of what only a model saw: models name none, and a measured box counts more."""


MergedFrame = tuple[Frame, list[FrameNode], list[Relation], list[SameAs]]
"""A frame, its nodes, and what models add: relations and appearances of what only they saw."""


@dataclass(slots=True)
class Merger:
    """Lays words over windows, which come in time order."""

    video: VideoInfo
    video_id: str
    box_order: str
    linker: Linker
    _known: dict[str, int] = field(default_factory=dict[str, int])

    def begin_stretch(self) -> None:
        """The ids of models mean something else from here on."""
        self._known = {}

    def merged(self, frame: Frame, nodes: Sequence[FrameNode], said: FrameWords, undetected: Coverage) -> MergedFrame:
        """One frame with its nodes, and what the models add to them: new nodes, relations and appearances.

        Args:
            frame: with the measured description.
            nodes: of the frame, with the measured words.
            said: by the models.
            undetected: ``ok``, or why no model could detect anything in the frame.
        """
        tracked = {_track_id(node): node for node in nodes}
        things = {
            name: (thing, from_model(thing.box, self.box_order, self.video.width_px, self.video.height_px))
            for name, thing in said.new.items()
        }
        linked = self.linker.take(
            frame.index,
            frame.timestamp_s,
            things,
            {track_id: (node.label, node.box) for track_id, node in tracked.items()},
            self._known,
        )
        ids = {str(track_id): track_id for track_id in tracked} | linked
        text = words.with_marks(said.text, lambda one: str(linked[one]) if one in linked else _if_known(one))
        described = replace(
            frame,
            description=text or frame.description,
            coverage=said.coverage if said.coverage != "ok" or said.text else undetected,
        )
        attributes, sentences = _by_track(said.attributes, ids), _by_track(said.sentences, ids)
        written = [_with_words(node, attributes.get(one), sentences.get(one)) for one, node in tracked.items()]
        same_as: list[SameAs] = []
        for track_id in sorted(set(linked.values()) - tracked.keys()):
            entity = self.linker.added[track_id]
            written.append(self._node(frame, entity, attributes.get(track_id), sentences.get(track_id)))
            if len(entity.appearances) > 1:
                same_as.append(self._same_as(entity))
        return described, written, self._relations(frame, said, ids), same_as

    def _node(self, frame: Frame, entity: Added, has: tuple[str, ...] | None, sentence: str | None) -> FrameNode:
        look = (entity.look,) if entity.look else ()
        told = f"A {entity.label}{f', {entity.look}' if entity.look else ''}"
        return FrameNode(
            id=frame_node_id(self.video_id, frame.index, entity.track_id),
            video_id=self.video_id,
            entity_id=entity_id(self.video_id, entity.track_id),
            frame_index=frame.index,
            timestamp_s=frame.timestamp_s,
            label=entity.label,
            box=entity.last.box,
            confidence=CONFIDENCE,
            attributes=has or look,
            description=sentence or words.sentence(told),
            geometry_attributes=(),
            geometry_description="",
            source="model",
        )

    def _same_as(self, entity: Added) -> SameAs:
        before, last = entity.appearances[-2:]
        return SameAs(
            earlier_id=frame_node_id(self.video_id, before.index, entity.track_id),
            later_id=frame_node_id(self.video_id, last.index, entity.track_id),
            gap_s=last.timestamp_s - before.timestamp_s,
            score=last.score,
            method=last.method,
        )

    def _relations(self, frame: Frame, said: FrameWords, ids: Mapping[str, int]) -> list[Relation]:
        found: dict[tuple[int, int, str], Relation] = {}
        for subject, predicate, other in said.edges:
            canonical = canonical_predicate(predicate)
            if subject not in ids or other not in ids or ids[subject] == ids[other] or not canonical:
                continue
            relation = Relation(
                subject_id=frame_node_id(self.video_id, frame.index, ids[subject]),
                object_id=frame_node_id(self.video_id, frame.index, ids[other]),
                predicate=canonical,
                text=predicate,
                source="model",
                confidence=CONFIDENCE,
            )
            found.setdefault((ids[subject], ids[other], canonical), relation)
        return list(found.values())


def rewritten(window: SceneWindow, parts: Sequence[MergedFrame]) -> SceneWindow:
    """The window with its frames as :meth:`Merger.merged` gave them, in time order; measured relations stay."""
    return SceneWindow(
        index=window.index,
        frames=tuple(frame for frame, _, _, _ in parts),
        nodes=tuple(node for _, nodes, _, _ in parts for node in nodes),
        relations=(*window.relations, *(relation for _, _, relations, _ in parts for relation in relations)),
        same_as=(*window.same_as, *(link for _, _, _, same_as in parts for link in same_as)),
    )


def _by_track(said: Mapping[str, _T], ids: Mapping[str, int]) -> dict[int, _T]:
    """What was said, by track id; the first counts where two names turned out to be one entity."""
    found: dict[int, _T] = {}
    for name, value in said.items():
        if name in ids:
            found.setdefault(ids[name], value)
    return found


def _with_words(node: FrameNode, has: tuple[str, ...] | None, sentence: str | None) -> FrameNode:
    if not has and not sentence:
        return node
    return replace(
        node,
        attributes=has or node.attributes,
        description=sentence or node.description,
        source="model",
    )


def _track_id(node: FrameNode) -> int:
    return track_id_in(node.entity_id)


def _if_known(mark: str) -> str | None:
    """Marks of tracked entities stay; those of the model's that became none go."""
    return mark if mark.isdigit() else None
