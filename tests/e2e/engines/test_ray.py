"""A Ray cluster of two nodes on this machine, one of which is killed in the middle of the work."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from ravu_kg.memory import VideoMemory
from tests.e2e.conftest import copied
from tests.e2e.engines.test_workers import start, started, until

if TYPE_CHECKING:
    from ray.cluster_utils import Cluster

pytestmark = [pytest.mark.e2e, pytest.mark.neo4j, pytest.mark.timeout(1200)]
__all__ = ["started"]

NODE = {"num_cpus": 1, "object_store_memory": 80 * 1024 * 1024, "include_dashboard": False}


@pytest.fixture
def cluster(monkeypatch: pytest.MonkeyPatch) -> Iterator[Cluster]:
    monkeypatch.setenv("RAY_USAGE_STATS_ENABLED", "0")
    from ray.cluster_utils import Cluster

    made = Cluster(initialize_head=True, head_node_args=NODE)
    try:
        yield made
    finally:
        made.shutdown()


@pytest.mark.filterwarnings("ignore::ResourceWarning")  # Ray leaves the logs of its nodes to the collector
def test_a_node_that_is_killed_costs_no_video_and_changes_no_graph(
    memory: VideoMemory,
    memory_env: dict[str, str],
    fresh_cache: dict[str, str],
    data_dir: Path,
    tmp_path: Path,
    cluster: Cluster,
    started: list[subprocess.Popen[str]],
):
    second = cluster.add_node(**{key: value for key, value in NODE.items() if key != "include_dashboard"})
    long = copied(data_dir / "videos" / "woman_in_room.mp4", tmp_path / "long.mp4")
    short = copied(data_dir / "videos" / "two_men_hug.mp4", tmp_path / "short.mp4")
    process = start(fresh_cache, long, short, "--engine", "ray", "--ray-address", cluster.address, "--workers", "2")
    started.append(process)
    until(process, "long.mp4: detecting")
    cluster.remove_node(second, allow_graceful=False)
    printed, said = process.communicate(timeout=400)
    assert process.returncode == 0, said
    assert "long.mp4" in printed
    assert "short.mp4" in printed
    for path in (str(long), str(short)):
        graph = memory.canonical(path)
        memory.index(path, replace=True)
        assert memory.canonical(path) == graph


def test_the_address_of_a_cluster_that_does_not_answer_is_named(memory_env: dict[str, str], tmp_path: Path):
    env = {**os.environ, **memory_env, "RAY_gcs_rpc_server_connect_timeout_s": "1", "RAY_NUM_REDIS_GET_RETRIES": "1"}
    (tmp_path / "a.mp4").touch()
    process = start(env, tmp_path / "a.mp4", "--engine", "ray", "--ray-address", "127.0.0.1:1")
    _, said = process.communicate(timeout=300)
    assert process.returncode == 3, said
    assert "127.0.0.1:1" in said
    assert "ray status" in said
