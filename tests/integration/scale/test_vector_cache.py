"""Vectors in memory: they give what the server's own scan gives, whoever changes the video."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from threading import Thread

import numpy as np
import pytest

from ravu_kg.graph.reader import GraphReader, NodeRow
from ravu_kg.graph.store import Store
from ravu_kg.graph.vector_cache import VectorCache
from ravu_kg.graph.writer import GraphWriter
from ravu_kg.memory.edits import Edits
from ravu_kg.memory.library import summaries
from ravu_kg.server import Endpoint
from ravu_kg.types import FloatArray, replacement_id
from tests.builders import DIMENSIONS, Scene, a_scene, vectors, write_scene

pytestmark = pytest.mark.neo4j
QUERIES = vectors(8, seed=4711)
EXACT, KEPT = "reasoning/localize_node_exact", "reasoning/localize_node_kept"


@pytest.fixture
def elsewhere(neo4j_endpoint: Endpoint) -> Iterator[Store]:
    """The connection of somebody else, who changes things."""
    address = (neo4j_endpoint.bolt_uri, neo4j_endpoint.username, neo4j_endpoint.password)
    with Store.connect(*address) as opened:
        yield opened


class Asker:
    """A reader that tells which statements it used."""

    def __init__(self, store: Store, cache: VectorCache | None = None) -> None:
        self.seen: list[str] = []
        self.store = store
        self.reader = GraphReader(store, lambda result: self.seen.append(result.template), cache)

    def ask(self, video_id: str, query: FloatArray = QUERIES[0], k: int = 5) -> list[NodeRow]:
        return self.reader.nearest_nodes(self.reader.video(video_id), query, k)

    def scan(self, video_id: str, query: FloatArray = QUERIES[0], k: int = 5) -> list[tuple[object, object]]:
        rows = self.store.read(EXACT, video_id=video_id, embedding=query, from_s=0.0, to_s=1e9, k=k).rows
        return [(row["node_id"], row["score"]) for row in rows]


def told(nodes: Sequence[NodeRow]) -> list[tuple[object, object]]:
    return [(node.node_id, node.score) for node in nodes]


def a_repetitive_scene(video_id: str) -> Scene:
    """Sixty nodes of only four different sentences."""

    class Repetitive(Scene):
        def embeddings(self, window: object) -> FloatArray:
            return np.tile(vectors(4, seed=8), (5, 1))

    scene = a_scene(video_id, frame_count=6, tracks=tuple(range(1, 11)))
    return Repetitive(scene.video, scene.entities, scene.links, scene.windows, scene.events)


def test_the_same_nodes_come_in_the_same_order_as_from_a_scan(store: Store, unique_video: str) -> None:
    write_scene(store, a_scene(unique_video, frame_count=40, tracks=(1, 2, 3, 4, 5), window_frames=20))
    asker = Asker(store)
    for query in QUERIES:
        assert told(asker.ask(unique_video, query, 10)) == asker.scan(unique_video, query, 10)
    video = asker.reader.video(unique_video)
    spanned = asker.reader.nearest_nodes(video, QUERIES[0], 300, (3.0, 5.0))
    assert {node.timestamp_s for node in spanned} == {3.0, 4.0}
    assert len(spanned) == 10
    assert asker.reader.nearest_nodes(video, QUERIES[0], 5, (1000.0, 1001.0)) == []
    assert asker.seen.count(KEPT) == len(QUERIES) + 1


def test_equal_sentences_come_by_their_ids_and_are_kept_once(store: Store, unique_video: str) -> None:
    write_scene(store, a_repetitive_scene(unique_video))
    asker = Asker(store)
    for query in QUERIES:
        for k in (1, 7, 15, 16, 60):
            assert told(asker.ask(unique_video, query, k)) == asker.scan(unique_video, query, k)
    kept = asker.reader.vectors.frame_nodes(asker.reader.video(unique_video), DIMENSIONS)
    assert kept is not None
    assert (len(kept.node_ids), len(kept.unit)) == (60, 4)
    first = kept.nearest(QUERIES[0], 3)
    assert [kept.node_ids[position] for position in first] == [
        one for one, _ in asker.scan(unique_video, QUERIES[0], 3)
    ]
    assert kept.scores(QUERIES[0])[first[0]] == pytest.approx(asker.scan(unique_video)[0][1], abs=1e-6)
    assert list(kept.scores(np.zeros(DIMENSIONS, np.float32))[:2]) == [0.5, 0.5]


def test_a_correction_by_somebody_else_shows_at_once(
    store: Store, elsewhere: Store, unique_video: str, tmp_path: Path
) -> None:
    write_scene(store, a_scene(unique_video))
    asker = Asker(store)
    video, before = asker.reader.video(unique_video), asker.ask(unique_video, k=18)
    new = QUERIES[:1].repeat(100, axis=0)
    Edits(elsewhere, lambda: summaries(elsewhere), tmp_path, lambda texts: new[: len(texts)]).entity(
        f"{unique_video}#2", label="dog"
    )
    # With the row of the video as it was before, too: a question may take a while.
    for nodes in (asker.reader.nearest_nodes(video, QUERIES[0], 18), asker.ask(unique_video, k=18)):
        assert told(nodes) == asker.scan(unique_video, k=18)
        assert {node.label for node in nodes[:6]} == {"dog"}
    assert told(before) != told(nodes)
    assert EXACT not in asker.seen


def test_another_graph_in_the_videos_place_shows_at_once(store: Store, elsewhere: Store, unique_video: str) -> None:
    write_scene(store, a_scene(unique_video))
    asker = Asker(store)
    video, before = asker.reader.video(unique_video), told(asker.ask(unique_video))
    again = replace(a_scene(replacement_id(unique_video), detector="another"), seed=3)
    write_scene(elsewhere, again)
    assert told(asker.ask(unique_video)) == before, "the new graph is not in its place yet"
    GraphWriter(elsewhere).take_place(unique_video)
    assert told(asker.reader.nearest_nodes(video, QUERIES[0], 5)) == asker.scan(unique_video) != before


def test_a_deleted_video_is_gone_and_a_new_one_of_its_id_is_another(
    store: Store, elsewhere: Store, unique_video: str
) -> None:
    write_scene(store, a_scene(unique_video))
    asker = Asker(store)
    video, before = asker.reader.video(unique_video), told(asker.ask(unique_video))
    GraphWriter(elsewhere).delete(unique_video)
    assert asker.reader.nearest_nodes(video, QUERIES[0], 5) == []
    write_scene(elsewhere, replace(a_scene(unique_video), seed=5))
    assert told(asker.reader.nearest_nodes(video, QUERIES[0], 5)) == asker.scan(unique_video) != before


def test_a_video_that_is_being_written_is_not_kept(store: Store, unique_video: str) -> None:
    scene = a_scene(unique_video)
    write_scene(store, scene, windows=2)
    asker = Asker(store)
    video = asker.reader.video(unique_video)
    assert video.version == ""
    assert asker.reader.vectors.frame_nodes(video, DIMENSIONS) is None
    assert told(asker.ask(unique_video, k=20)) == asker.scan(unique_video, k=20)
    write_scene(store, scene)
    assert len(asker.ask(unique_video, k=20)) == 18


def test_memory_is_bounded_and_the_videos_asked_last_stay(store: Store, unique_video: str) -> None:
    ids = [f"{unique_video[:15]}{number}" for number in range(4)]
    for video_id in ids:
        write_scene(store, a_scene(video_id))
    one = 18 * DIMENSIONS * 4
    cache = VectorCache(store, budget_bytes=3 * one)  # with their ids, two fit
    asker = Asker(store, cache)
    for video_id in (*ids, ids[2]):
        asker.ask(video_id)
        assert cache.size_bytes <= 3 * one
    assert [cache.holds(asker.reader.video(video_id)) for video_id in ids] == [False, False, True, True]
    small = Asker(store, VectorCache(store, budget_bytes=2 * one - 1))
    assert told(small.ask(ids[0])) == small.scan(ids[0])
    assert small.seen[-1] == EXACT, "larger than half of the bound"


def test_vectors_of_another_length_are_not_kept(store: Store, unique_video: str) -> None:
    write_scene(store, a_scene(unique_video))
    asker = Asker(store)
    kept = asker.reader.vectors.frame_nodes(asker.reader.video(unique_video), 384)
    assert kept is None or len(kept.node_ids) == 0
    assert told(asker.ask(unique_video)) == asker.scan(unique_video)


def test_many_askers_at_once_fetch_a_video_once(store: Store, unique_video: str) -> None:
    write_scene(store, a_scene(unique_video))
    cache, fetched = VectorCache(store), list[object]()
    video = GraphReader(store).video(unique_video)
    threads = [Thread(target=lambda: fetched.append(cache.frame_nodes(video, DIMENSIONS))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(fetched) == 8
    assert len({id(one) for one in fetched}) == 1
