"""Ten moments from all over a video."""

from __future__ import annotations

from ravu_kg.reasoning.hierarchy import spread
from ravu_kg.reasoning.judging import RuleJudge
from ravu_kg.reasoning.protocols import Glimpse


def a_glimpse(time_s: float, score: float, text: str = "") -> Glimpse:
    return Glimpse(time_s, "v#1", text or f"At {time_s}.", score)


def test_each_stretch_of_time_gives_its_best_moment() -> None:
    crowded = [a_glimpse(float(second), 0.9 - second / 1000) for second in range(20)]
    rest = [a_glimpse(20.0 + second, 0.5 + (second % 20) / 1000) for second in range(80)]
    glimpses = [*crowded, *rest]
    times = sorted(glimpses[one].timestamp_s for one in spread(glimpses, 5))
    assert times == [0.0, 39.0, 59.0, 79.0, 99.0]
    assert RuleJudge().select("x", glimpses, 5) == spread(glimpses, 5)


def test_empty_stretches_are_made_up_for_by_the_next_best() -> None:
    glimpses = [a_glimpse(0.0, 0.2), a_glimpse(1.0, 0.9), a_glimpse(2.0, 0.8), a_glimpse(100.0, 0.1)]
    assert spread(glimpses, 3) == [1, 3, 2]
    assert spread(glimpses, 9) == [1, 3, 2, 0]
    assert spread([], 3) == []


def test_what_is_said_twice_comes_last() -> None:
    glimpses = [a_glimpse(0.0, 0.9, "same"), a_glimpse(50.0, 0.8, "same"), a_glimpse(99.0, 0.1)]
    assert spread(glimpses, 3) == [0, 2, 1]
    near = [a_glimpse(0.0, 0.9, "same"), a_glimpse(1.0, 0.8, "same"), a_glimpse(2.0, 0.7), a_glimpse(100.0, 0.1)]
    assert spread(near, 4) == [0, 3, 2, 1]
