"""Seconds from a moment are looked up in the graph: the dog of the park leaves at 8 s and is back at 12 s."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from ravu_kg.reasoning.records import Answer

pytestmark = pytest.mark.neo4j


@pytest.mark.parametrize(
    ("question", "from_s", "to_s"),
    [
        ("What happens 10 seconds after the dog leaves?", 17.0, 19.0),
        ("10 seconds after the dog leaves, what happens?", 17.0, 19.0),
        ("What does the person in blue do 14 seconds after the dog leaves?", 21.0, 23.0),
        ("What happens 5 seconds before the dog leaves?", 2.0, 4.0),
    ],
)
def test_the_evidence_is_at_the_second_that_is_meant(
    ask: Callable[..., Answer], question: str, from_s: float, to_s: float
) -> None:
    evidence = ask(question).evidence
    assert evidence
    for one in evidence:
        start_s, end_s = one.start_s, one.end_s
        assert start_s is not None
        assert end_s is not None
        assert start_s < to_s
        assert end_s > from_s


@pytest.mark.parametrize(("seconds", "people"), [(3, 1), (10, 2)])
def test_people_are_counted_at_the_second_that_is_meant(ask: Callable[..., Answer], seconds: int, people: int) -> None:
    assert ask(f"How many people are there {seconds} seconds after the dog leaves?").answer.startswith(str(people))


@pytest.mark.parametrize(("seconds", "said"), [(3, "No"), (10, "Yes")])
def test_a_yes_or_no_is_about_the_second_that_is_meant(ask: Callable[..., Answer], seconds: int, said: str) -> None:
    assert ask(f"Is the person in red there {seconds} seconds after the dog leaves?").answer.startswith(said)
