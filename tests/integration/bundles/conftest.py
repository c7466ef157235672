"""A memory on the shared server."""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from pathlib import Path

import neo4j
import pytest

from ravu_kg.graph.store import Store
from ravu_kg.memory import VideoMemory
from ravu_kg.server import Endpoint
from ravu_kg.settings import Settings


@pytest.fixture
def memory(store: Store, tmp_path: Path) -> VideoMemory:
    return VideoMemory(Settings(cache=tmp_path / "cache"), store)


@pytest.fixture(scope="session")
def raw(neo4j_endpoint: Endpoint) -> Iterator[neo4j.Driver]:
    """The database itself, for what the product never writes."""
    auth = (neo4j_endpoint.username, neo4j_endpoint.password)
    with neo4j.GraphDatabase.driver(neo4j_endpoint.bolt_uri, auth=auth, telemetry_disabled=True) as driver:
        yield driver


@pytest.fixture
def second_video() -> str:
    """Another id that no other test uses."""
    return secrets.token_hex(8)
