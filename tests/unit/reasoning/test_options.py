from __future__ import annotations

from collections.abc import Sequence

import pytest

from ravu_kg.reasoning.options import option_scores
from ravu_kg.reasoning.plan import GetGlobalContext, Plan, Step
from ravu_kg.reasoning.records import CoverageReport, Evidence, Execution, Found, Span

PLAN = Plan(steps=(Step(function="get_global_context", arguments=GetGlobalContext(), save_as="context"),))


class NoMeaning:
    def support(self, execution: Execution, options: Sequence[str]) -> list[float]:
        return [0.5] * len(options)

    def telling(self, execution: Execution) -> None:
        return None


def an_execution(count: int | None = None, said: str = "A person stands still.") -> Execution:
    found = Found("count", "count_nodes", count=count)
    evidence = (Evidence(1.0, 1, ("v#1",), "count", 1.0, said),) if said else ()
    return Execution(PLAN, "v", evidence, (), {"count": found}, CoverageReport(9, 9, 0, 0), duration_s=9.0)


@pytest.mark.parametrize(
    ("options", "text", "spans", "right"),
    [
        (["person 1", "person 2", "a dog"], "Person 2 comes next, at 23.0 s.", (), 1),
        (["the first person", "the second person"], "Person 2 comes next, at 23.0 s.", (), 1),
        (["yes", "no"], "No. The memory has nothing that matches 'cat'.", (), 1),
        (["No, never.", "Yes, once."], "Yes. The dog comes back at 3.4 s.", (), 1),
        (["at 10 seconds", "at 23 seconds", "at 90 seconds"], "It comes at 23.0 s.", ((23.0, 23.0),), 1),
        (["0-1 s", "2.5-3.3 s", "5-6 s"], "It is away.", ((2.4, 3.3),), 1),
        (["between 0:05 and 0:06", "between 0:02 and 0:03"], "It is away.", ((2.4, 3.3),), 1),
        (["at the beginning", "in the middle", "at the end"], "It is away.", ((4.0, 5.0),), 1),
        (["from the left", "from the right"], "From the right.", (), 1),
        (["sits", "stands still"], "1.0 s: A person stands still.", (), 1),
    ],
)
def test_what_was_found_chooses(options: list[str], text: str, spans: tuple[Span, ...], right: int) -> None:
    scores = option_scores(options, an_execution(), NoMeaning(), text, spans)
    assert scores.index(max(scores)) == right
    assert sorted(scores)[-2] < max(scores) <= 1


@pytest.mark.parametrize("options", [["4", "6", "8"], ["four people", "six people", "ten people"]])
def test_a_number_that_was_counted_chooses(options: list[str]) -> None:
    assert option_scores(options, an_execution(count=6), NoMeaning(), "6 people.", ()) == pytest.approx(
        [1 / 3, 1, 1 / 3], abs=0.2
    )


def test_nobody_is_right_when_nothing_was_found() -> None:
    scores = option_scores(
        ["person 1", "nobody"], an_execution(said=""), NoMeaning(), "The memory does not show it.", ()
    )
    assert scores[1] > scores[0]
