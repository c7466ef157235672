"""What runs in a worker's process. Light to import: what it needs is loaded when it runs."""

from __future__ import annotations

import logging
import os
import signal
import sys
import threading
import time
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, NoReturn, cast

from ravu_kg.errors import RavuError

if TYPE_CHECKING:
    from ravu_kg.engines.records import Chunking, Outcome, Task
    from ravu_kg.settings import Settings

INTERRUPTED = 130
_STEP_S = 0.1
"""Progress within a stage is told no oftener."""


@dataclass(frozen=True, slots=True)
class Hello:
    """What a worker is told first. It comes through a pipe: settings hold secrets, which arguments must not."""

    settings: Settings
    chunking: Chunking | None
    folder: Path
    """The current one, which paths of settings and videos may be relative to."""


@dataclass(frozen=True, slots=True)
class Ready:
    """The models are loaded."""


@dataclass(frozen=True, slots=True)
class NotReady:
    """It cannot work, and ends."""

    message: str
    exit_code: int


@dataclass(frozen=True, slots=True)
class Reached:
    """How far the task is."""

    stage: str
    share: float


@dataclass(frozen=True, slots=True)
class Aside:
    """A warning that was logged."""

    warning: str


@dataclass(frozen=True, slots=True)
class Ended:
    """The task has come to its end."""

    outcome: Outcome


Word = Ready | NotReady | Reached | Aside | Ended


def run(pipe: Connection, hello: Hello) -> None:
    """Do tasks until there are no more, or nobody is there any more to tell."""
    signal.signal(signal.SIGTERM, _interrupt)
    voice = _Voice(pipe)
    logging.getLogger().addHandler(voice)
    try:
        _work(pipe, hello, voice)
    except RavuError as error:
        voice.say(NotReady(str(error), error.exit_code))
        sys.exit(error.exit_code)
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)


def unexpected(error: Exception) -> str:
    """An error that nobody foresaw, in words."""
    return f"Unexpected {type(error).__name__}: {error}. For the traceback index it alone, with --debug."


def _work(pipe: Connection, hello: Hello, voice: _Voice) -> None:
    from ravu_kg.engines.records import Failure
    from ravu_kg.engines.worker import Worker
    from ravu_kg.memory import VideoMemory

    os.chdir(hello.folder)
    with Worker(VideoMemory.open(hello.settings), hello.chunking) as worker:
        worker.load()
        voice.say(Ready())
        while (task := _next(pipe)) is not None:
            try:
                outcome = worker.do(task, voice.report)
            except Exception as error:  # the last line of a worker: the other videos go on
                outcome = Failure(f"{task.path}: {unexpected(error)}", RavuError.exit_code)
            voice.say(Ended(outcome))


def _next(pipe: Connection) -> Task | None:
    try:
        return cast("Task | None", pipe.recv())  # the other end sends nothing else
    except (EOFError, OSError):
        return None


class _Voice(logging.Handler):
    """Tells the process that started this one what happens."""

    def __init__(self, pipe: Connection) -> None:
        super().__init__(logging.WARNING)
        self.addFilter(lambda record: not record.name.startswith("neo4j.notifications"))
        self._pipe = pipe
        self._one_at_a_time = threading.Lock()
        self._stage, self._told_s = "", 0.0

    def say(self, word: Word) -> None:
        """Say something.

        Raises:
            KeyboardInterrupt: nobody listens any more, so there is nothing to work for.
        """
        try:
            with self._one_at_a_time:
                self._pipe.send(word)
        except OSError:
            raise KeyboardInterrupt from None

    def report(self, stage: str, share: float) -> None:
        """Say how far a task is, unless it was said just now."""
        now_s = time.monotonic()
        if stage != self._stage or share >= 1.0 or now_s - self._told_s >= _STEP_S:
            self._stage, self._told_s = stage, now_s
            self.say(Reached(stage, share))

    def emit(self, record: logging.LogRecord) -> None:
        """Pass a warning on."""
        with suppress(OSError), self._one_at_a_time:  # what is said next finds out that nobody listens
            self._pipe.send(Aside(record.getMessage()))


def _interrupt(_number: int, _frame: FrameType | None) -> NoReturn:
    """End as Ctrl-C ends a command: what is open is closed on the way."""
    raise KeyboardInterrupt
