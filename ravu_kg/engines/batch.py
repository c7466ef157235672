"""Handing out the videos of a batch to workers, and what became of each.

A video is one task. A long one that the others would have to wait for is split: its chunks are detected by whoever is
free, then one worker does the rest. That reads its pictures twice, so it is not done while all have enough to do.
What was begun is ended first; new videos are begun only while a worker is free and few are half done, so that memory
does not grow with the batch. The task of a worker that died is given to another one.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass

from ravu_kg.engines.finding import Source
from ravu_kg.engines.records import (
    Crew,
    Detected,
    DetectTask,
    Done,
    Failure,
    IndexTask,
    InWork,
    Lost,
    News,
    Order,
    Split,
    Task,
    Written,
)
from ravu_kg.errors import RavuError
from ravu_kg.memory.records import IndexResult

ATTEMPTS = 3
"""Workers that may die over one task before its video counts as failed."""
Progress = Callable[[int, str, float], None]
"""Told the number of a video, its stage and how much of that is done, 0..1."""


@dataclass(frozen=True, slots=True)
class Finished:
    """What became of a video."""

    number: int
    """Its place in the batch, from 0."""
    source: Source
    outcome: IndexResult | Failure
    bookmarks: tuple[str, ...] = ()
    """For who reads it: see :meth:`ravu_kg.graph.store.Store.follow`."""


def index_all(crew: Crew, sources: Sequence[Source], order: Order, progress: Progress) -> Iterator[Finished]:
    """Index videos; what fails does not keep the others from being done.

    Args:
        crew: who does it.
        sources: the videos.
        order: how.
        progress: told how far each is.

    Yields:
        Each video when it is done, in the order in which they are.

    Raises:
        WorkerError: no worker can be started.
    """
    return _Batch(crew, sources, order, progress).run()


def refused(sources: Sequence[Source]) -> Iterator[Finished]:
    """What became of those that are no videos: for them nobody has to be hired."""
    for number, source in enumerate(sources):
        if (problem := source.problem) is not None:
            yield Finished(number, source, Failure.of(problem))


class _Batch:
    def __init__(self, crew: Crew, sources: Sequence[Source], order: Order, progress: Progress) -> None:
        self._crew, self._sources, self._order, self._progress = crew, sources, order, progress
        self._next = 0
        self._sizes = [_size_of(source) for source in sources]
        self._left = sum(self._sizes)
        """Bytes of the videos that were not begun."""
        self._again: deque[Task] = deque()
        """Those that are taken before any other."""
        self._chunks: deque[DetectTask] = deque()
        self._in_work: dict[int, InWork] = {}
        self._running = 0
        self._losses: Counter[tuple[int, int | None]] = Counter()
        self._over: set[int] = set()
        self._held: list[Task] = []
        """Of videos with the content of another that is in work: there is one writer a video."""

    def run(self) -> Iterator[Finished]:
        while True:
            while self._next < len(self._sources) and (problem := self._sources[self._next].problem) is not None:
                yield self._finished(self._next, Failure.of(problem))
                self._next += 1
            if (task := self._task()) is not None:
                self._crew.give(task)
                self._running += 1
            elif self._running or self._again or self._chunks or self._next < len(self._sources):
                for news in self._crew.wait(self._told):
                    self._running -= 1
                    yield from self._heard(news)
            else:
                return

    def _task(self) -> Task | None:
        """The next task that a worker is free for."""
        if self._again and self._crew.free(self._again[0].kind):
            return self._again.popleft()
        if self._chunks and self._crew.free("detect"):
            return self._chunks.popleft()
        few = len(self._in_work) < 2 * self._crew.size
        if self._next < len(self._sources) and not self._again and few and self._crew.free("index"):
            number, self._next = self._next, self._next + 1
            size, left = self._sizes[number], self._left
            self._left -= size
            return IndexTask(number, self._sources[number].path, self._order, whole=size * self._crew.size <= left)
        return None

    def _heard(self, news: News) -> Iterator[Finished]:
        task = news.task
        match news:
            case Lost(why=why):
                yield from self._lost(task, why)
            case Done(outcome=Split() as split):
                self._begin(task, split)
            case Done(task=DetectTask(chunk=chunk), outcome=Detected() as detected):
                if (work := self._in_work.get(task.number)) is not None:  # no other chunk of it failed
                    work.detected[chunk], work.shares[chunk] = detected, 1.0
                    self._end_chunks(task.number, work)
            case Done(outcome=Written() | Failure() as outcome):
                yield from self._ended(task.number, outcome)
            case _:
                raise AssertionError(news)  # a worker answers a task with what belongs to it

    def _begin(self, task: Task, split: Split) -> None:
        if any(work.split.video.content_hash == split.video.content_hash for work in self._in_work.values()):
            self._held.append(task)
            return
        self._in_work[task.number] = work = InWork(split)
        self._chunks += [
            DetectTask(task.number, chunk, split.video, start_s, end_s)
            for chunk, (start_s, end_s) in enumerate(split.chunks)
        ]
        self._end_chunks(task.number, work)

    def _end_chunks(self, number: int, work: InWork) -> None:
        if len(work.detected) == len(work.split.chunks):
            parts = tuple(work.detected[part] for part in sorted(work.detected))
            self._again.append(IndexTask(number, work.split.video.path, self._order, split=work.split, detected=parts))

    def _ended(self, number: int, outcome: Written | Failure) -> Iterator[Finished]:
        if number in self._over:
            return  # a second chunk of it failed
        self._over.add(number)
        if self._in_work.pop(number, None) is not None:
            self._again += self._held
            self._held.clear()
        self._chunks = deque(task for task in self._chunks if task.number != number)
        self._again = deque(task for task in self._again if task.number != number)
        yield self._finished(number, outcome)

    def _lost(self, task: Task, why: str) -> Iterator[Finished]:
        # The video may have failed meanwhile, so that nobody waits for the task.
        if task.number in self._over:
            return
        part = task.chunk if isinstance(task, DetectTask) else None
        self._losses[task.number, part] += 1
        if self._losses[task.number, part] < ATTEMPTS:
            self._again.appendleft(task)
            return
        path = self._sources[task.number].path
        message = f"{path}: {ATTEMPTS} workers died over it ({why}). See why with one: ravu-kg index '{path}'"
        yield from self._ended(task.number, Failure(message, RavuError.exit_code))

    def _told(self, task: Task, stage: str, share: float) -> None:
        if isinstance(task, IndexTask):
            self._progress(task.number, stage, share)
        elif (work := self._in_work.get(task.number)) is not None:
            work.shares[task.chunk] = share
            self._progress(task.number, stage, work.share)

    def _finished(self, number: int, outcome: Written | Failure) -> Finished:
        source = self._sources[number]
        if isinstance(outcome, Failure):
            return Finished(number, source, outcome)
        return Finished(number, source, outcome.result, outcome.bookmarks)


def _size_of(source: Source) -> int:
    """In bytes; 0 for what cannot be read, which whoever tries will say."""
    with suppress(OSError):
        return source.path.stat().st_size if source.problem is None else 0
    return 0
