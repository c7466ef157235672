"""What the benchmarks share: a server of their own, the test data, and the machine's load beside each figure."""

from __future__ import annotations

import os
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ravu_kg.server import EmbeddedServer, Endpoint, ServerConfig

COMMAND = str(Path(sys.executable).parent / "ravu-kg")
ROOT = Path(__file__).resolve().parents[2]


def test_data() -> Path:
    """Folder of the real data."""
    folder = Path(os.environ.get("RAVU_KG_TEST_DATA") or ROOT.parent / "shared" / "data").resolve()
    if not folder.is_dir():
        sys.exit(f"The test data is not at {folder}; set RAVU_KG_TEST_DATA.")
    return folder


@contextmanager
def own_server() -> Iterator[Endpoint]:
    """A server for this benchmark alone; ``NEO4J_URI`` and the rest name it meanwhile."""
    with tempfile.TemporaryDirectory() as home:
        server = EmbeddedServer(ServerConfig(home=Path(home), heap_mb=1024, page_cache_mb=512))
        endpoint = server.start()
        os.environ.update(
            NEO4J_URI=endpoint.bolt_uri, NEO4J_USERNAME=endpoint.username, NEO4J_PASSWORD=endpoint.password
        )
        try:
            yield endpoint
        finally:
            server.stop()


def print_load() -> None:
    """The load average, and how long a fixed piece of work takes: compare runs only where these agree."""
    started_s = time.perf_counter()
    sum(range(20_000_000))
    print(
        f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores; "
        f"reference loop {time.perf_counter() - started_s:.2f} s"
    )
