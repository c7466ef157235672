"""Ten moments that tell of a whole video."""

from __future__ import annotations

from ravu_kg.reasoning.hierarchy import spread
from ravu_kg.reasoning.judging import RuleJudge, content_words
from ravu_kg.reasoning.protocols import Glimpse


def a_glimpse(time_s: float, score: float, text: str = "A dog runs.") -> Glimpse:
    return Glimpse(time_s, "v#1", text, score)


def chosen(glimpses: list[Glimpse], count: int) -> list[int]:
    assert RuleJudge().select("x", glimpses, count) == spread(glimpses, content_words, count)
    return spread(glimpses, content_words, count)


def test_each_stretch_of_time_gives_one_and_of_equals_the_nearest() -> None:
    crowded = [a_glimpse(float(second), 0.9 - second / 1000) for second in range(20)]
    rest = [a_glimpse(20.0 + second, 0.5 + (second % 20) / 1000) for second in range(80)]
    glimpses = [*crowded, *rest]
    assert sorted(glimpses[one].timestamp_s for one in chosen(glimpses, 5)) == [0.0, 39.0, 59.0, 79.0, 99.0]


def test_what_is_said_most_is_told_most_however_near_the_rest_is() -> None:
    told = ["A dog runs."] * 6 + ["A cat sleeps."] * 3 + ["A bird sings."]
    glimpses = [a_glimpse(0.0, 0.9 if "bird" in text else 0.1, text) for text in told]
    texts = [glimpses[one].text for one in chosen(glimpses, 3)]
    assert sorted(texts) == ["A cat sleeps.", "A dog runs.", "A dog runs."]


def test_empty_stretches_are_made_up_for() -> None:
    glimpses = [a_glimpse(0.0, 0.2), a_glimpse(1.0, 0.9), a_glimpse(2.0, 0.8), a_glimpse(100.0, 0.1)]
    assert chosen(glimpses, 3) == [1, 3, 2]
    assert chosen(glimpses, 9) == [1, 3, 2, 0]
    assert chosen([], 3) == []
