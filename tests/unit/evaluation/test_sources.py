"""Where graphs come from, and the folder that evaluations keep to."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest

from ravu_kg.errors import ConfigurationError, UsageError
from ravu_kg.evaluation.home import EMBEDDER, own_settings
from ravu_kg.evaluation.sources import fill, graph_of
from ravu_kg.memory import VideoMemory
from ravu_kg.settings import Neo4jSettings, ServerSettings, Settings


class Indexing:
    """A memory that notes what it is to index."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, str | None, str | None]] = []

    def index(self, path: Path, *, tracks: Path | None, build: str | None, progress: object) -> SimpleNamespace:
        self.asked.append((path.name, tracks.name if tracks else None, build))
        return SimpleNamespace(status="unchanged" if path.stem == "b" else "indexed", frame_nodes=3)


def a_folder(path: Path, *names: str) -> Path:
    for name in names:
        (path / name).write_bytes(b"")
    return path


def test_a_folder_of_videos_is_indexed_in_order(tmp_path: Path):
    memory = Indexing()
    done = fill(cast("VideoMemory", memory), "detector", [a_folder(tmp_path, "b.mp4", "a.MKV", "notes.txt")])
    assert memory.asked == [("a.MKV", None, None), ("b.mp4", None, None)]
    assert (done.videos, done.added, done.frame_nodes) == (2, 1, 3)


def test_tracks_lie_beside_their_video(tmp_path: Path):
    memory = Indexing()
    a_folder(tmp_path, "a.mp4", "a.tracks.json", "a.txt", "b.mp4", "b.txt")
    fill(cast("VideoMemory", memory), "tracks", [tmp_path / "a.mp4", tmp_path / "b.mp4"])
    assert memory.asked == [("a.mp4", "a.tracks.json", "tracks"), ("b.mp4", "b.txt", "tracks")]


def test_missing_tracks_name_what_is_looked_for(tmp_path: Path):
    with pytest.raises(ConfigurationError, match=r"a\.tracks\.json or a\.json or a\.txt is looked for"):
        fill(cast("VideoMemory", Indexing()), "tracks", [a_folder(tmp_path, "a.mp4") / "a.mp4"])


def test_a_folder_without_videos_and_an_unknown_graph(tmp_path: Path):
    with pytest.raises(ConfigurationError, match="holds no video"):
        fill(cast("VideoMemory", Indexing()), "detector", [tmp_path])
    with pytest.raises(UsageError, match="There is no graph 'boxes'"):
        fill(cast("VideoMemory", Indexing()), "boxes", [tmp_path])
    with pytest.raises(UsageError, match="There is no graph 'boxes'"):
        graph_of(cast("VideoMemory", Indexing()), "boxes")


def test_each_source_has_the_videos_of_its_own():
    def row(video_id: str, title: str, external_id: str | None = None, build: str | None = None) -> dict[str, object]:
        made = {"video_id": video_id, "title": title, "external_id": external_id, "build": build}
        return {**made, "pipeline": f"by {video_id}"}

    rows = [
        row("captions:1", "one", "1"),
        row("captions:a_b-12", "a b", "a b"),
        row("vidor:1", "one", "1"),
        row("0123456789abcdef", "holiday"),
        row("0123456789abcdef~tracks", "holiday", build="tracks"),
        row("0123456789abcdef~gemini", "holiday", build="gemini"),
    ]
    store = SimpleNamespace(read=lambda _name: SimpleNamespace(rows=rows))
    memory = cast("VideoMemory", SimpleNamespace(store=store, embedder=None))
    assert graph_of(memory, "captions").videos == {"1": "captions:1", "a b": "captions:a_b-12"}
    assert graph_of(memory, "vidor").videos == {"1": "vidor:1"}
    assert graph_of(memory, "detector").videos == {"holiday": "0123456789abcdef"}
    assert graph_of(memory, "tracks").videos == {"holiday": "0123456789abcdef~tracks"}
    assert graph_of(memory, "captions").pipeline(["1", "nobody's"]) == "by captions:1"


def test_an_evaluation_leaves_the_users_server_and_ports_alone(tmp_path: Path):
    users = Settings(
        neo4j=Neo4jSettings(uri="bolt://example.org"),
        server=ServerSettings(home=tmp_path / "mine", bolt_port=9999, http_port=9998, heap_mb=700),
    )
    own = own_settings(users)
    assert own.neo4j == Neo4jSettings()
    assert (own.server.bolt_port, own.server.http_port, own.server.heap_mb) == (None, None, 700)
    assert own.models.embed == EMBEDDER
    assert own.server.home is not None
    assert own.server.home.parent.name == "all-MiniLM-L6-v2"
    other = own_settings(users, embedder="gemini:text-embedding-004").server.home
    assert other is not None
    assert other != own.server.home
    with pytest.raises(UsageError, match="holds your memory"):
        own_settings(users, home=tmp_path / "mine")
