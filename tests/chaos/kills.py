"""SIGKILL at random moments of an index: of the command, of its workers, of actors on Ray, of the server."""

from __future__ import annotations

import os
import signal
from collections.abc import Mapping

import psutil

from ravu_kg.engines.actors import DetectorActor, EmbedderActor, WriterActor
from tests.chaos.ledger import MissedError
from tests.chaos.runs import Disturb, Run

COMMAND, SERVER, WORKER, ACTOR = "killed: the command", "killed: the server", "killed: a worker", "killed: a Ray actor"
_ACTORS = tuple(f"ray::{actor.__name__}" for actor in (DetectorActor, EmbedderActor, WriterActor))
"""What Ray calls the processes of actors."""
_AGAIN = 0.25
"""Share of the runs that are killed once more when they go on."""


def command(run: Run) -> None:
    """The command dies, now and then twice."""
    _kill_command(run)
    if run.chance.random() < _AGAIN:
        try:
            _kill_command(run)
        except MissedError:  # it went on to its end
            return


def server(run: Run) -> None:
    """The server dies while the graph is written; the command says so, or has got through."""
    endpoint = run.world.server.start()
    started = run.start()
    run.writing(started)
    os.kill(endpoint.pid, signal.SIGKILL)
    done = run.ended(started, 0, 6)
    assert done.code == 0 or "No Neo4j server answers" in done.err or "did not" in done.err, done.err


def worker(run: Run) -> None:
    """A worker or an actor dies: another takes its place, and does its work again by what is kept."""
    started = run.start()
    run.any_moment(started, least=0.2)
    workers = [one for one in started.children() if _works(one)]
    if not workers:
        started.wait().must(0)
        raise MissedError
    run.chance.choice(workers).kill()
    run.calls.disturbed()
    started.wait().must(0)


def _kill_command(run: Run) -> None:
    started = run.start()
    run.any_moment(started)
    started.kill()
    run.calls.disturbed()


def _works(process: psutil.Process) -> bool:
    """Whether it is a worker: what ``multiprocessing`` spawned, but for its own helper, or an actor of Ray."""
    try:
        return any("spawn_main" in argument or argument.startswith(_ACTORS) for argument in process.cmdline())
    except psutil.Error:
        return False


DEEDS: Mapping[str, tuple[Disturb, tuple[str, ...]]] = {
    COMMAND: (command, ()),
    SERVER: (server, ()),
    WORKER: (worker, ("--workers", "2")),
    ACTOR: (worker, ("--engine", "ray", "--workers", "1")),
}
"""By kind: what happens, and the options of the command that it happens to."""
