"""Runs of ``index`` that something happens to, and that are gone on with to their end."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from tests.chaos.ledger import Ledger, MissedError
from tests.chaos.world import Calls, Command, Done, World, models


@dataclass(frozen=True, slots=True)
class Undisturbed:
    """What every run has to come to."""

    graph: dict[str, Any]
    calls: int
    took_s: float


def undisturbed(world: World) -> Undisturbed:
    """A run that nothing happens to; its cache becomes the warm one."""
    world.server.start()
    with models() as server:
        done = world.run(world.env(world.warm, server), "index", world.clip, "--build", "plain").must(0)
        world.usual(done.took_s)
        calls = len([one for one in server.received if one.protocol != "openai_embeddings"])
    return Undisturbed(world.graph("plain"), calls, done.took_s)


@dataclass
class Run:
    """One run with a build, a cache and a model of its own."""

    world: World
    plain: Undisturbed
    chance: random.Random
    build: str
    env: dict[str, str]
    calls: Calls
    options: tuple[str, ...] = ()

    def start(self, **env: str) -> Command:
        """Begin, or go on."""
        return self.world.start(self.env | env, "index", self.world.clip, "--build", self.build, *self.options)

    def ended(self, command: Command, *codes: int) -> Done:
        """Wait for a command that something has happened to; it ends with one of the codes."""
        done = command.wait().must(*codes)
        self.calls.disturbed()
        return done

    def wait_for(self, command: Command, share: float, asked: int = 0) -> None:
        """Wait for a moment: a share of the usual time, or a number of calls when that comes first.

        Raises:
            MissedError: the command ended before it.
        """
        before = len(self.calls.server.received)
        end_s = command.started_s + share * self.plain.took_s
        while command.runs and time.monotonic() < end_s:
            if asked and len(self.calls.server.received) - before >= asked:
                break
            time.sleep(0.005)
        if not command.runs:
            command.wait().must(0)
            raise MissedError

    def any_moment(self, command: Command, least: float = 0.02) -> None:
        """Wait for a random moment, by time or by calls."""
        asked = self.chance.randrange(1, self.plain.calls) if self.chance.random() < 0.5 else 0
        self.wait_for(command, self.chance.uniform(least, 1.0) if not asked else 3.0, asked)

    def writing(self, command: Command) -> None:
        """Wait for a random moment from which the server is used."""
        self.wait_for(command, 3.0, self.chance.randrange(self.plain.calls // 2, self.plain.calls - 4))
        end_s = time.monotonic() + self.chance.uniform(0.0, 0.2) * self.plain.took_s
        while command.runs and time.monotonic() < end_s:
            time.sleep(0.01)


Disturb = Callable[[Run], None]


class Runs:
    """Makes runs, lets something happen to them, and checks what they come to."""

    def __init__(self, world: World, ledger: Ledger, plain: Undisturbed, chance: random.Random) -> None:
        self.world, self.ledger, self.plain, self.chance = world, ledger, plain, chance
        self._number = 0

    def case(
        self,
        kind: str,
        name: str,
        disturb: Disturb,
        options: tuple[str, ...] = (),
        *,
        needs_s: float = 30.0,
    ) -> bool:
        """A run that is disturbed, then gone on with: its graph is the undisturbed one, and no kept call is repeated.

        Returns:
            Whether it was tried: False without time for it, or when the fault came too late.
        """
        if not self.ledger.room_for(kind, name, needs_s):
            return False
        self._number += 1
        before = len(self.ledger.cases)
        with models() as server, self.ledger.case(kind, name):
            cache = self.world.cache(warm=self.chance.random() < 0.5)
            run = Run(
                self.world,
                self.plain,
                self.chance,
                f"run{self._number}",
                self.world.env(cache, server),
                Calls(server, cache, self.plain.calls),
                options,
            )
            disturb(run)
            run.env = self.world.env(cache, server)
            run.start().wait().must(0)
            run.calls.ended()
            assert self.world.graph(run.build) == self.plain.graph, "the graph differs from the undisturbed one"
        return len(self.ledger.cases) > before
