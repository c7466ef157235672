"""Annotated videos in the graph: written once, replaced whole, joined to their files, and out again the same."""

from __future__ import annotations

import json
import secrets
from pathlib import Path

import av
import numpy as np
import pytest
from neo4j import GraphDatabase

from ravu_kg.errors import ConfigurationError, UsageError
from ravu_kg.graph import schema
from ravu_kg.graph.export import canonical
from ravu_kg.graph.store import Store
from ravu_kg.graph.writer import GraphWriter
from ravu_kg.importers import coco, mot, video_memory
from ravu_kg.importers.annotated import AnnotatedVideo
from ravu_kg.importers.loading import load
from ravu_kg.memory import VideoMemory
from ravu_kg.memory.exporting import export_coco, export_mot
from ravu_kg.server import Endpoint
from ravu_kg.settings import Settings
from ravu_kg.types import FloatArray
from tests.builders import DIMENSIONS, EMBEDDER, vectors

pytestmark = pytest.mark.neo4j

RATE_HZ, WIDTH_PX, HEIGHT_PX, FRAMES = 10, 160, 120, 30


class Words:
    """A vector for each sentence, the same each time."""

    name = EMBEDDER
    dimensions = DIMENSIONS

    def embed(self, texts: list[str], kind: str) -> FloatArray:
        return np.concatenate([vectors(1, seed=sum(text.encode()) % 10_000) for text in texts])


@pytest.fixture
def memory(store: Store, tmp_path: Path) -> VideoMemory:
    return VideoMemory(Settings(cache=tmp_path / "cache"), store)


@pytest.fixture
def name() -> str:
    return f"walk-{secrets.token_hex(6)}"


def tracks(path: Path, name: str, *, step: int = 2, frames: int = FRAMES) -> AnnotatedVideo:
    """One who walks through the picture and one who stands, as MOT text; every box has a confidence of its own."""
    path.write_text(
        "".join(
            f"{frame},{track},{left},30,20,50,{0.5 + frame / 1000:.3f},-1,-1,-1\n"
            for frame in range(1, frames + 1)
            for track, left in ((4, 5 + frame * step), (9, 120))
        )
    )
    read = mot.read(
        [path],
        skip_bad=False,
        on_problem=print,
        frame_rate=RATE_HZ,
        size_px=(WIDTH_PX, HEIGHT_PX),
        name=name,
    )
    (video,) = read
    return video


def a_clip(path: Path, *, seconds: float = FRAMES / RATE_HZ, size: tuple[int, int] = (WIDTH_PX, HEIGHT_PX)) -> Path:
    with av.open(str(path), "w") as container:
        container.metadata["comment"] = secrets.token_hex(8)
        stream = container.add_stream("libx264", rate=RATE_HZ)
        stream.width, stream.height, stream.pix_fmt = *size, "yuv420p"
        for number in range(round(seconds * RATE_HZ)):
            image = np.full((size[1], size[0], 3), 40 + number, np.uint8)
            container.mux(stream.encode(av.VideoFrame.from_ndarray(image)))
        container.mux(stream.encode(None))
    return path


def put(store: Store, *videos: AnnotatedVideo, replace: bool = False) -> list[str]:
    return [result.status for result in load(store, Words(), None, list(videos), replace=replace)]


def test_videos_are_written_together_and_once(store: Store, memory: VideoMemory, tmp_path: Path, name: str):
    first, second = tracks(tmp_path / "a.txt", name), tracks(tmp_path / "b.txt", f"{name}-2")
    assert put(store, first, second) == ["imported", "imported"]
    before = canonical(store, first.record.id)
    assert put(store, first, second) == ["unchanged", "unchanged"]
    assert canonical(store, first.record.id) == before
    (summary,) = [one for one in memory.videos() if one.video_id == first.record.id]
    assert (summary.status, summary.frames, summary.frame_nodes, summary.title) == ("ready", 3, 6, name)
    assert summary.embedder == EMBEDDER
    with pytest.raises(ConfigurationError, match="comes twice"):
        put(store, first, first)


