"""What happens to the server under an index and a question: restarted, held up, read-only, full, other credentials."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import replace
from unittest import mock

import neo4j

from ravu_kg.server import EmbeddedServer, Endpoint, embedded
from tests.chaos.ledger import NotHereError
from tests.chaos.runs import Run, Runs
from tests.chaos.world import World
from tests.disks import mounted

KIND = "server"
QUESTION = "Which moving object comes first?"


def restarted(run: Run) -> None:
    """Stopped and started again while the graph is written: the run waits for it, or says so."""
    run.world.server.start()
    started = run.start()
    run.writing(started)
    run.world.server.stop()
    run.world.server.start()
    run.ended(started, 0, 6)


def paused(seconds: float) -> Callable[[Run], None]:
    """Held up for so long while the graph is written: the run waits and ends well."""

    def disturb(run: Run) -> None:
        endpoint = run.world.server.start()
        started = run.start()
        run.writing(started)
        os.kill(endpoint.pid, signal.SIGSTOP)
        time.sleep(seconds)
        os.kill(endpoint.pid, signal.SIGCONT)
        run.ended(started, 0)

    return disturb


def read_only(runs: Runs) -> None:
    """A server that only reads: questions are answered, an index is refused and changes nothing."""
    world = runs.world
    with runs.ledger.case(KIND, "read-only"):
        world.server.stop()
        written = embedded.settings_text
        line = "server.databases.default_to_read_only=true\n"
        with mock.patch.object(embedded, "settings_text", lambda *given: written(*given) + line):
            world.server.start()
        try:
            env = world.env(world.warm)
            before = counted(world)
            world.run(env, "ask", world.name_of("plain"), QUESTION, "--json").must(0)
            world.run(env, "search", "an object that moves", "--json").must(0)
            for arguments in (
                ("index", world.clip, "--build", "refused"),
                ("videos", "delete", world.name_of("plain"), "--yes"),
            ):
                done = world.run(env, *arguments)
                assert done.code in (2, 6), f"{arguments}: exit code {done.code}: {done.err[-500:]}"
            refused = world.run(env, "index", world.clip, "--build", "refused").must(6)
            assert "only reading is allowed" in refused.err, refused.err[-500:]
            assert counted(world) == before
        finally:
            world.server.stop()
            world.server.start()
        world.run(env, "index", world.clip, "--build", "refused").must(0)


def full_disk(runs: Runs) -> None:
    """A server on a small disk that gets full in the middle of an index, and then has room again."""
    world = runs.world

    def disturb(run: Run) -> None:
        small = mounted(world.folder / f"disk{time.monotonic_ns()}", 600)
        if small is None:
            raise NotHereError("a small disk cannot be mounted here: run as root")
        home = small.folder / "home"
        env = {**run.env, "RAVU_KG_SERVER__HOME": str(home)}
        for name in ("BOLT", "HTTP"):
            env.pop(f"RAVU_KG_SERVER__{name}_PORT")
        own = EmbeddedServer(replace(world.config, home=home, bolt_port=None, http_port=None))
        try:
            world.run(env, "videos", "list").must(0)
            started = world.start(env, "index", world.clip, "--build", run.build)
            run.writing(started)
            small.fill()
            done = run.ended(started, 0, 6)
            assert done.code == 0 or "full" in done.err, done.err[-800:]
            small.free()
            world.run(env, "index", world.clip, "--build", run.build).must(0)
            run.calls.ended()
            endpoint = own.status().endpoint
            assert world.graph(run.build, endpoint) == run.plain.graph, "the graph differs from the undisturbed one"
        finally:
            own.stop()
            small.unmount()

    runs.case(KIND, "its disk gets full", disturb, needs_s=90)


def credentials(run: Run) -> None:
    """The password is changed while the graph is written: the run is refused, says what to do, and is gone on with."""
    endpoint = run.world.server.start()
    started = run.start()
    run.writing(started)
    changed = f"{run.world.marker}-changed"
    with _password(endpoint, changed):
        done = run.ended(started, 0, 6)
        assert done.code == 0 or "password" in done.err, done.err[-500:]
        refused = run.start().wait().must(6)
        assert str(run.world.config.home / "password") in refused.err, refused.err[-500:]
        assert run.world.marker not in refused.err


def counted(world: World) -> object:
    """What the graph holds, in numbers."""
    with world.store() as store:
        return store.query_readonly("MATCH (n) OPTIONAL MATCH (n)-[r]->() RETURN count(DISTINCT n), count(r)").rows


@contextmanager
def _password(endpoint: Endpoint, changed: str) -> Generator[None]:
    """Another password of the database inside, the present one afterwards."""
    _set_password(endpoint, endpoint.password, changed)
    try:
        yield
    finally:
        _set_password(endpoint, changed, endpoint.password)


def _set_password(endpoint: Endpoint, before: str, after: str) -> None:
    statement = "ALTER CURRENT USER SET PASSWORD FROM $before TO $after"
    with neo4j.GraphDatabase.driver(endpoint.bolt_uri, auth=(endpoint.username, before)) as driver:
        driver.execute_query(statement, before=before, after=after, database_="system")
