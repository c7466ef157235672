"""Which seconds, and which side of which moment, the rules make of the ways in which people name a time."""

from __future__ import annotations

import pytest

from ravu_kg.reasoning.plan import ExtractTemporalPart, LocalizeNode, Plan, SampleEntityEvents
from ravu_kg.reasoning.planner import RulePlanner

WHOLE = "whole"
"""No time is named, so that all of the video counts."""


def times_of(question: str) -> str:
    """``5-10`` for seconds kept to, ``@7`` for a moment, ``after <the dog leaves>`` for a clause."""
    plan: Plan = RulePlanner().plan(question)
    said: list[str] = []
    for step in plan.steps:
        arguments = step.arguments
        match arguments:
            case ExtractTemporalPart(target_part=str(part)):
                said.append(part)
            case ExtractTemporalPart():
                end = "" if arguments.end_s is None else f"{arguments.end_s:g}"
                said.append(f"{arguments.start_s or 0.0:g}-{end}")
            case LocalizeNode() if step.save_as == "anchor":
                state = arguments.state
                said.append(f"<{f'{state.subject} {state.name}' if state else f'about: {arguments.query}'}>")
            case SampleEntityEvents(sample_start_time=float(time_s)):
                said.append(f"@{time_s:g}")
            case _:
                said += [f"@{value:g}" for value in (getattr(arguments, "during", None),) if isinstance(value, float)]
        for name in ("sample_start_time", "after", "before", "during"):
            if str(getattr(arguments, name, "")).startswith("$anchor"):
                given = name if name in ("after", "before") else "around"
                if isinstance(arguments, SampleEntityEvents):
                    given = arguments.events_to_sample.direction
                said.append(given)
                said += [moved.removeprefix("$anchor.") for moved in [str(getattr(arguments, name))] if "+" in moved]
    return " ".join(said) or WHOLE


