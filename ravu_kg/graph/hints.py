"""Where in a query something is wrong, and what was probably meant."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable

from ravu_kg.graph.templates import blank

_LINE_CHARACTERS = 100
_NEAR = 0.75
_MESSAGE_CHARACTERS = 300


def nearest(name: str, candidates: Iterable[str], cutoff: float = _NEAR) -> str | None:
    """The candidate most like the name, upper and lower case aside; None when none is near."""
    by_lower: dict[str, str] = {}
    for candidate in sorted(candidates):
        by_lower.setdefault(candidate.lower(), candidate)
    found = difflib.get_close_matches(name.lower(), by_lower, n=1, cutoff=cutoff)
    return by_lower[found[0]] if found else None


def did_you_mean(name: str, candidates: Iterable[str], cutoff: float = _NEAR) -> str:
    """``did you mean `tStart`?``; empty when nothing is near."""
    found = nearest(name, candidates, cutoff)
    return f"did you mean `{found}`?" if found else ""


def placed(problem: str, text: str, offset: int, hint: str = "") -> str:
    """A message with line and column of the problem, the line itself, and a caret below the place.

    Args:
        problem: what is wrong, without a full stop.
        text: the query.
        offset: where in it, in characters; clipped to the text.
        hint: what was meant or what to do, appended to the sentence.
    """
    offset = max(0, min(offset, len(text)))
    line_start = text.rfind("\n", 0, offset) + 1
    line = text[line_start:].split("\n", 1)[0].rstrip("\r").replace("\t", " ")
    column = offset - line_start
    number = text.count("\n", 0, offset) + 1
    first = max(0, min(column - _LINE_CHARACTERS // 2, len(line) - _LINE_CHARACTERS))
    shown = line[first : first + _LINE_CHARACTERS]
    sentence = f"{problem} (line {number}, column {column + 1})"
    sentence += f"; {hint}" if hint else "."
    return f"{sentence}\n  {shown}\n  {' ' * (column - first)}^"


def offset_of(text: str, line: int, column: int) -> int:
    """Characters before a 1-based line and column."""
    lines = text.split("\n")
    return sum(len(one) + 1 for one in lines[: line - 1]) + column - 1


def explained(message: str, text: str, prefix: str, names: Iterable[str]) -> str:
    """The server's words about a faulty query, with the place in the user's own text and what was probably meant.

    Args:
        message: of the server.
        text: the query as the user gave it.
        prefix: what was put before it when it was sent.
        names: functions and procedures that may be meant.
    """
    place = re.search(r"\s*\(line (\d+), column (\d+) \(offset: (\d+)\)\)", message)
    problem = (message[: place.start()] if place else message.splitlines()[0]).rstrip(". ")
    hint = _meant(problem, text, names)
    if len(problem) > _MESSAGE_CHARACTERS:
        problem = problem[: _MESSAGE_CHARACTERS - 3] + "..."
    if place is None:
        return f"{problem}; {hint}" if hint else f"{problem}."
    sent = prefix + text
    return placed(problem, text, offset_of(sent, int(place.group(1)), int(place.group(2))) - len(prefix), hint)


def _meant(problem: str, text: str, names: Iterable[str]) -> str:
    if match := re.match(r"Variable `(.+)` not defined", problem):
        others = set(re.findall(r"(?<![\w.:$])[^\W\d]\w*(?!\s*\()", blank(text))) - {match.group(1)}
        return did_you_mean(match.group(1), {name for name in others if not name.isupper()}, cutoff=0.5)
    if match := re.match(r"Unknown function '(.+)'", problem) or re.search(r"procedure with the name `(.+?)`", problem):
        return did_you_mean(match.group(1), names)
    if match := re.match(r"Invalid input '(\w+)': expected (.*)", problem, re.DOTALL):
        return did_you_mean(match.group(1), re.findall(r"'([A-Z]+)", match.group(2)), cutoff=0.6)
    return ""
