"""Backing up while the server runs: it is stopped, told, and runs again at the same address."""

from __future__ import annotations

from pathlib import Path

import pytest

from ravu_kg.memory import VideoMemory, server_config
from ravu_kg.server import EmbeddedServer

pytestmark = [pytest.mark.neo4j, pytest.mark.e2e, pytest.mark.timeout(1200)]


def test_a_running_server_is_stopped_for_a_dump_and_started_again(ravu, memory: VideoMemory, tmp_path: Path) -> None:
    before = EmbeddedServer(server_config(memory.settings)).status().endpoint
    assert before is not None
    videos = memory.videos()

    done = ravu("db", "dump", "memory.ravudump")

    assert done.stdout.startswith("Dumped the database of Neo4j ")
    assert "Stopping Neo4j: programs that use it lose their connection" in done.stderr
    assert "Starting Neo4j again" in done.stderr
    assert (tmp_path / "memory.ravudump").stat().st_size > 10_000
    after = EmbeddedServer(server_config(memory.settings)).status().endpoint
    assert after is not None
    assert (after.bolt_uri, after.pid == before.pid) == (before.bolt_uri, False)
    assert memory.videos() == videos  # over the connection that was open before
