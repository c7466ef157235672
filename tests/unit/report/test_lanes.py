from __future__ import annotations

import sys

import click
import pytest

from ravu_kg.cli import lanes
from ravu_kg.reasoning.plan import Plan
from ravu_kg.reasoning.records import Answer, CoverageReport, Evidence
from ravu_kg.report.records import ShownEntity
from ravu_kg.types import Usage


@pytest.mark.parametrize(
    ("start_s", "end_s", "drawn"),
    [
        (0, 10, "━━━━━━━━━━"),
        (0, 0.5, "━·········"),
        (5, 7.2, "·····━━━··"),
        (9.9, 12, "·········━"),
        (12, 15, "·········━"),
    ],
)
def test_a_lane_shows_when_somebody_is_there(start_s: float, end_s: float, drawn: str):
    assert lanes.lane(start_s, end_s, 10.0, 10) == drawn


def an_answer(*evidence: Evidence, intervals: tuple[tuple[float, float], ...] = ()) -> Answer:
    return Answer(
        answer="Yes.",
        option=None,
        margin=0.0,
        method={},
        evidence=evidence,
        plan=Plan.model_validate({"steps": [{"function": "get_global_context", "arguments": {}, "save_as": "all"}]}),
        trace=(),
        usage=Usage(),
        coverage=CoverageReport(10, 10, 0, 0),
        intervals=intervals,
        video_id="v",
    )


ENTITIES = [
    ShownEntity("v#1", "v#1", "person", "", "#ff0000", 0.0, 5.0),
    ShownEntity("v#2", "v#2", "dog", "", "#0000ff", 5.0, 10.0, "Rex"),
    ShownEntity("v#3", "v#3", "cat", "", "#00ff00", 5.0, 10.0),
]


def test_entities_times_and_evidence_stand_below_each_other(capsys: pytest.CaptureFixture[str]):
    answer = an_answer(
        Evidence(0.0, 0, ("v#1",), "a", 1.0, "x"),
        Evidence(5.0, 5, ("v#1", "v#2"), "a", 1.0, "y"),
        intervals=((0.0, 2.0), (8.0, 8.1)),
    )

    lanes.print_lanes(answer, ENTITIES, 10.0)

    printed = capsys.readouterr().out.splitlines()
    assert [line[:9].strip() for line in printed] == ["Timeline", "#1 person", "#2 Rex", "answer", "evidence"]
    assert printed[0].endswith("0:10")
    assert printed[1][11:] == "━" * 25 + "·" * 23
    assert printed[2][11:] == "·" * 24 + "━" * 24
    assert printed[3][11:] == "├────────┤" + " " * 28 + "│"
    assert printed[4][11:] == "▲" + " " * 23 + "▲"


def test_a_terminal_shows_lanes_in_colour_and_never_wider_than_it_is(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    monkeypatch.setenv("COLUMNS", "50")
    lanes.print_lanes(an_answer(Evidence(9.0, 9, ("v#2",), "a", 1.0, "x")), ENTITIES, 10.0)

    printed = capsys.readouterr().out.splitlines()
    assert "\x1b[38;2;0;0;255m" in printed[1]
    assert max(len(click.unstyle(line)) for line in printed) < 50


def test_a_terminal_that_knows_no_lines_gets_plain_signs(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(sys, "stdout", type("Old", (), {"encoding": "ascii"}))

    assert lanes.lane(5, 7.2, 10.0, 10) == ".....===.."
