"""Migrations, vector indexes and the embedder: on a server of their own, since they change what all else stands on."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np
import pytest
from builders import a_scene

from ravu_kg.errors import ConfigurationError, GraphError, ProviderError
from ravu_kg.graph.export import vectors
from ravu_kg.graph.schema import VECTOR_INDEXES, embedder, migrate, reembed
from ravu_kg.graph.store import Store, check_templates
from ravu_kg.graph.templates import TemplateLibrary, templates_root
from ravu_kg.graph.writer import GraphWriter
from ravu_kg.server import DEFAULT_VERSION, EmbeddedServer, Endpoint, ServerConfig
from ravu_kg.server.processes import free_port
from ravu_kg.types import FloatArray

pytestmark = pytest.mark.neo4j


@pytest.fixture(scope="module")
def endpoint(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Endpoint]:
    version = os.environ.get("RAVU_KG_TEST_NEO4J_VERSION") or DEFAULT_VERSION
    bolt_port = free_port()
    server = EmbeddedServer(
        ServerConfig(
            home=tmp_path_factory.mktemp("schema"),
            version=version,
            bolt_port=bolt_port,
            http_port=free_port(taken=frozenset({bolt_port})),
            heap_mb=512,
            page_cache_mb=64,
        )
    )
    try:
        yield server.start()
    finally:
        server.stop()


@pytest.fixture(scope="module")
def own(endpoint: Endpoint) -> Iterator[Store]:
    """An open store on a graph that starts without any schema."""
    with Store.connect(endpoint.bolt_uri, endpoint.username, endpoint.password) as store:
        yield store


@pytest.fixture
def altered(endpoint: Endpoint, tmp_path: Path) -> Iterator[Callable[[str, str], Store]]:
    """Opens a store whose templates differ in one file."""
    opened: list[Store] = []

    def open_store(file: str, text: str) -> Store:
        root = tmp_path / "cypher"
        shutil.copytree(templates_root(), root, dirs_exist_ok=True)
        (root / file).write_text(text, encoding="utf-8")
        library = TemplateLibrary.load(root)
        store = Store.connect(endpoint.bolt_uri, endpoint.username, endpoint.password, templates=library)
        opened.append(store)
        return store

    yield open_store
    for store in opened:
        store.close()


def test_the_schema_is_made_once_and_then_left_alone(own: Store) -> None:
    assert own.read("schema/migrations").rows == []
    assert embedder(own) is None
    with pytest.raises(GraphError, match="no schema yet"):
        reembed(own, "other", 8, lambda sentences: np.ones((len(sentences), 8), np.float32))
    scene = a_scene("00000000schema00")
    with pytest.raises(GraphError, match="no schema yet"):
        GraphWriter(own).begin(scene.video, scene.entities, scene.links)
    assert migrate(own, 768, "test") == len(own.read("schema/migrations").rows) > 20
    assert migrate(own, 768, "test") == 0
    record = embedder(own)
    assert record is not None
    assert (record.name, record.dimensions, record.status) == ("test", 768, "ready")


def test_a_graph_that_is_up_to_date_is_opened_without_writing(own: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    migrate(own, 768, "test")

    def refuse(*statements: object) -> None:
        raise GraphError("only reading is allowed here")

    monkeypatch.setattr(own, "write_all", refuse)
    assert migrate(own, 768, "test") == 0


def test_an_empty_graph_with_its_schema_raises_no_warning_for_any_template(own: Store) -> None:
    migrate(own, 768, "test")
    assert check_templates(own) == []


def test_every_label_has_its_indexes(own: Store, altered: Callable[[str, str], Store]) -> None:
    migrate(own, 768, "test")
    listing = (
        "// name: schema/vector_indexes\n// mode: read\n// summary: x\n// returns k: STRING - x\n"
        "SHOW INDEXES YIELD type, labelsOrTypes, properties, owningConstraint, state WHERE labelsOrTypes IS NOT NULL\n"
        "RETURN labelsOrTypes[0] + ' ' + reduce(s = '', p IN properties | s + p + ' ') + type + ' '\n"
        "       + CASE WHEN owningConstraint IS NULL THEN '' ELSE 'UNIQUE ' END + state AS k"
    )
    found = {row["k"] for row in altered("schema/vector_indexes.cypher", listing).read("schema/vector_indexes").rows}
    filters = {"FrameNode": "videoId t ", "Event": "videoId tStart "} if own.server_version >= (2026, 2) else {}
    assert found == {
        *(f"{label} id RANGE UNIQUE ONLINE" for label in ("Video", "Frame", "Entity", "FrameNode", "Event")),
        *(f"{label} id RANGE UNIQUE ONLINE" for label in ("VectorBlock", "Embedder")),
        "SchemaMigration version RANGE UNIQUE ONLINE",
        "Frame videoId index RANGE UNIQUE ONLINE",
        *(f"{label} videoId RANGE ONLINE" for label in ("Frame", "Entity", "FrameNode", "Event", "VectorBlock")),
        *(f"{label} videoId t RANGE ONLINE" for label in ("Frame", "FrameNode")),
        "Entity identityId RANGE ONLINE",
        "FrameNode entityId t RANGE ONLINE",
        "Event entityId RANGE ONLINE",
        "Frame videoId coverage RANGE ONLINE",
        "Entity name RANGE ONLINE",
        *(f"{label} id RANGE UNIQUE ONLINE" for label in ("Decision", "Correction")),
        *(f"{key} RANGE ONLINE" for key in ("Decision firstVideoId", "Decision secondVideoId", "Correction videoId")),
        "FrameNode description label FULLTEXT ONLINE",
        "Event description FULLTEXT ONLINE",
        *(f"{label} embedding {filters.get(label, '')}VECTOR ONLINE" for label in ("FrameNode", "Event")),
    }


def test_another_embedder_is_refused_and_reembed_is_named(own: Store) -> None:
    migrate(own, 768, "test")
    with pytest.raises(ConfigurationError, match=r"test \(768 .*other.*ravu-kg reembed"):
        migrate(own, 768, "other")
    with pytest.raises(ConfigurationError, match="ravu-kg reembed"):
        migrate(own, 384, "test")


def test_a_migration_that_was_changed_afterwards_is_told(own: Store, altered: Callable[[str, str], Store]) -> None:
    migrate(own, 768, "test")
    path = templates_root() / "schema" / "0003_video_id.cypher"
    changed = altered("schema/0003_video_id.cypher", path.read_text().replace("n.id IS", "n.title IS"))
    with pytest.raises(GraphError, match="Migration 3 differs"):
        migrate(changed, 768, "test")


def test_a_graph_of_a_newer_version_is_told_and_a_new_migration_is_applied(
    own: Store, altered: Callable[[str, str], Store]
) -> None:
    migrate(own, 768, "test")
    newer = altered(
        "schema/0999_future.cypher",
        "// name: schema/0999_future\n// mode: schema\n// summary: x\n"
        "CREATE INDEX future IF NOT EXISTS FOR (n:Video) ON (n.title)",
    )
    assert migrate(newer, 768, "test") == 1
    with pytest.raises(GraphError, match="newer ravu-kg"):
        migrate(own, 768, "test")
    undo = altered(
        "schema/record_migrations.cypher",
        "// name: schema/record_migrations\n// mode: write\n// summary: x\n"
        "MATCH (m:SchemaMigration {version: 999}) DELETE m",
    )
    undo.write("schema/record_migrations")
    assert migrate(own, 768, "test") == 0


def test_a_vector_index_of_another_length_is_made_anew(own: Store) -> None:
    migrate(own, 768, "test")
    before = own.read("schema/vector_indexes").rows
    own.write("schema/drop_event_embedding")
    own.write("schema/create_event_embedding", dimensions=8)
    migrate(own, 768, "test")
    assert own.read("schema/vector_indexes").rows == before
    assert {row["name"] for row in before} == set(VECTOR_INDEXES)


def test_a_vector_index_of_shortened_vectors_as_earlier_versions_made_it_is_made_anew(
    own: Store, altered: Callable[[str, str], Store]
) -> None:
    migrate(own, 768, "test")
    before = own.read("schema/vector_indexes").rows
    since = own.template("schema/create_event_embedding").requires
    file = f"schema/create_event_embedding{f'@{since}' if since else ''}.cypher"
    whole = (templates_root() / file).read_text(encoding="utf-8")
    earlier = altered(file, whole.replace("quantization.enabled`: false", "quantization.enabled`: true"))
    own.write("schema/drop_event_embedding")
    earlier.write("schema/create_event_embedding", dimensions=768)
    shortened = {row["name"]: row["shortened"] for row in own.read("schema/vector_indexes").rows}
    assert shortened == {"event_embedding": True, "frame_node_embedding": False}
    migrate(own, 768, "test")
    assert own.read("schema/vector_indexes").rows == before


def test_reembedding_replaces_every_vector_and_goes_on_after_an_interruption(own: Store) -> None:
    migrate(own, 768, "test")
    scene = a_scene("00000000reembed0", frame_count=12, window_frames=12, tracks=tuple(range(1, 101)))
    writer = GraphWriter(own)
    writer.begin(scene.video, scene.entities, scene.links)
    writer.write_window(scene.video.id, scene.windows[0], scene.embeddings(scene.windows[0]))
    writer.write_events(scene.video.id, scene.events, scene.event_embeddings)
    writer.finish(scene.video.id)

    def embed(sentences: Sequence[str]) -> FloatArray:
        return np.array([[len(sentence), *(ord(c) for c in sentence[-7:])] for sentence in sentences], np.float32)

    calls: list[int] = []

    def embed_once(sentences: Sequence[str]) -> FloatArray:
        calls.append(len(sentences))
        if len(calls) == 2:
            raise ProviderError("the model went away")
        return embed(sentences)

    with pytest.raises(ProviderError):
        reembed(own, "other", 8, embed_once)
    assert calls == [1000, 200]
    with pytest.raises(GraphError, match=r"interrupted.*ravu-kg reembed"):
        migrate(own, 8, "other")

    told: list[int] = []
    assert reembed(own, "other", 8, embed, told.append) == 200 + 200, "the first 1,000 frame nodes are not done again"
    assert told == [200, 400]
    assert migrate(own, 8, "other") == 0
    ids, found = vectors(own, scene.video.id)
    assert len(ids) == 1200 + 200
    sentences = [node.description for node in sorted(scene.windows[0].nodes, key=lambda node: node.id)]
    sentences += [event.description for event in sorted(scene.events, key=lambda event: event.id)]
    assert np.array_equal(found, embed(sentences))
    assert [row["dimensions"] for row in own.read("schema/vector_indexes").rows] == [8, 8]
    row = own.query_readonly("MATCH (v:Video) RETURN v.embedder AS e, v.revision AS r").rows[0]
    assert row == {"e": "other", "r": 2}
    again = a_scene("00000000reembed0", frame_count=12, window_frames=12, tracks=tuple(range(1, 101)))
    with pytest.raises(ConfigurationError, match="ravu-kg reembed"):
        writer.begin(again.video, again.entities, again.links)
