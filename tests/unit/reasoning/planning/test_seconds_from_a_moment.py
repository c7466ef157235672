"""Seconds before or after a moment: "3 seconds after the dog leaves"."""

from __future__ import annotations

import pytest

from ravu_kg.errors import PlanError
from ravu_kg.graph.records import VideoRow
from ravu_kg.reasoning.context import Context
from ravu_kg.reasoning.language import read_question
from ravu_kg.reasoning.plan import SampleEntityEvents, load_plan, offset_s, split_reference
from ravu_kg.reasoning.planner import RulePlanner
from ravu_kg.reasoning.records import Found, Interval


def times(question: str) -> list[object]:
    """What the step that refers to the anchor takes of it, after the side that is sampled."""
    step = next(one for one in RulePlanner().plan(question).steps if any("$anchor" in at for _, at in one.references()))
    taken: list[object] = [time for name, time in step.references() if name != "node"]
    if isinstance(step.arguments, SampleEntityEvents):
        return [step.arguments.events_to_sample.direction, *taken]
    return taken


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("What happens 3 seconds after the dog leaves?", ["around", "$anchor.end_s+3"]),
        ("3 seconds after the dog leaves, what does the woman do?", ["around", "$anchor.end_s+3"]),
        ("what happens at exactly three seconds after the dog leaves", ["around", "$anchor.end_s+3"]),
        ("What does the woman do half a second before the dog leaves?", ["around", "$anchor.start_s-0.5"]),
        ("what happens 2 minutes after the dog leaves", ["around", "$anchor.end_s+120"]),
        ("How many people are there 5 seconds after the dog leaves?", ["$anchor.end_s+5"]),
        ("Is the man there 2 s before the dog leaves?", ["$anchor.start_s-2.5", "$anchor.start_s-1.5"]),
        ("How many people come within 5 seconds after the dog leaves?", ["$anchor.end_s", "$anchor.end_s+5"]),
        (
            "When does the man sit down in the first 5 seconds after the dog leaves?",
            ["$anchor.end_s", "$anchor.end_s+5"],
        ),
        ("When did the man sit down in the 4 seconds before the dog left?", ["$anchor.start_s-4", "$anchor.start_s"]),
        ("What does the man do a few seconds after the dog leaves?", ["after", "$anchor"]),
        ("What does the man do right after the dog leaves?", ["after", "$anchor"]),
        ("Why does the man stand for 3 seconds when the dog leaves?", ["around", "$anchor"]),
    ],
)
def test_the_seconds_are_kept(question: str, expected: list[object]) -> None:
    assert times(question) == expected


def test_the_length_is_no_part_of_what_is_searched_for() -> None:
    reading = read_question("what does the woman do 3 seconds after the dog leaves")
    assert reading.main == "the woman"
    assert reading.clause is not None
    assert (reading.clause.words, reading.clause.gap_s, reading.stretch, reading.at_s) == (
        "the dog leaves",
        3,
        None,
        None,
    )


def test_a_reference_may_add_seconds_to_a_time_of_a_step() -> None:
    assert (split_reference("$anchor.end_s+2.5"), offset_s("$anchor.end_s+2.5")) == (("anchor", "end_s"), 2.5)
    assert offset_s("$anchor.start_s-3") == -3
    assert offset_s("$anchor") == 0
    plan = RulePlanner().plan("What happens 3 seconds after the dog leaves?")
    assert load_plan(plan.to_json()) == plan


@pytest.mark.parametrize(
    "reference",
    ["$anchor+3", "$anchor.end_s+", "$anchor.end_s+3s", "$anchor.end_s*3", "$anchor.end_s+1e9", "$other.end_s+3"],
)
def test_other_sums_are_refused(reference: str) -> None:
    plan = (
        '{"steps": [{"function": "localize_node", "arguments": {"query": "the dog leaves"}, "save_as": "anchor"}, '
        '{"function": "sample_entity_events", "save_as": "events", "arguments": {"sample_start_time": "%s", '
        '"events_to_sample": {"direction": "around", "count": 3}}}]}'
    )
    with pytest.raises(PlanError, match=r"reference|refers to"):
        load_plan(plan % reference)


def test_the_seconds_are_added_to_what_a_step_has_found() -> None:
    video = VideoRow("v", "", None, 30.0, 30, 30, 1.0, 640, 360, "ready")
    context = Context(video, None, None, None)  # type: ignore[arg-type]
    context.bindings["anchor"] = Found("anchor", "localize_node", intervals=(Interval(4.0, 8.0),))
    assert context.moment("$anchor.end_s+3", "end_s") == 11.0
    assert context.moment("$anchor.start_s-1.5", "end_s") == 2.5
    assert context.moment("$anchor.start_s-9", "end_s") == 0.0
    assert context.spans("$anchor.end_s+3", "start_s") == [(11.0, 11.0)]
    assert context.spans("$anchor", "start_s") == [(4.0, 8.0)]
