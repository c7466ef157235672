"""Whole runs of ``index`` with models: into the graph, stopped, killed, gone on with, and made anew in part."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import av
import numpy as np
import pytest

from ravu_kg.errors import BudgetError, ConfigurationError, ProviderError
from ravu_kg.memory import IndexResult, ModelRun, VideoMemory
from ravu_kg.settings import Settings, load
from tests.e2e.models.seeing import Seer, targets
from tests.model_server import Fault, ModelServer

pytestmark = [pytest.mark.e2e, pytest.mark.neo4j]

CLIP = "videos/dog_and_woman.mp4"


class User:
    """Someone with a scripted model, a cache of their own and builds that are removed at the end."""

    def __init__(self, env: dict[str, str], cache: Path, clip: Path, server: ModelServer) -> None:
        self.cache, self.clip, self.server = cache, clip, server
        self.env = {
            **env,
            "RAVU_KG_CACHE": str(cache),
            "RAVU_KG_PROVIDERS__GEMINI__BASE_URL": server.url,
            "RAVU_KG_PROVIDERS__OPENAI__BASE_URL": f"{server.url}/v1",
            "GEMINI_API_KEY": "test-key",
            "OPENAI_API_KEY": "test-key",
        }
        self.builds: set[str] = set()

    @contextmanager
    def memory(self, **roles: str) -> Iterator[VideoMemory]:
        with pytest.MonkeyPatch.context() as patch:
            patch.delenv("GOOGLE_API_KEY", raising=False)
            for name, value in self.env.items():
                patch.setenv(name, value)
            with VideoMemory.open(self.settings(**roles)) as memory:
                yield memory

    def settings(self, **roles: str) -> Settings:
        named = {f"models.{role}": one for role, one in ({"describe": "gemini:seer"} | roles).items()}
        return load(named)

    def index(self, build: str, roles: dict[str, str] | None = None, **options: Any) -> IndexResult:
        self.builds.add(build)
        with self.memory(**(roles or {})) as memory:
            return memory.index(self.clip, build=build, **options)

    def canonical(self, build: str) -> dict[str, Any]:
        with self.memory() as memory:
            name = next(one.video_id for one in memory.videos() if one.build == build)
            return _without_build(memory.canonical(name), name)

    def stages(self) -> Counter[str]:
        return Counter(received.stage for received in self.server.received)


@pytest.fixture
def make_user(
    memory_env: dict[str, str], tmp_path: Path, data_dir: Path, shared_cache: Path
) -> Iterator[Callable[..., User]]:
    users: list[User] = []

    def make(server: ModelServer) -> User:
        cache = tmp_path / f"cache{len(users)}"
        cache.mkdir()
        for name in ("encoders", "neo4j", "detections", "sentences.sqlite"):  # what the models have no part in
            source = shared_cache / name
            if source.exists():
                (cache / name).symlink_to(source, target_is_directory=source.is_dir())
        users.append(User(memory_env, cache, data_dir / CLIP, server))
        return users[-1]

    yield make
    for user in users:
        with user.memory() as memory:
            for video in memory.videos():
                if video.build in user.builds:
                    memory.delete(video.video_id, keep_cache=True)


@pytest.fixture
def shared_cache(memory_env: dict[str, str]) -> Path:
    cache = Path(memory_env["RAVU_KG_CACHE"])
    (cache / "detections").mkdir(exist_ok=True)
    return cache


@pytest.mark.parametrize("model", ["gemini:seer", "openai:seer"])
def test_a_clip_becomes_a_graph_in_the_words_of_a_model(make_user: Callable[..., User], model: str) -> None:
    with ModelServer(Seer()) as server:
        user = make_user(server)
        build = model.replace(":", "-")
        result = user.index(build, {"describe": model})
        assert result.describer == model
        assert result.coverage == {"ok": 10}
        assert set(result.usage) == {"describe", "graph", "sentence", "events"}
        assert sum(stage["calls"] for stage in result.usage.values()) == len(server.received)
        assert user.index(build, {"describe": model}).status == "unchanged"
        assert user.index(build, {"describe": model}).usage == result.usage
        with pytest.raises(ConfigurationError, match="describer"):
            user.index(build, {"describe": "measured"})
        with user.memory(describe=model) as memory:
            assert dict(memory.details(result.video_id).usage) == result.usage
            rows = memory.cypher(
                "MATCH (v:Video {id: '" + result.video_id + "'})-[:HAS_FRAME]->(f)-[:CONTAINS]->(n:FrameNode) "
                "RETURN count(n) AS nodes, count(CASE n.source WHEN 'model' THEN 1 END) AS told, "
                "count(n.embedding) AS vectors, count(CASE WHEN n.xMin IS NULL THEN 1 END) AS without_box"
            ).rows[0]
            lamps = [one for one in memory.reader.entities(result.video_id) if one.label == "lamp"]
    assert rows["nodes"] == rows["told"] == rows["vectors"] == result.frame_nodes
    assert rows["without_box"] == 0
    assert [one.description for one in lamps] == ["Lamp, tall, red, from 0.0 s to 9.6 s: A lamp works."]
    graph = json.dumps(user.canonical(build))
    assert '"model"' in graph
    assert '"geometry"' in graph
    assert "input_tokens" not in graph


def test_a_ceiling_keeps_what_is_written_and_the_run_goes_on(make_user: Callable[..., User]) -> None:
    with ModelServer(Seer()) as server:
        user = make_user(server)
        plain = user.index("plain")
        calls = len(server.received)
        again = make_user(server)
        with pytest.raises(BudgetError, match="run the same command with a higher ceiling"):
            again.index("stopped", models=ModelRun(max_tokens=9_000))
        stopped_after = len(server.received) - calls
        assert 0 < stopped_after < calls
        with again.memory() as memory:
            (video,) = [one for one in memory.videos() if one.build == "stopped"]
            assert video.status == "indexing"
        result = again.index("stopped")
    assert len(server.received) == 2 * calls
    assert result.replayed == stopped_after
    assert result.usage == plain.usage  # both runs together
    assert again.canonical("stopped") == user.canonical("plain")


def test_after_a_kill_only_calls_without_a_kept_reply_are_made_again(make_user: Callable[..., User]) -> None:
    with ModelServer(Seer()) as plain_server:
        user = make_user(plain_server)
        plain = user.index("plain")
        calls = len(plain_server.received)
    with ModelServer(Seer(), delay_s=0.7) as server:
        killed = make_user(server)
        killed.env["RAVU_KG_CALLS__CONCURRENCY"] = "2"
        killed.builds.add("killed")
        program = Path(sys.executable).with_name("ravu-kg")
        command = [program, "index", str(killed.clip), "--build", "killed"]
        env = os.environ | killed.env | {"RAVU_KG_MODELS__DESCRIBE": "gemini:seer"}
        process = subprocess.Popen(command, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            deadline_s = time.monotonic() + 120
            while len(server.received) < 5 and time.monotonic() < deadline_s and process.poll() is None:
                time.sleep(0.05)
        finally:
            process.send_signal(signal.SIGKILL)
            process.wait()
        asked = len(server.received)
        assert 5 <= asked < calls
        server.delay_s = 0.0
        result = killed.index("killed")
    assert result.replayed >= asked - 2
    # What was spent before the kill is not lost; what was under way then may be spent once more.
    spent = sum(stage["calls"] for stage in result.usage.values())
    assert calls <= spent <= len(server.received)
    assert result.usage["describe"]["input_tokens"] >= plain.usage["describe"]["input_tokens"]
    assert len(server.received) <= calls + 2  # what was under way when it was killed
    assert killed.canonical("killed") == user.canonical("plain")


def test_a_server_that_fails_for_good_stops_the_run_which_then_goes_on(make_user: Callable[..., User]) -> None:
    broken = True

    def disturb(received: Any) -> Fault | None:
        return Fault.server_error(503) if broken and received.stage == "events" else None

    with ModelServer(Seer(disturb)) as server:
        user = make_user(server)
        user.env["RAVU_KG_CALLS__RETRIES"] = "1"
        with pytest.raises(ProviderError, match="goes on from there"):
            user.index("broken")
        broken = False
        del server.received[:]
        assert user.index("broken").status == "indexed"
        assert user.stages() == {"events": 1}


def test_frames_that_nobody_answered_for_are_completed_by_the_next_run(make_user: Callable[..., User]) -> None:
    seer = Seer(
        lambda received: Fault.server_error(500) if received.stage == "graph" and 4 in targets(received) else None
    )
    with ModelServer(seer) as server:
        user = make_user(server)
        user.env["RAVU_KG_CALLS__RETRIES"] = "1"
        first = user.index("partly")
        assert (first.status, first.coverage, first.unanswered) == ("indexed", {"ok": 7, "failed": 3}, 3)
        asked = user.stages()
        seer.disturb = None
        del server.received[:]
        second = user.index("partly")
        assert (second.status, second.coverage, second.unanswered) == ("indexed", {"ok": 10}, 0)
        assert user.stages() == {"graph": 1, "sentence": 1, "events": 1}
        assert sum(one["calls"] for one in second.usage.values()) == asked.total() - 2 + 3  # failures cost nothing
        assert user.index("partly").status == "unchanged"
        other = make_user(server)
        plain = other.index("whole")
        assert user.canonical("partly") == other.canonical("whole")
        assert plain.unanswered == 0


def test_an_unfinished_run_that_lacked_something_is_written_anew(make_user: Callable[..., User]) -> None:
    broken = {"graph", "events"}

    def disturb(received: Any) -> Fault | None:
        lasting = received.stage in broken and (received.stage == "events" or 4 in targets(received))
        return Fault.server_error(500) if lasting else None

    with ModelServer(Seer(disturb)) as server:
        user = make_user(server)
        user.env["RAVU_KG_CALLS__RETRIES"] = "1"
        with pytest.raises(ProviderError):
            user.index("unfinished")  # its only window is written, without what the graph of three frames adds
        broken.clear()
        result = user.index("unfinished")
        assert (result.coverage, result.unanswered) == ({"ok": 10}, 0)
        other = make_user(server)
        other.index("whole2")
        assert user.canonical("unfinished") == other.canonical("whole2")


def test_only_what_is_to_be_made_anew_is_asked_again(make_user: Callable[..., User]) -> None:
    with ModelServer(Seer()) as server:
        user = make_user(server)
        user.index("parts")
        first = user.canonical("parts")

        def asked(roles: dict[str, str] | None = None, **options: Any) -> Counter[str]:
            del server.received[:]
            user.index("parts", roles, **options)
            return user.stages()

        assert asked(replace=True) == {}
        assert user.canonical("parts") == first
        assert set(asked({"events": "gemini:other"}, replace=True)) == {"events"}
        assert set(asked(None, models=ModelRun(from_stage="sentence"))) == {"sentence", "events"}
        assert asked(None, models=ModelRun(from_stage="embed")) == {}
        assert user.canonical("parts") == first
        assert set(asked({"describe": "openai:other"}, replace=True)) == {
            "describe",
            "graph",
            "sentence",
            "events",
        }


def test_a_model_that_detects_sees_the_sampled_frames(make_user: Callable[..., User]) -> None:
    with ModelServer(Seer()) as server:
        user = make_user(server)
        result = user.index("detected", {"detect": "openai:seer", "describe": "measured"})
        assert user.stages() == {"detect": 3}  # ten frames, four to a call
        assert (result.detector, result.describer, result.entities) == ("openai:seer", "geometry", 1)
        del server.received[:]
        assert user.index("detected", {"detect": "openai:seer", "describe": "measured"}).status == "unchanged"
        assert user.stages() == {}
        with user.memory() as memory:
            rows = memory.cypher(
                "MATCH (n:FrameNode {videoId: '" + result.video_id + "'}) "
                "RETURN DISTINCT n.xMin AS x_min, n.yMin AS y_min, n.xMax AS x_max, n.yMax AS y_max, n.label AS label"
            ).rows
            summary = memory.details(result.video_id).summary
    width_px, height_px = summary.width_px, summary.height_px
    (row,) = rows
    assert [row["x_min"], row["y_min"], row["x_max"], row["y_max"]] == pytest.approx(
        [0.1 * width_px, 0.2 * height_px, 0.4 * width_px, 0.9 * height_px]
    )
    assert (row["label"], summary.tracking_rate_hz) == ("person", 1.0)


def test_what_a_model_sees_in_the_only_frame_of_half_a_second_is_kept(
    make_user: Callable[..., User], tmp_path: Path
) -> None:
    clip = tmp_path / "half a second.mp4"
    with av.open(str(clip), "w") as container:
        stream = container.add_stream("mpeg4", rate=24)
        stream.width, stream.height = 128, 96
        for number in range(12):
            picture = np.full((96, 128, 3), 60 + number, np.uint8)
            container.mux(stream.encode(av.VideoFrame.from_ndarray(picture, "rgb24")))
        container.mux(stream.encode())
    with ModelServer(Seer()) as server:
        user = make_user(server)
        user.clip = clip
        result = user.index("short", {"detect": "openai:seer", "describe": "measured"})
    assert user.stages() == {"detect": 1}
    assert (result.entities, result.frame_nodes) == (1, 1)


def _without_build(graph: dict[str, Any], video_id: str) -> dict[str, Any]:
    text = json.dumps(graph).replace(video_id, "VIDEO")
    plain: dict[str, Any] = json.loads(text)
    plain["video"].pop("build", None)
    return plain
