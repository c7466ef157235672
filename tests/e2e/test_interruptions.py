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

pytestmark = [pytest.mark.e2e, pytest.mark.neo4j]

# Indexes a video and kills a process, its own or the server, when the first of its windows is written.
SCRIPT = """
import os, signal, sys
from ravu_kg import RavuError, VideoMemory

video, victim = sys.argv[1], sys.argv[2]

def report(stage, share):
    if stage == "writing" and 0 < share < 1 and victim != "nobody":
        os.kill(memory.endpoint.pid if victim == "server" else os.getpid(), signal.SIGKILL)

try:
    with VideoMemory.open() as memory:
        print(memory.index(video, progress=report).status)
except RavuError as error:
    print(error, file=sys.stderr)
    sys.exit(error.exit_code)
"""


def index(video: Path, env: dict[str, str], victim: str) -> subprocess.CompletedProcess[str]:
    whole = {**os.environ, **env, "RAVU_KG_MODELS__DETECT": "motion"}
    command = [sys.executable, "-c", SCRIPT, str(video), victim]
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

    memory.delete(str(video))
    assert index(video, memory_env, "nobody").stdout == "indexed\n"
    assert memory.canonical(str(video)) == graph
