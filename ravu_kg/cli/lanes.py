"""A small timeline in text: who is there when, and where an answer points to."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from ravu_kg.cli.output import painted
from ravu_kg.report.formatting import clock

if TYPE_CHECKING:
    from ravu_kg.reasoning.records import Answer
    from ravu_kg.report.records import ShownEntity

_IN_PIPES = 48
"""Cells of a lane where there is no terminal."""
_WIDEST, _NARROWEST = 72, 16
_SIGNS = "━·▲├─┤│"
_PLAIN_SIGNS = "=.^[-]|"


def lane(start_s: float, end_s: float, length_s: float, cells: int) -> str:
    """Presence over a video: ``··━━━···``."""
    filled, empty = _signs()[0], _signs()[1]
    first, last = _cell(start_s, length_s, cells), _cell(end_s, length_s, cells)
    return empty * first + filled * (last - first + 1) + empty * (cells - 1 - last)


def print_lanes(answer: Answer, entities: Sequence[ShownEntity], length_s: float) -> None:
    """The entities of the evidence over the whole video, the times of the answer, and the evidence."""
    meant = {entity_id for one in answer.evidence for entity_id in one.entity_ids}
    shown = [one for one in entities if one.entity_id in meant]
    labels = [f"{one.tag} {one.called}" for one in shown]
    width = max(map(len, [*labels, "evidence"]))
    cells = _cells(width)
    signs = _signs()
    end = clock(length_s, 0)
    click.echo(f"{click.style('Timeline'.ljust(width), bold=True)}  0:00{end.rjust(cells - 4)}")
    for entity, label in zip(shown, labels, strict=True):
        text = lane(entity.start_s, entity.end_s, length_s, cells)
        click.echo(f"{label.ljust(width)}  {_faint_dots(text, entity.color)}")
    if answer.intervals:
        click.echo(f"{'answer'.ljust(width)}  {_spans(answer.intervals, length_s, cells)}".rstrip())
    marks = [" "] * cells
    for one in answer.evidence:
        marks[_cell(one.timestamp_s, length_s, cells)] = signs[2]
    click.echo(f"{'evidence'.ljust(width)}  {click.style(''.join(marks).rstrip(), fg='yellow')}")


def lane_cells(taken: int) -> int:
    """Cells for a lane beside other columns that take so many."""
    if not sys.stdout.isatty():
        return _IN_PIPES // 2
    return max(_NARROWEST, min(_IN_PIPES, (shutil.get_terminal_size().columns - taken) // 2))


def _cells(label: int) -> int:
    if not sys.stdout.isatty():
        return _IN_PIPES
    return max(_NARROWEST, min(_WIDEST, shutil.get_terminal_size().columns - label - 3))


def _cell(time_s: float, length_s: float, cells: int) -> int:
    return min(cells - 1, max(0, int(time_s / max(length_s, 1e-9) * cells)))


def _spans(spans: Sequence[tuple[float, float]], length_s: float, cells: int) -> str:
    marks = [" "] * cells
    _, _, _, opened, between, closed, single = _signs()
    for start_s, end_s in spans:
        first, last = _cell(start_s, length_s, cells), _cell(end_s, length_s, cells)
        marks[first : last + 1] = [single] if first == last else [opened, *[between] * (last - first - 1), closed]
    return "".join(marks)


def _faint_dots(text: str, color: str) -> str:
    """A lane with its presence in the entity's colour."""
    filled, empty = _signs()[0], _signs()[1]
    before, after = len(text) - len(text.lstrip(empty)), len(text) - len(text.rstrip(empty))
    middle = text[before : len(text) - after]
    assert set(middle) == {filled}
    faint = [click.style(empty * count, dim=True) if count else "" for count in (before, after)]
    return painted(middle, color).join(faint)


def _signs() -> str:
    """Box drawing, or what every terminal can show."""
    try:
        _SIGNS.encode(sys.stdout.encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        return _PLAIN_SIGNS
    return _SIGNS
