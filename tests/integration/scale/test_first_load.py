"""First loads past the server: the same graph as through it, and an empty memory or nothing."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import neo4j
import pytest

from ravu_kg.errors import ConfigurationError, ServerError, UsageError
from ravu_kg.graph import identity
from ravu_kg.graph.bundle.writing import write_bundle
from ravu_kg.graph.export import canonical, vectors
from ravu_kg.graph.reader import GraphReader
from ravu_kg.graph.store import Store, check_templates
from ravu_kg.memory.first_load import FirstLoad, first_load
from ravu_kg.server import DEFAULT_VERSION, EmbeddedServer, Endpoint, ServerConfig
from ravu_kg.settings import Settings
from ravu_kg.settings import load as load_settings
from tests.builders import Scene, a_scene, write_scene
from tests.builders import vectors as made_vectors

pytestmark = [pytest.mark.neo4j, pytest.mark.timeout(1800)]

VERSION = os.environ.get("RAVU_KG_TEST_NEO4J_VERSION") or DEFAULT_VERSION
IDS = ("f1b5710ad0000001", "f1b5710ad0000002", "f1b5710ad0000003")
NODES = """
MATCH (n) WHERE n.videoId IN $ids OR n.id IN $ids
RETURN n.id AS id, labels(n) AS labels, [k IN keys(n) WHERE k <> 'createdAt' | [k, valueType(n[k]), n[k]]] AS held
ORDER BY id
"""
_NOT_IN_BUNDLES = ("uri", "createdAt", "windowEnds")
RELATIONSHIPS = """
MATCH (a)-[r]->(b) WHERE a.videoId IN $ids OR a.id IN $ids
RETURN a.id AS start, type(r) AS type, b.id AS end, [k IN keys(r) | [k, valueType(r[k]), r[k]]] AS held
ORDER BY start, type, end, toString(r.predicate), toString(r.source)
"""


@dataclass(frozen=True)
class Loaded:
    """A library that was loaded twice: into the tests' server through it, into a home of its own past it."""

    settings: Settings
    bundles: Path
    done: FirstLoad
    endpoint: Endpoint


def scenes() -> list[Scene]:
    first, second, third = (a_scene(video_id) for video_id in IDS)
    # What the files cannot hold: empty text, alone and in a list; what they hold in another form: no box, no text.
    window = second.windows[1]
    frames = tuple(replace(frame, description="") for frame in window.frames)
    nodes = (
        replace(window.nodes[0], box=None, attributes=()),
        replace(window.nodes[1], attributes=("", "left"), geometry_description=None),
        replace(window.nodes[2], description='Says "é;,\n\t\' \\ 你" twice.'),
        *window.nodes[3:],
    )
    relations = (replace(window.relations[0], text=""), *window.relations[1:])
    odd = replace(window, frames=frames, nodes=nodes, relations=relations)
    second = replace(second, windows=(second.windows[0], odd, second.windows[2]))
    return [first, second, replace(third, seed=2)]


@pytest.fixture(scope="module")
def loaded(store: Store, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Loaded]:
    folder = tmp_path_factory.mktemp("first-load")
    (folder / "bundles").mkdir()
    for scene in scenes():
        write_scene(store, scene)
    # One person in two of the videos.
    link = {"score": 0.9, "method": "appearance", "scope": "video", "status": "accepted"}
    ends = {"earlier_id": f"{IDS[0]}#3", "later_id": f"{IDS[2]}#1"}
    store.write("ingest/identity_links", rows=[{**ends, "properties": link}])
    identity.recompute(store, set(ends.values()))
    for video_id in IDS:
        write_bundle(store, video_id, folder / "bundles" / f"{video_id}.ravu", "0")
    settings = load_settings()
    server = {"home": folder / "home", "version": VERSION, "heap_mb": 512, "page_cache_mb": 64}
    settings = settings.model_copy(update={"server": settings.server.model_copy(update=server)})
    embedded = EmbeddedServer(ServerConfig(folder / "home", VERSION, heap_mb=512, page_cache_mb=64))
    try:
        done = first_load(settings, [folder / "bundles"])
        yield Loaded(settings, folder / "bundles", done, embedded.start())
    finally:
        embedded.stop()


@pytest.fixture
def other(loaded: Loaded) -> Iterator[Store]:
    endpoint = loaded.endpoint
    with Store.connect(endpoint.bolt_uri, endpoint.username, endpoint.password) as opened:
        yield opened


def held(endpoint: Endpoint) -> list[object]:
    """All nodes and relationships of the videos as the database holds them, with the types of their values."""
    auth = (endpoint.username, endpoint.password)
    with neo4j.GraphDatabase.driver(endpoint.bolt_uri, auth=auth, telemetry_disabled=True) as driver:
        found: list[object] = []
        for text in (NODES, RELATIONSHIPS):
            for record in driver.execute_query(text, ids=list(IDS), database_="neo4j").records:
                row = record.data()
                row["held"] = sorted(row["held"], key=lambda one: str(one[0]))
                row["held"] = [one for one in row["held"] if one[0] not in _NOT_IN_BUNDLES]
                found.append(row)
    return found


