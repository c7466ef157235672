"""One's own questions: JSON Lines, described in ``ravu_kg/evaluation/README.md``."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path

from ravu_kg.evaluation.datasets.checking import (
    Checked,
    RowError,
    fields,
    integer_of,
    items,
    read_text,
    seconds_of,
    spans_of,
    text_of,
)
from ravu_kg.evaluation.questions import GROUPS, Question

_FIELDS = ("id", "video", "question", "options", "answer", "type", "group", "spans", "duration_s")


def read(files: Sequence[Path], checked: Checked) -> None:
    """One question a line.

    Raises:
        ConfigurationError: a file cannot be read.
    """
    for path in files:
        for line, text in enumerate(read_text(path).splitlines(), start=1):
            if text.strip():
                checked.add(path, line, partial(_question, text))


def _question(text: str) -> Question:
    try:
        value: object = json.loads(text)
    except ValueError as error:
        raise RowError("", f"not valid JSON: {error}") from error
    entry = fields(value)
    if not entry:
        raise RowError("", "is not a JSON object")
    if unknown := sorted(set(entry) - set(_FIELDS)):
        raise RowError(unknown[0], f"is no field of a question; there are {', '.join(_FIELDS)}")
    kind = text_of(entry, "type") if "type" in entry else "all"
    return Question(
        id=text_of(entry, "id"),
        video=text_of(entry, "video"),
        question=text_of(entry, "question"),
        options=_options(entry),
        answer=None if entry.get("answer") is None else integer_of(entry, "answer"),
        type=kind,
        group=text_of(entry, "group") if "group" in entry else GROUPS.get(kind, kind),
        spans=spans_of(entry["spans"], "spans") if "spans" in entry else (),
        duration_s=seconds_of(entry["duration_s"], "duration_s") if "duration_s" in entry else None,
    )


def _options(entry: Mapping[str, object]) -> tuple[str, ...]:
    told = entry.get("options", [])
    if not isinstance(told, list):
        raise RowError("options", f"is {told!r} and not a list of texts")
    return tuple(text_of({"options": option}, "options") for option in items(entry.get("options")))
