"""Figures against small cases that were worked out by hand."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
from pydantic import ValidationError

from ravu_kg.evaluation import metrics
from ravu_kg.evaluation.results import Result, from_line, ranked_seconds


def a_result(number: int = 0, *, right: bool = True, video: str = "v", **changes: object) -> Result:
    result = Result(
        id=f"q{number}",
        video=video,
        type="TN",
        group="T",
        question="what does the dog do after it sits",
        options=("run", "eat"),
        truth=0,
        outcome="answered",
        option=0 if right else 1,
    )
    return replace(result, **changes)  # type: ignore[arg-type]


# --- accuracy ---


def test_blocked_questions_count_as_wrong_overall_and_not_at_all_otherwise():
    results = [a_result(0), a_result(1, right=False), a_result(2, option=None, outcome="refused")]
    assert metrics.accuracy(results) == metrics.Figure(1 / 3, 3)
    assert metrics.accuracy(results, overall=False) == metrics.Figure(1 / 2, 2)


def test_questions_of_videos_that_are_not_in_the_graph_do_not_count():
    results = [a_result(0), a_result(1, outcome="missing", option=None)]
    assert metrics.accuracy(results) == metrics.Figure(1.0, 1)


def test_failed_and_unknown_answers_count_as_wrong_and_questions_without_answers_not():
    results = [
        a_result(0),
        a_result(1, outcome="failed", option=None),
        a_result(2, outcome="unknown", option=None),
        a_result(3, truth=None, options=(), option=None),
    ]
    assert metrics.accuracy(results) == metrics.Figure(1 / 3, 3)


def test_no_question_gives_no_figure():
    assert math.isnan(metrics.accuracy([]).value)


# --- grounding ---


def test_evidence_half_inside_the_span():
    # Seconds 3, 4, 5, 9, 20 of a span 4.5 to 6: half of second 4 and all of second 5.
    result = a_result(seconds=(3, 4, 5, 9, 20, 21), spans=((4.5, 6.0),))
    assert metrics.iop(result) == pytest.approx(1.5 / 5)
    assert metrics.iou(result) == pytest.approx(1.5 / (5 + 1.5 - 1.5))


def test_spans_that_overlap_count_once():
    result = a_result(seconds=(2,), spans=((1.0, 3.0), (2.0, 4.0)))
    assert metrics.iop(result) == 1.0
    assert metrics.iou(result) == pytest.approx(1 / 3)


def test_the_best_second_is_in_a_span_when_its_centre_is():
    assert metrics.top_second_in_span(a_result(seconds=(4, 0), spans=((4.5, 9.0),)))
    assert not metrics.top_second_in_span(a_result(seconds=(4, 5), spans=((4.6, 9.0),)))
    assert not metrics.top_second_in_span(a_result(seconds=(4,), spans=((0.0, 4.5),)))  # half-open
    assert not metrics.top_second_in_span(a_result(seconds=(), spans=((0.0, 4.5),)))


def test_fewer_seconds_than_five_are_all_of_the_evidence_and_none_is_nothing():
    assert metrics.iop(a_result(seconds=(1, 8), spans=((0.0, 2.0),))) == 0.5
    assert metrics.iop(a_result(seconds=(), spans=((0.0, 2.0),))) == 0.0


def test_an_answer_is_grounded_when_it_is_right_and_half_of_its_evidence_is_true():
    spans = ((0.0, 2.0),)
    assert metrics.grounded(a_result(seconds=(1, 8), spans=spans))
    assert not metrics.grounded(a_result(seconds=(1, 8, 9), spans=spans))
    assert not metrics.grounded(a_result(seconds=(1,), spans=spans, right=False))


def test_seconds_are_distinct_and_ranked_by_their_best_score():
    assert ranked_seconds([(7.0, 0.5), (3.9, 0.9), (7.8, 0.95), (1.0, 0.9)]) == [7, 1, 3]


def test_a_mean_leaves_out_what_has_no_span():
    results = [
        a_result(0, seconds=(1,), spans=((0.0, 2.0),)),
        a_result(1, seconds=(1,)),
        a_result(2, outcome="missing"),
    ]
    assert metrics.mean_of(results, metrics.iop) == metrics.Figure(1.0, 1)


# --- cost ---


def test_tokens_and_price_are_means_and_an_unknown_price_makes_the_mean_unknown():
    paid = a_result(0, input_tokens=100, output_tokens=10, cost_usd=0.02)
    assert metrics.cost([paid, a_result(1, input_tokens=300, cost_usd=0.04)]).cost_usd == pytest.approx(0.03)
    assert metrics.cost([paid, a_result(1, cost_usd=None)]).cost_usd is None
    assert metrics.cost([paid, a_result(1, outcome="missing")]).input_tokens == 100


# --- how sure ---


def test_an_interval_resamples_whole_videos():
    # Every video is all right or all wrong: with questions drawn one by one the interval would be far too narrow.
    results = [a_result(number, video=f"v{number // 10}", right=number // 10 < 4) for number in range(80)]
    low, high = metrics.interval(results, lambda one: one.right, seed=3)
    assert (low, high) == metrics.interval(results, lambda one: one.right, seed=3)
    assert low <= 0.25
    assert high >= 0.75


def test_an_interval_of_what_never_varies_is_a_point():
    results = [a_result(number, video=f"v{number}") for number in range(5)]
    assert metrics.interval(results, lambda one: one.right) == (1.0, 1.0)
    assert all(math.isnan(end) for end in metrics.interval([], lambda one: one.right))


@pytest.mark.parametrize(
    ("won", "lost", "p_value"),
    [(8, 2, 0.109375), (2, 8, 0.109375), (5, 5, 1.0), (0, 0, 1.0), (10, 0, 0.001953125), (1, 0, 1.0)],
)
def test_the_paired_test_is_the_exact_one(won: int, lost: int, p_value: float):
    first = [a_result(number, right=won <= number < won + lost + 3) for number in range(won + lost + 3)]
    second = [a_result(number, right=number < won or number >= won + lost) for number in range(won + lost + 3)]
    found = metrics.compare(first, second)
    assert (found.won, found.lost, found.count) == (won, lost, won + lost + 3)
    assert found.p_value == pytest.approx(p_value)


def test_runs_are_compared_on_the_questions_that_both_have():
    first = [a_result(0), a_result(1), a_result(2, outcome="missing", option=None)]
    second = [a_result(1, right=False), a_result(2), a_result(3)]
    found = metrics.compare(first, second)
    assert (found.count, found.first, found.second, found.lost) == (1, 1.0, 0.0, 1)


def test_a_difference_in_grounding_is_tested_by_flipping_videos():
    spans = ((0.0, 1.0),)
    first = [a_result(number, video=f"v{number}", seconds=(5,), spans=spans) for number in range(12)]
    second = [replace(one, seconds=(0,)) for one in first]
    change, p_value = metrics.difference(first, second, metrics.iop)
    assert change == 1.0
    assert p_value < 0.01
    same, p_value = metrics.difference(first, first, metrics.iop)
    assert (same, p_value) == (0.0, 1.0)
    # One video, however many questions it has, proves nothing.
    of_one = [replace(one, video="v") for one in first]
    assert metrics.difference(of_one, [replace(one, seconds=(0,)) for one in of_one], metrics.iop)[1] == 1.0


# --- lines ---


def test_a_result_survives_its_line():
    result = a_result(seconds=(3, 4), spans=((1.0, 2.5),), notes=('it\'s \u2028 a "note"\n',), cost_usd=None)
    assert "\n" not in result.to_line()
    assert from_line(result.to_line()) == result


@pytest.mark.parametrize("line", ["", "{", "[]", '{"id": "q"}', a_result().to_line().replace('"answered"', '"won"')])
def test_what_is_no_result_is_refused(line: str):
    with pytest.raises(ValidationError):
        from_line(line)
