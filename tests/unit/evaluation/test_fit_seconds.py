"""The model that is fitted is the product's, and fitting finds what is there."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import astuple, replace
from pathlib import Path

import numpy as np
import pytest

from ravu_kg.errors import MissingExtraError, UsageError
from ravu_kg.evaluation.fit import held_out
from ravu_kg.evaluation.fit_seconds import Sample, cross_checked, main, report, written
from ravu_kg.evaluation.questions import Question
from ravu_kg.reasoning.grounding import likelihood as product
from ravu_kg.reasoning.grounding.likelihood import WEIGHTS, SignalWeights, Weights, likelihood
from ravu_kg.reasoning.grounding.seconds import Seconds
from ravu_kg.reasoning.grounding.settings import GROUNDING
from ravu_kg.reasoning.grounding.sought import Sought
from ravu_kg.types import FloatArray, Span

DIMENSIONS = 8
MAN, DOG, BALL = np.eye(DIMENSIONS, dtype=np.float32)[:3]
VECTORS = {"why does the man sit": MAN + 0.3 * DOG, "the man sits": MAN, "the dog": DOG, "the ball flies": BALL}
WORDS = (frozenset({"man", "sit"}), frozenset({"dog", "run"}), frozenset({"ball"}))


def vector(text: str) -> FloatArray:
    return VECTORS[text]


def a_video(frames: int, seed: int, interval_s: float = 1.0) -> Seconds:
    """What is said of each frame is drawn by the seed; an event covers the first third."""
    draw = np.random.default_rng(seed)
    unit = draw.normal(size=(frames, DIMENSIONS)).astype(np.float32)
    unit /= np.linalg.norm(unit, axis=1, keepdims=True)
    at = np.arange(frames)
    told = [WORDS[one] for one in draw.integers(0, 3, frames)]
    third = at[: frames // 3]
    return Seconds(at, at * interval_s, unit, at, at, tuple(told), tuple(told), MAN[None], third, np.zeros_like(third))


def a_sample(sought: Sought, *, frames: int = 40, seed: int = 0, span: Span = (4.0, 9.5), **video: float) -> Sample:
    question = Question(f"q{seed}", f"video{seed}", sought.whole, type="CW", spans=(span,))
    return Sample.of(question, a_video(frames, seed, **video), sought, vector)


ALONE = Sought("why does the man sit", "the man sits", "the man")
AFTER = Sought("why does the man sit", "the dog", None, "the ball flies", "after")
QUESTIONS = {
    "alone": ALONE,
    "after": AFTER,
    "before": replace(AFTER, direction="before"),
    "around": replace(AFTER, direction="around"),
    "some seconds after": replace(AFTER, gap_s=7.0),
    "a part that is named": replace(ALONE, part="end"),
    "beside a moment, in a part": replace(AFTER, part="middle", subject="the dog"),
}


@pytest.mark.parametrize("sought", QUESTIONS.values(), ids=QUESTIONS)
@pytest.mark.parametrize("video", [{}, {"frames": 90}, {"frames": 1}, {"interval_s": 0.5}], ids=str)
def test_the_model_that_is_fitted_is_that_of_the_product(sought: Sought, video: dict[str, float]) -> None:
    model = pytest.importorskip("ravu_kg.evaluation.seconds_model", exc_type=ImportError)
    sample = a_sample(sought, **video)  # beside a longer one, so that it is filled up
    found = model.SecondsModel(WEIGHTS)(model.Batch([sample, a_sample(ALONE, frames=100)])).exp().detach().numpy()[0]

    expected = likelihood(sample.seconds, sought, vector, GROUNDING)

    assert found[: len(expected)] == pytest.approx(expected, abs=1e-9)
    assert not found[len(expected) :].any()


def test_weights_come_out_of_the_model_as_they_went_in() -> None:
    model = pytest.importorskip("ravu_kg.evaluation.seconds_model", exc_type=ImportError)

    assert written(model.SecondsModel(WEIGHTS).weights()) == written(WEIGHTS)


def planted(weights: Weights, sought: Sought, count: int = 60) -> list[Sample]:
    """Answers are seen where these weights say."""
    samples = [a_sample(sought, seed=seed) for seed in range(count)]
    return [replace(one, shown=likelihood(one.seconds, sought, vector, GROUNDING, weights)) for one in samples]


def test_fitting_finds_what_tells_where_answers_are_seen() -> None:
    model = pytest.importorskip("ravu_kg.evaluation.seconds_model", exc_type=ImportError)
    main_alone = replace(WEIGHTS, alone=SignalWeights(main=6.0, whole=0.0, words=0.0, entities=0.0))
    words_alone = replace(WEIGHTS, alone=SignalWeights(main=0.0, whole=0.0, words=3.0, entities=0.0))

    by_main, by_words = (model.fit(planted(one, ALONE)) for one in (main_alone, words_alone))

    assert by_main.alone.main > 2 * abs(by_main.alone.whole)
    assert abs(by_main.alone.words) < 0.3 < by_words.alone.words / 3
    assert abs(by_words.alone.main) < by_main.alone.main / 4


def test_fitting_finds_on_which_side_of_a_moment_and_how_far_answers_are_seen() -> None:
    model = pytest.importorskip("ravu_kg.evaluation.seconds_model", exc_type=ImportError)
    late = replace(WEIGHTS.windows["after"], start_s=6.0)
    sure = replace(WEIGHTS.anchor, main=12.0)
    there = replace(WEIGHTS, anchor=sure, windows={**WEIGHTS.windows, "after": late})

    found = model.fit(planted(there, AFTER))

    assert found.windows["after"].start_s == pytest.approx(6.0, abs=1.0)
    before, plain = found.windows["before"], model.PLAIN.windows["before"]
    assert astuple(before) == pytest.approx(astuple(plain))  # no question tells of it


def test_the_part_of_a_frame_that_lies_in_a_span_is_where_the_answer_is_seen() -> None:
    sample = a_sample(ALONE, frames=8, span=(2.5, 4.25))

    assert sample.shown == pytest.approx([0, 0, 0.5, 1, 0.25, 0, 0, 0])


def test_each_half_is_tested_by_the_weights_of_the_other() -> None:
    samples = [a_sample(ALONE, seed=seed) for seed in range(20)]
    turned = replace(WEIGHTS, alone=SignalWeights(main=-9.0, whole=0.0, words=0.0, entities=0.0))

    def fit(half: Sequence[Sample]) -> Weights:
        (held,) = {held_out(one.question.video) for one in half}
        return WEIGHTS if held else turned

    found = {one.id: one for one in cross_checked(samples, fit)}

    assert set(found) == {one.question.id for one in samples}
    for one in samples:
        expected = turned if held_out(one.question.video) else WEIGHTS
        assert found[one.question.id] == one.result(expected) != one.result(WEIGHTS if expected is turned else turned)


def test_one_half_alone_cannot_be_cross_checked() -> None:
    with pytest.raises(UsageError, match="more videos"):
        cross_checked([a_sample(ALONE)], lambda half: WEIGHTS)


def test_figures_are_those_of_the_seconds_that_the_product_ranks() -> None:
    sample = a_sample(ALONE)
    ranked = np.argsort(-likelihood(sample.seconds, ALONE, vector, GROUNDING), kind="stable")

    result = sample.result(WEIGHTS)
    _, line = report([("the product's weights", [result])])

    assert result.seconds == tuple(ranked.tolist())
    inside = sum(max(0.0, min(second + 1, 9.5) - max(second, 4.0)) for second in result.seconds[:5]) / 5
    assert f"{inside:.3f}" in line


def test_weights_are_printed_as_the_product_has_them() -> None:
    assert written(WEIGHTS) + "\n" in Path(product.__file__).read_text("utf-8")


def test_without_torch_it_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)

    assert main(["val.csv", "gsub_val.json"]) == MissingExtraError.exit_code
    assert "pip install torch" in capsys.readouterr().err
