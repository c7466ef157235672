"""The server that all integration tests share: real, shut to the outside, and refusing what it must refuse."""

from __future__ import annotations

import os
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import neo4j
import psutil
import pytest
from neo4j.exceptions import Neo4jError

from ravu_kg.errors import AuthenticationError, GraphError, UnavailableError
from ravu_kg.graph.store import Store
from ravu_kg.server import DEFAULT_VERSION, Endpoint
from ravu_kg.server.probe import server_info, wait_for_bolt
from ravu_kg.server.processes import free_port

pytestmark = pytest.mark.neo4j


@pytest.fixture
def driver(neo4j_endpoint: Endpoint) -> Iterator[neo4j.Driver]:
    auth = (neo4j_endpoint.username, neo4j_endpoint.password)
    with neo4j.GraphDatabase.driver(neo4j_endpoint.bolt_uri, auth=auth) as opened:
        yield opened


def test_it_answers_a_query_and_is_the_version_asked_for(neo4j_endpoint: Endpoint) -> None:
    info = server_info(neo4j_endpoint.bolt_uri, neo4j_endpoint.username, neo4j_endpoint.password)

    wanted = os.environ.get("RAVU_KG_TEST_NEO4J_VERSION") or DEFAULT_VERSION
    assert (info.version, info.edition) == (wanted, "community")
    assert info.version_numbers == tuple(map(int, wanted.split(".")))


def test_it_serves_the_browser(neo4j_endpoint: Endpoint) -> None:
    with urllib.request.urlopen(neo4j_endpoint.browser_url) as page:
        assert page.status == 200
        assert "Neo4j Browser" in page.read().decode()


def test_it_listens_on_loopback_only_and_calls_nobody(neo4j_endpoint: Endpoint) -> None:
    connections = psutil.Process(neo4j_endpoint.pid).net_connections("tcp")

    listening = [found.laddr for found in connections if found.status == psutil.CONN_LISTEN]
    assert {address.ip.removeprefix("::ffff:") for address in listening} == {"127.0.0.1"}
    assert f":{neo4j_endpoint.bolt_uri.rsplit(':', 1)[1]}" in {f":{address.port}" for address in listening}
    elsewhere = [found.raddr for found in connections if found.raddr and not found.raddr.ip.endswith("127.0.0.1")]
    assert elsewhere == []


def test_telemetry_and_usage_reports_are_off_and_queries_end(driver: neo4j.Driver) -> None:
    records, _, _ = driver.execute_query("SHOW SETTINGS YIELD name, value RETURN name, value")

    found = {record["name"]: record["value"] for record in records}
    assert found["client.allow_telemetry"] == "false"
    assert found["dbms.usage_report.enabled"] == "false"
    assert found["db.transaction.timeout"] == "2m"


@pytest.mark.parametrize(
    "address", ["file:///etc/hostname", "file:///x.csv", "http://127.0.0.1:{port}/", "https://127.0.0.1/"]
)
def test_load_csv_reaches_neither_files_nor_hosts(driver: neo4j.Driver, neo4j_endpoint: Endpoint, address: str) -> None:
    # The port is the server's own web page: it would answer.
    url = address.format(port=neo4j_endpoint.browser_url.split(":")[2].split("/")[0])

    with pytest.raises(Neo4jError) as caught:
        driver.execute_query("LOAD CSV FROM $url AS row RETURN row", url=url)

    assert caught.value.code is not None
    assert caught.value.code.startswith("Neo.ClientError.Statement.ExternalResource") or "blocked" in str(caught.value)


def test_a_wrong_password_is_an_authentication_error(neo4j_endpoint: Endpoint) -> None:
    with pytest.raises(AuthenticationError):
        Store.connect(neo4j_endpoint.bolt_uri, neo4j_endpoint.username, "wrong")
    with pytest.raises(AuthenticationError, match="refused the user 'neo4j' or the password"):
        wait_for_bolt(neo4j_endpoint.bolt_uri, neo4j_endpoint.username, "wrong", timeout_s=30)


def test_no_server_at_an_address_is_an_error_after_the_time_given() -> None:
    looks: list[int] = []
    uri = f"bolt://127.0.0.1:{free_port()}"

    with pytest.raises(UnavailableError, match=f"No Neo4j server answers at {uri}"):
        wait_for_bolt(uri, "neo4j", "x", timeout_s=0.3, still_starting=lambda: looks.append(1), interval_s=0.05)

    assert looks


@pytest.mark.parametrize("uri", ["http://127.0.0.1:7474", "127.0.0.1:7687", "bolt://127.0.0.1:port"])
def test_an_address_of_another_kind_is_an_error(uri: str) -> None:
    with pytest.raises(GraphError, match="is no Bolt address"):
        server_info(uri, "neo4j", "x")


def test_its_home_is_not_the_users(neo4j_endpoint: Endpoint) -> None:
    arguments = psutil.Process(neo4j_endpoint.pid).cmdline()

    (home,) = [part.split("=", 1)[1] for part in arguments if part.startswith("--home-dir=")]
    kept = os.environ.get("RAVU_KG_TEST_NEO4J_HOME")
    assert Path(home) == Path(kept) if kept else "pytest" in home
