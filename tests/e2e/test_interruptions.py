from __future__ import annotations

import os
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest

from ravu_kg.errors import NotFoundError
from ravu_kg.memory import VideoMemory
from tests.e2e.conftest import MakeClip

pytestmark = [pytest.mark.e2e, pytest.mark.neo4j]

# Indexes a video and kills a process, its own or the server, when the first of its windows is written. A further
# argument names the tracker of a graph that is to take the place of the one that is there.
SCRIPT = """
import os, signal, sys
from ravu_kg import RavuError, VideoMemory

video, victim = sys.argv[1], sys.argv[2]

def report(stage, share):
    if stage == "writing" and 0 < share < 1 and victim != "nobody":
        os.kill(memory.endpoint.pid if victim == "server" else os.getpid(), signal.SIGKILL)

try:
    with VideoMemory.open() as memory:
        print(memory.index(video, replace=len(sys.argv) > 3, progress=report).status)
except RavuError as error:
    print(error, file=sys.stderr)
    sys.exit(error.exit_code)
"""


def index(
    video: Path, env: dict[str, str], victim: str, replaced_by: str | None = None
) -> subprocess.CompletedProcess[str]:
    whole = {**os.environ, **env, "RAVU_KG_MODELS__DETECT": "motion"}
    command = [sys.executable, "-c", SCRIPT, str(video), victim]
    if replaced_by is not None:
        whole["RAVU_KG_MODELS__TRACK"] = replaced_by
        command.append(replaced_by)
    return subprocess.run(command, env=whole, text=True, capture_output=True, timeout=500)


@pytest.mark.timeout(1200)
def test_after_the_process_and_then_the_server_were_killed_the_next_run_gives_the_undisturbed_graph(
    memory: VideoMemory, memory_env: dict[str, str], data_dir: Path
):
    video = data_dir / "mot" / "PETS09-S2L1" / "PETS09-S2L1.avi"
    with suppress(NotFoundError):  # from an earlier run in the same home
        memory.delete(str(video))
    assert index(video, memory_env, "process").returncode == -signal.SIGKILL
    written = memory.cypher("MATCH (v:Video {title: 'PETS09-S2L1'}) RETURN size(v.windowEnds) AS n, v.status AS s").rows
    assert written == [{"n": 1, "s": "indexing"}]

    failed = index(video, memory_env, "server")
    assert failed.returncode == 6, failed.stderr
    assert "No Neo4j server answers" in failed.stderr

    resumed = index(video, memory_env, "nobody")
    assert resumed.stdout == "indexed\n", resumed.stderr
    graph = memory.canonical(str(video))

    memory.delete(str(video), keep_cache=True)
    assert index(video, memory_env, "nobody").stdout == "indexed\n"
    assert memory.canonical(str(video)) == graph


def test_a_replacement_that_is_killed_leaves_the_old_graph_and_then_ends_in_the_new_one(
    memory: VideoMemory, memory_env: dict[str, str], make_clip: MakeClip
):
    video = make_clip("replaced.mp4", seconds=130)
    assert index(video, memory_env, "nobody").stdout == "indexed\n"
    old = memory.canonical(str(video))
    assert index(video, memory_env, "process", "box-matching").returncode == -signal.SIGKILL
    assert memory.canonical(str(video)) == old
    assert memory.ask(str(video), "What happens at the end?").evidence
    (unfinished,) = [one for one in memory.videos() if one.video_id == f"{memory.resolve(str(video))}~~new"]
    assert unfinished.status == "indexing"

    resumed = index(video, memory_env, "nobody", "box-matching")
    assert resumed.stdout == "indexed\n", resumed.stderr
    new = memory.canonical(str(video))
    assert new != old
    memory.delete(str(video))
    assert not [one for one in memory.videos() if one.title == "replaced"]
    assert index(video, {**memory_env, "RAVU_KG_MODELS__TRACK": "box-matching"}, "nobody").stdout == "indexed\n"
    assert memory.canonical(str(video)) == new
