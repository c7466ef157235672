"""A disk that becomes full while a video is written: said as such, and the next run gives the undisturbed graph."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from ravu_kg.errors import GraphError
from ravu_kg.memory import VideoMemory, server_config
from ravu_kg.server import EmbeddedServer
from ravu_kg.settings import load
from tests.conftest import missing
from tests.disks import Disk, mounted
from tests.e2e.conftest import MakeClip, Ravu

pytestmark = [pytest.mark.e2e, pytest.mark.neo4j, pytest.mark.timeout(900)]


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Callable[[int], Disk]]:
    """Makes a disk in memory of so many MB; only where the tests may mount one."""
    made: list[Disk] = []

    def make(size_mb: int) -> Disk:
        small = mounted(tmp_path / "disk", size_mb)
        if small is None:
            missing("a small disk cannot be mounted here: run as root, or allow mount")
        made.append(small)
        return small

    yield make
    for one in made:
        one.unmount()


def test_the_disk_of_the_database_gets_full_while_a_video_is_written(
    memory: VideoMemory, ravu: Ravu, disk: Callable[[int], Disk], make_clip: MakeClip, monkeypatch: pytest.MonkeyPatch
):
    small = disk(600)
    clip = make_clip("fills.mp4", seconds=130)
    env = {**ravu.env, "RAVU_KG_SERVER__HOME": str(small.folder / "home"), "RAVU_KG_MODELS__DETECT": "motion"}
    ravu("index", clip, "--detector", "motion")
    undisturbed = memory.canonical(str(clip))
    for name, value in env.items():
        monkeypatch.setenv(name, value)

    def fill(stage: str, share: float) -> None:
        if stage == "writing" and share == 0:
            small.fill()

    try:
        with VideoMemory.open(load()) as own, pytest.raises(GraphError, match=r"its disk is full.*Make room") as caught:
            own.index(clip, progress=fill)
        assert caught.value.exit_code == 6
        message = Ravu(env)("index", clip, code=6).stderr
        assert str(small.folder / "home") in message
        assert "is full" in message
        small.free()
        assert "indexed 2:10" in Ravu(env)("index", clip).stdout
        with VideoMemory.open(load()) as own:
            assert own.canonical(str(clip)) == undisturbed
    finally:
        EmbeddedServer(server_config(load())).stop()


def test_a_full_cache_costs_time_and_not_the_graph(
    memory: VideoMemory, ravu: Ravu, fresh_cache: dict[str, str], disk: Callable[[int], Disk], make_clip: MakeClip
):
    small = disk(10)
    cache = small.folder / "cache"
    shutil.copytree(fresh_cache["RAVU_KG_CACHE"], cache, symlinks=True)
    env = {**ravu.env, "RAVU_KG_CACHE": str(cache)}
    clip = make_clip("no room.mp4", seconds=4)
    ravu("index", clip, "--detector", "motion")
    undisturbed = memory.canonical(str(clip))
    memory.delete(str(clip))
    small.fill()
    message = Ravu(env)("index", clip, "--detector", "motion").stderr
    assert f"{cache / 'sentences.sqlite'} cannot be used: database or disk is full" in message
    assert memory.canonical(str(clip)) == undisturbed
