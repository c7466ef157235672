"""How many calls of one model run at a time: fewer when its server is overrun, more again when it answers."""

from __future__ import annotations

import threading
import time
from collections.abc import Generator
from contextlib import contextmanager

_LOOK_S = 0.1


class Stopped(Exception):
    """The run has ended while a call waited for its turn."""


class Limiter:
    """Additive increase, multiplicative decrease: each answer raises the limit a little, each overrun halves it."""

    def __init__(self, most: int, stopped: threading.Event) -> None:
        """Start at the most.

        Args:
            most: calls at a time, at most.
            stopped: ends all waiting.
        """
        self._most = most
        self._stopped = stopped
        self._limit = float(most)
        self._running = 0
        self._not_before_s = 0.0
        self._overruns = 0
        self._changed = threading.Condition()

    @property
    def limit(self) -> int:
        """Calls at a time for now."""
        return int(self._limit)

    @contextmanager
    def turn(self) -> Generator[int]:
        """Wait for a turn and take it; gives what :meth:`overrun` is told when this call fails.

        Raises:
            Stopped: the run has ended.
        """
        with self._changed:
            while True:
                if self._stopped.is_set():
                    raise Stopped
                pause_s = self._not_before_s - time.monotonic()
                if pause_s <= 0 and self._running < int(self._limit):
                    break
                # Woken by an answer; in between to look whether the run has ended or the pause is over.
                self._changed.wait(min(_LOOK_S, pause_s) if pause_s > 0 else _LOOK_S)
            self._running += 1
            overruns = self._overruns
        try:
            yield overruns
        finally:
            with self._changed:
                self._running -= 1
                self._changed.notify()

    def answered(self) -> None:
        """A call was answered: the limit grows by one in about as many answers as it is high."""
        with self._changed:
            self._limit = min(float(self._most), self._limit + 1 / self._limit)
            self._changed.notify()

    def overrun(self, token: int, pause_s: float | None) -> None:
        """A call was turned away for there being too many.

        Args:
            token: what :meth:`turn` gave. Calls that were running when the limit was halved say nothing new.
            pause_s: for how long the server wants to see no call at all.
        """
        with self._changed:
            if token == self._overruns:
                self._overruns += 1
                self._limit = max(1.0, self._limit / 2)
            if pause_s is not None:
                self._not_before_s = max(self._not_before_s, time.monotonic() + pause_s)
