"""One video's memory as one file: what comes out goes in, and nothing else does."""

from __future__ import annotations

import json
import secrets
import zipfile
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import neo4j
import numpy as np
import pytest
from builders import DIMENSIONS, a_link, a_scene, vectors, write_scene
from spoiled import edited, rebuilt

from ravu_kg.errors import ConfigurationError, NotFoundError, RavuError, UsageError
from ravu_kg.graph.export import canonical
from ravu_kg.graph.export import vectors as stored_vectors
from ravu_kg.graph.store import Store
from ravu_kg.graph.writer import GraphWriter
from ravu_kg.memory import VideoMemory
from ravu_kg.memory.bundles import export_bundle, import_bundles
from ravu_kg.settings import Settings
from ravu_kg.types import FloatArray, entity_id, replacement_id

pytestmark = pytest.mark.neo4j


@pytest.fixture(scope="module")
def absent() -> str:
    """A video that is in no memory when a test begins and ends."""
    return secrets.token_hex(8)


@pytest.fixture(scope="module")
def bundle(store: Store, absent: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Of that video."""
    folder = tmp_path_factory.mktemp("bundle")
    write_scene(store, a_scene(absent))
    made = export_bundle(VideoMemory(Settings(cache=folder), store), absent, folder / "b.ravu")
    GraphWriter(store).delete(absent)
    return made.path


@pytest.fixture
def put_away(store: Store, absent: str) -> Iterator[None]:
    """For tests that leave the video in the memory, when all is well or when they fail."""
    yield
    with suppress(NotFoundError):
        GraphWriter(store).delete(absent)


def everything(raw: neo4j.Driver, video_id: str) -> dict[str, list[object]]:
    """Whatever in the whole graph names a video, relationships with their ends."""
    query = """
        MATCH (n) WHERE any(key IN keys(n) WHERE toStringOrNull(n[key]) CONTAINS $id)
        OPTIONAL MATCH (n)-[r]->(m)
        RETURN n {.*, embedding: null} AS node, labels(n) AS labels, type(r) AS type,
               properties(r) AS properties, m.id AS other
    """
    records, _, _ = raw.execute_query(query, id=video_id)
    return {"graph": sorted((record.data() for record in records), key=repr)}


def test_a_bundle_gives_the_same_graph_and_the_same_vectors(
    memory: VideoMemory, raw: neo4j.Driver, unique_video: str, tmp_path: Path
) -> None:
    scene = a_scene(unique_video, frame_count=12, tracks=(1, 2, 3, 11))
    write_scene(memory.store, scene)
    raw.execute_query(
        """
        MATCH (:Entity {id: $one})-[s:SAME_AS]->(:Entity {id: $two})
        SET s.status = 'rejected', s.decidedBy = 'Ann', s.decidedAt = datetime('2026-01-02T03:04:05.678Z'), s.why = 'é'
        WITH s MATCH (e:Entity {id: $one}) SET e.name = 'Bob', e.look = [1, 2, 3]
        """,
        one=entity_id(unique_video, 1),
        two=entity_id(unique_video, 2),
    )
    GraphWriter(memory.store).finish(unique_video)
    before, graph = canonical(memory.store, unique_video), everything(raw, unique_video)
    ids, stored = stored_vectors(memory.store, unique_video)

    made = export_bundle(memory, unique_video, tmp_path / "b.ravu")
    memory.delete(unique_video)
    (done,) = import_bundles(memory, [made.path])

    assert (done.status, done.video_id, done.frame_nodes) == ("imported", unique_video, 48)
    assert canonical(memory.store, unique_video) == before
    new_ids, new = stored_vectors(memory.store, unique_video)
    assert new_ids == ids
    assert np.abs(new - stored).max() < 1e-4
    # All that the bundle leaves out: where the file lies, and how often and in which steps the graph was written.
    apart = ("uri", "revision", "windowEnds")
    assert without(everything(raw, unique_video), apart) == without(graph, apart)
    assert memory.details(unique_video).summary.uri is None


@pytest.mark.usefixtures("put_away")
def test_importing_again_changes_nothing(memory: VideoMemory, raw: neo4j.Driver, bundle: Path, absent: str):
    import_bundles(memory, [bundle])
    before = everything(raw, absent)

    (again,) = import_bundles(memory, [bundle], replace=True)

    assert again.status == "unchanged"
    assert everything(raw, absent) == before


@pytest.mark.usefixtures("put_away")
def test_another_graph_of_the_video_is_replaced_only_when_that_is_wanted(
    memory: VideoMemory, bundle: Path, absent: str
) -> None:
    write_scene(memory.store, a_scene(absent, tracks=(1, 2), detector="other"))
    other = canonical(memory.store, absent)

    with pytest.raises(ConfigurationError, match=r"this memory has another graph of it\. Nothing.*--replace"):
        import_bundles(memory, [bundle])
    assert canonical(memory.store, absent) == other

    (done,) = import_bundles(memory, [bundle], replace=True)
    assert done.status == "replaced"
    assert canonical(memory.store, absent)["video"]["detector"] == "motion"
    assert memory.details(absent).summary.uri == f"/videos/{absent}.mp4"  # of the graph that was there
    (again,) = import_bundles(memory, [bundle])
    assert again.status == "unchanged"
    assert not [video for video in memory.videos() if video.video_id == replacement_id(absent)]


class Failing:
    """The real store, until a template is to be written."""

    def __init__(self, store: Store, template: str, error: BaseException) -> None:
        self._store, self._template, self._error = store, template, error

    def __getattr__(self, name: str) -> object:
        return getattr(self._store, name)

    def write(self, name: str, /, **parameters: object) -> object:
        if name == self._template:
            raise self._error
        return self._store.write(name, **parameters)


def test_an_import_that_breaks_off_leaves_nothing(
    memory: VideoMemory, raw: neo4j.Driver, bundle: Path, absent: str
) -> None:
    broken = VideoMemory(memory.settings, Failing(memory.store, "ingest/events", KeyboardInterrupt()))

    with pytest.raises(KeyboardInterrupt):
        import_bundles(broken, [bundle])

    assert everything(raw, absent) == {"graph": []}


@pytest.mark.usefixtures("put_away")
def test_an_import_that_was_killed_cannot_be_asked_and_is_begun_anew(
    memory: VideoMemory, bundle: Path, absent: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    import_bundles(memory, [bundle])
    whole = canonical(memory.store, absent)
    GraphWriter(memory.store).delete(absent)
    killed = VideoMemory(memory.settings, Failing(memory.store, "ingest/same_as", KeyboardInterrupt()))
    monkeypatch.setattr("ravu_kg.memory.bundles._remove", lambda *_: None)  # as if the process was not there any more
    with pytest.raises(KeyboardInterrupt):
        import_bundles(killed, [bundle])

    with pytest.raises(UsageError, match=r"is not imported to its end\. Import its bundle again"):
        memory.ask(absent, "Who is there?")
    with pytest.raises(UsageError, match="not complete"):
        export_bundle(memory, absent, bundle.with_name("other.ravu"))
    (done,) = import_bundles(memory, [bundle])
    assert done.status == "imported"
    assert canonical(memory.store, absent) == whole


def test_a_link_to_a_video_that_is_not_there_is_left_out_and_told(
    memory: VideoMemory, unique_video: str, tmp_path: Path
) -> None:
    other = secrets.token_hex(8)
    write_scene(memory.store, a_scene(other, tracks=(1,)))
    scene = a_scene(unique_video)
    write_scene(memory.store, scene)
    across = a_link(unique_video, later_id=entity_id(other, 1), scope="video", status="accepted")
    GraphWriter(memory.store).write_entities(unique_video, scene.entities, [across])
    GraphWriter(memory.store).finish(unique_video)
    before = canonical(memory.store, unique_video)
    made = export_bundle(memory, unique_video, tmp_path / "b.ravu")

    memory.delete(unique_video)
    (with_it,) = import_bundles(memory, [made.path])
    assert with_it.links_left_out == 0
    assert canonical(memory.store, unique_video) == before

    memory.delete(unique_video)
    memory.delete(other)
    (without_it,) = import_bundles(memory, [made.path])
    assert without_it.links_left_out == 1
    assert len(canonical(memory.store, unique_video)["identity_links"]) == 1


class OtherEmbedder:
    name = "other"
    dimensions = DIMENSIONS

    def embed(self, texts: list[str], kind: str) -> FloatArray:
        return vectors(len(texts), seed=len(texts))


@pytest.mark.usefixtures("put_away")
def test_vectors_of_another_embedder_are_refused_or_made_anew(
    memory: VideoMemory, bundle: Path, absent: str, tmp_path: Path
) -> None:
    named = edited(0, lambda one: one["properties"].update(embedder="foreign"))
    embedder = {"name": "foreign", "dimensions": 768}
    foreign = rebuilt(bundle, tmp_path / "f.ravu", {"video.json": named}, {"embedder": embedder})
    with pytest.raises(ConfigurationError, match=r"vectors of foreign \(768.*those of test \(768\).*--reembed"):
        import_bundles(memory, [foreign])

    memory.__dict__["embedder"] = OtherEmbedder()  # the one of the settings, without its weights
    (done,) = import_bundles(memory, [foreign], reembed=True)
    assert done.status == "imported"
    assert memory.details(absent).summary.embedder == "test"
    _, stored = stored_vectors(memory.store, absent)
    assert np.isfinite(stored).all()
    assert stored.shape == (24, DIMENSIONS)


def test_of_several_bundles_none_is_taken_when_one_is_bad(
    memory: VideoMemory, raw: neo4j.Driver, bundle: Path, absent: str, tmp_path: Path
) -> None:
    (tmp_path / "cut.ravu").write_bytes(bundle.read_bytes()[:-40])

    with pytest.raises(ConfigurationError, match=r"cut\.ravu cannot be imported"):
        import_bundles(memory, [bundle, tmp_path / "cut.ravu"])
    with pytest.raises(UsageError, match="hold the same video"):
        import_bundles(memory, [bundle, bundle])

    assert everything(raw, absent) == {"graph": []}


def cut(source: Path, target: Path) -> None:
    target.write_bytes(source.read_bytes()[: source.stat().st_size * 2 // 3])


def damaged(source: Path, target: Path) -> None:
    content = bytearray(source.read_bytes())
    with zipfile.ZipFile(source) as archive:
        at = archive.getinfo("frame_nodes.jsonl").header_offset
    content[at + 120] ^= 0xFF
    target.write_bytes(content)


def of_a_later_zip(source: Path, target: Path) -> None:
    content = bytearray(source.read_bytes())
    content[content.index(b"PK\x01\x02") + 6] = 84  # the version that is needed to read the first file
    target.write_bytes(content)


def no_archive(source: Path, target: Path) -> None:
    target.write_text('{"format": "ravu-kg bundle"}')


def bomb(source: Path, target: Path) -> None:
    rebuilt(source, target, {"events.jsonl": lambda content: content + b" " * 30_000_000})


def long_line(source: Path, target: Path) -> None:
    rebuilt(source, target, {"events.jsonl": lambda content: content[:-1]})


def twice(source: Path, target: Path) -> None:
    rebuilt(source, target, {"entities.jsonl": lambda content: content + content.splitlines(keepends=True)[0]})


def deep(source: Path, target: Path) -> None:
    rebuilt(source, target, {"events.jsonl": lambda content: b'{"id":' + b"[" * 100_000 + b"\n" + content})


def deep_manifest(source: Path, target: Path) -> None:
    rebuilt(source, target)
    with zipfile.ZipFile(source) as old, zipfile.ZipFile(target, "w") as new:
        for name in old.namelist():
            new.writestr(name, b"[" * 200_000 if name == "manifest.json" else old.read(name))


def twice_a_file(source: Path, target: Path) -> None:
    rebuilt(source, target)
    with pytest.warns(UserWarning, match="Duplicate"), zipfile.ZipFile(target, "a") as archive:
        archive.writestr("events.jsonl", b"")


def with_manifest(**manifest: object) -> Callable[[Path, Path], object]:
    return lambda source, target: rebuilt(source, target, manifest=manifest)


def with_file(name: str) -> Callable[[Path, Path], object]:
    return lambda source, target: rebuilt(source, target, more={name: b"x"})


def with_record(file: str, change: Callable[[dict[str, object]], object]) -> Callable[[Path, Path], object]:
    return lambda source, target: rebuilt(source, target, {file: edited(0, change)})


def with_property(file: str, name: str, value: object) -> Callable[[Path, Path], object]:
    return with_record(file, lambda record: record["properties"].update({name: value}))


BAD: dict[str, tuple[Callable[[Path, Path], object], str]] = {
    "cut": (cut, "it is cut, or no bundle"),
    "a flipped byte": (damaged, "frame_nodes.jsonl is damaged|not what was written"),
    "a later ZIP": (of_a_later_zip, "it is cut, or no bundle"),
    "something else": (no_archive, "it is cut, or no bundle"),
    "a later format": (with_manifest(format_version=2), "made by a newer ravu-kg .*Nothing was changed. Upgrade"),
    "a later schema": (with_manifest(schema_version=9999), "made by a newer ravu-kg .*Nothing was changed. Upgrade"),
    "another format": (with_manifest(format="zip"), "not that of a bundle"),
    "another video in the manifest": (with_manifest(video_id="0" * 16), "the manifest is about 0000"),
    "a path outside": (with_file("../../evil.jsonl"), r"'../../evil.jsonl', which is no file of a bundle"),
    "an absolute path": (with_file("/etc/passwd"), "no file of a bundle"),
    "a file twice": (twice_a_file, "holds a file twice"),
    "a bomb": (bomb, "would grow to 30 MB"),
    "a line without its end": (long_line, "is cut or too long"),
    "a record twice": (twice, "is there twice"),
    "nested too deep": (deep, "events.jsonl, line 1: .*JSON"),
    "a manifest nested too deep": (deep_manifest, "manifest.json is damaged"),
    "a label": (with_record("entities.jsonl", lambda one: one.update(labels=["Admin"])), "line 1: labels: Extra"),
    "a name that is Cypher": (with_property("events.jsonl", "x`}) DETACH DELETE n //", 1), "no name of a property"),
    "a reserved name": (with_property("entities.jsonl", "identityId", "x"), "'identityId' is no name of a property"),
    "a map": (with_property("frames.jsonl", "more", {"a": 1}), "more is neither a plain value"),
    "a number that Neo4j has not": (with_property("frames.jsonl", "more", 2**70), "neither a plain value"),
    "text for a number": (with_property("frames.jsonl", "t", "0"), "properties.t: Input should be a valid number"),
    "no number": (with_property("frames.jsonl", "t", float("nan")), "frames.jsonl, line 1: "),
    "half a character": (with_property("frames.jsonl", "description", "\ud800"), "frames.jsonl, line 1: .*JSON"),
    "a time that is none": (
        with_record("events.jsonl", lambda one: one.update(times=["more"])),
        "property more is no time",
    ),
    "a node of another video": (with_property("frame_nodes.jsonl", "videoId", "x"), "does not belong to video"),
    "another id": (with_record("entities.jsonl", lambda one: one.update(id="x#1")), "does not belong to video"),
    "another entity": (with_property("frame_nodes.jsonl", "entityId", "x#1"), "its entity x#1"),
    "a relation to elsewhere": (
        with_record("relations.jsonl", lambda one: one.update(later="x/0/1")),
        "x/0/1 is no frame node of this bundle",
    ),
    "links between others": (
        with_record("identity_links.jsonl", lambda one: one.update(earlier="x#1", later="x#2")),
        "neither x#1 nor x#2",
    ),
    "an event that leads away": (
        with_record("events.jsonl", lambda one: one.update(next="x/1/geometry/1")),
        "the event after it",
    ),
    "a frame too few": (
        with_record("video.json", lambda one: one["properties"].update(frameCount=7)),
        "it has 6 frames",
    ),
    "an id that is not the content's": (
        with_record("video.json", lambda one: one["properties"].update(contentHash="f" * 64)),
        "does not follow from the video's content",
    ),
    "a vector too few": (
        lambda source, target: rebuilt(source, target, {"event_vectors.f32": lambda content: content[3072:]}),
        "has not one vector",
    ),
    "a vector of nothing": (
        lambda source, target: rebuilt(source, target, {"event_vectors.f32": lambda content: bytes(len(content))}),
        "zero or no number",
    ),
    "other content": (
        lambda source, target: rebuilt(
            source, target, {"frames.jsonl": lambda content: content.replace(b"Frame 1.", b"Frame 7.")}, honest=False
        ),
        "not what was written",
    ),
}


@pytest.mark.usefixtures("put_away")
@pytest.mark.parametrize("case", BAD)
def test_a_bad_bundle_is_refused_with_one_message_and_changes_nothing(
    case: str, memory: VideoMemory, raw: neo4j.Driver, bundle: Path, absent: str, tmp_path: Path
) -> None:
    spoil, message = BAD[case]
    spoil(bundle, tmp_path / "bad.ravu")
    before = set(tmp_path.rglob("*"))

    with pytest.raises(RavuError, match=message) as refused:
        import_bundles(memory, [tmp_path / "bad.ravu"])

    assert isinstance(refused.value, ConfigurationError)
    assert str(refused.value).startswith(str(tmp_path / "bad.ravu"))
    assert "Nothing was changed" in str(refused.value)
    assert everything(raw, absent) == {"graph": []}
    assert set(tmp_path.rglob("*")) == before


def test_the_file_of_the_video_is_known_by_its_content(
    memory: VideoMemory, bundle: Path, absent: str, tmp_path: Path
) -> None:
    (tmp_path / "clip.mp4").write_bytes(b"another video")

    with pytest.raises(UsageError, match=r"clip\.mp4 is not the video of .*b\.ravu"):
        import_bundles(memory, [bundle], video_file=tmp_path / "clip.mp4")
    assert absent not in {video.video_id for video in memory.videos()}


def test_a_file_that_cannot_be_written_is_named(memory: VideoMemory, unique_video: str, tmp_path: Path) -> None:
    write_scene(memory.store, a_scene(unique_video))

    with pytest.raises(UsageError, match=r"none/b\.ravu cannot be written: No such file"):
        export_bundle(memory, unique_video, tmp_path / "none" / "b.ravu")


def test_a_bundle_says_what_it_holds_and_nothing_of_the_machine(bundle: Path, absent: str) -> None:
    with zipfile.ZipFile(bundle) as archive:
        manifest = json.loads(archive.read("manifest.json"))
        texts = b"".join(archive.read(name) for name in archive.namelist())

    assert manifest["video_id"] == absent
    assert {part["file"]: part["records"] for part in manifest["parts"]} == {
        "video.json": 1,
        "entities.jsonl": 3,
        "frames.jsonl": 6,
        "frame_nodes.jsonl": 18,
        "events.jsonl": 6,
        "relations.jsonl": 12,
        "same_as.jsonl": 15,
        "identity_links.jsonl": 1,
        "frame_node_vectors.f32": 18,
        "event_vectors.f32": 6,
    }
    assert b"/videos/" not in texts


def without(graph: dict[str, list[object]], names: tuple[str, ...]) -> list[object]:
    kept = json.loads(json.dumps(graph["graph"], default=str))
    for row in kept:
        for name in names:
            row["node"].pop(name, None)
    return kept
