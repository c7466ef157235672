"""What happens between an index and its server, and between it and its model: by a proxy, and by other keys."""

from __future__ import annotations

import random
import time
from collections.abc import Callable

from tests.chaos.proxy import Proxy
from tests.chaos.runs import Run, Runs
from tests.chaos.servers import QUESTION
from tests.e2e.models.seeing import Seer
from tests.model_server import Fault

KIND = "connection"
Deed = Callable[[Proxy, random.Random], None]


def cut_now_and_then(proxy: Proxy, chance: random.Random) -> None:
    for _ in range(3):
        proxy.cut()
        time.sleep(chance.uniform(0.2, 0.8))


def cut_inside_a_message(proxy: Proxy, chance: random.Random) -> None:
    proxy.cuts_after = chance.randrange(200, 60_000)


def away_for_some_seconds(proxy: Proxy, chance: random.Random) -> None:
    proxy.refuses = True
    proxy.cut()
    time.sleep(chance.uniform(2, 6))
    proxy.refuses = False


def held_for_a_while(proxy: Proxy, chance: random.Random) -> None:
    proxy.hold()
    time.sleep(8)
    proxy.go_on()


def slow(proxy: Proxy, chance: random.Random) -> None:
    proxy.delay_s = 0.02


PASSING: tuple[Deed, ...] = (
    cut_now_and_then,
    cut_inside_a_message,
    away_for_some_seconds,
    held_for_a_while,
    slow,
)
"""None of these may end a run: what passes is waited for."""


def disturbed(runs: Runs, deed: Deed) -> None:
    """An index over a connection to which something happens that passes."""

    def disturb(run: Run) -> None:
        endpoint = run.world.server.start()
        with Proxy(run.world.config.bolt_port or 0) as proxy:
            started = run.start(**_through(proxy, endpoint.password))
            run.writing(started)
            deed(proxy, run.chance)
            run.ended(started, 0)

    runs.case(KIND, deed.__name__.replace("_", " "), disturb)


def gone(run: Run) -> None:
    """The connection is cut for good: said as such within a minute, and gone on with."""
    endpoint = run.world.server.start()
    with Proxy(run.world.config.bolt_port or 0) as proxy:
        started = run.start(**_through(proxy, endpoint.password))
        run.writing(started)
        proxy.refuses = True
        proxy.cut()
        done = run.ended(started, 0, 6)
        assert done.code == 0 or f"127.0.0.1:{proxy.port}" in done.err, done.err[-500:]


def asked_through_cuts(runs: Runs) -> None:
    """Questions over a connection that is cut again and again are answered."""
    world = runs.world
    with runs.ledger.case(KIND, "questions while it is cut"):
        endpoint = world.server.start()
        with Proxy(world.config.bolt_port or 0) as proxy:
            for bytes_passed in (900, 1500, 2500):  # who connects has sent less than these
                env = world.env(world.warm, **_through(proxy, endpoint.password))
                before = proxy.passed
                asked = world.start(env, "ask", world.name_of("plain"), QUESTION, "--json")
                while asked.runs and proxy.passed - before < bytes_passed:
                    time.sleep(0.002)
                proxy.cut()
                asked.wait().must(0)


def key_withdrawn(run: Run) -> None:
    """The model's key is refused from some call on: the run ends, says so, and another key goes on."""
    asked = run.chance.randrange(4, run.plain.calls - 4)
    server = run.calls.server
    seer = server.answer
    refused = Seer(lambda received: Fault.error(401, f"Incorrect API key provided: {run.world.key}"))
    server.answer = lambda received: seer(received) if received.number < asked else refused(received)
    done = run.start().wait().must(5)
    assert run.world.marker not in done.err + done.out
    server.answer = seer
    run.calls.refused(asked)


def _through(proxy: Proxy, password: str) -> dict[str, str]:
    return {"NEO4J_URI": f"bolt://127.0.0.1:{proxy.port}", "NEO4J_PASSWORD": password}
