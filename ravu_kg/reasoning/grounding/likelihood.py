"""How likely each second of a video shows what a question asks for.

A log-linear model over the seconds of one video. Its few numbers were fitted to the videos of NExT-GQA's validation
questions, whose spans say when an answer is seen; answer options play no part. Neither do they here.
:mod:`ravu_kg.evaluation.fit_seconds` fits such numbers anew, and says what those of half of the videos come to on the
other half.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache

import numpy as np

from ravu_kg.reasoning.grounding.seconds import Seconds, Values
from ravu_kg.reasoning.grounding.settings import Grounding
from ravu_kg.reasoning.grounding.sought import Part, Sought
from ravu_kg.reasoning.noun_phrases import first_noun_phrase
from ravu_kg.reasoning.plan import Direction
from ravu_kg.reasoning.told import words_of
from ravu_kg.reasoning.vocabulary import read_phrase
from ravu_kg.types import FloatArray

Vector = Callable[[str], FloatArray]
Signals = tuple[Values, Values, Values, Values]
"""In the order of :class:`SignalWeights`, each one number a frame."""


@dataclass(frozen=True, slots=True)
class SignalWeights:
    """Of the signals, for the logarithm of how likely a second is."""

    main: float
    """For each unit of cosine with the main clause."""
    whole: float
    """Likewise with the whole question."""
    words: float
    """For each unit of :meth:`Seconds.shared` with the whole question."""
    entities: float
    """Where somebody or something is seen that the subject can mean."""


@dataclass(frozen=True, slots=True)
class Window:
    """How what is asked lies to the moment that the question refers to."""

    start_s: float
    """From here on it is likely; seconds behind the moment, or before it."""
    edge_s: float
    """How softly that begins."""
    fade_s: float
    """In how many seconds it becomes unlikely, by a factor e."""
    weight: float


@dataclass(frozen=True, slots=True)
class Weights:
    """All that is fitted."""

    alone: SignalWeights
    """Without a moment that the question refers to."""
    beside: SignalWeights
    """With one."""
    anchor: SignalWeights
    """For the moment itself, with its clause as the main one; the whole question tells nothing of it."""
    anchor_prior: float
    """How much of the prior holds for that moment."""
    priors: Mapping[Part | None, tuple[float, ...]]
    """At 0, 0.2 ... 1 of the video's length, when the question names this part, or none."""
    windows: Mapping[Direction, Window]


WEIGHTS = Weights(
    alone=SignalWeights(main=2.3, whole=2.0, words=0.4, entities=0.3),
    beside=SignalWeights(main=1.5, whole=1.7, words=0.23, entities=0.06),
    anchor=SignalWeights(main=1.7, whole=0.0, words=0.27, entities=0.2),
    anchor_prior=0.6,
    priors={
        None: (0.2, 0.2, 0.05, -0.05, -0.1, -0.15),
        "beginning": (2.25, 1.15, -0.1, -0.85, -1.2, -1.25),
        "middle": (-0.65, -0.1, 1.1, 0.7, -0.3, -0.65),
        "end": (-1.45, -1.35, -0.85, 0.3, 1.45, 1.9),
    },
    windows={
        "after": Window(start_s=0.5, edge_s=0.75, fade_s=5.1, weight=1.2),
        "before": Window(start_s=1.3, edge_s=0.15, fade_s=2.3, weight=2.0),
        "around": Window(start_s=1.2, edge_s=0.0, fade_s=5.7, weight=2.0),
    },
)
"""What the product weighs by."""

WIDTH_S, ANCHOR_WIDTH_S = 1.8, 1.2
"""Of the bells that neighbours are weighed by."""
REACH_S = 60
"""No farther from the moment."""
FLOOR = 1e-3
"""Of a window: nothing is impossible."""
_EVENTS = 0.5
"""The share of the events' sentences beside those of the seconds."""


def likelihood(
    seconds: Seconds, sought: Sought, vector: Vector, grounding: Grounding, weights: Weights = WEIGHTS
) -> Values:
    """How likely each of the frames shows what is asked; the sum is 1.

    Args:
        seconds: the frames of the video.
        sought: what the plan looks for.
        vector: embeds a text.
        grounding: what is taken into account.
        weights: of the signals, of where in the video a frame lies, and of the moment that is referred to.
    """
    if not grounding.planner:
        sought = Sought(sought.whole, sought.whole)
    beside = sought.anchor is not None and sought.direction is not None
    found = signals(seconds, sought.main, sought.whole, sought.subject, vector, grounding)
    logits = _weighed(seconds, found, weights.beside if beside else weights.alone, WIDTH_S, grounding)
    logits = logits + prior(seconds, weights.priors[sought.part])
    if sought.anchor is not None and sought.direction is not None:
        at = _moment(seconds, sought, sought.anchor, vector, grounding, weights)
        window = weights.windows[sought.direction]
        logits = logits + _window(seconds, at, sought.direction, window, sought.gap_s, grounding)
    return _softmax(logits)


