"""The server that all integration tests share is the real thing."""

from __future__ import annotations

import os
import urllib.request

import pytest

from ravu_kg.server import DEFAULT_VERSION, Endpoint
from ravu_kg.server.probe import server_info

pytestmark = pytest.mark.neo4j


def test_it_answers_a_query_and_is_the_version_asked_for(neo4j_endpoint: Endpoint) -> None:
    info = server_info(neo4j_endpoint.bolt_uri, neo4j_endpoint.username, neo4j_endpoint.password)

    wanted = os.environ.get("RAVU_KG_TEST_NEO4J_VERSION") or DEFAULT_VERSION
    assert (info.version, info.edition) == (wanted, "community")
    assert info.version_numbers == tuple(map(int, wanted.split(".")))


def test_it_serves_the_browser(neo4j_endpoint: Endpoint) -> None:
    with urllib.request.urlopen(neo4j_endpoint.browser_url) as page:
        assert page.status == 200
        assert "Neo4j Browser" in page.read().decode()
