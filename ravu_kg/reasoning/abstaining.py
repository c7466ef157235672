"""Whether a video tells of what is asked at all; if not, nothing is said, and why."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass

from ravu_kg.reasoning.reading import Kind
from ravu_kg.reasoning.told import Telling, Told, words_of
from ravu_kg.reasoning.weighing import FEATURES, Doubt, Vectors, Weighed, fitted

DOUBTS = ("nearest", "usual", "words", "best_meaning", "best_words")
"""What speaks for a video:

``nearest``: how near the question comes to the moment nearest to it, cosine;
``usual``: to all moments on average;
``words``: how much of the question's words is said, and how often, 0..1; without words that are always said;
``best_meaning``: the highest of all options, see :data:`ravu_kg.reasoning.weighing.FEATURES`;
``best_words``: how much of the words of an option is said, added up, the highest of all options.
"""
_ABOUT_ITSELF: frozenset[Kind] = frozenset(("yes_no", "length", "inventory", "which_video"))
_ASKING = frozenset(
    ("many", "much", "kind", "type", "colour", "color", "doing", "happen", "happening", "end", "beginning", "start",
     "middle", "near")
)  # fmt: skip
_SHOWN = 3


@dataclass(frozen=True, slots=True)
class Sureness:
    """How sure it is that a video tells of what is asked."""

    score: float
    """0..1."""
    threshold: float
    reason: str
    """Why so little; empty when it is enough."""


def sureness(question: str, told: Told, vectors: Vectors, weighed: Weighed | None) -> Sureness | None:
    """How sure it is that the video tells of what is asked; None where no threshold is known.

    Args:
        question: without its options.
        told: of the whole video.
        vectors: embeds the question.
        weighed: its options; None when there are none.
    """
    doubt = doubt_for(weighed)
    if doubt is None:
        return None
    found = doubts_of(question, told, vectors, weighed, fitted().common)
    score = 1 / (1 + math.exp(-doubt.constant - sum(weight * found[name] for name, weight in doubt.weights.items())))
    reason = _reason(question, told, vectors) if score < doubt.threshold else ""
    return Sureness(score, doubt.threshold, reason)


def abstains_from(kind: Kind, telling: Telling, options: Sequence[str]) -> bool:
    """Whether a question can go beyond what is told of a video.

    Not one that nothing is an answer to ("is there a dog?"), nor one about the video itself; not where only the
    evidence counts, and not with an encoder whose similarities the thresholds were not fitted to.
    """
    if telling.by != "video" or telling.encoder not in fitted().encoders:
        return False
    return kind not in (_ABOUT_ITSELF if options else _ABOUT_ITSELF | {"summary", "setting"})


def doubt_for(weighed: Weighed | None) -> Doubt | None:
    """The weights for a question with options of a few words, or without options.

    None for options that are whole sentences: they come with questions about all of a video, which fit many videos.
    """
    return fitted().doubts.get("question" if weighed is None else weighed.form)


def doubts_of(
    question: str, told: Told, vectors: Vectors, weighed: Weighed | None, common: frozenset[str]
) -> dict[str, float]:
    """See :data:`DOUBTS`; those of options only when there are any."""
    near = told.near(vectors([question]))[0]
    words = words_of(question)
    found = {
        "nearest": float(near.max()),
        "usual": float(near.mean()),
        "words": told.weight(words - common or words),
    }
    if weighed is not None:
        found["best_meaning"] = float(weighed.features[:, FEATURES.index("meaning")].max())
        found["best_words"] = max(told.total(words_of(option) - common) for option in weighed.options)
    return found


def _reason(question: str, told: Told, vectors: Vectors) -> str:
    near = told.near(vectors([question]))[0]
    best = int(near.argmax())
    missing = _never_said(question, told)
    said = f" Nothing is said of {_listed(missing)}." if missing else ""
    return (
        f"What is told of this video does not fit the question: the nearest moment, at "
        f"{told.timestamps_s[best]:.1f} s, is alike by {(1 + float(near[best])) / 2:.2f} only.{said}"
    )


def _never_said(question: str, told: Told) -> list[str]:
    words = re.findall(r"[a-z]+", question.lower())
    missing = [
        word
        for word in dict.fromkeys(words)
        if len(word) > 2 and word not in _ASKING and (stems := words_of(word)) and not told.known(stems)
    ]
    return missing[:_SHOWN]


def _listed(words: Sequence[str]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} or {words[-1]}"
