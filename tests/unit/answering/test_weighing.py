"""Options weighed by what is told of a video."""

from __future__ import annotations

import math

import numpy as np
import pytest

from ravu_kg.reasoning.told import Told
from ravu_kg.reasoning.weighing import FEATURES, features_of, fitted, read_weights, weigh
from tests.unit.answering.telling import KITE, embed, rows_and_vectors, told

QUESTION = "what did the boy do after he stood on the beach"
OPTIONS = ("cut a cake", "ran with a kite", "fed a horse")


def test_the_option_that_the_video_tells_of_is_chosen() -> None:
    weighed = weigh(QUESTION, OPTIONS, told(), embed)
    assert int(np.argmax(weighed.scores)) == 1
    assert sum(weighed.scores) == pytest.approx(1)
    assert weighed.form == "phrases"


def test_whole_sentences_are_weighed_clause_by_clause() -> None:
    right = "a boy runs along the beach with his kite, and a girl eats ice cream on a towel beside him."
    half = "a boy runs along the beach with his kite, and a man repairs an old car in a garage nearby."
    weighed = weigh("What is the video about?", (half, right), told(), embed)
    assert weighed.form == "sentences"
    assert int(np.argmax(weighed.scores)) == 1
    clauses = weighed.features[:, FEATURES.index("clauses")]
    assert clauses[1] > clauses[0]


def test_features_are_what_they_say() -> None:
    one = told([["A dog runs."], ["A dog sleeps."], ["A cat sleeps."], ["A cat sleeps."]])
    meaning, clauses, words, known = features_of("what does the dog do", ["sleeps", "flies"], one, embed)[0]
    near = one.near(embed(["the dog sleeps"]))[0]
    assert meaning == pytest.approx(float(np.sort(near)[-3:].mean()), abs=1e-6)
    assert clauses == pytest.approx(float(np.sort(one.near(embed(["sleeps"]))[0])[-3:].mean()), abs=1e-6)
    assert words == pytest.approx(math.log(4) / math.log(5))
    assert known == pytest.approx(math.log(2))
    assert features_of("what does the dog do", ["sleeps", "flies"], one, embed)[1, 2:].tolist() == [0.0, 0.0]


def test_only_some_moments_count_when_they_are_the_evidence() -> None:
    girl = told(only=[4, 5])
    assert girl.timestamps_s == (4.0, 5.0)
    assert girl.known({"kite", "ice"}) == 1
    assert girl.near(embed(["kite"])).shape == (1, 2)
    weighed = weigh("what happens", ("a kite flies", "somebody eats ice cream"), girl, embed)
    assert int(np.argmax(weighed.scores)) == 1


def test_the_best_sentence_of_a_moment_counts() -> None:
    assert told().near(embed(["a blue kite"]))[0, 0] == pytest.approx(1, abs=1e-5)


def test_a_moment_without_vector_is_left_out_and_nothing_told_is_nothing() -> None:
    _, vectors = rows_and_vectors(KITE[:2])
    late, _ = rows_and_vectors(KITE)
    found = Told.of(late, vectors)
    assert found is not None
    assert found.timestamps_s == (0.0, 1.0)
    assert Told.of([], vectors) is None
    assert found.only(()) is None
    assert found.only([1]) is not None


def test_an_option_without_any_word_weighs_nothing() -> None:
    features = features_of("who", ["", "?"], told(), embed)
    assert np.isfinite(features).all()
    assert features[:, 2:].sum() == 0


def test_the_weights_that_come_with_the_product_name_every_feature() -> None:
    assert set(fitted().options) == {"phrases", "sentences"}
    for weights in fitted().options.values():
        assert set(weights) == set(FEATURES)
    assert set(fitted().doubts) == {"phrases", "question"}
    for doubt in fitted().doubts.values():
        assert 0 < doubt.threshold < 1


def test_weights_are_read_as_they_are_written() -> None:
    read = read_weights(
        'encoders = ["e"]\ncommon = ["man"]\n[options.phrases]\nmeaning = 2.0\n'
        "[doubts.question]\nnearest = 3.0\nconstant = -1.5\nthreshold = 0.4\n"
    )
    assert (read.encoders, read.common) == (("e",), {"man"})
    assert read.options["phrases"] == {"meaning": 2.0}
    doubt = read.doubts["question"]
    assert (doubt.weights, doubt.constant, doubt.threshold) == ({"nearest": 3.0}, -1.5, 0.4)
