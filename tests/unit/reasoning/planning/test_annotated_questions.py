"""What the rules make of 200 real questions, against what a person made of them."""

from __future__ import annotations

import csv
import json
import random
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from ravu_kg.reasoning.language import read_question
from ravu_kg.reasoning.reading import Reading

FILE = Path(__file__).with_name("annotated_questions.json")
ANNOTATED: list[dict[str, Any]] = json.loads(FILE.read_text(encoding="utf-8"))["questions"]
WITH_CONNECTIVE = [one for one in ANNOTATED if "direction" in one]
FOUND: Mapping[str, Callable[[Reading], str | None]] = {
    "entity": lambda reading: reading.subject,
    "anchor": lambda reading: reading.clause and reading.clause.words,
    "direction": lambda reading: reading.clause and reading.clause.connective,
    "anchor_entity": lambda reading: reading.clause and reading.clause.subject,
    "part": lambda reading: reading.part,
}


def plain(phrase: str | None) -> str | None:
    """Lower case, without articles and punctuation."""
    return phrase and " ".join(re.findall(r"(?!\b(?:an?|the)\b)\b\w+", phrase.lower()))


def is_right(one: Mapping[str, Any], field: str) -> bool:
    wanted = one.get(field)
    found = FOUND[field](read_question(one["question"]))
    return plain(found) in [plain(each) for each in (wanted if isinstance(wanted, list) else [wanted])]


def wrong(questions: list[dict[str, Any]], *fields: str) -> list[str]:
    return [
        f"{one['question']!r}: {field} is {FOUND[field](read_question(one['question']))!r}, not {one.get(field)!r}"
        for one in questions
        for field in fields
        if not is_right(one, field)
    ]


def share(questions: list[dict[str, Any]], *fields: str) -> float:
    return sum(all(is_right(one, field) for field in fields) for one in questions) / len(questions)


def test_there_are_enough_questions_with_a_connective_and_without() -> None:
    assert len(ANNOTATED) == 200
    assert 60 <= len(WITH_CONNECTIVE) <= 140


def test_anchor_entity_and_direction_are_right_where_there_is_a_connective() -> None:
    fields = ("entity", "anchor", "direction")
    assert share(WITH_CONNECTIVE, *fields) >= 0.9, "\n".join(wrong(WITH_CONNECTIVE, *fields))


@pytest.mark.parametrize("field", ["anchor_entity", "part"])
def test_who_acts_in_the_anchor_and_the_part_of_the_video_are_right(field: str) -> None:
    questions = WITH_CONNECTIVE if field == "anchor_entity" else ANNOTATED
    assert share(questions, field) >= 0.9, "\n".join(wrong(questions, field))


def test_a_question_without_a_connective_has_no_anchor_and_its_entity_is_found() -> None:
    without = [one for one in ANNOTATED if "direction" not in one]
    assert share(without, "direction") >= 0.97, "\n".join(wrong(without, "direction"))
    about = [one for one in without if "entity" in one]
    assert share(about, "entity") >= 0.9, "\n".join(wrong(about, "entity"))


def test_the_questions_are_those_that_the_seed_draws(data_dir: Path) -> None:
    with (data_dir / "nextqa" / "test.csv").open(encoding="utf-8") as file:
        drawn = random.Random(6).sample(list(csv.DictReader(file)), 200)
    ids = {(row["video"], row["qid"], row["question"]) for row in drawn}
    assert {(one["video"], one["qid"], one["question"]) for one in ANNOTATED} == ids