def test_an_interrupted_import_goes_on_to_the_same_graph(store: Store, tmp_path: Path, name: str):
    video = tracks(tmp_path / "a.txt", name)
    put(store, video)
    whole = canonical(store, video.record.id)
    writer = GraphWriter(store)
    writer.delete(video.record.id)
    embedder = Words()
    named = AnnotatedVideo(
        type(video.record)(
            **{
                **{key: getattr(video.record, key) for key in video.record.__dataclass_fields__},
                "embedder": embedder.name,
                "embedding_dimensions": embedder.dimensions,
            }
        ),
        video.entities,
        video.windows,
        video.events,
    )
    writer.begin(named.record, named.entities, ())
    window = named.windows[0]
    writer.write_window(named.record.id, window, embedder.embed([node.description for node in window.nodes], ""))
    assert put(store, video) == ["imported"]
    assert canonical(store, video.record.id) == whole


def test_another_annotation_of_a_video_needs_leave_to_take_its_place(store: Store, tmp_path: Path, name: str):
    old, new = tracks(tmp_path / "a.txt", name), tracks(tmp_path / "b.txt", name, step=1)
    fresh = tracks(tmp_path / "c.txt", f"{name}-other", step=3)
    put(store, old)
    before = canonical(store, old.record.id)
    with pytest.raises(ConfigurationError, match=r"another annotation.*--replace"):
        put(store, fresh, new)
    assert canonical(store, old.record.id) == before
    assert not store.read("ingest/video_state", video_id=fresh.record.id).rows  # nothing was written
    assert put(store, new, replace=True) == ["replaced"]
    after = canonical(store, old.record.id)
    GraphWriter(store).delete(old.record.id)
    put(store, new)
    assert canonical(store, new.record.id) == after


def test_given_vectors_stay_at_their_entities_with_the_name_of_their_model(store: Store, tmp_path: Path):
    folder = tmp_path / f"cups-{secrets.token_hex(6)}"
    folder.mkdir()
    frames = {
        str(frame): [{"id": track, "category": "cup", "bbox": [50.0 * track, 10.0, 50.0 * track + 40, 60.0]}]
        for track, span in ((1, range(20)), (2, range(25, 60)))
        for frame in span
    }
    (folder / "tracking.json").write_text(json.dumps({"categories": {}, "frames": frames}))
    given = vectors(2)  # as long as those of the embedder
    given[1] = given[0]
    np.savez(folder / "embeddings.npz", track_clip=given, track_clip_ids=np.array([1, 2]))
    (video,) = video_memory.read([folder], skip_bad=False, on_problem=print, frame_rate=10.0, size_px=(200, 100))
    put(store, video)
    query = "MATCH (e:Entity {videoId: $v}) RETURN e.appearanceModel AS model, size(e.appearance) AS n, labels(e) AS l"
    rows = store.query_readonly(query, {"v": video.record.id}).rows
    assert rows == [{"model": "given:clip", "n": DIMENSIONS, "l": ["Entity"]}] * 2
    links = "MATCH (:Entity {videoId: $v})-[s:SAME_AS]->(:Entity) RETURN s.method AS method, s.scope AS scope"
    assert store.query_readonly(links, {"v": video.record.id}).rows == [{"method": "given:clip", "scope": "reentry"}]
    told = "MATCH (e:Entity {videoId: $v}) WHERE e.embedding IS NOT NULL RETURN count(e) AS n"
    assert store.query_readonly(told, {"v": video.record.id}).rows == [{"n": 0}]


def test_mot_text_goes_in_and_out_the_same(store: Store, memory: VideoMemory, tmp_path: Path, name: str):
    put(store, tracks(tmp_path / "gt.txt", name))
    export_mot(memory, name, tmp_path / "out.txt")
    again = f"{name}-again"
    (back,) = mot.read(
        [tmp_path / "out.txt"],
        skip_bad=False,
        on_problem=print,
        frame_rate=RATE_HZ,
        size_px=(WIDTH_PX, HEIGHT_PX),
        name=again,
    )
    put(store, back)
    export_mot(memory, again, tmp_path / "again.txt")
    text = (tmp_path / "out.txt").read_text()
    assert (tmp_path / "again.txt").read_text() == text
    assert len(text.splitlines()) == 2 * FRAMES
    assert {line.split(",")[1] for line in text.splitlines()} == {"4", "9"}


