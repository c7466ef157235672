"""Sentences about an entity that a person named or labelled otherwise."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ravu_kg.articles import article


@dataclass(frozen=True, slots=True)
class Named:
    """What a name is made of."""

    id: str
    track_id: int
    found_label: str
    label: str
    given_name: str | None = None


def names(entities: Sequence[Named]) -> dict[str, str]:
    """What each entity is called: the name that it was given, else its label with a number.

    Numbers count by the labels that were found, in order of track: what a correction does to one entity leaves the
    names of the others, which sentences mention, as they are. One that was labelled otherwise is counted after those.

    >>> found = [Named("v#1", 1, "person", "dog"), Named("v#2", 2, "person", "person"), Named("v#3", 3, "dog", "dog")]
    >>> names(found)
    {'v#1': 'dog 2', 'v#2': 'person 2', 'v#3': 'dog 1'}
    """
    counts: dict[str, int] = {}
    called: dict[str, str] = {}
    ordered = sorted(entities, key=lambda one: one.track_id)
    for one in ordered:
        counts[one.found_label] = counts.get(one.found_label, 0) + 1
        called[one.id] = f"{one.found_label} {counts[one.found_label]}"
    for one in ordered:
        if one.label != one.found_label:
            counts[one.label] = counts.get(one.label, 0) + 1
            called[one.id] = f"{one.label} {counts[one.label]}"
        if one.given_name:
            called[one.id] = one.given_name
    return {one.id: called[one.id] for one in entities}


def relabelled(sentence: str, label: str, new_label: str) -> str:
    """A sentence about an entity with another label: its subject is the first mention of the old one.

    >>> relabelled("A person in blue walks near another person.", "person", "astronaut")
    'An astronaut in blue walks near another person.'
    """
    pattern = re.compile(rf"\b(?:(?P<article>an?) )?(?P<label>{re.escape(label)})\b", re.IGNORECASE)

    def replaced(match: re.Match[str]) -> str:
        given = match["article"]
        if given is None:
            return _like(match["label"], new_label)
        fitting = article(new_label)
        return f"{_like(given, fitting)} {new_label}"

    return pattern.sub(replaced, sentence, count=1)


def renamed(text: str, changed: Mapping[str, str]) -> str:
    """A text that mentions entities by their old names (keys) with the new ones.

    >>> renamed("Person 1 waits; person 12 walks.", {"person 1": "Anna"})
    'Anna waits; person 12 walks.'
    """
    if not changed:
        return text
    by_name = {old.lower(): new for old, new in changed.items()}
    longest_first = sorted(by_name, key=lambda one: (-len(one), one))
    pattern = re.compile(rf"\b(?:{'|'.join(re.escape(old) for old in longest_first)})\b", re.IGNORECASE)
    return pattern.sub(lambda match: _like(match[0], by_name[match[0].lower()]), text)


def _like(old: str, new: str) -> str:
    """A capital letter stays one."""
    return new[:1].upper() + new[1:] if old[:1].isupper() else new
