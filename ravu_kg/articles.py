"""Which indefinite article a word takes, by how it is said."""

from __future__ import annotations

import re

_WITH_AN = re.compile(
    r"(?!uni(?!n|m)|us[eu]|ute|eu|ewe|one\b|once\b|u\b)[aeiou]|hour|hon(?:est|ou?r)|heir", re.IGNORECASE
)


def article(word: str) -> str:
    """``an`` before "orange car" and "hour glass"; ``a`` before "dog" and "uniform"."""
    return "an" if _WITH_AN.match(word) else "a"


def with_article(noun: str) -> str:
    """``a dog``, ``an orange car``."""
    return f"{article(noun)} {noun}"
