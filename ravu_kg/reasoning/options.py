"""Answer options compared with what was found: numbers, times, names, yes or no, else words and meaning."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ravu_kg.reasoning.judging import content_words, shared
from ravu_kg.reasoning.protocols import Supporter
from ravu_kg.reasoning.records import Execution, Span
from ravu_kg.reasoning.times import seconds_in
from ravu_kg.reasoning.vocabulary import is_known, read_phrase, singular

MEANING_WEIGHT, ANSWER_WEIGHT, WORDS_WEIGHT = 0.5, 0.3, 0.2
_NUMBERS = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"]
_THIRDS = {
    "beginning": 0, "start": 0, "first third": 0, "first part": 0, "middle": 1, "end": 2, "last part": 2,
    "last third": 2,
}  # fmt: skip
_NOBODY = re.compile(r"\A(?:nobody|no[- ]?one|none|nothing|never|no (?:person|people|man|woman|dog|animal)s?)\b")
_NAME = re.compile(r"\b([a-z][a-z ]*?) (\d+)\b")


def option_scores(
    options: Sequence[str], execution: Execution, supporter: Supporter, text: str, spans: Sequence[Span]
) -> list[float]:
    """Support of each option, 0..1.

    Args:
        options: as given.
        execution: of the plan.
        supporter: compares options with sentences of the evidence.
        text: the answer without options.
        spans: stretches of time that the answer is about.
    """
    wanted = _plain(options)
    count = next((one.count for one in reversed(list(execution.bindings.values())) if one.count is not None), None)
    numbers = [number_in(option) for option in wanted]
    if count is not None and any(number is not None for number in numbers):
        return [0.0 if number is None else 1.0 / (1.0 + abs(number - count)) for number in numbers]
    if (certain := certain_scores(options, execution, text, spans)) is not None:
        return certain
    nothing = not execution.evidence and not spans
    meaning = supporter.support(execution, options)
    evidence = " ".join([text, *(" ".join([one.text, *one.attributes]) for one in execution.evidence)])
    answer = re.sub(r"\AThe memory has nothing.*", "", text)
    return [
        float(nothing)
        if _NOBODY.match(option)
        else MEANING_WEIGHT * alike
        + ANSWER_WEIGHT * shared(_words(option), answer)
        + WORDS_WEIGHT * shared(_words(option), evidence)
        for option, alike in zip(wanted, meaning, strict=True)
    ]


def certain_scores(
    options: Sequence[str], execution: Execution, text: str, spans: Sequence[Span]
) -> list[float] | None:
    """Support of options that answer with yes or no, with a name or with a time; None for others."""
    wanted = _plain(options)
    for scores in (_yes_or_no(wanted, text), _by_name(wanted, text), _by_time(wanted, execution, spans)):
        if scores is not None:
            return scores
    return None


def _plain(options: Sequence[str]) -> list[str]:
    return [re.sub(r"[\s.!?]+\Z", "", option.lower()).strip() for option in options]


def number_in(text: str) -> int | None:
    """The first number of a text, in digits or in words up to twelve."""
    if found := re.search(r"\d+", text):
        return int(found[0])
    return next((_NUMBERS.index(word) for word in text.lower().split() if word in _NUMBERS), None)


def _words(option: str) -> set[str]:
    return content_words(option) or {singular(word) for word in option.split()}


def _yes_or_no(options: Sequence[str], text: str) -> list[float] | None:
    """A "yes" and a "no" among the options, and an answer that begins with one of them."""
    said = re.match(r"(yes|no)\b", text.lower())
    first = [re.match(r"(yes|no)\b", option) for option in options]
    if not said or not any(first) or len({found[1] for found in first if found}) < 2:
        return None
    return [float(found is not None and found[1] == said[1]) for found in first]


def _by_name(options: Sequence[str], text: str) -> list[float] | None:
    """``person 2`` or ``the second person``, against the name that the answer begins with."""
    said = _NAME.match(text.lower())
    if not said:
        return None
    scores: list[float | None] = []
    for option in options:
        named = _NAME.search(re.sub(r"\A(?:the|an?) ", "", option))
        read = read_phrase(option)
        if named is None and read.ordinal is not None and read.ordinal > 0 and read.noun:
            scores.append(float((read.noun, read.ordinal) == (said[1], int(said[2]))))
        elif named is not None and is_known(named[1]):
            scores.append(float((named[1], named[2]) == (said[1], said[2])))
        else:
            scores.append(None)
    if all(score is None for score in scores):
        return None
    return [0.0 if score is None else score for score in scores]


def _by_time(options: Sequence[str], execution: Execution, spans: Sequence[Span]) -> list[float] | None:
    """Seconds, or thirds of the video, against the stretches that were found."""
    if not spans:
        return None
    times = [seconds_in(option) for option in options]
    if sum(bool(found) for found in times) >= 2:
        return [max((_agreement(found, span) for span in spans), default=0.0) if found else 0.0 for found in times]
    thirds = [_third(option) for option in options]
    if sum(third is not None for third in thirds) < 2 or execution.duration_s <= 0:
        return None
    part_s = execution.duration_s / 3
    lasting = [(a, max(b, a + 1e-3)) for a, b in spans]
    total_s = sum(b - a for a, b in lasting)

    def share(third: int) -> float:
        inside = (min(b, (third + 1) * part_s) - max(a, third * part_s) for a, b in lasting)
        return sum(max(0.0, length_s) for length_s in inside) / total_s

    return [0.0 if third is None else share(third) for third in thirds]


def _third(option: str) -> int | None:
    return next((third for word, third in _THIRDS.items() if re.search(rf"\b{word}\b", option)), None)


def _agreement(found: Sequence[float], span: Span) -> float:
    """Overlap of two stretches, or nearness of a single second, 0..1."""
    low, high = min(found), max(found)
    if low < high and span[0] < span[1]:
        shared_s = max(0.0, min(high, span[1]) - max(low, span[0]))
        if shared_s:
            return 0.5 + 0.5 * shared_s / (high - low + span[1] - span[0] - shared_s)
    apart_s = max(0.0, low - span[1], span[0] - high)
    # A single second is about the start first: "when does she come" is answered by it.
    return 0.5 / (1.0 + apart_s) + (0.5 / (1.0 + abs(low - span[0])) if low == high else 0.0)
