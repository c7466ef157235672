"""Where the noun phrases are in a question."""

from __future__ import annotations

import re

from ravu_kg.reasoning.patterns import WH
from ravu_kg.reasoning.vocabulary import KNOWN_NOUNS, singular
from ravu_kg.reasoning.words import AUX


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


_DETERMINERS = _set("the a an his her its their it him them something someone")
_SMALL_WORDS = _DETERMINERS | _set(
    "in on at of by with without from near next to behind under over wearing and or again alone away up down off out "
    "back who that which into onto across along around beside between two three"
)
_WORN = _set(
    "jeans shorts trousers pants leggings tights shoes boots trainers sneakers sandals socks gloves sunglasses clothes "
    "overalls pyjamas pajamas stripes dots braces earphones headphones eyes hands arms legs feet jacket shirt"
)
"""Plurals and the like behind a colour, which are no verbs."""
_PASTS = _set(
    "threw ran sat fell took gave went came got held hit stood caught drank ate sang spoke wrote rode swam drove put "
    "lay shook bent swung flew slept woke hid bit blew broke built cut dug drew fed fought kept knelt leapt lit met "
    "paid read rang said sent shot shut slid spun stuck struck swept taught tore told wore won"
)
_SHOTS = re.compile(r"(?:(?:the|all|camera|film|video|hard) )*(?P<word>shot|cut)s?(?P<change> changes?)?")


def split_counted(rest: str) -> tuple[str, str]:
    """What is counted, and what is said of it: ``people come to the table`` gives ``people`` and the rest."""
    words = rest.split()
    for position in range(len(words)):
        for size in (2, 1):
            tail = words[position : position + size]
            if len(tail) == size and " ".join([*tail[:-1], singular(tail[-1])]) in KNOWN_NOUNS:
                end = position + size
                if _is_head(words, end):
                    return " ".join(words[:end]), " ".join(words[end:])
    for position, word in enumerate(words):
        if position and re.fullmatch(rf"{AUX}|that|who|which|in|on|at|there|\w+ing", word):
            return " ".join(words[:position]), " ".join(words[position:])
    return words[0], " ".join(words[1:])


def _is_head(words: list[str], end: int) -> bool:
    """False for ``dog`` in ``dog owners``: the next word is the noun then."""
    return end >= len(words) or singular(words[end]) not in KNOWN_NOUNS


def statement(text: str) -> str:
    """A question without its question words: ``what does the dog eat`` -> ``the dog eat``."""
    return re.sub(rf"\A(?:(?:{WH}|{AUX}|not|there|please|else|exactly|for|it that) )+", "", text).strip()


def first_noun_phrase(text: str) -> str | None:
    """The first noun phrase with a known noun, from its determiner on, with a colour after "in" kept."""
    words = statement(text).split()
    for position, word in enumerate(words[:12]):
        for size in (2, 1):
            tail = words[position : position + size]
            if len(tail) < size or not _is_head(words, position + size):
                continue
            if " ".join([*tail[:-1], singular(re.sub(r"'s?\Z", "", tail[-1]))]) in KNOWN_NOUNS:
                start = position
                while start and re.fullmatch(
                    r"the|an?|first|second|third|last|other|both|two|three|this|that|these|those|little|small|"
                    r"big|young|old|"
                    r"black|white|red|blue|green|yellow|brown|grey|gray|pink|orange|purple|all|his|her|their|"
                    r"its|my|no|any|some",
                    words[start - 1],
                ):
                    start -= 1
                phrase = " ".join([*words[start : position + size - 1], re.sub(r"'s?\Z", "", tail[-1])])
                rest = " ".join(words[position + size :])
                colour = re.match(r"(?:in|wearing)(?: an?| the)? (?:black|white|red|blue|green|yellow|brown|"
                    r"grey|gray|pink|orange|purple)\b", rest)  # fmt: skip
                return f"{phrase} {colour[0]}" if colour else phrase
        if word in ("and", "who", "that"):
            break
    return None


def tells_something(text: str) -> bool:
    """Whether a verb follows in what stands behind a noun: "in blue throws the ball", but not "in blue jeans"."""
    words = ["", *text.split(), ""]
    return any(_is_verb(*words[at - 1 : at + 2]) for at in range(2, len(words) - 1))


def _is_verb(before: str, word: str, after: str) -> bool:
    if before in _SMALL_WORDS or word in _SMALL_WORDS or singular(word) in KNOWN_NOUNS or word in _WORN:
        return False
    if after in _DETERMINERS or word in _PASTS:
        return True
    if word.endswith("ed"):
        return not after or after in _SMALL_WORDS  # else it tells of the next word: "a striped shirt"
    return word.endswith("s") and not word.endswith(("ss", "us", "'s"))


def shots_or_cuts(phrase: str) -> str | None:
    """``shots`` or ``cuts`` when a noun phrase means those of the video, and nothing more: not "shots of the dog"."""
    found = _SHOTS.fullmatch(phrase.lower().strip())
    if found is None:
        return None
    return "shots" if found["word"] == "shot" and not found["change"] else "cuts"
