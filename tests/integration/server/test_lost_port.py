from __future__ import annotations

import os
import re
import socket
from pathlib import Path

import pytest

from ravu_kg.server import DEFAULT_VERSION, EmbeddedServer, ServerConfig

pytestmark = pytest.mark.neo4j


def test_a_port_that_is_taken_while_the_server_starts_is_replaced(tmp_path: Path) -> None:
    """Two commands may find the same port free; the slower one must not fail."""
    version = os.environ.get("RAVU_KG_TEST_NEO4J_VERSION") or DEFAULT_VERSION
    server = EmbeddedServer(ServerConfig(home=tmp_path / "home", version=version, heap_mb=256, page_cache_mb=64))
    thief = socket.socket()
    stolen: list[int] = []

    def steal(line: str) -> None:
        if line.startswith("Starting Neo4j") and not stolen:
            settings = next((tmp_path / "home").rglob("neo4j.conf")).read_text()
            found = re.search(r"bolt\.listen_address=127\.0\.0\.1:(\d+)", settings)
            assert found
            stolen.append(int(found[1]))
            thief.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # its last connections may be just closed
            thief.bind(("127.0.0.1", stolen[0]))
            thief.listen()

    with thief:
        endpoint = server.start(steal)
        try:
            assert stolen
            assert endpoint.bolt_uri != f"bolt://127.0.0.1:{stolen[0]}"
            assert server.status().running
        finally:
            server.stop()
