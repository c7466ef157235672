"""How requests are put together: stable instructions first, then data as JSON, which no text in it can leave."""

from __future__ import annotations

import json
from collections.abc import Sequence

from ravu_kg.prompts import load
from ravu_kg.types import ModelRequest, Picture, entity_tag

MAX_TEXT_CHARS = 400
"""As much of one sentence as a request holds."""


def request(prompt: str, *data: object, pictures: Sequence[Picture] = (), more_instructions: str = "") -> ModelRequest:
    """A request of a prompt file and data.

    Args:
        prompt: name of the file.
        data: values of JSON, each a part of its own; texts in them stay texts.
        pictures: go after the data.
        more_instructions: as stable as the file; goes after it.
    """
    instructions = f"{load(prompt)}\n{more_instructions}" if more_instructions else load(prompt)
    return ModelRequest(instructions, (*(as_json(one) for one in data), *pictures))


def as_json(value: object) -> str:
    """Compact JSON."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def clipped(text: str) -> str:
    """A sentence, cut at a word when it is very long."""
    text = " ".join(text.split())
    return text if len(text) <= MAX_TEXT_CHARS else text[:MAX_TEXT_CHARS].rpartition(" ")[0] + " …"


def seconds(time_s: float) -> float:
    """Seconds as a model is told them; a whole number has no point, which saves tokens."""
    rounded = round(time_s, 1)
    return int(rounded) if rounded == int(rounded) else rounded


def tag(entity_id: str) -> str:
    """An entity as a model is told it, and as its box is labelled: ``#3``."""
    return entity_tag(entity_id)
