"""Where the noun phrases are in a question."""

from __future__ import annotations

import re

from ravu_kg.reasoning.patterns import AUX, WH
from ravu_kg.reasoning.vocabulary import KNOWN_NOUNS, singular

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


def shots_or_cuts(phrase: str) -> str | None:
    """``shots`` or ``cuts`` when a noun phrase means those of the video, and nothing more: not "shots of the dog"."""
    found = _SHOTS.fullmatch(phrase.lower().strip())
    if found is None:
        return None
    return "shots" if found["word"] == "shot" and not found["change"] else "cuts"
