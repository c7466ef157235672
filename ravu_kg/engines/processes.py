"""Workers that are processes on this machine; one that dies is replaced, and its task is done again.

Each has a pipe of its own for tasks and news, and does one task at a time. When this process goes away, by whatever,
its workers notice that the pipe is closed and end themselves.
"""

from __future__ import annotations

import logging
import multiprocessing
import os
import signal
import time
from collections.abc import Generator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnProcess
from pathlib import Path
from types import TracebackType
from typing import Self

from ravu_kg.cores import cores, share_of
from ravu_kg.engines.child import Aside, Ended, Hello, NotReady, Reached, Ready, run
from ravu_kg.engines.records import Chunking, Done, Kind, Lost, News, OnProgress, Task
from ravu_kg.errors import WorkerError
from ravu_kg.settings import CallSettings, Settings

CHUNKS_A_WORKER = 4
"""Chunks of one video for each worker at most: enough that none waits long for the others at its end."""
_STARTS = 3
"""Workers in a row that may die before they are ready."""
_END_S = 10.0
"""How long a worker may take to end what it is doing."""

_log = logging.getLogger(__name__)
_Spawned = multiprocessing.get_context("spawn")


class Processes:
    """A crew of processes. Use it as a context manager: it leaves no process behind."""

    def __init__(self, settings: Settings, count: int, *, threads: int | None = None) -> None:
        """Start the workers; they load their models meanwhile.

        Args:
            settings: of all of them. The embedded server should run, and the graph have its schema.
            count: how many.
            threads: that each may use; by default its share of the cores, at least one.
        """
        calls = settings.calls.concurrency // count
        self.size = count
        self._hello = Hello(
            settings.model_copy(update={"calls": _fewer(settings.calls, max(1, calls))}),
            Chunking(settings.workers.chunk_s, CHUNKS_A_WORKER * count) if count > 1 else None,
            Path.cwd(),
        )
        self._threads = threads or max(1, cores() // count)
        self._workers: list[_Process] = []
        self._early = 0
        """Workers in a row that died before they were ready."""

    def __enter__(self) -> Self:
        try:
            for _ in range(self.size):
                self._workers.append(self._start())
        except BaseException:  # Ctrl-C, too: those that were started must not outlive this one
            self._end(at_once=True)
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._end(at_once=kind is not None)

    def free(self, kind: Kind) -> bool:
        """Whether a worker is ready and does nothing."""
        return any(worker.is_ready and worker.task is None for worker in self._workers)

    def give(self, task: Task) -> None:
        """Let a free worker do a task."""
        worker = next(worker for worker in self._workers if worker.is_ready and worker.task is None)
        worker.task = task
        with suppress(OSError):  # it died just now, which waiting finds out
            worker.pipe.send(task)

    def wait(self, on_progress: OnProgress) -> Sequence[News]:
        """Wait until a task has come to its end, or a worker got ready.

        Raises:
            WorkerError: workers die before they are ready.
        """
        ready = set(wait([part for worker in self._workers for part in (worker.pipe, worker.process.sentinel)]))
        news: list[News] = []
        for position, worker in enumerate(self._workers):
            if worker.pipe in ready:
                news += self._heard(worker, on_progress)
            if worker.process.sentinel in ready:
                news += self._heard(worker, on_progress)  # its last words
                news += self._replaced(position)
        return news

    def wait_until_ready(self) -> None:
        """Return when all workers have loaded their models.

        Raises:
            WorkerError: workers die before they are ready.
        """
        while not all(worker.is_ready for worker in self._workers):
            self.wait(lambda task, stage, share: None)

    @property
    def pids(self) -> list[int]:
        """The process of each worker."""
        return [worker.process.pid or 0 for worker in self._workers]

    def _start(self) -> _Process:
        mine, theirs = _Spawned.Pipe()
        process = _Spawned.Process(target=run, args=(theirs, self._hello), name="ravu-kg worker", daemon=True)
        try:
            with _inherited(self._threads):
                process.start()
        except BaseException:  # Ctrl-C, too: nobody will speak through it
            mine.close()
            raise
        finally:
            theirs.close()  # the worker has its own, and its end shows here only so
        return _Process(process, mine)

    def _heard(self, worker: _Process, on_progress: OnProgress) -> list[News]:
        news: list[News] = []
        with suppress(EOFError, OSError):
            while worker.pipe.poll():
                word: object = worker.pipe.recv()
                match word:
                    case Reached(stage, share) if worker.task is not None:
                        on_progress(worker.task, stage, share)
                    case Ended(outcome) if worker.task is not None:
                        news.append(Done(worker.task, outcome))
                        worker.task = None
                    case Aside(warning):
                        _log.warning("%s", warning)
                    case Ready():
                        worker.is_ready = True
                        self._early = 0
                    case NotReady(message, exit_code):
                        raise WorkerError(message, exit_code)
                    case _:
                        pass  # said of a task that is not its any more
        return news

    def _replaced(self, position: int) -> list[News]:
        worker = self._workers[position]
        worker.process.join()
        worker.pipe.close()
        why = _why(worker.process.exitcode)
        if not worker.is_ready:
            self._early += 1
            if self._early >= _STARTS:
                raise WorkerError(f"No worker gets ready: {why}. Is there too little memory for {self.size} of them?")
        self._workers[position] = self._start()
        return [] if worker.task is None else [Lost(worker.task, why)]

    def _end(self, *, at_once: bool) -> None:
        for worker in self._workers:
            with suppress(OSError):
                if at_once:
                    worker.process.terminate()
                else:
                    worker.pipe.send(None)
        deadline_s = time.monotonic() + _END_S
        for worker in self._workers:
            worker.process.join(max(0.0, deadline_s - time.monotonic()))
            if worker.process.is_alive():
                worker.process.kill()
                worker.process.join()
            worker.pipe.close()
        self._workers.clear()


@dataclass(slots=True, eq=False)
class _Process:
    process: SpawnProcess
    pipe: Connection
    is_ready: bool = False
    task: Task | None = None


@contextmanager
def _inherited(threads: int) -> Generator[None]:
    """What a new process takes over: how many threads it may use, and that Ctrl-C is not for it but for this one."""
    share = share_of(threads)
    before = {name: os.environ.get(name) for name in share}
    os.environ.update(share)
    heeded = signal.getsignal(signal.SIGINT)
    try:
        with suppress(ValueError):  # only the main thread may
            signal.signal(signal.SIGINT, signal.SIG_IGN)
        yield
    finally:
        with suppress(ValueError, TypeError):  # None: set by somebody else than Python, and never changed
            signal.signal(signal.SIGINT, heeded)
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


def _fewer(calls: CallSettings, concurrency: int) -> CallSettings:
    return calls.model_copy(update={"concurrency": concurrency})


def _why(exit_code: int | None) -> str:
    if exit_code is not None and exit_code < 0:
        with suppress(ValueError):
            return f"ended by {signal.Signals(-exit_code).name}"
    return f"ended with code {exit_code}"
