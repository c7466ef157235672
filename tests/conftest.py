"""What all tests share: the real server, the real data, and a network that unit tests cannot reach."""

from __future__ import annotations

import logging
import os
import secrets
import socket
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

import pytest

from ravu_kg.server import DEFAULT_VERSION, EmbeddedServer, Endpoint, ServerConfig
from ravu_kg.server.processes import free_port

if TYPE_CHECKING:
    from ravu_kg.graph.store import Store

ROOT = Path(__file__).resolve().parent.parent
UNIT = ROOT / "tests" / "unit"

# No library may call out.
_SET = {
    "HF_HUB_OFFLINE": "1",
    "TRANSFORMERS_OFFLINE": "1",
    "HF_HUB_DISABLE_TELEMETRY": "1",
    "YOLO_OFFLINE": "True",
}
_data_home = tempfile.TemporaryDirectory(prefix="ravu-kg-test-data-")


def pytest_configure() -> None:
    # What a user has set for their own work must not steer the tests; jars and weights come from their cache.
    for name in list(os.environ):
        if name.startswith(("NEO4J_", "RAVU_KG_")) and not name.startswith(("RAVU_KG_TEST_", "RAVU_KG_CACHE")):
            del os.environ[name]
    # Nor may a test that forgets to name a home reach the user's own database.
    os.environ.update(_SET, XDG_DATA_HOME=_data_home.name)


def pytest_unconfigure() -> None:
    _data_home.cleanup()


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    missing = [report for report in terminalreporter.stats.get("skipped", []) if "test data" in str(report.longrepr)]
    if missing:
        terminalreporter.write_line(f"{len(missing)} tests were left out: the test data is not on this machine.")


@pytest.fixture(autouse=True)
def _no_network(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Unit tests cannot open a connection, not even to this machine."""
    if not request.path.is_relative_to(UNIT):
        return
    connect = socket.socket.connect

    def refuse(self: socket.socket, address: object) -> None:
        if self.family in (socket.AF_INET, socket.AF_INET6):
            raise AssertionError(f"a unit test tried to connect to {address}")
        connect(self, address)  # type: ignore[arg-type]

    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(socket.socket, "connect_ex", refuse)


class _LeftOut(logging.Handler):
    """A template that promises a value it does not always have would lose rows without a word: here it is an error."""

    def emit(self, record: logging.LogRecord) -> None:
        raise AssertionError(record.getMessage())


@pytest.fixture(autouse=True, scope="session")
def no_row_is_left_out() -> None:
    log = logging.getLogger("ravu_kg.graph.store.connection")
    log.setLevel(logging.DEBUG)
    log.addHandler(_LeftOut())


def missing(message: str) -> NoReturn:
    """What a test needs is not on this machine: it is left out, but never in CI."""
    if os.environ.get("CI"):
        pytest.fail(message)
    pytest.skip(message)


@pytest.fixture(scope="session")
def data_dir() -> Path:
    """The real data; tests that need it are left out where it is missing, but never in CI."""
    folder = Path(os.environ.get("RAVU_KG_TEST_DATA") or ROOT.parent / "shared" / "data").resolve()
    if not folder.is_dir():
        message = f"the test data is not at {folder}; set RAVU_KG_TEST_DATA"
        missing(message)
    return folder


@pytest.fixture(scope="session")
def neo4j_endpoint(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Endpoint]:
    """A real server for the whole run, with its own home and ports.

    ``RAVU_KG_TEST_NEO4J_VERSION`` picks its version. ``RAVU_KG_TEST_NEO4J_HOME`` names a home whose server is left
    running, which spares its start in repeated runs.
    """
    kept_home = os.environ.get("RAVU_KG_TEST_NEO4J_HOME")
    bolt_port = free_port()
    server = EmbeddedServer(
        ServerConfig(
            home=Path(kept_home) if kept_home else tmp_path_factory.mktemp("neo4j"),
            version=os.environ.get("RAVU_KG_TEST_NEO4J_VERSION") or DEFAULT_VERSION,
            bolt_port=bolt_port,
            http_port=free_port(taken=frozenset({bolt_port})),
            heap_mb=512,
            page_cache_mb=128,
        )
    )
    try:
        yield server.start()
    finally:
        if not kept_home:
            server.stop()


@pytest.fixture(scope="session")
def store(neo4j_endpoint: Endpoint) -> Iterator[Store]:
    """An open store on that server with the schema in place, for vectors of 768 numbers."""
    from ravu_kg.graph.schema import migrate
    from ravu_kg.graph.store import Store

    with Store.connect(neo4j_endpoint.bolt_uri, neo4j_endpoint.username, neo4j_endpoint.password) as opened:
        migrate(opened, dimensions=768, embedder="test")
        yield opened


@pytest.fixture
def unique_video() -> str:
    """A video id that no other test uses, so that tests share one database without wiping it."""
    return secrets.token_hex(8)
