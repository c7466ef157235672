"""Results on stdout, everything else on stderr: tables, JSON, progress."""

from __future__ import annotations

import json
import shutil
import sys
import textwrap
import time
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, is_dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar, cast

import click

from ravu_kg.errors import UsageError

if TYPE_CHECKING:
    from rich.console import Console

_Function = TypeVar("_Function", bound=Callable[..., object])

_PLAIN_STEP = 0.25
"""Without a terminal a progress line is written for each quarter of a stage."""


FILE = click.Path(path_type=Path, readable=False)
"""A file that the command reads or writes itself, so that the error has the exit code of what went wrong."""


def json_option(function: _Function) -> _Function:
    """The ``--json`` option, the same for every command."""
    return click.option("--json", "as_json", is_flag=True, help="Print JSON.")(function)


def build_option(function: _Function) -> _Function:
    """The ``--build`` option of commands that name one video."""
    return click.option(
        "--build", metavar="NAME", help="Of several graphs of the video, this one; 'default' has no name of its own."
    )(function)


def examples(*lines: str) -> str:
    """An epilog that shows how a command is used."""
    return "\b\n" + "\n".join(["Example:" if len(lines) == 1 else "Examples:", *(f"  {line}" for line in lines)])


def say_error(message: str) -> None:
    """One message on stderr, marked as an error."""
    click.echo(click.style("Error: ", fg="red", bold=True) + message, err=True)


def echo_json(value: object) -> None:
    """Print one JSON document on stdout."""
    click.echo(json.dumps(value, indent=2, ensure_ascii=False, default=_plain, allow_nan=False))


def stderr() -> Console:
    """For everything that is not the result."""
    from rich.console import Console

    return Console(stderr=True, highlight=False, emoji=False, markup=False)


def print_table(
    columns: Sequence[str],
    rows: Sequence[Sequence[object]],
    right: Sequence[str] = (),
    shorten: Sequence[str] = (),
    paint: Mapping[str, Sequence[str]] | None = None,
) -> None:
    """Aligned columns under a heading, no frame. Columns named in ``right`` hold numbers.

    On a terminal the columns named in ``shorten`` lose their ends where the table is too wide, and the last column is
    wrapped at its edge; in a pipe everything is shown in full. ``paint`` gives the colour ``#rrggbb`` of each row's
    cell in a column, for terminals.
    """
    from rich.cells import cell_len

    texts = [["" if cell is None else " ".join(str(cell).split()) for cell in row] for row in rows]
    widths = [max(cell_len(text) for text in column) for column in zip(columns, *texts, strict=True)]
    narrowed = [position for position, name in enumerate(columns) if name in shorten]
    if narrowed and sys.stdout.isatty():
        _narrow(widths, narrowed)
        texts = [
            [_cut(cell, widths[position]) if position in narrowed else cell for position, cell in enumerate(cells)]
            for cells in texts
        ]

    def aligned(cells: Sequence[str], row: int | None = None) -> str:
        padded = [
            " " * (width - cell_len(cell)) + cell if name in right else cell + " " * (width - cell_len(cell))
            for name, cell, width in zip(columns, cells, widths, strict=True)
        ]
        padded[-1] = padded[-1].rstrip()
        if row is not None and paint:
            padded = [
                painted(cell, paint[name][row]) if name in paint else cell
                for name, cell in zip(columns, padded, strict=True)
            ]
        return "  ".join(padded).rstrip()

    indent = sum(widths[:-1]) + 2 * (len(widths) - 1)
    if any(columns):
        click.echo(click.style(aligned(columns), bold=True))
    for row, cells in enumerate(texts):
        first, *others = _wrapped(cells[-1], indent)
        click.echo(aligned([*cells[:-1], first], row))
        for line in others:
            click.echo(" " * indent + line)


def painted(text: str, color: str) -> str:
    """Text in a colour ``#rrggbb``, which a pipe loses again; other colours leave it as it is."""
    try:
        red, green, blue = (int(color[at : at + 2], 16) for at in (1, 3, 5))
    except ValueError:
        return text
    return click.style(text, fg=(red, green, blue))


def print_pairs(pairs: Sequence[tuple[str, object]]) -> None:
    """One ``name  value`` line each, the values aligned."""
    width = max(len(name) for name, _ in pairs)
    for name, value in pairs:
        click.echo(f"{click.style(name.ljust(width), bold=True)}  {value}")


def confirm(question: str, yes: bool) -> None:
    """Ask before something is destroyed; ``yes`` is the ``--yes`` option.

    Raises:
        UsageError: nobody is there to be asked.
        click.exceptions.Exit: the answer was no.
    """
    if yes:
        return
    if not sys.stdin.isatty():
        raise UsageError(f"{question} There is no terminal to ask on; add --yes to go ahead.")
    if not click.confirm(question, err=True):
        click.echo("Nothing was changed.", err=True)
        raise click.exceptions.Exit(1)


