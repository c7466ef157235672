"""Tokens of requests and replies, counted as the product counts them."""

from __future__ import annotations

import io
from functools import cache

from PIL import Image

from ravu_kg.models import tokens
from ravu_kg.types import ModelRequest, Picture
from tests.model_server.records import Received


def input_tokens(received: Received) -> int:
    parts = tuple(part if isinstance(part, str) else _picture(part) for part in received.parts)
    # A schema that is written in the instructions is counted with them.
    schema = received.schema if received.format == "json_schema" else None
    provider = "gemini" if received.protocol.startswith("gemini") else "openai"
    return tokens.count_request(ModelRequest(received.instructions, parts, schema), f"{provider}:{received.model}")


def output_tokens(text: str) -> int:
    return tokens.count_text(text)


def cut(text: str, limit: int) -> str:
    """The longest start of a text that is no more than ``limit`` tokens."""
    low, high = 0, len(text)
    while low < high:
        middle = (low + high + 1) // 2
        if tokens.count_text(text[:middle]) <= limit:
            low = middle
        else:
            high = middle - 1
    return text[:low]


@cache
def _picture(data: bytes) -> Picture:
    with Image.open(io.BytesIO(data)) as image:
        return Picture(data, "image/png" if image.format == "PNG" else "image/jpeg", image.width, image.height)
