"""Times in words as times in figures: "a minute and a half", "the seventh second", "half way", "1m20s"."""

from __future__ import annotations

import re
from collections.abc import Callable

_ONES = [
    *("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"),
    *("thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen"),
]
_TENS = {"twenty": 20, "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "seventy": 70, "eighty": 80, "ninety": 90}
_CARDINALS = {word: number for number, word in enumerate(_ONES)} | _TENS
_IRREGULAR = {"first": 1, "second": 2, "third": 3, "fifth": 5, "eighth": 8, "ninth": 9, "twelfth": 12}
_ORDINALS = (
    {f"{word}th": number for number, word in enumerate(_ONES) if number not in _IRREGULAR.values()}
    | _IRREGULAR
    | {f"{tens[:-1]}ieth": number for tens, number in _TENS.items()}
)

_UNIT = r"(?:seconds?|secs?|minutes?|mins?|hours?|hrs?)"
_LENGTH = rf"\d+(?:\.\d+)? ?(?:{_UNIT}|s)"
_OF_VIDEO = r"(?: of (?:the|this) \w+)?"
_MARK = r"(?: mark)?"
_WORD = rf"(?:(?:{'|'.join(_TENS)})(?:[ -](?:{'|'.join(_ONES[1:10])}))?|{'|'.join(_ONES)}|(?:a|one) hundred)"
_NUMBER = rf"(?:\d+(?:\.\d+)?|{_WORD})"
_ORDINAL = (
    rf"(?:(?:{'|'.join(_TENS)})[ -](?:{'|'.join(word for word, number in _ORDINALS.items() if 0 < number < 10)})|"
    rf"{'|'.join(_ORDINALS)}|\d+(?:st|nd|rd|th))"
)
_AND = r"(?:and|to|until|till|through|up to|-|–)"


_TIMES = re.compile(rf"\d|\b{_UNIT}\b|\bhalf|\bmid|\bt ?=")
"""Without one of these a text names no time."""


def in_figures(text: str) -> str:
    """A question in lower case with its times in figures; other numbers, as of people, stay as they are."""
    if not _TIMES.search(text):
        return text
    for pattern, change in _RULES:
        text = pattern.sub(change, text)
    return text


def _cardinal(word: str) -> str:
    if word[0].isdigit():
        return word
    if word.endswith("hundred"):
        return "100"
    return str(sum(_CARDINALS[part] for part in re.split(r"[ -]", word)))


def _ordinal(word: str) -> int:
    if word[0].isdigit():
        return int(word[:-2])
    parts = re.split(r"[ -]", word)
    return sum(_TENS.get(part, 0) or _ORDINALS[part] for part in parts)


def _pair(found: re.Match[str]) -> str:
    return f"{_cardinal(found['a'])} {found['and']} {_cardinal(found['b'])}{found['gap']}{found['unit']}"


def _single(found: re.Match[str]) -> str:
    return f"{_cardinal(found['a'])}{found['gap']}{found['unit']}"


def _and_a_half(found: re.Match[str]) -> str:
    number = found["a"] if found["a"] not in ("a", "an") else "one"
    return f"{float(_cardinal(number)) + 0.5:g} {found['unit'].rstrip('s')}s"


def _together(found: re.Match[str]) -> str:
    """Minutes with seconds, or hours with minutes and seconds."""
    hours, minutes, seconds = (float(found[name] or 0) for name in ("h", "m", "s"))
    return f"{hours * 3600 + minutes * 60 + seconds:g} seconds"


def _ordinals(found: re.Match[str]) -> str:
    unit = found["unit"]
    return f"{unit} {_ordinal(found['a'])} {found['and']} {unit} {_ordinal(found['b'])}"


def _in_ordinal_minute(found: re.Match[str]) -> str:
    """The second minute lasts from 60 to 120 seconds."""
    number = _ordinal(found["a"])
    return f"between {60 * (number - 1)} and {60 * number} seconds"


_Rule = tuple[re.Pattern[str], str | Callable[[re.Match[str]], str]]
_RULES: tuple[_Rule, ...] = (
    (re.compile(r"\b(?:half|mid)[ -]?way\b"), "halfway"),
    (re.compile(r"\b(?:at|around|near|by) (?:the )?halfway (?:point|mark)"), "in the middle"),
    (re.compile(r"\bt ?= ?(\d+(?:\.\d+)?)(?: ?(?:s|secs?|seconds?))?\b"), r"second \1"),
    # Parts of a unit and several units.
    (re.compile(rf"\b(?P<a>an?|{_NUMBER}) (?P<unit>{_UNIT}) and a half\b"), _and_a_half),
    (re.compile(rf"\b(?P<a>{_NUMBER}) and a half (?P<unit>{_UNIT})\b"), _and_a_half),
    (re.compile(rf"\b(?:an? )?half (?:an? )?(?P<unit>{_UNIT})\b"), r"0.5 \g<unit>"),
    (re.compile(rf"\b(?:an? )?quarter of an? (?P<unit>{_UNIT})\b"), r"0.25 \g<unit>"),
    (re.compile(rf"\bthree[ -]quarters of an? (?P<unit>{_UNIT})\b"), r"0.75 \g<unit>"),
    (re.compile(rf"\b(?:an? )?couple (?:of )?(?P<unit>{_UNIT})\b"), r"2 \g<unit>"),
    (re.compile(rf"\b(first|last|final|opening|closing|initial) few (?P<unit>{_UNIT})\b"), r"\1 3 \g<unit>"),
    # "After a second" means soon; "after a minute" is a time.
    (re.compile(r"\b(at|after|before|until|till|by|from|past) (?:a|one) (minute|hour)\b"), r"\1 1 \2"),
    # Ordinals. First and last ones are stretches, which the times know.
    (re.compile(rf"\b(?:the )?(?P<a>{_ORDINAL})(?: (?:second|minute))? (?P<and>{_AND}) (?:the )?(?P<b>{_ORDINAL}) "
                rf"(?P<unit>second|minute){_MARK}\b"), _ordinals),
    (re.compile(rf"\b(?:in|during|within|throughout|over) the (?P<a>(?!first\b){_ORDINAL}) minute\b"),
     _in_ordinal_minute),
    (re.compile(rf"\b(?:the )?(?P<a>(?!first\b){_ORDINAL}) (?P<unit>second|minute){_MARK}(?=\Z|[ ,])"),
     lambda found: f"{found['unit']} {_ordinal(found['a'])}"),
    # Cardinals.
    (re.compile(rf"\b(?P<a>{_NUMBER}) (?P<and>{_AND}) (?P<b>{_NUMBER})(?P<gap>[ -])(?P<unit>{_UNIT})\b"), _pair),
    (re.compile(rf"\b(?P<a>{_WORD})(?P<gap>[ -])(?P<unit>{_UNIT})\b"), _single),
    (re.compile(rf"\b(second|minute) (?P<a>{_WORD})\b"), lambda found: f"{found[1]} {_cardinal(found['a'])}"),
    (re.compile(r"\b(?:(?P<h>\d+(?:\.\d+)?) ?(?:hours?|hrs?|h)(?: and|,)? ?)(?P<m>\d+(?:\.\d+)?) ?(?:minutes?|mins?|m)"
                r"(?:(?: and|,)? ?(?P<s>\d+(?:\.\d+)?) ?(?:seconds?|secs?|s))?\b"), _together),
    (re.compile(r"\b(?P<h>(?!))?(?P<m>\d+(?:\.\d+)?) ?(?:minutes?|mins?|m)(?: and|,)? ?(?P<s>\d+(?:\.\d+)?) ?"
                r"(?:seconds?|secs?|s)\b"), _together),
    (re.compile(rf"\b(?:(?:between|from) )?(?:the )?seconds (?P<a>\d+(?:\.\d+)?) ?{_AND} ?(?P<b>\d+(?:\.\d+)?)\b"),
     r"between second \g<a> and second \g<b>"),
    (re.compile(rf"\b({_LENGTH}) (?:before|from|to) the (?:very )?end{_OF_VIDEO}(?=\Z|[ ,])"), r"in the last \1"),
    (re.compile(rf"\b({_LENGTH}) (?:after|from) the (?:very )?(?:start|beginning){_OF_VIDEO}(?=\Z|[ ,])"), r"at \1"),
)  # fmt: skip
"""In this order, each over the whole text."""
