"""NExT-QA and IntentQA (questions in CSV), and NExT-GQA (the same with the seconds in which the answer is seen)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from ravu_kg.errors import ConfigurationError
from ravu_kg.evaluation.datasets.checking import (
    Checked,
    RowError,
    fields,
    integer_of,
    read_csv,
    read_json,
    seconds_of,
    spans_of,
    text_of,
)
from ravu_kg.evaluation.questions import GROUPS, Question
from ravu_kg.types import Span

_OPTIONS = ("a0", "a1", "a2", "a3", "a4")
_ReadAnswer = Callable[[Mapping[str, str], Sequence[str]], int]
_ROUNDING_S = 0.5
_COLUMNS = ("question", "answer", "qid", "type", *_OPTIONS)


@dataclass(frozen=True, slots=True)
class _Seen:
    duration_s: float
    spans: Mapping[str, object]
    """By question, unchecked."""


def read(files: Sequence[Path], checked: Checked) -> None:
    """Questions of NExT-QA or IntentQA; a JSON file beside the CSV files holds spans.

    Args:
        files: ``val.csv`` and the like, perhaps with ``gsub_val.json`` of NExT-GQA.
        checked: collects them.

    Raises:
        ConfigurationError: a file cannot be read, lacks a column, or there is no CSV file.
    """
    _read(files, checked, lambda row, _options: integer_of(row, "answer"))


def read_grounded(files: Sequence[Path], checked: Checked) -> None:
    """Questions of NExT-GQA, whose answers are texts; raises as :func:`read`, and without a file of spans.

    Args:
        files: ``val.csv`` and ``gsub_val.json``.
        checked: collects them.
    """
    if not any(path.suffix.lower() == ".json" for path in files):
        raise ConfigurationError("Name the file of spans as well, such as gsub_val.json.")
    _read(files, checked, _position_of_text)


def _read(files: Sequence[Path], checked: Checked, answer: _ReadAnswer) -> None:
    tables = [path for path in files if path.suffix.lower() != ".json"]
    if not tables:
        raise ConfigurationError("Name the CSV file with the questions, such as val.csv.")
    seen: dict[str, _Seen] = {}
    for path in files:
        if path not in tables:
            seen.update(_read_spans(path))
    for path in tables:
        for line, row in read_csv(path, _COLUMNS):
            checked.add(path, line, partial(_question, row, seen, answer))


def _question(row: Mapping[str, str], seen: Mapping[str, _Seen], answer: _ReadAnswer) -> Question:
    video = text_of(row, "video_id" if "video_id" in row else "video")
    number = text_of(row, "qid")
    options = tuple(text_of(row, name) for name in _OPTIONS)
    kind = text_of(row, "type")
    if kind not in GROUPS:
        raise RowError("type", f"{kind!r} is none of {', '.join(GROUPS)}")
    known = seen.get(video)
    spans: tuple[Span, ...] = ()
    if known is not None and number in known.spans:
        spans = tuple(_from_the_start(span) for span in spans_of(known.spans[number], "location"))
    return Question(
        id=f"{video}/{number}",
        video=video,
        question=text_of(row, "question"),
        options=options,
        answer=answer(row, options),
        type=kind,
        group=GROUPS[kind],
        spans=spans,
        duration_s=known.duration_s if known else None,
    )


def _from_the_start(span: Span) -> Span:
    """NExT-GQA's test split has spans that begin a tenth of a second or two before the video does."""
    return (max(0.0, span[0]), span[1]) if span[0] >= -_ROUNDING_S else span


def _position_of_text(row: Mapping[str, str], options: Sequence[str]) -> int:
    told = text_of(row, "answer")
    if told not in options:
        raise RowError("answer", f"{told!r} is none of the options")
    return options.index(told)


def _read_spans(path: Path) -> dict[str, _Seen]:
    videos: dict[str, _Seen] = {}
    for video, value in fields(read_json(path)).items():
        entry = fields(value)
        try:
            videos[video] = _Seen(seconds_of(entry.get("duration"), "duration"), fields(entry.get("location")))
        except RowError as error:
            raise ConfigurationError(f"{path}: video {video}: {error.field}: {error}.") from error
    if not videos:
        raise ConfigurationError(f"{path} holds no spans. Give the file gsub_val.json or gsub_test.json of NExT-GQA.")
    return videos
