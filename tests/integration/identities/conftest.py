"""Small videos of people who stand side by side, whose numbers a new indexing may shuffle."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from ravu_kg.graph.store import Store
from ravu_kg.graph.writer import GraphWriter
from ravu_kg.memory.appearances import Seen
from ravu_kg.memory.edits import Edits
from ravu_kg.memory.identities import Identities
from ravu_kg.memory.lasting import prepare, settle
from ravu_kg.memory.library import summaries
from ravu_kg.memory.records import Report
from ravu_kg.types import Entity, FloatArray, replacement_id
from tests.builders import Scene, a_scene, an_entity, vectors, write_scene

Places = Mapping[int, int]
"""Number of an entity -> the place where it stands, from the left."""


def embed(texts: Sequence[str]) -> FloatArray:
    return vectors(len(texts), seed=sum(len(text) for text in texts))


def unseen(video_ids: Sequence[str], progress: Report | None) -> Seen:
    return Seen(None, 0, (f"{len(video_ids)} videos have no files here",))


def standing(video: str, track: int, place: int, **changes: object) -> Entity:
    left = 80.0 * place
    boxes = [left, 10.0, left + 40, 90.0] * 6
    times = [float(second) for second in range(6)]
    return an_entity(video, track, track_timestamps_s=times, track_boxes=boxes, **changes)


@dataclass(frozen=True)
class Library:
    """Videos of one test, and what people do to them."""

    store: Store
    cache: Path

    @property
    def identities(self) -> Identities:
        return Identities(self.store, lambda: summaries(self.store), self.cache, unseen)

    @property
    def edits(self) -> Edits:
        return Edits(self.store, lambda: summaries(self.store), self.cache, embed)

    def scene(self, video: str, places: Places, **changes: object) -> Scene:
        of = video.removesuffix("~~new")
        scene = a_scene(video, tracks=tuple(places), **{"title": of, "uri": f"/{of}.mp4", "content_hash": of})
        people = [standing(video, track, place, **changes) for track, place in places.items()]
        return replace(scene, entities=tuple(people), links=())

    def write(self, video: str, places: Places, **changes: object) -> str:
        write_scene(self.store, self.scene(video, places, **changes))
        return video

    def write_again(self, video: str, places: Places) -> tuple[str, ...]:
        """As indexing with --replace does."""
        scene = self.scene(replacement_id(video), places)
        scene = replace(scene, video=replace(scene.video, detector="another"))
        writer = GraphWriter(self.store)
        writer.begin(scene.video, scene.entities, scene.links)
        for window in scene.windows:
            writer.write_window(scene.video.id, window, scene.embeddings(window))
        writer.write_events(scene.video.id, scene.events, scene.event_embeddings)
        prepare(self.store, scene.video.id, embed)
        writer.finish(scene.video.id)
        writer.take_place(video)
        return settle(self.store, video, embed)

    def delete(self, video: str) -> None:
        GraphWriter(self.store).delete(video)

    def groups(self, *videos: str) -> set[frozenset[str]]:
        """Which entities are one."""
        of: dict[str, set[str]] = {}
        for video in videos:
            for row in self.store.read("ingest/entity_identities", video_id=video).rows:
                of.setdefault(str(row["identity_id"]), set()).add(str(row["entity_id"]))
        return {frozenset(members) for members in of.values() if len(members) > 1}

    def revision(self, video: str) -> int:
        return next(one.revision for one in summaries(self.store) if one.video_id == video)

    def count(self, text: str, video: str) -> int:
        return int(str(self.store.query_readonly(text, {"v": video}).rows[0]["n"]))


@pytest.fixture
def library(store: Store, tmp_path: Path) -> Library:
    return Library(store, tmp_path)
