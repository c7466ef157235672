"""Statements that a person can run as they are: parameters written into the text, links to the Neo4j Browser."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Protocol

from ravu_kg.graph.store import Store
from ravu_kg.graph.templates import Template, blank
from ravu_kg.graph.values import cypher_literal
from ravu_kg.server import Endpoint, browser_link
from ravu_kg.types import frame_id, frame_node_id, track_id_in

_ENTITIES = 15
"""How many entities of a video are drawn: with their events about as much as an eye can follow."""
_ENDS_AN_ARGUMENT = {"#": r"\u0023", "&": r"\u0026"}
"""The Browser decodes a link before it looks for the end of an argument; in strings Cypher knows these escapes."""


class Shown(Protocol):
    """One piece of evidence, as far as it is drawn."""

    @property
    def video_id(self) -> str:
        """Of an answer about several videos; else empty."""
        ...

    @property
    def frame_index(self) -> int:
        """Of the key frame."""
        ...

    @property
    def entity_ids(self) -> Sequence[str]:
        """Who is seen in it."""
        ...

    @property
    def event_id(self) -> str:
        """What happens; empty for a moment."""
        ...


def inlined(template: Template, parameters: Mapping[str, object]) -> str:
    """A template's statement with each ``$parameter`` replaced by its value, quoted as Cypher.

    For a statement that leaves the program, as in a link; what the program itself runs goes by parameters.
    """
    bound = template.bind(parameters)
    text = template.text
    # Found where strings and comments are blanked out, so that a dollar sign in them stays.
    for match in reversed(list(re.finditer(r"\$(\w+)", blank(text)))):
        literal = cypher_literal(bound[match.group(1)], full_vectors=True)
        text = text[: match.start()] + literal + text[match.end() :]
    return text


def deep_link(endpoint: Endpoint, statement: str) -> str:
    """A link that opens the embedded server's Browser with a statement in its editor.

    Args:
        endpoint: of the embedded server.
        statement: may hold ``#`` and ``&`` in strings only.
    """
    for character, escape in _ENDS_AN_ARGUMENT.items():
        statement = statement.replace(character, escape)
    return browser_link(endpoint, statement)


def video_statement(store: Store, video_id: str) -> str:
    """A statement that draws a video: its first entities, and what they do."""
    return _in_one_line(store.template("explore/cast"), {"video_id": video_id, "limit": _ENTITIES})


def evidence_statement(store: Store, video_id: str, evidence: Sequence[Shown]) -> str:
    """A statement that draws evidence; empty when there is none.

    Args:
        store: whose templates are used.
        video_id: of the answer.
        evidence: names its own video where the answer is about several.
    """
    if not evidence:
        return ""
    frames, nodes, events = set[str](), set[str](), set[str]()
    for one in evidence:
        of = one.video_id or video_id
        frames.add(frame_id(of, one.frame_index))
        nodes |= {frame_node_id(of, one.frame_index, track_id_in(entity)) for entity in one.entity_ids}
        events |= {one.event_id} - {""}
    if nodes:
        parameters = {"node_ids": sorted(nodes), "event_ids": sorted(events)}
        return _in_one_line(store.template("explore/evidence"), parameters)
    return _in_one_line(store.template("explore/frames"), {"frame_ids": sorted(frames)})


def _in_one_line(template: Template, parameters: Mapping[str, object]) -> str:
    return inlined(replace(template, text=" ".join(template.text.split())), parameters)  # a link has little room
