"""Runs the chaos for so many minutes at most, and prints what was lost."""

from __future__ import annotations

import argparse
import os
import random
import secrets
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path

import psutil

from tests.chaos import connection, fuzzing, kills, libraries, loopback, namespace, schemas, secrecy, servers, together
from tests.chaos.ledger import NO_TIME, Ledger
from tests.chaos.runs import Runs, undisturbed
from tests.chaos.world import World, models

_KILLS = {kills.COMMAND: 24, kills.WORKER: 12, kills.ACTOR: 8, kills.SERVER: 6}
_FEW_KILLS = {kills.COMMAND: 1, kills.WORKER: 1, kills.ACTOR: 1, kills.SERVER: 1}
_SHORT_MINUTES = 10.0
"""A run of less is a short one: one of each, as far as there is time."""
_LEAST_S = 15.0
_GRACE_S = 240.0
"""A case that is under way when the time is over may take so much longer; then it is lost and the run ends."""


def main() -> int:
    """The exit code: 1 when anything was lost."""
    parser = argparse.ArgumentParser(prog="python -m tests.chaos", description=__doc__)
    parser.add_argument("--minutes", type=float, default=40.0, help="at most; in 5 there is time for one of each")
    parser.add_argument("--seed", type=int, default=None, help="of the random moments; by default another each time")
    parser.add_argument("--only", default="", metavar="WORD", help="steps with this word in their name")
    options = parser.parse_args()
    namespace.enter()
    seed: int = secrets.randbelow(2**31) if options.seed is None else options.seed
    minutes: float = options.minutes
    started_s = time.monotonic()
    print(f"chaos for at most {minutes:g} minutes, --seed {seed}", flush=True)
    ledger = Ledger(started_s + 60 * minutes)
    _end_at_the_latest(ledger, 60 * minutes + _GRACE_S)
    with tempfile.TemporaryDirectory(prefix="ravu-kg-chaos-") as folder, models() as voice:
        world = World(Path(folder), voice)
        with secrecy.ArgumentWatch(world.marker) as watch:
            try:
                plain = undisturbed(world)
                print(f"undisturbed: {plain.calls} calls in {plain.took_s:.1f} s", flush=True)
                runs = Runs(world, ledger, plain, random.Random(seed))
                for name, step in _steps(runs, seed, minutes).items():
                    if options.only in name and ledger.room_for("step", name, _LEAST_S):
                        with ledger.step(name):
                            step()
                secrecy.nowhere(world, ledger, watch)
            finally:
                world.server.stop()
    print(f"\n{ledger.table()}\n{time.monotonic() - started_s:.0f} s, --seed {seed}")
    missing = [name for name, why in ledger.left_out.items() if why != NO_TIME]
    return 1 if ledger.lost or (missing and os.environ.get("CI")) else 0


def _end_at_the_latest(ledger: Ledger, seconds: float) -> None:
    """Whatever hangs: the run is over then, and lost."""

    def end() -> None:
        print(f"\n{ledger.table()}\nLOST: a case hung; the run was ended", flush=True)
        for child in psutil.Process().children(recursive=True):
            with suppress(psutil.Error):
                child.kill()
        os._exit(1)

    timer = threading.Timer(seconds, end)
    timer.daemon = True
    timer.start()


def _steps(runs: Runs, seed: int, minutes: float) -> dict[str, Callable[[], object]]:
    short = minutes < _SHORT_MINUTES
    together_s = 30.0 if short else 300.0
    passing = connection.PASSING[:2] if short else connection.PASSING * 2

    def many() -> None:
        if runs.ledger.room_for(together.KIND, "many askers", together_s + 30):
            together.many(runs.world, runs.ledger, together_s)

    return {
        "what is said": lambda: secrecy.outputs(runs),
        "loopback": lambda: loopback.unreachable(runs),
        "fuzz": lambda: fuzzing.run(runs.ledger, 60 * minutes * 0.05, seed),
        "kills": lambda: _kill(runs, _FEW_KILLS if short else _KILLS, shuffled=not short),
        "two": lambda: runs.case(together.KIND, "two indexers of one video", together.one_video_twice),
        "two killed": lambda: runs.case(
            together.KIND, "the same, one of them killed", together.one_video_twice_and_one_killed
        ),
        "many": many,
        "first load": lambda: None if short else libraries.first_load(runs),
        "links": lambda: None if short else libraries.linking(runs),
        "key": lambda: runs.case("credentials", "the model's key is withdrawn", connection.key_withdrawn),
        "password": lambda: runs.case("credentials", "another password of the database", servers.credentials),
        "connection": lambda: [connection.disturbed(runs, deed) for deed in passing],
        "connection asked": lambda: connection.asked_through_cuts(runs),
        "schema newer": lambda: schemas.newer(runs),
        "schema older": lambda: schemas.older(runs),
        "read-only": lambda: servers.read_only(runs),
        "paused": lambda: runs.case(servers.KIND, "held up for 20 s", servers.paused(20.0)),
        "restarted": lambda: runs.case(servers.KIND, "restarted", servers.restarted),
        "connection gone": lambda: runs.case(connection.KIND, "cut for good", connection.gone, needs_s=60),
        "disk": lambda: servers.full_disk(runs),
    }


def _kill(runs: Runs, wanted: Mapping[str, int], *, shuffled: bool) -> None:
    """Kills of all kinds, until there are enough or half of the time is gone; that of the server takes the longest."""
    order = [kind for kind, count in wanted.items() for _ in range(count)]
    if shuffled:
        runs.chance.shuffle(order)
    done = 0
    end_s = time.monotonic() + 0.5 * runs.ledger.left_s
    while done < len(order) and time.monotonic() < end_s:
        done += runs.case(order[done], f"moment {done + 1}", *kills.DEEDS[order[done]])
    if done < len(order):
        runs.ledger.left_out[f"kills: {len(order) - done} of {len(order)}"] = NO_TIME


if __name__ == "__main__":
    sys.exit(main())