MOMENTS = [
    ("What happens at 0:07?", "@7"),
    ("What happens at 7 seconds?", "@7"),
    ("What happens at 7 s?", "@7"),
    ("What happens at second 7?", "@7"),
    ("What happens at seven seconds?", "@7"),
    ("What does the dog do at the seventh second?", "@7"),
    ("What happens at the 7-second mark?", "@7"),
    ("What happens at exactly fifteen seconds?", "@15"),
    ("What happens at around 12.5 seconds?", "@12.5"),
    ("What happens at t=7?", "@7"),
    ("What happens at t = 7 s?", "@7"),
    ("What happens twelve seconds in?", "@12"),
    ("What happens 7 seconds into the video?", "@7"),
    ("What happens at second twelve?", "@12"),
    ("What happens at twenty-five seconds?", "@25"),
    ("What happens near the 20th second?", "@20"),
    ("What happens a minute and a half in?", "@90"),
    ("What happens at one and a half minutes?", "@90"),
    ("What happens at 1 minute 20 seconds?", "@80"),
    ("What happens at one minute and twenty seconds?", "@80"),
    ("What happens at 1m20s?", "@80"),
    ("What happens at 1:20?", "@80"),
    ("What happens at 1:00:05?", "@3605"),
    ("What happens at 1 hour 2 minutes?", "@3720"),
    ("What happens five seconds after the start?", "@5"),
    ("Why is the woman laughing at 0:07?", "@7"),
    ("How many people are there at 0:07?", "@7"),
    ("Who is there at half a minute?", "@30"),
    ("Is the dog in the picture at seven seconds?", "6.5-7.5"),
]
STRETCHES = [
    ("What happens between 5 and 10 seconds?", "5-10"),
    ("What happens between five and ten seconds?", "5-10"),
    ("What happens between twelve and twenty-five seconds?", "12-25"),
    ("What happens from 0:05 to 0:10?", "5-10"),
    ("What happens from the fifth to the tenth second?", "5-10"),
    ("What happens in seconds 5 to 10?", "5-10"),
    ("What happens during seconds 3 through 6?", "3-6"),
    ("What happens in 5-10 s?", "5-10"),
    ("What happens in the first ten seconds?", "0-10"),
    ("What happens in the first twenty seconds?", "0-20"),
    ("What happens in the last ten seconds?", "-10-"),
    ("What happens in the last few seconds?", "-3-"),
    ("What happens in the first couple of seconds?", "0-2"),
    ("What happens in the first half minute?", "0-30"),
    ("What happens in the last half a minute?", "-30-"),
    ("What happens in the second minute?", "60-120"),
    ("What happens two seconds before the end?", "-2-"),
    ("What happens 5 s before the end of the video?", "-5-"),
    ("What happens after five seconds?", "5-"),
    ("What happens after a minute?", "60-"),
    ("What does the dog do after ten seconds?", "10-"),
    ("Why does the dog run after five seconds?", "5-"),
    ("Why did the boy fall in the last ten seconds?", "-10-"),
    ("How many people are there after one minute?", "60-"),
    ("How many dogs are visible between five and ten seconds?", "5-10"),
    ("What happens by the tenth second?", "0-10"),
    ("Does the dog come back within ten seconds?", "0-10"),
    ("What happens before 5 s?", "0-5"),
    ("How long is the dog there in the first ten seconds?", "0-10"),
    ("How often does the dog jump in the first ten seconds?", "0-10"),
]
PARTS = [
    ("What happens half way through the video?", "middle"),
    ("What happens at the half-way point?", "middle"),
    ("What is the dog doing midway?", "middle"),
    ("What happens in the first half of the video?", "first half"),
    ("What does the dog do in the second half?", "second half"),
    ("What happens in the last quarter of the video?", "last quarter"),
    ("What happens at the very end?", "end"),
]
CLAUSES = [
    ("What happens before the dog leaves?", "<the dog leaves> before"),
    ("What does the woman do right after the dog left?", "<the dog leaves> after"),
    ("What does the dog do while the woman throws the toy?", "<about: the woman throws the toy> around"),
    ("What does the dog do while the man in blue throws the ball?", "<about: the man in blue throws the ball> around"),
    ("While the man in blue threw the ball, what did the dog do?", "<about: the man in blue threw the ball> around"),
    ("What does the dog do while the man in blue jeans jumps?", "<about: the man in blue jeans jumps> around"),
    ("What does the dog do while the woman with glasses drinks?", "<about: the woman with glasses drinks> around"),
    ("How many people are there while the man in red sits down?", "<about: the man in red sits down> around"),
    ("What does the dog do during the man in red?", "<the man in red present> around"),
    ("What does the dog do while the woman in blue jeans is there?", "<the woman in blue jeans present> around"),
    ("Who is there while the dog is away?", "<the dog absent> around"),
    ("What happens 3 seconds after the dog leaves?", "<the dog leaves> around end_s+3"),
    ("What happens after the second person arrives?", "<the second person enters> after"),
    ("Why did the dog run away after the woman threw the toy?", "<about: the woman threw the toy> after"),
]  # fmt: skip
NO_TIME = [
    ("What does the second person do?", WHOLE),
    ("What happens after a second?", WHOLE),  # soon
    ("What happens after a few seconds?", WHOLE),
    ("Who walks halfway across the room?", WHOLE),
    ("How often does the person in blue throw the ball?", WHOLE),
    ("How long is the dog in the picture?", WHOLE),
    ("How many of the two men wear a hat?", WHOLE),
    ("What do the three dogs do?", WHOLE),
    ("What happens every ten seconds?", WHOLE),
]


@pytest.mark.parametrize(("question", "times"), [*MOMENTS, *STRETCHES, *PARTS, *CLAUSES, *NO_TIME])
def test_the_time_that_is_meant(question: str, times: str) -> None:
    assert times_of(question) == times


@pytest.mark.parametrize(
    ("question", "outline"),
    [
        ("How long is the video?", "get_global_context"),
        ("What is the length of this clip?", "get_global_context"),
        ("How long does the dog run?", "localize_node sample_entity_events"),
        ("How often does the dog jump?", "count_nodes"),
        ("How frequently does the woman throw the toy?", "count_nodes"),
    ],
)
def test_how_long_and_how_often(question: str, outline: str) -> None:
    assert " ".join(step.function for step in RulePlanner().plan(question).steps) == outline
