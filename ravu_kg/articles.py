"""Which indefinite article a word takes, by how it is said."""

from __future__ import annotations

import re

_WITH_AN = re.compile(
    # Said with "you" or "w" at the start: a uniform (but an uninvited, unidentified, unironed guest), a one-way street.
    r"(?!uni(?!n|m|r|de)|us[aeu]|ut[eio]|ur[ai]|uku|ufo|eu|ewe|one(?:sie)?s?\b|once\b|u\b)[aeiou]"
    r"|hour|hon(?:est|ou?r)|heir",
    re.IGNORECASE,
)


def article(word: str) -> str:
    """``an`` before "orange car" and "hour glass"; ``a`` before "dog" and "uniform"."""
    return "an" if _WITH_AN.match(word) else "a"


def with_article(noun: str) -> str:
    """``a dog``, ``an orange car``."""
    return f"{article(noun)} {noun}"