def test_the_graph_equals_that_of_a_load_through_the_server(
    loaded: Loaded, other: Store, store: Store, neo4j_endpoint: Endpoint
) -> None:
    for video_id in IDS:
        assert canonical(other, video_id) == canonical(store, video_id)
        ids, wanted = vectors(store, video_id)
        assert vectors(other, video_id)[0] == ids
        assert (vectors(other, video_id)[1] == wanted).all()
    assert held(loaded.endpoint) == held(neo4j_endpoint)
    assert (loaded.done.videos, loaded.done.frame_nodes, loaded.done.events) == (3, 54, 18)
    assert loaded.done.links_left_out == 0


def test_the_loaded_memory_is_complete_and_can_be_asked(loaded: Loaded, other: Store) -> None:
    assert check_templates(other) == []
    reader = GraphReader(other)
    video = reader.video(IDS[0])
    assert (video.status, video.frame_node_count) == ("ready", 18)
    query = made_vectors(1, seed=3)[0]
    assert len(reader.nearest_nodes(video, query, 5)) == 5
    assert len(reader.nearest_nodes_in_library(query, 5)) == 5
    # What comes after is written as ever.
    write_scene(other, a_scene("f1b5710ad0000009"))
    assert reader.video("f1b5710ad0000009").frame_node_count == 18


def test_a_memory_that_holds_videos_is_refused(loaded: Loaded, other: Store) -> None:
    before = other.read("bulk/counts").rows
    with pytest.raises(ConfigurationError, match="holds videos already"):
        first_load(loaded.settings, [loaded.bundles])
    assert other.read("bulk/counts").rows == before


@pytest.mark.parametrize("case", ["cut", "twice", "embedder", "none"])
def test_bundles_that_cannot_be_loaded_leave_nothing_behind(loaded: Loaded, tmp_path: Path, case: str) -> None:
    home = tmp_path / "home"
    settings = loaded.settings.model_copy(update={"server": loaded.settings.server.model_copy(update={"home": home})})
    bundles = tmp_path / "bundles"
    bundles.mkdir()
    first = (loaded.bundles / f"{IDS[0]}.ravu").read_bytes()
    if case != "none":
        (bundles / "a.ravu").write_bytes(first)
    if case == "cut":
        (bundles / "b.ravu").write_bytes(first[:-100])
    if case == "twice":
        (bundles / "b.ravu").write_bytes(first)
    if case == "embedder":
        with Store.connect(*address(loaded.endpoint)) as opened:
            write_bundle(opened, IDS[1], bundles / "b.ravu", "0")
        rename_embedder(bundles / "b.ravu")
    kind, said = {
        "cut": (ConfigurationError, "b.ravu cannot be imported"),
        "twice": (UsageError, "hold the same video"),
        "embedder": (ConfigurationError, "holds vectors of another"),
        "none": (UsageError, "There is no bundle"),
    }[case]
    with pytest.raises(kind, match=said):
        first_load(settings, [bundles])
    assert not (home / "data" / "databases").exists()
    assert not list(home.glob("import/*"))


def address(endpoint: Endpoint) -> tuple[str, str, str]:
    return endpoint.bolt_uri, endpoint.username, endpoint.password


def rename_embedder(path: Path) -> None:
    import json
    import zipfile

    with zipfile.ZipFile(path) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    manifest = json.loads(parts["manifest.json"])
    manifest["embedder"]["name"] = "another"
    parts["manifest.json"] = json.dumps(manifest).encode()
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in parts.items():
            archive.writestr(name, content)


def test_an_import_that_fails_leaves_the_home_as_it_was(
    loaded: Loaded, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = tmp_path / "home"
    settings = loaded.settings.model_copy(update={"server": loaded.settings.server.model_copy(update={"home": home})})
    # A relationship to a node that no file holds: the tool itself refuses it.
    from ravu_kg.graph.bulk.files import ImportFiles

    write = ImportFiles.write

    def lose_events(self: ImportFiles, name: str, /, **parameters: object) -> None:
        if name == "ingest/event_order":
            parameters = {"rows": [{"earlier_id": "nothing", "later_id": "nothing else"}]}
        write(self, name, **parameters)

    monkeypatch.setattr(ImportFiles, "write", lose_events)
    with pytest.raises(ServerError, match="The import failed"):
        first_load(settings, [loaded.bundles])
    assert not (home / "data" / "databases").exists()
    assert not (home / "incoming").exists()


def test_a_server_of_the_users_own_is_refused(loaded: Loaded, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NEO4J_URI", "bolt://127.0.0.1:1")
    monkeypatch.setenv("NEO4J_PASSWORD", "x")
    with pytest.raises(ConfigurationError, match="a server of your own"):
        first_load(load_settings(), [loaded.bundles])
