"""Nouns: how people name what detectors label.

Detectors speak COCO, people do not: "woman", "kids" and "bikers" are all ``person`` there. The tables are small on
purpose; what they miss is matched by the embedding of the label.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from ravu_kg.reasoning.nouns import HYPERNYMS, IRREGULAR, NOT_LITERAL

COLOR_NAMES = frozenset(
    [
        "black",
        "white",
        "grey",
        "gray",
        "red",
        "orange",
        "yellow",
        "green",
        "blue",
        "purple",
        "violet",
        "pink",
        "brown",
        "beige",
        "cyan",
        "turquoise",
        "golden",
        "silver",
        "dark",
        "light",
        "maroon",
        "navy",
        "teal",
    ]
)
ORDINALS: dict[str, int] = {
    "first": 1, "1st": 1, "second": 2, "2nd": 2, "third": 3, "3rd": 3, "fourth": 4, "4th": 4, "fifth": 5, "5th": 5,
    "sixth": 6, "6th": 6, "seventh": 7, "eighth": 8, "ninth": 9, "tenth": 10, "last": -1, "final": -1,
}  # fmt: skip

KNOWN_NOUNS: frozenset[str] = frozenset(
    {*HYPERNYMS, *(parent for parents in HYPERNYMS.values() for parent in parents)}
    | set(
        [
            "person",
            "umbrella",
            "tie",
            "frisbee",
            "snowboard",
            "kite",
            "skateboard",
            "surfboard",
            "bottle",
            "fork",
            "knife",
            "spoon",
            "bowl",
            "toilet",
            "mouse",
            "remote",
            "keyboard",
            "microwave",
            "oven",
            "toaster",
            "sink",
            "book",
            "clock",
            "vase",
            "scissors",
            "toothbrush",
            "table",
            "ball",
            "thing",
            "object",
            "item",
            "animal",
            "vehicle",
            "glass",
            "toy",
            "box",
            "door",
        ]
    )
)
"""Singular nouns that a phrase is searched for first."""

_ANY = frozenset(("thing", "object", "item", "entity", "something", "anything", "everything", "what", "one"))
_DETERMINERS = frozenset(
    [
        "the",
        "a",
        "an",
        "this",
        "that",
        "these",
        "those",
        "his",
        "her",
        "its",
        "their",
        "my",
        "our",
        "your",
        "some",
        "any",
        "each",
        "every",
        "all",
        "both",
        "no",
        "another",
        "other",
        "different",
        "various",
        "distinct",
        "many",
        "several",
        "few",
        "two",
        "three",
        "four",
        "five",
        "six",
        "seven",
        "eight",
        "nine",
        "ten",
        "of",
        "same",
        "main",
        "next",
        "previous",
        "new",
        "only",
        "whole",
        "entire",
    ]
)
_DEFINITE = frozenset(["the", "this", "that", "his", "her", "its", "their", "my", "our", "your"])
_PREPOSITIONS = frozenset(
    [
        "in",
        "on",
        "with",
        "of",
        "at",
        "by",
        "from",
        "near",
        "wearing",
        "who",
        "that",
        "which",
        "beside",
        "behind",
        "under",
        "over",
        "holding",
        "inside",
        "outside",
        "to",
        "into",
        "between",
        "around",
        "along",
        "across",
        "while",
        "when",
        "after",
        "before",
        "sitting",
        "standing",
        "next",
        "closest",
        "nearest",
    ]
)


@dataclass(frozen=True, slots=True)
class Phrase:
    """A noun phrase taken apart."""

    text: str
    noun: str
    """Singular head noun, lower case; empty when none was found."""
    ordinal: int | None = None
    """1-based position by first appearance; negative counts from the end."""
    plural: bool = False
    definite: bool = False
    modified: bool = False
    """True when other words (a colour, "with a hat") narrow it down."""


def read_phrase(text: str) -> Phrase:
    """Take a noun phrase apart: ``the first person in red`` has the noun ``person`` and the ordinal 1."""
    words = re.findall(r"[\w'-]+", text.lower())
    if len(words) == 1 and words[0] in ("he", "she", "him", "her"):
        return Phrase(text=text, noun="person", definite=True)
    definite = bool(words) and words[0] in _DEFINITE
    ordinal: int | None = None
    core: list[str] = []
    modified = False
    for position, word in enumerate(words):
        if word in ORDINALS and not core:
            ordinal = ORDINALS[word]
        elif word in _PREPOSITIONS and core:
            modified = modified or position < len(words)
            break
        elif word not in _DETERMINERS or core:
            core.append(word)
    noun, size = _head(core)
    return Phrase(
        text=text,
        noun=noun,
        ordinal=ordinal,
        plural=bool(core) and _is_plural(core[-1]),
        definite=definite,
        modified=modified or len(core) > size,
    )


def singular(word: str) -> str:
    """Singular of an English noun, by rule."""
    if word in IRREGULAR:
        return IRREGULAR[word]
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    if word.endswith(("ses", "xes", "zes", "ches", "shes")) and len(word) > 4:
        return word[:-2]
    if word.endswith("s") and not word.endswith(("ss", "us", "is")) and len(word) > 3:
        return word[:-1]
    return word


def plural(noun: str) -> str:
    """Plural of a singular noun, by rule."""
    for many, one in IRREGULAR.items():
        if one == noun and many != "persons":
            return many
    if noun.endswith("y") and noun[-2:-1] not in "aeiou":
        return noun[:-1] + "ies"
    return noun + ("es" if noun.endswith(("s", "x", "z", "ch", "sh")) else "s")


def matching_labels(noun: str, labels: Iterable[str]) -> list[str]:
    """The labels that a noun can mean, most exact first found: same word, kinds of it, else what it is a kind of."""
    available = list(dict.fromkeys(labels))
    if noun in _ANY:
        return available
    forms = {label: singular(label.lower()) for label in available}
    same = [label for label, form in forms.items() if form == noun or _last_word(form) == noun]
    narrower = [label for label, form in forms.items() if noun in _parents(form)]
    if same or narrower:
        return list(dict.fromkeys(same + narrower))
    return [label for label, form in forms.items() if form in _parents(noun)]


def is_known(noun: str) -> bool:
    """Whether the tables know the noun, so that a failed match means that it is not there."""
    return noun in KNOWN_NOUNS or noun in _ANY


def _parents(noun: str) -> tuple[str, ...]:
    return HYPERNYMS.get(noun) or HYPERNYMS.get(_last_word(noun), ())


def _last_word(text: str) -> str:
    return text if text in NOT_LITERAL else text.rsplit(" ", 1)[-1]


def _is_plural(word: str) -> bool:
    return singular(word) != word or word in ("people", "sheep")


def _head(core: list[str]) -> tuple[str, int]:
    """Head noun and how many words it takes: the last known noun before a preposition, else the last word."""
    for end in range(len(core), 0, -1):
        for size in (2, 1):
            if end >= size:
                candidate = " ".join([*core[end - size : end - 1], singular(core[end - 1])])
                if candidate in KNOWN_NOUNS or candidate in _ANY:
                    return candidate, size
    return (singular(core[-1]), 1) if core else ("", 0)
