from __future__ import annotations

import sys

import pytest

from ravu_kg.errors import MissingExtraError
from ravu_kg.models import tokens
from ravu_kg.models.tokens import count_picture, count_request, count_schema, count_text, require_tokenizer
from ravu_kg.types import ModelRequest, Picture


def picture(width_px: int, height_px: int) -> Picture:
    return Picture(b"", "image/jpeg", width_px, height_px)


@pytest.mark.parametrize(
    ("text", "tokens"),
    # Known of o200k_base: one token each for common words with their space, and for punctuation.
    [("", 0), ("Hello, world!", 4), ("The dog runs.", 4), ("<|endoftext|>", 7), ("\ud800", 1)],
)
def test_text_is_counted_with_o200k_base_and_markers_are_text(text: str, tokens: int):
    assert count_text(text) == tokens


@pytest.mark.parametrize(
    ("reference", "size_px", "tokens"),
    [
        # The examples of OpenAI's guide: 1024 x 1024 and 2048 x 4096 at high detail.
        ("openai:gpt-4o", (1024, 1024), 765),
        ("openai:gpt-4o-2024-11-20", (2048, 4096), 1105),
        ("openai:gpt-4o", (512, 512), 255),
        ("openai:gpt-4o", (513, 512), 425),
        ("openai:gpt-4o-mini", (1024, 1024), 2833 + 4 * 5667),
        ("openai:gpt-5", (1024, 1024), 70 + 4 * 140),
        ("openai:gpt-4.1-mini", (1024, 1024), 1659),  # 1024 patches
        ("openai:gpt-4.1-nano", (32, 33), 5),
        ("openai:gpt-5-mini", (4000, 4000), 2489),  # 1536 patches at most
        ("openai:gpt-6-luna", (1920, 1080), 2448),  # what the API reports
        ("openai:gpt-5.4-mini", (256, 256), 77),
        # Google's: up to 384 pixels, then tiles of 768.
        ("gemini:gemini-2.5-flash", (384, 384), 258),
        ("gemini:gemini-2.5-flash", (385, 100), 258),
        ("gemini:gemini-2.5-flash", (769, 768), 516),
        ("gemini:gemini-2.5-flash", (1920, 1080), 6 * 258),
        ("gemini:gemini-3.8-flash", (64, 64), 1120),
        ("gemini:gemini-4-argon", (1920, 1080), 1120),
        ("openai:qwen3-vl:8b", (640, 352), 220),
        ("other:gpt-4o", (1024, 1024), 1024),
    ],
)
def test_pictures_are_counted_by_the_published_rule_of_the_model(reference, size_px, tokens):
    assert count_picture(picture(*size_px), reference) == tokens


def test_a_request_is_the_sum_of_what_it_sends():
    schema = {"title": "plan", "type": "object"}
    request = ModelRequest("The dog runs.", ("Hello, world!", picture(64, 64)), schema)
    assert count_request(request, "gemini:gemini-2.5-pro") == 4 + 4 + 258 + count_schema(schema)
    assert count_schema(schema) > 5
    assert count_schema(None) == 0


@pytest.mark.parametrize(
    ("references", "extra"),
    [
        (["gemini:gemini-2.5-pro"] * 2, "gemini"),
        (["openai:gpt-5"], "openai"),
        (["gemini:gemini-2.5-pro", "openai:gpt-5"], "openai"),
    ],
)
def test_without_the_tokenizer_an_extra_of_the_models_is_named(
    references: list[str], extra: str, monkeypatch: pytest.MonkeyPatch
):
    require_tokenizer(references)
    tokens._encoding.cache_clear()
    monkeypatch.setitem(sys.modules, "bpe_openai", None)
    with pytest.raises(MissingExtraError, match=rf"Counting tokens needs .*'ravu-kg\[{extra}\]'"):
        require_tokenizer(references)
