"""The engine without workers: one video after the other, in this process."""

from __future__ import annotations

from collections.abc import Sequence

from ravu_kg.engines.records import Done, Kind, News, OnProgress, Task
from ravu_kg.engines.worker import Worker
from ravu_kg.memory import VideoMemory


class Alone:
    """A crew of one; no chunks, since nobody could share them."""

    size = 1

    def __init__(self, memory: VideoMemory) -> None:
        self._worker = Worker(memory, None)
        self._task: Task | None = None

    def free(self, kind: Kind) -> bool:
        """Whether nothing is to be done."""
        return self._task is None

    def give(self, task: Task) -> None:
        """Note a task for :meth:`wait`."""
        self._task = task

    def wait(self, on_progress: OnProgress) -> Sequence[News]:
        """Do the task."""
        task, self._task = self._task, None
        if task is None:
            return ()
        return (Done(task, self._worker.do(task, lambda stage, share: on_progress(task, stage, share))),)
