"""EgoSchema: one question on each three-minute video, in JSON."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path

from ravu_kg.errors import ConfigurationError
from ravu_kg.evaluation.datasets.checking import Checked, RowError, fields, integer_of, items, read_json, text_of
from ravu_kg.evaluation.questions import Question

_LENGTH_S = 180.0


def read(files: Sequence[Path], checked: Checked) -> None:
    """Questions of ``subset_anno.json`` or ``questions.json``; ``subset_answers.json`` beside them holds answers.

    Questions without an answer are left out when other ones have it: only 500 of the 5,031 answers are public.

    Raises:
        ConfigurationError: a file cannot be read, or holds neither questions nor answers.
    """
    answers: dict[str, object] = {}
    questions: list[tuple[Path, Mapping[str, object]]] = []
    for path in files:
        data = read_json(path)
        entries = list(_entries(data))
        if entries:
            questions += [(path, entry) for entry in entries]
        elif found := {key: value for key, value in fields(data).items() if isinstance(value, int)}:
            answers.update(found)
        else:
            raise ConfigurationError(
                f"{path} holds no EgoSchema questions or answers. Give subset_anno.json, or questions.json together "
                "with subset_answers.json."
            )
    for path, entry in questions:
        if answers and "truth" not in entry and entry.get("q_uid") not in answers:
            continue
        checked.add(path, None, partial(_question, entry, answers))


def _entries(data: object) -> Iterator[Mapping[str, object]]:
    for value in items(data) or fields(data).values():
        entry = fields(value)
        if "question" in entry:
            yield entry


def _question(entry: Mapping[str, object], answers: Mapping[str, object]) -> Question:
    name = text_of(entry, "q_uid")
    try:
        truth = integer_of(entry if "truth" in entry else {"truth": answers.get(name)}, "truth")
        return Question(
            id=name,
            video=name,
            question=text_of(entry, "question"),
            options=tuple(text_of(entry, f"option {number}") for number in range(5)),
            answer=truth,
            type="all",
            group="all",
            duration_s=_LENGTH_S,
        )
    except RowError as error:
        raise RowError(f"{name}: {error.field}", str(error)) from error
