"""Stretches and moments of time that a question names in seconds, minutes or clock form."""

from __future__ import annotations

import re
from dataclasses import dataclass

_NUMBER = r"\d+:\d{2}(?::\d{2})?|\d+(?:\.\d+)?|an?|one|two|three|four|five|six|seven|eight|nine|ten|half an?|half"
_UNIT = r"milliseconds?|ms|seconds?|secs?|s|minutes?|mins?|m|hours?|hrs?|h"
_WORDS = {
    "a": 1.0, "an": 1.0, "one": 1.0, "two": 2.0, "three": 3.0, "four": 4.0, "five": 5.0, "six": 6.0, "seven": 7.0,
    "eight": 8.0, "nine": 9.0, "ten": 10.0, "half a": 0.5, "half an": 0.5, "half": 0.5,
}  # fmt: skip


def _time(name: str) -> str:
    """One time: ``20``, ``20 s``, ``second 20``, ``0:20``, ``the 20 second mark``."""
    return (
        rf"(?:the )?(?:(?P<{name}_before>second|minute|timestamp|time|mark) )?(?P<{name}>{_NUMBER})(?:st|nd|rd|th)?"
        rf"(?:[ -]?(?P<{name}_unit>{_UNIT}))?(?: mark)?\b"
    )


_NAMES_A_TIME = re.compile(rf"\d|(?:second|minute|timestamp)|\b(?:{_NUMBER}|first|last|final|opening)[ -](?:{_UNIT})\b")
"""Looked for first: most questions name no time."""
_INTO = r"(?: (?:in|into|of) (?:the )?(?:video|clip|film|movie|footage|recording))?"
_STRETCH = r"(?:(?:interval|period|span|time|stretch|seconds|range)(?: of)? )?"
_BETWEEN = re.compile(
    rf"(?:(?:in|during|within|for) (?:the )?{_STRETCH})?"
    rf"(?:between|from) (?:(?:the )?seconds )?{_time('a')} ?(?:and|to|until|till|up to|through|-|–) ?"
    rf"{_time('b')}{_INTO}"
    rf"|(?:in|during|within|for|at) (?:the )?{_STRETCH}{_time('c')} ?(?:-|–|to) ?{_time('d')}{_INTO}"
)
_FIRST = re.compile(
    rf"(?:in|during|within|for|over|throughout) (?:the )?(?:very )?(?P<side>first|opening|initial|last|final|closing) "
    rf"(?:(?P<n>{_NUMBER})[ -])?(?P<n_unit>{_UNIT})\b{_INTO}"
)
_ONE_SIDED = re.compile(
    rf"(?P<side>after|past|later than|from|since|before|until|till|up to|earlier than|by|prior to|within) {_time('a')}"
    rf"(?: (?:on|onwards?))?{_INTO}"
)
_AT = re.compile(
    rf"(?:exactly |right )?(?:at|around|about|near|in)(?: exactly| precisely| about| around| roughly)? "
    rf"{_time('a')}{_INTO}"
    rf"|(?P<c>{_NUMBER})[ -]?(?P<c_unit>{_UNIT}) (?:into (?:the )?(?:video|clip|film|movie|footage|recording)|in(?!\w))"
)
_LENGTH_OF = (
    r"(?:(?P<within>(?:within|during|over|for|in(?= the))(?: the)?(?: first| next| last)?) |(?:at|in|some|about|around|"
    r"roughly|exactly|approximately|only|just|precisely) )*"
    rf"(?:(?P<vague>(?:an? )?(?:few|couple of|several|some) (?:seconds|moments|minutes))|(?:the )?(?P<n>{_NUMBER})[ -]?"
    rf"(?P<unit>{_UNIT}))"
)
_LENGTH_LAST = re.compile(rf"(?:\A|[ ,]+){_LENGTH_OF}(?: (?:right|just))?\Z")
_LENGTH_FIRST = re.compile(rf"\A{_LENGTH_OF} (?=after |before |from when |prior to )")
_OF_A_MOMENT = (" after ", " before ", " of ", " prior to ")
"""Seconds before these words are counted from a moment, not from the start of the video."""
_BEFORE = ("before", "until", "till", "up to", "earlier than", "by", "prior to", "within")


@dataclass(frozen=True, slots=True)
class Stretch:
    """Seconds of a video; a negative start counts from its end, an end of None is the end of the video."""

    start_s: float
    end_s: float | None


def take_stretch(text: str) -> tuple[Stretch | None, str]:
    """The stretch that a question in lower case names, and the question without it."""
    if not _NAMES_A_TIME.search(text):
        return None, text
    for pattern, read in ((_BETWEEN, _between), (_FIRST, _first), (_ONE_SIDED, _one_sided)):
        for match in _matches(pattern, text):
            stretch = read(match)
            if stretch is not None:
                return stretch, _cut(text, match)
    return None, text


