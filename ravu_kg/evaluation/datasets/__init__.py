"""Readers of question data sets, each by its name."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from ravu_kg.errors import UsageError
from ravu_kg.evaluation.datasets import egoschema, nextqa, own, star
from ravu_kg.evaluation.datasets.checking import Checked, Problem
from ravu_kg.evaluation.questions import Question

__all__ = ["DATASETS", "DataSet", "Problem", "read_questions"]


@dataclass(frozen=True, slots=True)
class DataSet:
    """A form that questions come in."""

    title: str
    files: str
    """What to give, in words."""
    read: Callable[[Sequence[Path], Checked], None]


DATASETS: Mapping[str, DataSet] = {
    "nextqa": DataSet("NExT-QA", "val.csv or test.csv; gsub_val.json for the spans", nextqa.read),
    "nextgqa": DataSet("NExT-GQA", "val.csv and gsub_val.json of NExT-GQA", nextqa.read_grounded),
    "intentqa": DataSet("IntentQA", "test.csv", nextqa.read),
    "egoschema": DataSet("EgoSchema", "subset_anno.json, or questions.json and subset_answers.json", egoschema.read),
    "star": DataSet("STAR", "its JSON files of questions", star.read),
    "own": DataSet("Own questions", "JSON Lines, one question a line", own.read),
}


def read_questions(
    name: str,
    files: Sequence[Path],
    *,
    skip_bad: bool = False,
    on_problem: Callable[[Problem], None] | None = None,
) -> list[Question]:
    """The questions of a data set.

    Args:
        name: of the data set.
        files: see :data:`DATASETS`.
        skip_bad: leave out what cannot be used, instead of refusing all.
        on_problem: is told of each row that is left out.

    Raises:
        UsageError: no such data set.
        ConfigurationError: a file cannot be read or lacks a column; without ``skip_bad`` also a row that cannot be
            used: an id twice, an answer that is no option, a span outside the video.
    """
    if name not in DATASETS:
        near = difflib.get_close_matches(name, DATASETS, n=1)
        hint = f" Did you mean {near[0]}?" if near else ""
        raise UsageError(f"There is no data set {name!r}. There are: {', '.join(DATASETS)}.{hint}")
    checked = Checked(skip_bad)
    DATASETS[name].read(files, checked)
    questions = checked.done(DATASETS[name].title)
    for problem in checked.problems if on_problem else ():
        assert on_problem is not None  # by the line above
        on_problem(problem)
    return questions
