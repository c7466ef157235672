from __future__ import annotations

import pytest

from ravu_kg.reasoning.grounding.sought import sought_by
from ravu_kg.reasoning.plan import Plan, parse_plan
from ravu_kg.reasoning.planner import RulePlanner


def plan(question: str) -> Plan:
    return RulePlanner().plan(question)


def test_a_temporal_clause_is_the_moment_and_its_side_is_asked_for() -> None:
    sought = sought_by(plan("what does the dog do after the man throws the ball"))

    assert sought is not None
    assert (sought.anchor, sought.direction, sought.part) == ("the man throws the ball", "after", None)
    assert sought.main == "the dog"


@pytest.mark.parametrize(
    ("question", "direction"),
    [
        ("what does the dog do before the man throws the ball", "before"),
        ("what does the dog do while the man throws the ball", "around"),
        ("who comes in after the man throws the ball", "after"),
    ],
)
def test_the_side_of_the_moment(question: str, direction: str) -> None:
    sought = sought_by(plan(question))

    assert sought is not None
    assert sought.direction == direction


def test_what_surrounds_the_found_moment_is_no_other_moment() -> None:
    sought = sought_by(plan("why does the boy wave his hands"))

    assert sought is not None
    assert (sought.anchor, sought.direction) == (None, None)
    assert sought.main == "the boy wave his hands"


def test_a_part_of_the_video_that_is_named() -> None:
    sought = sought_by(plan("why does the boy wave at the end of the video"))

    assert sought is not None
    assert sought.part == "end"


def test_seconds_between_the_moment_and_what_is_asked() -> None:
    sought = sought_by(plan("what does the dog do 3 seconds after the man throws the ball"))

    assert sought is not None
    assert (sought.direction, sought.gap_s) == ("after", 3.0)


def test_an_edited_plan_without_a_question_is_looked_for_by_its_steps() -> None:
    edited = parse_plan(
        {
            "steps": [
                {"function": "localize_node", "arguments": {"query": "a man throws a ball"}, "save_as": "throw"},
                {"function": "identify_node", "arguments": {"query": "the dog"}, "save_as": "dog"},
                {
                    "function": "sample_entity_events",
                    "arguments": {
                        "node": "$dog",
                        "sample_start_time": "$throw",
                        "events_to_sample": {"direction": "after", "count": 3},
                    },
                    "save_as": "events",
                },
            ]
        }
    )

    sought = sought_by(edited)

    assert sought is not None
    assert (sought.main, sought.subject, sought.anchor) == ("the dog", "the dog", "a man throws a ball")


def test_a_view_of_the_whole_video_looks_for_nothing() -> None:
    whole = parse_plan({"steps": [{"function": "get_global_context", "arguments": {}, "save_as": "all"}]})

    assert sought_by(whole) is None
