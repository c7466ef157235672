"""A graph whose schema is older, or newer, than the program's."""

from __future__ import annotations

import neo4j

from tests.chaos.runs import Runs
from tests.chaos.servers import QUESTION, counted
from tests.chaos.world import World

KIND = "schema"


def newer(runs: Runs) -> None:
    """Made by a later version: refused with a way out, whatever is wanted, and nothing is changed."""
    world = runs.world
    with runs.ledger.case(KIND, "newer"):
        _run(world, "CREATE (:SchemaMigration {version: 9999, name: 'later', checksum: 'x'})")
        try:
            before = counted(world)
            commands = (
                ("index", world.clip, "--build", "newer"),
                ("ask", world.name_of("plain"), QUESTION),
                ("search", "an object"),
            )
            for arguments in commands:
                done = world.run(world.env(world.warm), *arguments).must(6)
                assert "made by a newer ravu-kg" in done.err, done.err[-500:]
            assert counted(world) == before
        finally:
            _run(world, "MATCH (m:SchemaMigration {version: 9999}) DELETE m")
        world.run(world.env(world.warm), "ask", world.name_of("plain"), QUESTION).must(0)


def older(runs: Runs) -> None:
    """Made by an earlier version, with a graph in it: brought up to date on the way."""
    world = runs.world
    with runs.ledger.case(KIND, "older"):
        before = world.graph("plain")
        rows = _run(world, "MATCH (m:SchemaMigration) RETURN m.version AS version ORDER BY version DESC")
        newest = rows[0]["version"]
        _run(world, "MATCH (m:SchemaMigration {version: $version}) DELETE m", version=newest)
        indexes = [str(row["name"]) for row in _run(world, "SHOW VECTOR INDEXES YIELD name RETURN name")]
        for name in indexes:
            _run(world, f"DROP INDEX {name}")
        world.run(world.env(world.warm), "ask", world.name_of("plain"), QUESTION).must(0)
        after = [row["version"] for row in _run(world, "MATCH (m:SchemaMigration) RETURN m.version AS version")]
        assert newest in after, f"migration {newest} was not applied again: {after}"
        assert {str(row["name"]) for row in _run(world, "SHOW VECTOR INDEXES YIELD name RETURN name")} == set(indexes)
        assert world.graph("plain") == before


def _run(world: World, statement: str, **parameters: object) -> list[neo4j.Record]:
    """A statement that the product itself never makes."""
    at = world.server.start()
    with neo4j.GraphDatabase.driver(at.bolt_uri, auth=(at.username, at.password)) as driver:
        return driver.execute_query(statement, parameters).records  # type: ignore[arg-type]
