"""Statements that a person can run as they are: parameters written into the text."""

from __future__ import annotations

import re
from collections.abc import Mapping

from ravu_kg.graph.templates import Template, blank
from ravu_kg.graph.values import cypher_literal


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
