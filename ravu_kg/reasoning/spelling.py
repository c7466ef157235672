"""Slips of the keyboard in the words that questions are made of."""

from __future__ import annotations

import re
from functools import cache

_WORDS = (
    "people", "person", "persons", "woman", "women", "children", "child", "visitors", "visitor", "animal", "animals",
    "picture", "video", "camera", "after", "before", "while", "during", "between", "when", "where", "which", "what",
    "happens", "leaves", "leave", "enters", "enter", "arrives", "appears", "appear", "comes", "colour", "color",
    "second", "third", "first", "number", "many", "beginning", "middle", "visible", "seconds", "there", "many",
)  # fmt: skip
_RIGHT = frozenset(
    (
        "adter", "boarder", "wine", "wheel", "whole", "three", "their", "these", "those", "theme", "centre", "peoples",
        "apron", "parson", "chile", "chide", "leavers", "leaver", "hen", "then", "wren", "went", "hat", "that", "chat",
        "were", "here", "wear", "ware", "hello", "wit", "with", "witch", "watch", "main", "mane", "man", "may", "money",
        "any", "mean", "men", "omen", "omens", "fist", "frist", "thirds", "firsts", "come", "combs", "cameras",
        "pictures", "videos", "happen", "happened", "numbers", "colours", "colors", "center", "renters", "reenters",
        "entered", "appeared", "arrived", "arrive", "seconded", "thee", "ether", "other", "visibly", "invisible",
        "coloured", "colored", "numbered", "befores", "whine", "whiles", "whale", "white", "childs", "childrens",
        "womens", "womans", "persona", "personal", "animals", "alter", "later", "water", "eater", "aft", "cater",
    )
)  # fmt: skip
"""Words that are near to one of the above and right as they are."""


_SHORT_SLIPS = {
    **dict.fromkeys(("ater", "aftr", "afer", "atfer", "aftre", "afetr"), "after"),
    **dict.fromkeys(("whlie", "whiel", "whlile", "wihle"), "while"),
    **dict.fromkeys(("wehn", "whne", "hwen"), "when"),
    **dict.fromkeys(("waht", "whta", "hwat"), "what"),
    **dict.fromkeys(("befor", "bfore", "befoer"), "before"),
    **dict.fromkeys(("hwo", "ohw"), "how"),
    "midle": "middle", "begining": "beginning",
}  # fmt: skip
"""Slips of the words that a question hangs on, which are no words themselves."""
_SHORT = re.compile(rf"\b(?:{'|'.join(_SHORT_SLIPS)})\b")


def corrected(text: str) -> str:
    """The text with the words that questions turn on spelled right.

    Corrected is only one slip inside a word of five letters and more, with its first letter right: two letters
    swapped, one left out, or one doubled.
    """
    text = _SHORT.sub(lambda found: _SHORT_SLIPS[found[0]], text)
    text = re.sub(r"\baftert he (?=[a-z]+ )(?!(?:\w+s|\w+ed|fell|ran|sat|got|put|took|saw|went) )", "after the ", text)
    return re.sub(r"[a-z]{4,}", lambda found: _slips().get(found[0], found[0]), text)


@cache
def _slips() -> dict[str, str]:
    """Each misspelling that stands for exactly one word."""
    found: dict[str, set[str]] = {}
    for word in _WORDS:
        for slip in _slips_of(word):
            found.setdefault(slip, set()).add(word)
    return {
        slip: words.pop()
        for slip, words in found.items()
        if len(words) == 1 and slip not in _WORDS and slip not in _RIGHT
    }


def _slips_of(word: str) -> set[str]:
    slips: set[str] = set()
    for at in range(1, len(word)):
        slips.add(word[:at] + word[at + 1 :])
        slips.add(word[: at + 1] + word[at:])
        if at + 1 < len(word):
            slips.add(word[:at] + word[at + 1] + word[at] + word[at + 2 :])
    # Left out or swapped, a short word is most often another one; the end of a word is its inflection.
    return {slip for slip in slips if len(slip) >= 5 and not slip.startswith(word) and slip != word[:-1]}
