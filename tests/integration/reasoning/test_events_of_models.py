"""Events that a model told beside the measured ones of the same entity."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from ravu_kg.graph.reader import GraphReader
from ravu_kg.graph.store import Store
from ravu_kg.graph.writer import GraphWriter
from ravu_kg.types import entity_id
from tests.builders import a_scene, an_event, vectors

pytestmark = pytest.mark.neo4j

ALL = (0.0, 6.0)
TOLD = [("measured early", "geometry", 0.0, 1.0), ("measured", "geometry", 1.5, 3.0),
        ("throws", "model", 1.0, 2.002), ("waits", "model", 2.002, 4.0)]  # fmt: skip


@pytest.fixture
def told(store: Store, unique_video: str) -> Iterator[str]:
    """The entity whose events these are; a second of it is measured only."""
    scene = a_scene(unique_video)
    writer = GraphWriter(store)
    writer.begin(scene.video, scene.entities, scene.links)
    for window in scene.windows:
        writer.write_window(unique_video, window, scene.embeddings(window))
    events = [
        an_event(unique_video, 1, seq, source=source, start_s=start_s, end_s=end_s, description=text)
        for seq, (text, source, start_s, end_s) in enumerate(TOLD)
    ]
    writer.write_events(unique_video, events, vectors(len(events)))
    writer.finish(unique_video)
    yield entity_id(unique_video, 1)
    writer.delete(unique_video)


def test_what_a_model_tells_stands_for_what_was_measured_then(reader: GraphReader, told: str) -> None:
    found = reader.events([told], "after", [(0.0, 0.0)], ALL, 9, 1)
    assert [event.description for event in found] == ["measured early", "throws", "waits"]


def test_an_event_that_ends_with_the_moment_is_not_after_it(reader: GraphReader, told: str) -> None:
    """A moment ends one interval after its frame's time, which is some milliseconds before the next frame's."""
    (found,) = reader.events([told], "after", [(1.001, 2.001)], ALL, 1, 1)
    assert found.description == "waits"