def moment_likelihood(
    seconds: Seconds,
    text: str,
    part: Part | None,
    vector: Vector,
    grounding: Grounding,
    weights: Weights = WEIGHTS,
) -> Values:
    """How likely each of the frames shows a single moment that a text describes; the sum is 1."""
    found = signals(seconds, text, text, first_noun_phrase(text), vector, grounding)
    logits = _weighed(seconds, found, weights.anchor, ANCHOR_WIDTH_S, grounding)
    return _softmax(logits + weights.anchor_prior * prior(seconds, weights.priors[part]))


def signals(
    seconds: Seconds, main: str, whole: str, subject: str | None, vector: Vector, grounding: Grounding
) -> Signals:
    """What each signal says of each frame, not smoothed.

    What all seconds of a video have in common tells none of them apart: the mean of each is 0.
    """
    nothing = np.zeros(len(seconds.timestamps_s))
    to_main = _near(seconds, vector(main), grounding)
    to_whole = to_main if whole == main else _near(seconds, vector(whole), grounding)
    words = seconds.shared(words_of(whole)) if grounding.words else nothing
    seen = seconds.shows(read_phrase(subject).noun) if grounding.entities and subject is not None else nothing
    return _centred(to_main), _centred(to_whole), _centred(words), _centred(seen)


def prior(seconds: Seconds, at: tuple[float, ...]) -> Values:
    """What the place of each frame in the video adds to its logarithm, from that at 0 ... 1 of the video's length."""
    return np.interp(seconds.places, np.linspace(0.0, 1.0, len(at)), at)


def _moment(
    seconds: Seconds, sought: Sought, anchor: str, vector: Vector, grounding: Grounding, weights: Weights
) -> Values:
    at = moment_likelihood(seconds, anchor, sought.part, vector, grounding, weights)
    if grounding.margin:
        return at
    only = np.zeros(len(at))
    only[int(np.argmax(at))] = 1.0
    return only


def _weighed(
    seconds: Seconds,
    found: Signals,
    weights: SignalWeights,
    width_s: float,
    grounding: Grounding,
) -> Values:
    main, whole, words, seen = found
    total = weights.main * main + weights.whole * whole + weights.words * words + weights.entities * seen
    return seconds.smooth(total, width_s) if grounding.smoothing else total


def _near(seconds: Seconds, phrase: FloatArray, grounding: Grounding) -> Values:
    if not grounding.events:
        return seconds.near(phrase)
    return (1 - _EVENTS) * seconds.near(phrase) + _EVENTS * seconds.near_events(phrase)


def _window(
    seconds: Seconds, at: Values, direction: Direction, window: Window, gap_s: float, grounding: Grounding
) -> Values:
    """How likely each frame lies as it should to the moment, which is more or less likely each of the frames."""
    size = math.ceil((REACH_S + gap_s) / seconds.interval_s)
    sign = -1.0 if direction == "before" else 1.0
    offsets_s: Values = (sign * np.arange(-size, size + 1) * seconds.interval_s - gap_s).astype(np.float64)
    if grounding.margin:
        near = np.exp(_log_window(offsets_s, direction, window)) / _total(direction, window)
    elif direction == "around":
        near = (np.abs(offsets_s) <= _HARD_S).astype(np.float64) / (2 * _HARD_S)
    else:
        near = ((offsets_s > 0) & (offsets_s <= _HARD_S)).astype(np.float64) / _HARD_S
    return window.weight * np.log(np.convolve(at, near)[size : size + len(at)] + FLOOR)


_HARD_S = 10.0
"""A moment taken as certain has a window of this length."""


def _log_window(offsets_s: Values, direction: Direction, window: Window) -> Values:
    if direction == "around":
        found = -np.abs(offsets_s - window.start_s) / window.fade_s
    else:
        found = -np.logaddexp(0.0, -(offsets_s - window.start_s) / window.edge_s)
        found = found - np.maximum(offsets_s, 0.0) / window.fade_s
    return np.where(np.abs(offsets_s) > REACH_S, -1e9, found)


@cache
def _total(direction: Direction, window: Window) -> float:
    """Of a window's seconds: those of a short video are no likelier than those of a long one."""
    return float(np.exp(_log_window(np.arange(-REACH_S, REACH_S + 1.0), direction, window)).sum())


def _centred(values: Values) -> Values:
    return values - values.mean()


def _softmax(logits: Values) -> Values:
    weights = np.exp(logits - logits.max())
    return weights / weights.sum()
