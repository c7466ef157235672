"""Rows of others' files, checked: what is wrong is told with file, line and field, and never guessed around."""

from __future__ import annotations

import csv
import io
import json
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import cast

from ravu_kg.errors import ConfigurationError
from ravu_kg.evaluation.questions import Question
from ravu_kg.types import Span

_SHOWN = 5
_PAST_END_S = 1.0
"""Spans are given to the second, so one may end so much after its video."""


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that is wrong with a file."""

    file: Path
    line: int | None
    """Counted from 1; None where a file has no lines to speak of."""
    field: str
    message: str

    def __str__(self) -> str:
        """Where it is, then what it is."""
        line = "" if self.line is None else f", line {self.line}"
        return f"{self.file}{line}: {f'{self.field}: ' if self.field else ''}{self.message}"


class RowError(Exception):
    """A row cannot be used."""

    def __init__(self, field_name: str, message: str) -> None:
        super().__init__(message)
        self.field = field_name


@dataclass
class Checked:
    """Collects questions and what was wrong with others."""

    skip_bad: bool
    questions: dict[str, Question] = field(default_factory=dict[str, Question])
    problems: list[Problem] = field(default_factory=list[Problem])

    def add(self, file: Path, line: int | None, make: Callable[[], Question]) -> None:
        """Make a question of a row, or note why that cannot be done."""
        try:
            question = make()
            if question.id in self.questions:
                raise RowError("id", f"question {question.id!r} is there already; ids are unique")
            _check(question)
            self.questions[question.id] = question
        except RowError as error:
            self.problems.append(Problem(file, line, error.field, str(error)))

    def done(self, what: str) -> list[Question]:
        """The questions.

        Raises:
            ConfigurationError: something is wrong and bad rows are not to be skipped, or nothing is left.
        """
        if self.problems and not self.skip_bad:
            shown = "".join(f"\n  {one}" for one in self.problems[:_SHOWN])
            more = f"\n  and {len(self.problems) - _SHOWN} more" if len(self.problems) > _SHOWN else ""
            raise ConfigurationError(
                f"{len(self.problems)} of {len(self.problems) + len(self.questions)} {what} questions cannot be used. "
                f"Mend them, or leave them out with --skip-bad.{shown}{more}"
            )
        if not self.questions:
            raise ConfigurationError(f"There is no {what} question in these files. Check that they are the right ones.")
        return list(self.questions.values())


def read_text(path: Path) -> str:
    """The text of a file.

    Raises:
        ConfigurationError: it cannot be read, or is no UTF-8.
    """
    try:
        return path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise ConfigurationError(
            f"{path} is not UTF-8 text (byte {error.start}). Save it as UTF-8 and run the same command again."
        ) from error
    except OSError as error:
        raise ConfigurationError(f"{path} cannot be read: {error.strerror}. Check the path.") from error


def read_json(path: Path) -> object:
    """The content of a JSON file.

    Raises:
        ConfigurationError: it cannot be read, or is no JSON.
    """
    try:
        return json.loads(read_text(path))
    except ValueError as error:
        raise ConfigurationError(f"{path} is not valid JSON: {error}. Check that it is the right file.") from error


def read_csv(path: Path, columns: Sequence[str]) -> Iterator[tuple[int, Mapping[str, str]]]:
    """Rows of a CSV file by column, each with its line.

    Raises:
        ConfigurationError: it cannot be read, or a column is missing.
    """
    reader = csv.DictReader(io.StringIO(read_text(path), newline=""), restkey="", strict=True)
    try:
        found = reader.fieldnames or ()
        if missing := [one for one in columns if one not in found]:
            raise ConfigurationError(
                f"{path} has no column {', '.join(missing)}. It has: {', '.join(found) or 'none'}. "
                "Check that it is the file of this data set."
            )
        for row in reader:
            # A cell too few is None, one too many a list; both are told of when the row is made a question.
            yield reader.line_num, {name: cell for name, cell in row.items() if isinstance(cell, str)}
    except csv.Error as error:
        raise ConfigurationError(f"{path}, line {reader.line_num}: not valid CSV: {error}.") from error


def text_of(row: Mapping[str, object], name: str) -> str:
    """A text that is not empty."""
    value = row.get(name)
    if not isinstance(value, str):
        raise RowError(name, "is missing" if value is None else f"is {value!r} and not a text")
    if not value.strip():
        raise RowError(name, "is empty")
    return value.strip()


def integer_of(row: Mapping[str, object], name: str) -> int:
    """A whole number, as such or as text."""
    value = row.get(name)
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    if isinstance(value, str) and value.strip().lstrip("-").isdecimal():
        return int(value)
    raise RowError(name, "is missing" if value is None else f"is {value!r} and not a whole number")


def seconds_of(value: object, name: str) -> float:
    """A time from the start of a video."""
    if isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value):
        return float(value)
    raise RowError(name, f"is {value!r} and not a number of seconds")


def spans_of(value: object, name: str) -> tuple[Span, ...]:
    """A list of ``[start, end]``."""
    if not isinstance(value, list):
        raise RowError(name, f"is {value!r} and not a list of [start, end]")
    spans: list[Span] = []
    for pair in items(cast("object", value)):
        ends = items(pair)
        if len(ends) != 2:
            raise RowError(name, f"{pair!r} is not [start, end]")
        spans.append((seconds_of(ends[0], name), seconds_of(ends[1], name)))
    return tuple(spans)


def items(value: object) -> list[object]:
    """The items of a JSON list; none of anything else."""
    return cast("list[object]", value) if isinstance(value, list) else []  # json makes lists of whatever it finds


def fields(value: object) -> dict[str, object]:
    """The fields of a JSON object; none of anything else."""
    return cast("dict[str, object]", value) if isinstance(value, dict) else {}  # json's keys are texts


def _check(question: Question) -> None:
    count = len(question.options)
    if question.answer is None and not question.spans:
        raise RowError("answer", "is missing, and there are no spans either")
    if question.answer is not None and count < 2:
        raise RowError("options", f"has {count} and not at least two")
    if question.answer is not None and not 0 <= question.answer < count:
        raise RowError("answer", f"{question.answer} is none of the {count} options, which count from 0")
    for start_s, end_s in question.spans:
        if start_s < 0 or end_s <= start_s:
            raise RowError("spans", f"[{start_s:g}, {end_s:g}] does not end after it starts, from 0 on")
        if question.duration_s is not None and end_s > question.duration_s + _PAST_END_S:
            raise RowError(
                "spans", f"[{start_s:g}, {end_s:g}] lies outside the video, which is {question.duration_s:g} s long"
            )
