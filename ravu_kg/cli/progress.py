"""One view of many pieces of work that go on side by side."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import AbstractContextManager, contextmanager
from typing import TYPE_CHECKING, Protocol

import click

from ravu_kg.cli.output import PlainProgress, stderr, without_detail

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID


class View(Protocol):
    """What is seen of a batch while it is worked on."""

    def progress(self, number: int, title: str, stage: str, share: float) -> None:
        """One piece has come so far."""
        ...

    def finished(self, number: int) -> AbstractContextManager[None]:
        """One piece is done, or failed; inside, what came of it can be printed."""
        ...


@contextmanager
def batch_view(total: int) -> Generator[View]:
    """Bars on a terminal, one for each piece that is worked on and one for all; a few plain lines elsewhere.

    Args:
        total: how many pieces there are.
    """
    console = stderr()
    if not console.is_terminal:
        yield _PlainView(total)
        return
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

    progress = Progress(
        TextColumn("{task.fields[title]}", style="bold", markup=False),
        TextColumn("{task.description}", markup=False),
        BarColumn(bar_width=24),
        TaskProgressColumn(),
        TimeRemainingColumn(compact=True),
        console=console,
        transient=True,
        redirect_stdout=False,
    )
    with progress:
        yield _BarView(progress, total)


class _PlainView:
    def __init__(self, total: int) -> None:
        self._total, self._done = total, 0
        self._pieces: dict[int, PlainProgress] = {}

    def progress(self, number: int, title: str, stage: str, share: float) -> None:
        piece = self._pieces.setdefault(number, PlainProgress(title))
        piece.report(stage, share)

    @contextmanager
    def finished(self, number: int) -> Generator[None]:
        self._pieces.pop(number, None)
        self._done += 1
        yield
        if self._total > 1:
            click.echo(f"{self._done} of {self._total} videos done", err=True)


class _BarView:
    def __init__(self, progress: Progress, total: int) -> None:
        self._progress = progress
        self._total, self._done = total, 0
        self._tasks: dict[int, tuple[TaskID, str]] = {}
        self._all = progress.add_task(f"0 of {total} done", total=total, title="videos") if total > 1 else None

    def progress(self, number: int, title: str, stage: str, share: float) -> None:
        task, before = self._tasks.get(number) or (self._progress.add_task(stage, total=1.0, title=title), "")
        if without_detail(stage) != before:
            self._progress.reset(task, total=1.0, description=stage, title=title)
        self._tasks[number] = task, without_detail(stage)
        self._progress.update(task, completed=share, description=stage)

    @contextmanager
    def finished(self, number: int) -> Generator[None]:
        if number in self._tasks:
            self._progress.remove_task(self._tasks.pop(number)[0])
        self._done += 1
        if self._all is not None:
            self._progress.update(self._all, completed=self._done, description=f"{self._done} of {self._total} done")
        self._progress.stop()  # bars and what is printed must not write over each other
        yield
        if self._done < self._total:
            self._progress.start()