def seconds(value: float) -> str:
    """A time in the video: ``7.4 s`` below a minute, ``2:05.0`` from there on."""
    if value < 60:
        return f"{value:.1f} s"
    minutes, rest = divmod(round(value, 1), 60)
    hours, minutes = divmod(int(minutes), 60)
    return f"{hours}:{minutes:02d}:{rest:04.1f}" if hours else f"{minutes}:{rest:04.1f}"


def counted(count: int, noun: str) -> str:
    """A number with its noun: ``1 entity``, ``2,000 entities``."""
    from ravu_kg.reasoning.vocabulary import plural

    return f"{count:,} {noun if count == 1 else plural(noun)}"


def size(count: int) -> str:
    """Bytes as they are read best: ``5 kB``, ``1.2 MB``."""
    return f"{count / 1e6:.1f} MB" if count >= 999_500 else f"{max(1, round(count / 1e3))} kB"


@contextmanager
def status_line() -> Generator[Callable[[str], None]]:
    """One changing line on a terminal, plain lines elsewhere; for work without a measure."""
    console = stderr()
    if not console.is_terminal:
        last = ""

        def say_plain(message: str) -> None:
            nonlocal last
            if message != last:
                last = message
                click.echo(message, err=True)

        yield say_plain
        return
    from rich.status import Status

    status: Status | None = None

    def say(message: str) -> None:
        nonlocal status
        if status is None:
            status = console.status(message)
            status.start()
        else:
            status.update(message)

    try:
        yield say
    finally:
        if status is not None:
            status.stop()


@contextmanager
def progress_bar(title: str) -> Generator[Callable[[str, float], None]]:
    """Stage and fraction 0..1 of one long piece of work: a bar on a terminal, a few plain lines elsewhere.

    What follows the name of a stage in brackets may change while it goes on: ``graph (12 calls)``.
    """
    console = stderr()
    if not console.is_terminal:
        reporter = PlainProgress(title)
        yield reporter.report
        return
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

    columns = (
        TextColumn("{task.fields[title]}", style="bold", markup=False),
        TextColumn("{task.description}", markup=False),
        BarColumn(bar_width=24),
        TaskProgressColumn(),
        TimeRemainingColumn(compact=True),
    )
    with Progress(*columns, console=console, transient=True) as progress:
        task = progress.add_task("starting", total=1.0, title=title)
        stage = ""

        def report(name: str, fraction: float) -> None:
            nonlocal stage
            if without_detail(name) != stage:
                stage = without_detail(name)
                progress.reset(task, total=1.0, description=name, title=title)
            progress.update(task, completed=fraction, description=name)

        yield report


class PlainProgress:
    """A line for each quarter of each stage of one piece of work."""

    def __init__(self, title: str) -> None:
        self._title = title
        self._stage = ""
        self._next = 0.0
        self._started_s = time.monotonic()

    def report(self, stage: str, fraction: float) -> None:
        """Say how far it is, when there is something new to say."""
        if without_detail(stage) != self._stage:
            self._stage, self._next = without_detail(stage), 0.0
        if fraction >= self._next:
            self._next = fraction - fraction % _PLAIN_STEP + _PLAIN_STEP
            elapsed_s = time.monotonic() - self._started_s
            click.echo(f"{self._title}: {stage} {fraction:.0%} ({elapsed_s:.0f} s)", err=True)


def without_detail(stage: str) -> str:
    """The name of a stage without what follows it in brackets."""
    return stage.partition(" (")[0]


_LEAST = 8
"""A column is never cut to fewer cells."""
_LAST = 20
"""Cells of the last column, which is wrapped."""


def _narrow(widths: list[int], columns: Sequence[int]) -> None:
    """Take from the widest of the columns until the table fits the terminal, or no column can give more."""
    last = len(widths) - 1
    fixed = sum(widths[:-1]) + 2 * last + (widths[last] if last in columns else min(widths[last], _LAST))
    for _ in range(fixed - shutil.get_terminal_size().columns):
        widest = max(columns, key=lambda position: widths[position])
        if widths[widest] <= _LEAST:
            return
        widths[widest] -= 1


def _cut(text: str, width: int) -> str:
    from rich.cells import cell_len, set_cell_size

    return text if cell_len(text) <= width else f"{set_cell_size(text, width - 1).rstrip()}…"


def _wrapped(text: str, indent: int) -> list[str]:
    if not sys.stdout.isatty():
        return [text]
    room = max(_LAST, shutil.get_terminal_size().columns - indent)
    return textwrap.wrap(text, room, break_long_words=False, break_on_hyphens=False) or [""]


def _plain(value: object) -> object:
    if is_dataclass(value) and not isinstance(value, type):
        return asdict(value)
    if isinstance(value, Path):
        return str(value)
    if isinstance(value, set | frozenset):
        return sorted(str(item) for item in cast("set[object]", value))  # json knows no sets; their items are unknown
    isoformat = getattr(value, "iso_format", None) or getattr(value, "isoformat", None)
    return isoformat() if callable(isoformat) else str(value)
