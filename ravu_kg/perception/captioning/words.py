"""Words from models made fit for the graph: plain, bounded, and with no mark of an entity that is not there."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

DESCRIPTION_LETTERS = 2_000
SENTENCE_LETTERS = 400
LABEL_LETTERS = 40
LOOK_LETTERS = 120
ATTRIBUTE_LETTERS = 60
PREDICATE_LETTERS = 40
ATTRIBUTES = 12
"""Most attributes of one node."""

_MARK = re.compile(r"\s?[\[(]?#([A-Za-z]?\d+(?:\.\d+)?)[\])]?")
_WORD = re.compile(r"[^\W_]+")


def plain(text: str, letters: int) -> str:
    """One line without control characters, cut at a word when it is longer than so many letters."""
    line = " ".join("".join(letter if letter.isprintable() else " " for letter in text).split())
    if len(line) <= letters:
        return line
    return line[: letters - 3].rsplit(" ", 1)[0] + "..."


def with_marks(text: str, name: Callable[[str], str | None]) -> str:
    """The text with its marks renamed: ``#n1`` is ``#7``; a mark without a name goes, the noun before it stays."""

    def renamed(found: re.Match[str]) -> str:
        mark = name(found[1])
        return "" if mark is None else f"{' ' if found[0][:1].isspace() else ''}#{mark}"

    return _MARK.sub(renamed, text)


def without_marks(text: str) -> str:
    """The text without any mark."""
    return with_marks(text, lambda _: None)


def sentence(text: str) -> str:
    """A sentence of a node or an event: no marks, a capital at its start, a stop at its end; empty stays empty."""
    line = plain(without_marks(text), SENTENCE_LETTERS)
    if not any(letter.isalnum() for letter in line):
        return ""
    return line[0].upper() + line[1:] + ("" if line[-1] in ".!?…" else ".")


def attributes(texts: Iterable[str]) -> tuple[str, ...]:
    """Attributes without marks and doubles, in their order, at most twelve."""
    cleaned = (plain(without_marks(text), ATTRIBUTE_LETTERS).rstrip(".").lower() for text in texts)
    return tuple(dict.fromkeys(text for text in cleaned if any(letter.isalnum() for letter in text)))[:ATTRIBUTES]


def label(text: str) -> str:
    """A noun as a label: lower case, no article; empty when nothing is left."""
    line = plain(without_marks(text), LABEL_LETTERS).lower().rstrip(".")
    first, _, rest = line.partition(" ")
    return rest if rest and first in ("a", "an", "the") else line if any(letter.isalnum() for letter in line) else ""


def likeness(one: str, other: str) -> float:
    """The share of words that two texts have in common, 0..1 (Jaccard); 1 when one of them says nothing."""
    words, others = set(_WORD.findall(one.lower())), set(_WORD.findall(other.lower()))
    return len(words & others) / len(words | others) if words and others else 1.0
