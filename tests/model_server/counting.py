"""Tokens of requests and replies, counted as the product counts them."""

from __future__ import annotations

import io
import json
import math
import warnings
from functools import cache

from PIL import Image

from tests.model_server.records import Received

with warnings.catch_warnings():
    warnings.simplefilter("ignore", DeprecationWarning)  # it opens its vocabulary in an old way
    import bpe_openai

_ENCODING = bpe_openai.get_encoding("o200k_base")


def input_tokens(received: Received) -> int:
    text = [received.instructions, *received.texts]
    if received.schema and received.format != "text":
        text.append(json.dumps(received.schema))
    return sum(output_tokens(part) for part in text) + sum(_picture(provider(received), i) for i in received.images)


def output_tokens(text: str) -> int:
    return len(_ENCODING.encode_ordinary(text))


def cut(text: str, limit: int) -> str:
    """The longest start of a text that is no more than ``limit`` tokens."""
    low, high = 0, len(text)
    while low < high:
        middle = (low + high + 1) // 2
        if output_tokens(text[:middle]) <= limit:
            low = middle
        else:
            high = middle - 1
    return text[:low]


def provider(received: Received) -> str:
    return "gemini" if received.protocol.startswith("gemini") else "openai"


@cache
def _picture(provider: str, data: bytes) -> int:
    with Image.open(io.BytesIO(data)) as image:
        width, height = image.size
    if provider == "gemini":
        small = width <= 384 and height <= 384
        return 258 if small else 258 * math.ceil(width / 768) * math.ceil(height / 768)
    shrink = min(1.0, 2048 / max(width, height))
    shrink *= min(1.0, 768 / (min(width, height) * shrink))
    return 85 + 170 * math.ceil(width * shrink / 512) * math.ceil(height * shrink / 512)
