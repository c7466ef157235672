"""How likely each second of a video shows what a question asks for.

A log-linear model over the seconds of one video. Its few numbers were fitted to half of the videos of NExT-GQA's
validation questions, whose spans say when an answer is seen, and checked on the other half, and the other way round;
answer options play no part. Neither do they here.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

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


@dataclass(frozen=True, slots=True)
class _Weights:
    """Of the signals, for the logarithm of how likely a second is."""

    main: float
    """For each unit of cosine with the main clause."""
    whole: float
    """Likewise with the whole question."""
    words: float
    """For each unit of :meth:`Seconds.shared` with the whole question."""
    entities: float
    """Where somebody or something is seen that the subject can mean."""


_ALONE = _Weights(main=2.3, whole=2.0, words=0.4, entities=0.3)
"""Without a moment that the question refers to."""
_BESIDE = _Weights(main=1.5, whole=1.7, words=0.23, entities=0.06)
_ANCHOR = _Weights(main=1.7, whole=0.0, words=0.27, entities=0.2)
"""For the moment itself, with its clause as the main one."""
_EVENTS = 0.5
"""The share of the events' sentences beside those of the seconds."""
_WIDTH_S, _ANCHOR_WIDTH_S = 1.8, 1.2
"""Of the bells that neighbours are weighed by."""

_PRIOR: dict[Part | None, tuple[float, ...]] = {
    None: (0.2, 0.2, 0.05, -0.05, -0.1, -0.15),
    "beginning": (2.25, 1.15, -0.1, -0.85, -1.2, -1.25),
    "middle": (-0.65, -0.1, 1.1, 0.7, -0.3, -0.65),
    "end": (-1.45, -1.35, -0.85, 0.3, 1.45, 1.9),
}
"""At 0, 0.2 ... 1 of the video's length, when the question names this part, or none."""
_ANCHOR_PRIOR = 0.6
"""How much of it holds for the moment that the question refers to."""


@dataclass(frozen=True, slots=True)
class _Window:
    """How what is asked lies to the moment that the question refers to."""

    start_s: float
    """From here on it is likely; seconds behind the moment, or before it."""
    edge_s: float
    """How softly that begins."""
    fade_s: float
    """In how many seconds it becomes unlikely, by a factor e."""
    weight: float


_WINDOWS: dict[Direction, _Window] = {
    "after": _Window(start_s=0.5, edge_s=0.75, fade_s=5.1, weight=1.2),
    "before": _Window(start_s=1.3, edge_s=0.15, fade_s=2.3, weight=2.0),
    "around": _Window(start_s=1.2, edge_s=0.0, fade_s=5.7, weight=2.0),
}
_REACH_S = 60
"""No farther from the moment."""
_FLOOR = 1e-3
"""Of a window: nothing is impossible."""


def likelihood(seconds: Seconds, sought: Sought, vector: Vector, grounding: Grounding) -> Values:
    """How likely each of the frames shows what is asked; the sum is 1.

    Args:
        seconds: the frames of the video.
        sought: what the plan looks for.
        vector: embeds a text.
        grounding: what is taken into account.
    """
    if not grounding.planner:
        sought = Sought(sought.whole, sought.whole)
    beside = sought.anchor is not None and sought.direction is not None
    weights = _BESIDE if beside else _ALONE
    logits = _signals(seconds, sought.main, sought.whole, sought.subject, vector, weights, _WIDTH_S, grounding)
    logits = logits + _prior(seconds, _PRIOR[sought.part])
    if sought.anchor is not None and sought.direction is not None:
        at = _moment(seconds, sought, sought.anchor, vector, grounding)
        logits = logits + _window(seconds, at, sought.direction, sought.gap_s, grounding)
    return _softmax(logits)


def moment_likelihood(seconds: Seconds, text: str, part: Part | None, vector: Vector, grounding: Grounding) -> Values:
    """How likely each of the frames shows a single moment that a text describes; the sum is 1."""
    subject = first_noun_phrase(text)
    found = _signals(seconds, text, text, subject, vector, _ANCHOR, _ANCHOR_WIDTH_S, grounding)
    return _softmax(found + _ANCHOR_PRIOR * _prior(seconds, _PRIOR[part]))


def _moment(seconds: Seconds, sought: Sought, anchor: str, vector: Vector, grounding: Grounding) -> Values:
    at = moment_likelihood(seconds, anchor, sought.part, vector, grounding)
    if grounding.margin:
        return at
    only = np.zeros(len(at))
    only[int(np.argmax(at))] = 1.0
    return only


def _signals(
    seconds: Seconds,
    main: str,
    whole: str,
    subject: str | None,
    vector: Vector,
    weights: _Weights,
    width_s: float,
    grounding: Grounding,
) -> Values:
    found = weights.main * _centred(_near(seconds, vector(main), grounding))
    if weights.whole:
        found = found + weights.whole * _centred(_near(seconds, vector(whole), grounding))
    if grounding.words:
        found = found + weights.words * _centred(seconds.shared(words_of(whole)))
    if grounding.entities and subject is not None:
        found = found + weights.entities * _centred(seconds.shows(read_phrase(subject).noun))
    return seconds.smooth(found, width_s) if grounding.smoothing else found


def _near(seconds: Seconds, phrase: FloatArray, grounding: Grounding) -> Values:
    if not grounding.events:
        return seconds.near(phrase)
    return (1 - _EVENTS) * seconds.near(phrase) + _EVENTS * seconds.near_events(phrase)


def _window(seconds: Seconds, at: Values, direction: Direction, gap_s: float, grounding: Grounding) -> Values:
    """How likely each frame lies as it should to the moment, which is more or less likely each of the frames."""
    size = math.ceil((_REACH_S + gap_s) / seconds.interval_s)
    sign = -1.0 if direction == "before" else 1.0
    offsets_s: Values = (sign * np.arange(-size, size + 1) * seconds.interval_s - gap_s).astype(np.float64)
    if grounding.margin:
        near = np.exp(_log_window(offsets_s, direction)) / _TOTALS[direction]
    elif direction == "around":
        near = (np.abs(offsets_s) <= _HARD_S).astype(np.float64) / (2 * _HARD_S)
    else:
        near = ((offsets_s > 0) & (offsets_s <= _HARD_S)).astype(np.float64) / _HARD_S
    return _WINDOWS[direction].weight * np.log(np.convolve(at, near)[size : size + len(at)] + _FLOOR)


_HARD_S = 10.0
"""A moment taken as certain has a window of this length."""


def _log_window(offsets_s: Values, direction: Direction) -> Values:
    window = _WINDOWS[direction]
    if direction == "around":
        found = -np.abs(offsets_s - window.start_s) / window.fade_s
    else:
        found = -np.logaddexp(0.0, -(offsets_s - window.start_s) / window.edge_s)
        found = found - np.maximum(offsets_s, 0.0) / window.fade_s
    return np.where(np.abs(offsets_s) > _REACH_S, -1e9, found)


def _prior(seconds: Seconds, at: tuple[float, ...]) -> Values:
    return np.interp(seconds.places, np.linspace(0.0, 1.0, len(at)), at)


def _centred(values: Values) -> Values:
    """What all seconds of a video have in common tells none of them apart."""
    return values - values.mean()


def _softmax(logits: Values) -> Values:
    weights = np.exp(logits - logits.max())
    return weights / weights.sum()


_TOTALS: dict[Direction, float] = {
    direction: float(np.exp(_log_window(np.arange(-_REACH_S, _REACH_S + 1.0), direction)).sum())
    for direction in _WINDOWS
}
