"""Marks of entities (``#4``), which models write into the descriptions of frames, as names for people."""

from __future__ import annotations

import re
from collections.abc import Mapping

_MARK = re.compile(r" ?[\[(]?#(\d+)\b[\])]?")
_NOUN_PHRASE = re.compile(
    r"\b(?P<det>the|an?|this|that|his|her|its|their|another) (?P<noun>(?:[^\W\d_][\w'-]* ?){1,4})\Z", re.IGNORECASE
)


def named(text: str, names: Mapping[str, str]) -> str:
    """A text with names in the place of marks: ``The dog #3 barks`` is ``Dog 1 barks``.

    Args:
        text: in which ``#3`` follows the words for what it marks, or stands alone.
        names: number of the mark -> name, a label with a number. Other numbers, as on a sign, stay.
    """
    told = ""
    at = 0
    for found in _MARK.finditer(text):
        told += text[at : found.start()]
        at = found.end()
        name = names.get(found[1])
        told = f"{told}{found[0]}" if name is None else _with_name(told, name)
    return told + text[at:]


def _with_name(told: str, name: str) -> str:
    """The text so far with the name of what its last words mark."""
    label = name.rpartition(" ")[0]
    phrase = _NOUN_PHRASE.search(told)
    if phrase is not None and phrase["noun"].lower() != label.lower():
        return f"{told} ({name})"
    before = told[: phrase.start()] if phrase else re.sub(rf"\b{re.escape(label)}\Z", "", told, flags=re.IGNORECASE)
    before = before.rstrip()
    begins = not before or before[-1] in ".!?:"
    return f"{before}{' ' if before else ''}{name[:1].upper() + name[1:] if begins else name}"
