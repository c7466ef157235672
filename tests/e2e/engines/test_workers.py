"""Several processes that index: interrupted, killed, and gone on with, the graphs are those of a single one."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import psutil
import pytest

from ravu_kg.engines.batch import index_all
from ravu_kg.engines.finding import Source
from ravu_kg.engines.processes import Processes
from ravu_kg.engines.records import Order
from ravu_kg.memory import IndexResult, VideoMemory
from tests.e2e.conftest import MakeClip, Ravu, copied
from tests.e2e.test_command_line import PROGRAM

pytestmark = [pytest.mark.e2e, pytest.mark.neo4j, pytest.mark.timeout(1200)]


@pytest.fixture
def clips(data_dir: Path, tmp_path: Path) -> Path:
    """A folder of a clip of two chunks, a short one below, and a file that is no video."""
    folder = tmp_path / "clips"
    copied(data_dir / "videos" / "woman_in_room.mp4", folder / "long.mp4")
    copied(data_dir / "videos" / "two_men_hug.mp4", folder / "below" / "short.mp4")
    (folder / "text.mp4").write_text("not a video", encoding="utf-8")
    return folder


def start(env: dict[str, str], *arguments: object) -> subprocess.Popen[str]:
    """As a terminal starts it: Ctrl-C reaches all of its processes."""
    return subprocess.Popen(
        [PROGRAM, "index", *map(str, arguments)],
        env={**os.environ, **env, "RAVU_KG_WORKERS__CHUNK_S": "20"},
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )


def until(process: subprocess.Popen[str], word: str) -> None:
    assert process.stderr is not None
    said: list[str] = []
    for line in process.stderr:
        said.append(line)
        if word in line:
            return
    raise AssertionError(f"it ended before {word!r}: {''.join(said)}")


def workers_of(process: subprocess.Popen[str]) -> list[psutil.Process]:
    return [one for one in psutil.Process(process.pid).children() if "spawn_main" in " ".join(one.cmdline())]


def gone(processes: list[psutil.Process]) -> bool:
    return not psutil.wait_procs(processes, timeout=60)[1]


@pytest.fixture
def started() -> Iterator[list[subprocess.Popen[str]]]:
    """Whatever a test leaves running ends with it."""
    processes: list[subprocess.Popen[str]] = []
    yield processes
    for process in processes:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.communicate()


def test_ctrl_c_ends_all_workers_and_a_killed_one_is_replaced_and_the_graphs_are_those_of_one_process(
    memory: VideoMemory, fresh_cache: dict[str, str], clips: Path, ravu: Ravu, started: list[subprocess.Popen[str]]
):
    first = start(fresh_cache, clips, "--workers", "2")
    started.append(first)
    until(first, "long.mp4: detecting")
    workers = workers_of(first)
    assert len(workers) == 2
    os.killpg(first.pid, signal.SIGINT)
    _, said = first.communicate(timeout=120)
    assert first.returncode == 130, said
    assert "Traceback" not in said
    assert gone(workers)

    second = start(fresh_cache, clips, "--workers", "2")
    started.append(second)
    until(second, "long.mp4: detecting")
    victim = workers_of(second)[0]
    victim.kill()
    printed, said = second.communicate(timeout=300)
    assert second.returncode == 4, said  # of the file that is no video
    assert "text.mp4" in said
    assert "long.mp4" in printed
    assert "short.mp4" in printed

    for clip in ("long.mp4", "below/short.mp4"):
        path = str(clips / clip)
        graph = memory.canonical(path)
        memory.index(path, replace=True)
        assert memory.canonical(path) == graph

    copied(clips / "below" / "short.mp4", clips / "new.mp4")
    done = ravu.json("index", clips, code=4)
    states = {Path(one["video"]).name: one["status"] for one in done}  # type: ignore[attr-defined]
    assert states == {"long.mp4": "unchanged", "short.mp4": "unchanged", "text.mp4": "failed", "new.mp4": "indexed"}


def test_workers_end_when_the_process_that_started_them_is_killed(
    memory: VideoMemory, memory_env: dict[str, str], make_clip: MakeClip, started: list[subprocess.Popen[str]]
):
    clips = [make_clip(f"{number}.mp4", seconds=60) for number in range(2)]
    process = start(memory_env, *clips, "--workers", "2", "--detector", "motion")
    started.append(process)
    until(process, "watching")
    workers = workers_of(process)
    process.kill()
    process.wait()
    assert gone(workers)
    deadline_s = time.monotonic() + 60
    while time.monotonic() < deadline_s and any(lock.is_file() and _held(lock) for lock in _locks(memory)):
        time.sleep(0.1)
    assert memory.index(clips[0]).status in ("indexed", "unchanged")


def _locks(memory: VideoMemory) -> list[Path]:
    return list((memory.settings.cache / "locks").glob("*.lock"))


def _held(lock: Path) -> bool:
    from filelock import FileLock, Timeout

    try:
        with FileLock(lock, timeout=0):
            return False
    except Timeout:
        return True


def test_a_worker_that_cannot_start_ends_the_run_with_its_code(ravu: Ravu, memory: VideoMemory, make_clip: MakeClip):
    clip = make_clip()
    refused = Ravu({**ravu.env, "RAVU_KG_MODELS__EMBED": "sentence-transformers:all-MiniLM-L6-v2"})
    result = refused("index", clip, "--workers", "2", code=3)
    assert "reembed" in result.stderr


def test_who_reads_next_follows_what_a_worker_has_written(memory: VideoMemory, make_clip: MakeClip):
    """In a cluster the machine that links across videos may be behind the one that a worker wrote to."""
    clip = make_clip()
    with Processes(memory.settings, 1) as crew:
        (done,) = index_all(crew, [Source(clip)], Order(), lambda number, stage, share: None)
    assert isinstance(done.outcome, IndexResult)
    assert done.bookmarks
    memory.store.follow(done.bookmarks)
    assert set(done.bookmarks) <= set(memory.store.bookmarks)
    memory.delete(done.outcome.video_id)