def take_moment(text: str) -> tuple[float | None, str]:
    """The second that a question in lower case names, and the question without it."""
    if not _NAMES_A_TIME.search(text):
        return None, text
    for match in _matches(_AT, text):
        time_s = _moment(match)
        if time_s is not None:
            return time_s, _cut(text, match)
    return None, text


def take_length(text: str, *, at_start: bool = False) -> tuple[tuple[float | None, bool], str]:
    """How long after or before a moment something is asked, and the text without it.

    Args:
        text: ``what does the man do 3 seconds``, which a temporal clause follows; "a few seconds" are no length.
        at_start: the text begins with the length, as in ``3 seconds after the dog leaves, who comes``.

    Returns:
        Seconds (None when no length is given) and whether anything within them is meant; the rest.
    """
    found = (_LENGTH_FIRST if at_start else _LENGTH_LAST).search(text)
    if found is None:
        return (None, False), text
    length_s = None if found["vague"] else _length(found["n"], found["unit"])
    return (length_s, found["within"] is not None), (text[: found.start()] + text[found.end() :]).strip(" ,")


def seconds_in(text: str) -> list[float]:
    """All times that a text gives with a unit, in clock form, or as ``3-5 s``."""
    found: list[float] = []
    for match in re.finditer(rf"(?:(\d+(?:\.\d+)?) ?(?:-|–|to|and) ?)?{_time('a')}", text.lower()):
        time_s = _seconds(match, "a")
        if time_s is not None:
            found += [*([float(match[1])] if match[1] else []), time_s]
    return found


def _cut(text: str, match: re.Match[str]) -> str:
    rest = text[: match.start()].strip(" ,"), text[match.end() :].strip(" ,")
    return " ".join(part for part in rest if part) or "what happens"


def _matches(pattern: re.Pattern[str], text: str) -> list[re.Match[str]]:
    """Where a pattern stands between words."""
    return [
        found
        for found in pattern.finditer(text)
        if (found.start() == 0 or text[found.start() - 1] in ", ")
        and (found.end() == len(text) or text[found.end()] in ", ")
    ]


def _between(match: re.Match[str]) -> Stretch | None:
    first, second = ("a", "b") if match["a"] is not None else ("c", "d")
    end_s = _seconds(match, second, also=match[f"{first}_before"])
    if end_s is None:
        return None
    unit = match[f"{first}_unit"] or match[f"{second}_unit"] or match[f"{first}_before"]
    start_s = _seconds(match, first, also=unit)
    if start_s is None or start_s >= end_s:
        return None
    return Stretch(start_s, end_s)


def _first(match: re.Match[str]) -> Stretch | None:
    if match.string[match.end() :].startswith(_OF_A_MOMENT[:2]):
        return None
    length_s = _length(match["n"] or "one", match["n_unit"])
    if match["side"] in ("first", "opening", "initial"):
        return Stretch(0.0, length_s)
    return Stretch(-length_s, None)


def _one_sided(match: re.Match[str]) -> Stretch | None:
    time_s = _seconds(match, "a")
    if time_s is None or (match["a"] in _WORDS and not match["a_before"]):  # "after a second": no time of the video
        return None
    if match["side"] in _BEFORE:
        of_something = match["side"] == "within" and match.string[match.end() :].startswith(_OF_A_MOMENT)
        return Stretch(0.0, time_s) if time_s > 0 and not of_something else None
    return Stretch(time_s, None)


def _moment(match: re.Match[str]) -> float | None:
    if match["c"] is not None:
        return _length(match["c"], match["c_unit"])
    if match["a"] in _WORDS and not match["a_before"]:
        return None
    if match["a_unit"] and match.string[match.end() :].startswith(_OF_A_MOMENT[:2]):
        return None
    # "at 30" is a time; "in 30" and "about 30" are not.
    plain = match[0].strip(" ,").startswith(("at ", "exactly at ", "right at "))
    return _seconds(match, "a", also="s" if plain else None)


def _seconds(match: re.Match[str], name: str, also: str | None = None) -> float | None:
    """A time in seconds; None for a bare number that nothing says to be a time."""
    value, unit = match[name], match[f"{name}_unit"] or match[f"{name}_before"] or also
    if ":" in value:
        seconds = 0.0
        for part in value.split(":"):
            seconds = seconds * 60 + float(part)
        return seconds
    return None if unit is None else _length(value, unit)


def _length(value: str, unit: str) -> float:
    number = _WORDS[value] if value in _WORDS else float(value)
    if unit in ("ms", "millisecond", "milliseconds"):
        return number / 1000
    if unit.startswith("h"):
        return number * 3600
    return number * 60 if unit.startswith("m") and unit != "mark" else number
