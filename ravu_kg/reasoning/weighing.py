"""Options weighed by everything that is told of a video: in meaning, clause by clause, and in words.

The weights are a small data file, ``weights.toml``, which ``python -m ravu_kg.evaluation.fit`` makes.
"""

from __future__ import annotations

import math
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Literal, cast

import numpy as np

from ravu_kg.reasoning.claims import are_sentences, claim, parts
from ravu_kg.reasoning.told import Told, words_of
from ravu_kg.types import FloatArray

Form = Literal["phrases", "sentences"]
"""Options of a few words, or whole sentences."""
Vectors = Callable[[Sequence[str]], FloatArray]
"""Embeds texts: (n, d)."""

FEATURES = ("meaning", "clauses", "words", "known")
"""What is weighed of each option:

``meaning``: how near what it claims comes to the moments nearest to it, cosine;
``clauses``: the same of each of its clauses, on average;
``words``: how much of its words is said, and how often, 0..1;
``known``: how many of its words are said, as a logarithm.
"""
_SHARE, _LEAST = 0.06, 3
"""An option is supported by so large a part of the moments, but at least by three."""


@dataclass(frozen=True, eq=False)
class Weighed:
    """Options with their support."""

    options: tuple[str, ...]
    form: Form
    features: FloatArray
    """(options, features)."""
    scores: tuple[float, ...]
    """The share of belief in each option, 0..1; together 1."""


@dataclass(frozen=True, slots=True)
class Doubt:
    """Weights of how sure it is that a video tells of what is asked."""

    weights: Mapping[str, float]
    constant: float
    threshold: float
    """Below it nothing is said."""


@dataclass(frozen=True, slots=True)
class Weights:
    """The content of the data file."""

    encoders: tuple[str, ...]
    """Whose similarities the doubts were fitted to."""
    options: Mapping[Form, Mapping[str, float]]
    doubts: Mapping[str, Doubt]
    common: frozenset[str]
    """Words that many videos tell of: that one of them is said means little."""


def weigh(question: str, options: Sequence[str], told: Told, vectors: Vectors) -> Weighed:
    """How well each option is supported.

    Args:
        question: that they answer.
        options: two or more.
        told: of the whole video, or of the moments that are evidence.
        vectors: embeds the options; nothing is retrieved by them.
    """
    form: Form = "sentences" if are_sentences(options) else "phrases"
    features = features_of(question, options, told, vectors)
    weights = fitted().options[form]
    sums = features @ np.array([weights[name] for name in FEATURES])
    beliefs = np.exp(sums - sums.max())
    return Weighed(tuple(options), form, features, tuple((beliefs / beliefs.sum()).tolist()))


def texts_of(question: str, options: Sequence[str]) -> list[str]:
    """What is embedded to weigh options: the options as claims, and their clauses."""
    texts = [one for option in options for one in parts(option)]
    return list(dict.fromkeys([*_claims(question, options), *texts]))


def features_of(question: str, options: Sequence[str], told: Told, vectors: Vectors) -> FloatArray:
    """(options, features), see :data:`FEATURES`."""
    texts = texts_of(question, options)
    near = dict(zip(texts, _nearest(told.near(vectors(texts))), strict=True))
    rows: list[list[float]] = []
    for option, said in zip(options, _claims(question, options), strict=True):
        words, clauses = words_of(option), parts(option)
        clause = sum(near[one] for one in clauses) / len(clauses)
        rows.append([near[said], clause, told.weight(words), math.log1p(told.known(words))])
    return np.array(rows, dtype=np.float32)


def _claims(question: str, options: Sequence[str]) -> list[str]:
    return list(options) if are_sentences(options) else [claim(question, option) for option in options]


@cache
def fitted() -> Weights:
    """The weights that come with the product."""
    return read_weights(files("ravu_kg.reasoning").joinpath("weights.toml").read_text("utf-8"))


def read_weights(text: str) -> Weights:
    """The content of a data file of weights."""
    content = tomllib.loads(text)
    options = cast("dict[Form, dict[str, float]]", content["options"])  # our own file; a test reads it
    doubts = cast("dict[str, dict[str, float]]", content["doubts"])
    made = {
        name: Doubt(
            {feature: weight for feature, weight in one.items() if feature not in ("constant", "threshold")},
            one["constant"],
            one["threshold"],
        )
        for name, one in doubts.items()
    }
    common = frozenset(cast("list[str]", content["common"]))
    return Weights(tuple(cast("list[str]", content["encoders"])), options, made, common)


def _nearest(scores: FloatArray) -> list[float]:
    """The mean of the best moments of each row."""
    count = min(scores.shape[1], max(_LEAST, round(_SHARE * scores.shape[1])))
    best = np.partition(scores, scores.shape[1] - count, axis=1)[:, scores.shape[1] - count :]
    return [float(one) for one in best.mean(axis=1)]
