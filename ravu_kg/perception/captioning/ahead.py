"""Results made ahead of their use by a thread of their own, so that writing them holds up no call."""

from __future__ import annotations

import queue
import threading
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Generic, TypeVar

_T = TypeVar("_T")
_LOOK_S = 0.1


@dataclass(frozen=True, slots=True)
class _End:
    """Nothing more comes; why, when something went wrong."""

    error: BaseException | None


@contextmanager
def made_ahead(items: Generator[_T], count: int) -> Generator[Iterator[_T]]:
    """The same items in the same order, up to ``count`` of them made before they are asked for.

    What making an item raises is raised after the items before it. At the end of the block nothing more is made; what
    is being made is left to itself, so that an interruption waits for no call.
    """
    made: _Made[_T] = _Made(queue.Queue(count), threading.Event())  # no _Made[_T](...): frozen classes refuse it
    threading.Thread(target=made.make, args=(items,), name="words", daemon=True).start()
    try:
        yield made.given()
    finally:
        made.stopped.set()


@dataclass(frozen=True, slots=True)
class _Made(Generic[_T]):
    items: queue.Queue[_T | _End]
    stopped: threading.Event

    def make(self, items: Generator[_T]) -> None:
        error: BaseException | None = None
        try:
            for item in items:
                self._put(item)
                if self.stopped.is_set():
                    break
        except BaseException as problem:
            error = problem
        finally:
            items.close()
            self._put(_End(error))

    def given(self) -> Iterator[_T]:
        while not isinstance(item := self.items.get(), _End):
            yield item
        if item.error is not None:
            raise item.error

    def _put(self, item: _T | _End) -> None:
        while not self.stopped.is_set():
            try:
                self.items.put(item, timeout=_LOOK_S)
            except queue.Full:
                continue
            return
