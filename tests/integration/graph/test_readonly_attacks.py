"""The gate before ad-hoc Cypher, against statements that really do harm when nothing stops them."""

from __future__ import annotations

import logging
from collections.abc import Iterator

import neo4j
import pytest
from attacks import SEED, Attack, attacks
from neo4j.exceptions import Neo4jError

from ravu_kg.errors import RavuError, UsageError
from ravu_kg.graph.store import Store
from ravu_kg.server import Endpoint

pytestmark = pytest.mark.neo4j

_ATTEMPTED = "Neo.ClientError.Statement.ExternalResourceFailed"


@pytest.fixture(scope="module")
def driver(neo4j_endpoint: Endpoint) -> Iterator[neo4j.Driver]:
    logging.getLogger("neo4j.notifications").addHandler(logging.NullHandler())
    auth = (neo4j_endpoint.username, neo4j_endpoint.password)
    with neo4j.GraphDatabase.driver(
        neo4j_endpoint.bolt_uri, auth=auth, telemetry_disabled=True, notifications_min_severity="OFF"
    ) as opened:
        yield opened


@pytest.fixture(scope="module")
def known(store: Store) -> list[Attack]:
    return attacks(store.server_version)


def state(driver: neo4j.Driver) -> list[object]:
    """Everything that an attack may change."""
    texts = (
        "MATCH (n) RETURN count(n) AS nodes, count(n.t) AS times, sum(n.t) AS seconds",
        "MATCH ()-[r]->() RETURN count(r) AS relationships",
        "SHOW INDEXES YIELD name RETURN name ORDER BY name",
        "SHOW CONSTRAINTS YIELD name RETURN name ORDER BY name",
        "SHOW USERS YIELD user",
    )
    return [[record.data() for record in driver.execute_query(text, database_="neo4j").records] for text in texts]


def test_every_attack_is_refused_and_changes_nothing(store: Store, driver: neo4j.Driver, known: list[Attack]) -> None:
    assert len(known) >= 150
    before = state(driver)
    passed, wrongly = list[str](), list[str]()
    for attack in known:
        try:
            store.query_readonly(attack.text, attack.parameters, timeout_s=20.0)
        except UsageError:
            continue
        except RavuError as error:
            wrongly.append(f"{attack.text!r}: {type(error).__name__} {error}")
        else:
            passed.append(attack.text)
    assert passed == []
    assert wrongly == []  # refused, but by the server and not by the gate
    assert state(driver) == before


def test_every_attack_works_where_nothing_stops_it(driver: neo4j.Driver, known: list[Attack]) -> None:
    harmless = [f"{attack.text!r}: {reason}" for attack in known if (reason := why_harmless(driver, attack))]
    assert harmless == []


def why_harmless(driver: neo4j.Driver, attack: Attack) -> str:
    """Run the statement without the gate, undo it, and say why it is no attack after all; empty for an attack."""
    try:
        match attack.category:
            case "write" | "schema" | "users":
                return _rolled_back(driver, attack)
            case "batches":
                return _batched(driver, attack)
            case _:
                return _in_read_mode(driver, attack)
    except Neo4jError as error:
        if attack.category == "outside" and error.code == _ATTEMPTED:
            return ""
        return f"{error.code}: {error.message}"


def _rolled_back(driver: neo4j.Driver, attack: Attack) -> str:
    with (
        driver.session(database="neo4j", default_access_mode=neo4j.WRITE_ACCESS) as session,
        session.begin_transaction(timeout=20) as transaction,
    ):
        if attack.category == "write":
            transaction.run(SEED).consume()
        result = transaction.run(attack.text, attack.parameters)
        rows = len(list(result))
        summary = result.consume()
        changed = summary.counters.contains_updates or summary.counters.contains_system_updates
        transaction.rollback()
    if changed or (attack.category == "users" and rows):
        return ""
    # Names of labels and the like are created at once and are not counted; ALTER USER may count nothing either.
    named = "create" in attack.text and summary.query_type in ("w", "rw", "s")
    return "" if named or attack.text.startswith("ALTER USER") else f"changed nothing ({summary.query_type})"


def _batched(driver: neo4j.Driver, attack: Attack) -> str:
    with driver.session(database="neo4j") as session:
        try:
            counters = session.run(attack.text, attack.parameters).consume().counters
        finally:
            session.run("MATCH (n:Attack) DETACH DELETE n").consume()
    return "" if counters.nodes_created else "created no node"


def _in_read_mode(driver: neo4j.Driver, attack: Attack) -> str:
    with (
        driver.session(database="neo4j", default_access_mode=neo4j.READ_ACCESS) as session,
        session.begin_transaction(timeout=20) as transaction,
    ):
        transaction.run(attack.text, attack.parameters).consume()
        transaction.rollback()
    return (
        "ran to its end, but should have been stopped by the server's settings" if attack.category == "outside" else ""
    )
