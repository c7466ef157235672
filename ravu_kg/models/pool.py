"""Work on many items at a time, with the results in the order of the items."""

from __future__ import annotations

import queue
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future
from typing import Generic, TypeVar

_Item = TypeVar("_Item")
_Result = TypeVar("_Result")
_AHEAD = 2  # items under way or done ahead of the one that is waited for, by thread


def in_order(work: Callable[[_Item], _Result], items: Iterable[_Item], threads: int) -> Iterator[_Result]:
    """Results in the order of the items, from so many threads.

    Items are taken when there is a thread for them soon, so that only a few are held at a time. After a failure no
    further item is begun; the results before it are given first, then it is raised. When the iterator is closed, or
    the program interrupted, what has begun is left to itself: the threads never hold up the end of the process.
    """
    pool = _Pool[_Item, _Result](work, threads)
    pending: deque[Future[_Result]] = deque()
    source = iter(items)
    try:
        while True:
            while len(pending) < threads * _AHEAD and pool.error is None:
                try:
                    item = next(source)
                except StopIteration:
                    break
                pending.append(pool.submit(item))
            if not pending:
                return
            yield pending.popleft().result()
    finally:
        pool.close()


class _Pool(Generic[_Item, _Result]):
    """Daemon threads: those of the standard library are waited for at exit, up to the end of a call that hangs."""

    def __init__(self, work: Callable[[_Item], _Result], threads: int) -> None:
        self._work = work
        self._most = threads
        self._threads = 0
        self._jobs: queue.SimpleQueue[tuple[Future[_Result], _Item] | None] = queue.SimpleQueue()
        self.error: BaseException | None = None
        """The first failure."""

    def submit(self, item: _Item) -> Future[_Result]:
        future: Future[_Result] = Future()
        self._jobs.put((future, item))
        if self._threads < self._most:
            self._threads += 1
            threading.Thread(target=self._run, name="model calls", daemon=True).start()
        return future

    def close(self) -> None:
        self.error = self.error or GeneratorExit()
        for _ in range(self._threads):
            self._jobs.put(None)

    def _run(self) -> None:
        while (job := self._jobs.get()) is not None:
            future, item = job
            try:
                if self.error is not None:
                    raise self.error  # jobs are taken in order, so this one comes after the one that failed
                future.set_result(self._work(item))
            except BaseException as error:
                self.error = self.error or error
                future.set_exception(error)
            del job, future, item  # a thread that waits holds on to nothing
