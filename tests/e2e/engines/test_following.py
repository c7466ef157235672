"""Videos that grow: a stream over HTTP that breaks off and comes back, and a recording in a folder."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from ravu_kg.engines.following import STEP_S, Grown, follow_folder, follow_stream
from ravu_kg.engines.records import Order
from ravu_kg.memory import IndexResult, VideoMemory
from tests.e2e.conftest import MakeClip, Ravu
from tests.serving import serving

pytestmark = [pytest.mark.e2e, pytest.mark.neo4j, pytest.mark.timeout(1200)]


@pytest.fixture
def watcher(memory: VideoMemory) -> VideoMemory:
    """The memory with a detector that sees what moves in made-up clips."""
    models = memory.settings.models.model_copy(update={"detect": "motion"})
    return VideoMemory(memory.settings.model_copy(update={"models": models}), memory.store, memory.endpoint)


class Camera(ThreadingHTTPServer):
    """Delivers one part with each connection, and each only when it may."""

    def __init__(self, parts: list[Path]) -> None:
        super().__init__(("127.0.0.1", 0), _Delivery)
        self.parts = [part.read_bytes() for part in parts]
        self.may_go_on = [threading.Event() for _ in parts]

    @property
    def url(self) -> str:
        return f"http://user:hidden@127.0.0.1:{self.server_port}/gate.ts?token=hidden"


class _Delivery(BaseHTTPRequestHandler):
    server: Camera

    def do_GET(self) -> None:
        number = len(self.server.may_go_on) - len(self.server.parts)
        if not self.server.parts or not self.server.may_go_on[number].is_set():
            self.send_error(503)
            return
        part = self.server.parts.pop(0)
        self.send_response(200)
        self.send_header("Content-Type", "video/mp2t")
        self.end_headers()
        self.wfile.write(part)

    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture
def camera(make_clip: MakeClip) -> Iterator[Camera]:
    made = Camera(
        [make_clip("first.ts", seconds=2.0), make_clip("second.ts", seconds=24.0), make_clip("third.ts", seconds=26.0)]
    )
    with serving(made):
        yield made


def result(grown: Grown) -> IndexResult:
    assert isinstance(grown.outcome, IndexResult), grown.outcome
    return grown.outcome


def test_a_stream_that_breaks_off_is_one_video_that_grows_and_its_gap_is_uncovered(
    watcher: VideoMemory, camera: Camera, monkeypatch: pytest.MonkeyPatch
):
    camera.may_go_on[0].set()
    threading.Timer(6.0, camera.may_go_on[1].set).start()
    followed = follow_stream(watcher, camera.url, Order(), lambda name, stage, share: None)
    first = result(next(followed))
    assert first.duration_s >= STEP_S
    frames = watcher.cypher(
        "MATCH (f:Frame {videoId: $video_id}) RETURN f.t AS t, f.coverage AS state ORDER BY f.index",
        {"video_id": first.video_id},
    ).rows
    missing = [row["t"] for row in frames if row["state"] == "failed"]
    assert missing
    assert all(1.5 < time_s < first.duration_s - 20 for time_s in missing)  # type: ignore[operator]
    assert [row["t"] for row in frames] == sorted(row["t"] for row in frames)  # type: ignore[type-var]

    answer = watcher.ask(first.video_id, "What happens at the end?")  # while the stream goes on
    assert answer.evidence
    assert answer.coverage.unknown_intervals

    camera.may_go_on[2].set()
    second = result(next(followed))
    followed.close()
    assert second.video_id == first.video_id
    assert second.duration_s > first.duration_s + 20
    (video,) = [one for one in watcher.videos() if one.video_id == first.video_id]
    assert video.status == "ready"
    assert "hidden" not in f"{video}"


def test_a_recording_keeps_its_id_while_it_grows(watcher: VideoMemory, make_clip: MakeClip, tmp_path: Path):
    whole = make_clip("made/whole.ts", seconds=12.0).read_bytes()
    folder = tmp_path / "recordings"
    folder.mkdir()
    recording = folder / "gate.ts"
    recording.write_bytes(whole[: len(whole) // 2])
    followed = follow_folder(watcher, folder, Order(), lambda name, stage, share: None)
    first = result(next(followed))
    with recording.open("ab") as file:
        file.write(whole[len(whole) // 2 :])
    second = result(next(followed))
    assert second.video_id == first.video_id
    assert second.duration_s > first.duration_s

    again = follow_folder(watcher, folder, Order(), lambda name, stage, share: None)  # a second start
    assert result(next(again)).status == "unchanged"

    graph = watcher.canonical(second.video_id)
    plain = watcher.canonical(watcher.index(recording, build="plain").video_id)
    for part in ("frames", "entities", "frame_nodes", "events", "relations"):
        assert len(graph[part]) == len(plain[part])  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (("http://127.0.0.1:9/a.ts",), 2, "--follow"),
        (("missing", "--follow"), 4, "there is no such folder"),
        (("file.mp4", "--follow"), 2, "is a single file"),
        ((".", "--follow", "--workers", "2"), 2, "--follow is about one folder or stream"),
    ],
)
def test_what_cannot_be_followed_is_refused(ravu: Ravu, arguments: tuple[str, ...], code: int, said: str):
    Path("file.mp4").touch()
    assert said in ravu("index", *arguments, code=code).stderr
