"""Weights fitted on half of the videos."""

from __future__ import annotations

import numpy as np
import pytest

from ravu_kg.errors import UsageError
from ravu_kg.evaluation.fit import (
    DOUBTS,
    Sample,
    add,
    common_words,
    fit_abstaining,
    fit_doubt,
    fit_form,
    fit_options,
    held_out,
    main,
    report,
    written,
)
from ravu_kg.evaluation.questions import Question
from ravu_kg.reasoning.weighing import FEATURES, read_weights
from tests.unit.answering.telling import KITE, embed, told

OPTION_DOUBTS = DOUBTS["phrases"]
RANDOM = np.random.default_rng(3)


def a_sample(count: int = 400) -> Sample:
    """The first feature tells the right option, the others are noise; the right video is nearer."""
    sample = Sample()
    for number in range(count):
        features = RANDOM.normal(size=(5, len(FEATURES))).astype(np.float32)
        answer = number % 5
        features[answer, 0] += 2
        sample.features.append(features)
        sample.answers.append(answer)
        sample.types.append("CW" if number % 3 else "TN")
        sample.held_out.append(number % 2 == 1)
        sample.right.append(dict(zip(OPTION_DOUBTS, RANDOM.normal([2, 0, 0, 0, 0]), strict=True)))
        sample.wrong.append(dict(zip(OPTION_DOUBTS, RANDOM.normal(size=5), strict=True)))
    return sample


def test_what_tells_the_right_option_weighs_most() -> None:
    sample = a_sample()
    weights = fit_options(np.array(sample.features), np.array(sample.answers))
    assert weights[0] == pytest.approx(2, abs=0.6)
    assert np.abs(weights[1:]).max() < 0.4


def test_each_half_is_tested_by_the_weights_of_the_other() -> None:
    sample = a_sample()
    out = np.array(sample.held_out)
    for half in (False, True):  # in one half the features say the opposite
        turned = Sample(
            [one * (-1 if two == half else 1) for one, two in zip(sample.features, sample.held_out, strict=True)],
            sample.answers, sample.types, sample.held_out,
        )  # fmt: skip
        fitted = fit_form("phrases", turned)
        assert fitted.weights[not half][0] < 0 < fitted.weights[half][0]
        assert fitted.correct.mean() < 0.1
    assert fit_form("phrases", sample).correct[out].mean() > 0.5


def test_a_doubt_finds_the_constant_and_holds_its_threshold() -> None:
    right, wrong = RANDOM.normal(2, 1, size=(4000, 1)), RANDOM.normal(0, 1, size=(4000, 1))
    weight, constant = fit_doubt(right, wrong)
    assert weight == pytest.approx(2, abs=0.2)
    assert constant == pytest.approx(-2, abs=0.2)
    doubt = fit_abstaining("phrases", OPTION_DOUBTS, a_sample(2000))
    assert (doubt.right < doubt.threshold).mean() == pytest.approx(0.13, abs=0.05)
    assert (doubt.wrong < doubt.threshold).mean() > 0.6


def test_the_data_file_is_what_the_product_reads() -> None:
    sample = a_sample()
    fitted, doubt = fit_form("phrases", sample), fit_abstaining("phrases", OPTION_DOUBTS, sample)
    read = read_weights(written("encoder", [fitted], [doubt], ["red", "man"], "nextqa=val.csv"))
    assert read.encoders == ("encoder",)
    assert read.common == {"man", "red"}
    assert list(read.options["phrases"].values()) == pytest.approx(fitted.weights[True].tolist(), abs=1e-3)
    assert read.doubts["phrases"].threshold == pytest.approx(doubt.threshold, abs=1e-3)
    assert tuple(read.doubts["phrases"].weights) == OPTION_DOUBTS
    lines = list(report([fitted], {"phrases": sample}, [doubt]))
    assert any(line.startswith("  TN ") for line in lines)
    assert any("right  15%" in line for line in lines)


def test_a_question_is_noted_with_what_speaks_for_its_video_and_for_another() -> None:
    sample = Sample()
    question = Question("1", "a video", "why does the boy run", ("to let a kite fly", "to eat"), 0, "CW")
    add(sample, question, told(), told(KITE[4:]), embed, frozenset(("boy",)))
    assert sample.features[0].shape == (2, len(FEATURES))
    assert (sample.answers, sample.types, sample.held_out) == ([0], ["CW"], [held_out("a video")])
    assert sample.right[0]["nearest"] > sample.wrong[0]["nearest"]
    assert sample.right[0]["words"] > 0 == sample.wrong[0]["words"]


def test_words_of_many_videos_of_the_fitted_half_are_common() -> None:
    names = [f"video {number}" for number in range(20)]
    fitted = [name for name in names if not held_out(name)]
    rare = {name: told([["A cat sits."]]) for name in names if held_out(name)}
    often = {name: told([["A boy runs." if name == fitted[0] else "A dog runs."]]) for name in fitted}
    found = common_words({**rare, **often})
    assert {"dog", "run"} <= set(found)
    assert not {"boy", "cat"} & set(found)


def test_halves_follow_from_the_name_alone_and_are_about_even() -> None:
    names = [f"video {number}" for number in range(1000)]
    assert 420 < sum(map(held_out, names)) < 580
    assert [held_out(name) for name in names] == [held_out(name) for name in names]


def test_a_question_file_without_its_data_set_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["val.csv"]) == UsageError("").exit_code
    assert "nextqa=val.csv" in capsys.readouterr().err