def test_coco_json_goes_in_and_out_the_same(store: Store, memory: VideoMemory, tmp_path: Path, name: str):
    put(store, tracks(tmp_path / "gt.txt", name))
    export_coco(memory, f"mot:{name}", tmp_path / "out.json")
    (back,) = coco.read([tmp_path / "out.json"], skip_bad=False, on_problem=print)
    put(store, back)
    export_coco(memory, f"coco:{name}", tmp_path / "again.json")
    first, second = (json.loads((tmp_path / one).read_text()) for one in ("out.json", "again.json"))
    for file in (first, second):  # these name the graph
        del file["info"]
        for image in file["images"]:
            del image["file_name"]
    assert second == first
    assert any("score" in one for one in first["annotations"])


def test_an_annotated_video_gets_its_file_and_keeps_its_id(
    store: Store, memory: VideoMemory, tmp_path: Path, name: str
):
    video = tracks(tmp_path / "gt.txt", name)
    put(store, video)
    clip = a_clip(tmp_path / "clip.mp4")
    attached = memory.attach(name, clip)
    assert (attached.video_id, attached.status) == (f"mot:{name}", "attached")
    assert memory.resolve(str(clip)) == f"mot:{name}"
    assert memory.frame_image(name, 1.0).png[1:4] == b"PNG"
    assert memory.attach(name, clip).status == "unchanged"
    moved = clip.rename(tmp_path / "moved.mp4")
    assert memory.attach(name, moved).status == "moved"
    with pytest.raises(UsageError, match=r"imported from its annotation.*--build NAME"):
        memory.index(moved)
    assert put(store, tracks(tmp_path / "b.txt", name, step=1), replace=True) == ["replaced"]
    assert memory.resolve(str(moved)) == f"mot:{name}"  # the new annotation is of the same file


def test_a_file_that_is_not_the_video_s_is_refused(store: Store, memory: VideoMemory, tmp_path: Path, name: str):
    put(store, tracks(tmp_path / "gt.txt", name))
    small = a_clip(tmp_path / "small.mp4", size=(80, 60))
    with pytest.raises(UsageError, match="80 x 60 pixels"):
        memory.attach(name, small)
    long = a_clip(tmp_path / "long.mp4", seconds=6.0)
    with pytest.raises(UsageError, match=r"lasts 6\.0 s, and the annotation 3\.0 s.*--any-length"):
        memory.attach(name, long)
    short = a_clip(tmp_path / "short.mp4", seconds=1.0)
    with pytest.raises(UsageError, match=r"lasts 1\.0 s"):
        memory.attach(name, short, any_length=True)
    assert memory.attach(name, long, any_length=True).status == "attached"
    with pytest.raises(UsageError, match="other content"):
        memory.attach(name, small)
    put(store, tracks(tmp_path / "b.txt", f"{name}-2", frames=60))
    with pytest.raises(UsageError, match=f"in the memory already, as {name}"):
        memory.attach(f"{name}-2", long)


@pytest.mark.parametrize("by", ["the import", "the next command"])
def test_indexes_that_were_left_out_are_made_again(store: Store, neo4j_endpoint: Endpoint, by: str):
    def there() -> set[str]:
        shown = "SHOW INDEXES YIELD name, type WHERE type IN ['VECTOR', 'FULLTEXT'] RETURN name"
        with GraphDatabase.driver(
            neo4j_endpoint.bolt_uri, auth=(neo4j_endpoint.username, neo4j_endpoint.password)
        ) as driver:
            return {str(row["name"]) for row in driver.execute_query(shown, database_="neo4j").records}

    schema.drop_search_indexes(store)
    assert there() == set()
    if by == "the import":
        schema.make_search_indexes(store, DIMENSIONS)
    else:
        schema.migrate(store, DIMENSIONS, EMBEDDER)
    assert there() == {*schema.VECTOR_INDEXES, *schema.TEXT_INDEXES}
    assert not store.read("schema/pending_indexes").rows
