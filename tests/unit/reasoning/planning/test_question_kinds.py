"""The kinds of a question are a set, and those of NExT-QA's questions are the kinds of their types."""

from __future__ import annotations

from pathlib import Path

import pytest

from ravu_kg.evaluation.planning import (
    DECIDED_BY_WORDS,
    KindTable,
    invalid_plans,
    kind_table,
    main,
    of_another_kind,
    read_typed,
)
from ravu_kg.evaluation.questions import Question
from ravu_kg.reasoning.language import read_question


@pytest.fixture(scope="module")
def questions(data_dir: Path) -> list[Question]:
    return read_typed(data_dir / "nextqa" / "val.csv")


@pytest.fixture(scope="module")
def table(questions: list[Question]) -> KindTable:
    return kind_table(questions)


@pytest.mark.parametrize(
    ("question", "kinds"),
    [
        ("where does the dog go after it jumps", {"place", "after"}),
        ("how many people are there before the man leaves", {"count", "before"}),
        ("why did the girl laugh when the boy fell", {"why", "while"}),
        ("how did the girl react when she saw the camera after she turned back", {"how", "while", "after"}),
        ("what does the woman do next", {"what", "after"}),
        ("what does the boy do after the middle of the video", {"what", "after"}),
        ("what did the lady do just before the end of the video", {"what", "before"}),
        ("where is this place", {"place"}),
        ("what colour is the dog", {"color"}),
        ("why did the man look after the baby", {"why"}),
        ("why is the dog following the man", {"why"}),
        ("why is the man dressed as a clown", {"why"}),
        ("why is the girl holding the toy till the end", {"why"}),
        ("why did the dog run after the ball", {"why"}),
        ("why did the dog run after the ball was thrown", {"why", "after"}),
    ],
)
def test_a_question_has_every_kind_that_is_asked(question: str, kinds: set[str]) -> None:
    assert read_question(question).kinds == kinds


@pytest.mark.parametrize("kind", DECIDED_BY_WORDS)
def test_questions_have_the_kind_of_their_type(questions: list[Question], table: KindTable, kind: str) -> None:
    assert table.totals[kind] > 0
    if table.share([kind]) < 0.98:
        missing = "\n".join(one.question for one in of_another_kind(questions, [kind]))
        pytest.fail(f"\n{table}\n{missing}")


def test_questions_of_other_types_are_not_taken_for_counting_or_places(table: KindTable) -> None:
    others = ("CW", "CH", "TP", "TN")
    for kind in ("count", "place"):
        wrong = sum(table.counts[one][kind] for one in others)  # type: ignore[index]
        assert wrong <= 0.02 * sum(table.totals[one] for one in others), f"{kind}\n{table}"


def test_every_plan_of_val_is_valid(questions: list[Question]) -> None:
    assert invalid_plans(questions[::4]) == []


def test_the_table_names_what_lacks_its_kind(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "few.csv"
    file.write_text(
        "video,question,qid,type\n1,what does the man do after he falls,1,TN\n1,where is this place,2,DL\n"
        "2,what does the man do,3,TN\n",
        encoding="utf-8",
    )
    assert main([str(file)]) == 0
    printed = capsys.readouterr().out
    assert "TN 2/3: what does the man do" in printed
    assert "TP, TN, DC, DL together: 2 of 3 (66.67%)" in printed
    assert "3 of 3 plans are valid" in printed


def test_a_file_without_the_columns_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "other.csv"
    file.write_text("video,text\n1,hello\n", encoding="utf-8")
    assert main([str(file)]) == 3
    assert "has no column question, qid, type" in capsys.readouterr().err


def test_a_question_that_is_empty_counts_as_one_without_a_plan() -> None:
    empty = Question("v/1", "v", "  ", type="TN")
    assert [(one, "empty" in reason) for one, reason in invalid_plans([empty])] == [(empty, True)]
