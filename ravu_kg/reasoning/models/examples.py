"""Questions with their plans, and which of them are nearest to a question."""

from __future__ import annotations

import json
import re
import tomllib
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from math import log, sqrt

from ravu_kg.reasoning.judging import stem
from ravu_kg.reasoning.language import MAX_PARSED_CHARS, Reading, normalize, read_question

SHOWN = 3
"""A request shows so many examples."""
_KIND_WEIGHT, _CONNECTIVE_WEIGHT = 0.3, 0.3
_ASKING = frozenset(
    map(stem, ("why", "how", "what", "where", "when", "who", "which", "many", "times", "after", "before", "while",
               "during", "end", "first", "last", "is", "are"))
)  # fmt: skip
_ASKING_WEIGHT = 1.5
"""Words that say what kind of plan a question needs count more than what it is about."""


@dataclass(frozen=True, slots=True)
class Example:
    """A question and the steps that answer it, as a model would reply them."""

    question: str
    steps: object
    """JSON values."""

    def to_dict(self) -> dict[str, object]:
        """As it is shown to a model."""
        return {"question": self.question, "steps": self.steps}


@cache
def all_examples() -> tuple[Example, ...]:
    """Every example, in the order of the file."""
    text = (files("ravu_kg.prompts") / "plan_examples.toml").read_text(encoding="utf-8")
    return tuple(Example(str(one["question"]), json.loads(one["steps"])) for one in tomllib.loads(text)["example"])


def nearest_examples(question: str, count: int = SHOWN) -> list[Example]:
    """The examples most like a question, the nearest last, where a model heeds it most.

    Compared by words and by what is asked for, without any model: a plan is made before an encoder need be loaded, and
    what a question asks for tells more of its plan than what it is about.
    """
    words, reading = _weighted(question), _reading(question)
    scores = [_likeness(words, reading, example) for example in all_examples()]
    best = sorted(range(len(scores)), key=lambda position: (-scores[position], position))[:count]
    return [all_examples()[position] for position in reversed(best)]


def _likeness(words: Mapping[str, float], reading: Reading, example: Example) -> float:
    others, read = _weighted(example.question), _reading(example.question)
    length = sqrt(sum(one * one for one in words.values()) * sum(one * one for one in others.values())) or 1.0
    score = sum(weight * others.get(word, 0.0) for word, weight in words.items()) / length
    if read.kind == reading.kind:
        score += _KIND_WEIGHT
    if (read.clause and read.clause.connective) == (reading.clause and reading.clause.connective):
        score += _CONNECTIVE_WEIGHT
    return score


@cache
def _rarity() -> Mapping[str, float]:
    """How much a word of the examples tells: less when many have it."""
    seen = Counter(word for example in all_examples() for word in set(_words(example.question)))
    return {word: log(1 + len(all_examples()) / count) for word, count in seen.items()}


def _weighted(question: str) -> Mapping[str, float]:
    rarity = _rarity()
    return {word: rarity.get(word, 1.0) * (_ASKING_WEIGHT if word in _ASKING else 1.0) for word in _words(question)}


def _words(question: str) -> set[str]:
    return {stem(word) for word in re.findall(r"[a-z]+", question.lower())}


def _reading(question: str) -> Reading:
    return read_question(normalize(question)[:MAX_PARSED_CHARS])
