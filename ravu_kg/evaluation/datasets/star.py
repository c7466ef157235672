"""STAR: interaction, sequence, prediction and feasibility over situation graphs, in JSON."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path

from ravu_kg.errors import ConfigurationError
from ravu_kg.evaluation.datasets.checking import Checked, RowError, fields, items, read_json, seconds_of, text_of
from ravu_kg.evaluation.questions import Question


def read(files: Sequence[Path], checked: Checked) -> None:
    """Questions of STAR's own files, and of the samples of its home page.

    The field ``answer`` of a sample's question holds its video; the right choice is the one marked ``Correct``.

    Raises:
        ConfigurationError: a file cannot be read, or holds no questions.
    """
    for path in files:
        data = read_json(path)
        entries = [fields(value) for value in items(data) or fields(data).values()]
        if not any("choices" in entry for entry in entries):
            raise ConfigurationError(f"{path} holds no STAR questions: none has choices. Check that it is the file.")
        for entry in entries:
            checked.add(path, None, partial(_question, entry))


def _question(entry: Mapping[str, object]) -> Question:
    name = text_of(entry, "question_id")
    try:
        choices = [fields(value) for value in items(entry.get("choices"))]
        options = tuple(text_of(choice, "choice") for choice in choices)
        right = [position for position, choice in enumerate(choices) if choice.get("answer") == "Correct"]
        if not right and entry.get("answer") in options:
            right = [options.index(text_of(entry, "answer"))]
        if len(right) != 1:
            raise RowError("choices", f"{len(right)} are marked Correct and not one")
        kind = name.partition("_")[0]
        return Question(
            id=name,
            video=text_of(entry, "video_id"),
            question=text_of(entry, "question"),
            options=options,
            answer=right[0],
            type=kind,
            group=kind,
            spans=((seconds_of(entry.get("start"), "start"), seconds_of(entry.get("end"), "end")),),
        )
    except RowError as error:
        raise RowError(f"{name}: {error.field}", str(error)) from error
