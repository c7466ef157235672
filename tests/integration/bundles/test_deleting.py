"""Deleting a video leaves nothing of it: not in the graph, not in the cache folder."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import neo4j
import numpy as np
import pytest
from builders import a_link, a_scene, write_scene
from filelock import FileLock

from ravu_kg.errors import UsageError
from ravu_kg.graph.decisions import Verdict, decide
from ravu_kg.graph.embedding import SentenceCache
from ravu_kg.graph.export import canonical
from ravu_kg.graph.writer import GraphWriter
from ravu_kg.memory import VideoMemory
from ravu_kg.models.replies import LIBRARY, ReplyStore
from ravu_kg.perception.detecting import DetectionCache
from ravu_kg.types import Box, Detection, ModelReply, ModelRequest, entity_id

pytestmark = pytest.mark.neo4j

REPLY = ModelReply("said", "stop", 1, 1, 0)


def named_by(raw: neo4j.Driver, video_id: str) -> dict[str, int]:
    """Nodes by label, and relationships by type, that have the id in any property of theirs or of their ends."""
    query = """
        MATCH (n) WHERE any(key IN keys(n) WHERE toStringOrNull(n[key]) CONTAINS $id)
        OPTIONAL MATCH (n)-[r]-()
        UNWIND [head(labels(n)) + ' ' + elementId(n), type(r) + ' ' + elementId(r)] AS found
        WITH DISTINCT found WHERE found IS NOT NULL
        RETURN split(found, ' ')[0] AS kind, count(*) AS n
    """
    records, _, _ = raw.execute_query(query, id=video_id)
    return {record["kind"]: record["n"] for record in records}


def fill(memory: VideoMemory, raw: neo4j.Driver, video_id: str, other: str) -> None:
    """All that can be kept of a video, here or in the cache."""
    scene = a_scene(video_id, frame_count=2, tracks=(1, 2))
    write_scene(memory.store, scene)
    write_scene(memory.store, a_scene(other, tracks=(1,), frame_count=2))
    across = a_link(video_id, later_id=entity_id(other, 1), scope="video")
    GraphWriter(memory.store).write_entities(video_id, scene.entities, [across])
    verdict = Verdict(entity_id(video_id, 1), entity_id(other, 1), "accepted")
    decide(memory.store, "accept", [verdict], "Ann", "the same coat")
    raw.execute_query("CREATE (:VectorBlock {id: $id + '/0', videoId: $id, seq: 0, dim: 768})", id=video_id)
    cache = memory.settings.cache
    found = {0.0: [Detection(Box(0, 0, 9, 9), "person", 0.5)]}
    for content in (video_id, other):
        DetectionCache(cache / "detections", content * 4, "yolox:x").save(0, found)
    with SentenceCache(cache / "sentences.sqlite") as sentences:
        texts = [node.description for window in scene.windows for node in window.nodes]
        sentences.put("test", {text: np.ones(768, np.float32) for text in [*texts, "Said of another video."]})
    with ReplyStore(cache / "replies.sqlite") as replies:
        for key, videos in {
            b"mine": [video_id],
            b"both": [video_id, other],
            b"its": [other],
            b"all": [LIBRARY],
        }.items():
            replies.put(key, "fake:m", ModelRequest("do", (key.decode(),), None, 10), REPLY)
            for video in videos:
                replies.note(key, video)


def test_nothing_is_left_of_a_deleted_video(
    memory: VideoMemory, raw: neo4j.Driver, unique_video: str, second_video: str
) -> None:
    fill(memory, raw, unique_video, second_video)
    cache = memory.settings.cache
    before = named_by(raw, unique_video)
    assert {"Video", "Frame", "Entity", "FrameNode", "Event", "VectorBlock", "Decision"} <= set(before)
    assert {"HAS_FRAME", "NEXT", "CONTAINS", "APPEARS_AS", "SAME_AS", "REL", "HAS_EVENT", "HAS_ENTITY"} <= set(before)
    other = canonical(memory.store, second_video)

    memory.delete(unique_video)

    assert named_by(raw, unique_video) == {}
    left = canonical(memory.store, second_video)
    assert {**left, "entities": []} == {**other, "entities": [], "identity_links": []}
    assert not [path for path in cache.rglob("*") if unique_video in str(path)]
    assert [path.name[:16] for path in (cache / "detections").iterdir()] == [second_video]
    assert rows(cache / "sentences.sqlite", "SELECT count(*) FROM sentence") == [(1,)]
    assert rows(cache / "replies.sqlite", "SELECT key FROM reply ORDER BY key") == [(b"both",), (b"its",)]
    assert rows(cache / "replies.sqlite", "SELECT DISTINCT video FROM asked_for") == [(second_video,)]
    for path in cache.rglob("*"):
        if path.is_file():
            assert unique_video.encode() not in path.read_bytes(), path


def test_detections_stay_as_long_as_another_build_of_the_video_is_there(memory: VideoMemory, unique_video: str) -> None:
    build = f"{unique_video}~other"
    write_scene(memory.store, a_scene(unique_video, tracks=(1,), frame_count=1))
    write_scene(memory.store, a_scene(build, tracks=(1,), frame_count=1, build="other", content_hash=unique_video * 4))
    folder = memory.settings.cache / "detections"
    DetectionCache(folder, unique_video * 4, "yolox:x").save(0, {0.0: []})

    memory.delete(build)
    assert len(list(folder.iterdir())) == 1
    memory.delete(unique_video)
    assert not list(folder.iterdir())


def test_the_cache_can_be_kept(memory: VideoMemory, raw: neo4j.Driver, unique_video: str, second_video: str) -> None:
    fill(memory, raw, unique_video, second_video)

    memory.delete(unique_video, keep_cache=True)

    assert named_by(raw, unique_video) == {}
    assert rows(memory.settings.cache / "replies.sqlite", "SELECT count(*) FROM reply") == [(4,)]
    assert len(list((memory.settings.cache / "detections").iterdir())) == 2


def test_a_video_that_another_command_writes_is_not_deleted(memory: VideoMemory, unique_video: str) -> None:
    write_scene(memory.store, a_scene(unique_video, tracks=(1,), frame_count=1))
    lock = memory.settings.cache / "locks" / f"{unique_video}.lock"
    lock.parent.mkdir(parents=True)

    with FileLock(lock), pytest.raises(UsageError, match=r"is being indexed or imported by another command"):
        memory.delete(unique_video)

    assert memory.details(unique_video).summary.status == "ready"


def rows(path: Path, query: str) -> list[tuple[object, ...]]:
    with sqlite3.connect(path) as connection:
        return list(connection.execute(query))
