"""Tokens before a call: one stated tokenizer for all models, and the providers' published rules for pictures.

Text is counted with ``o200k_base``, the vocabulary of OpenAI's models since GPT-4o, from the package ``bpe-openai``
which ships it, so that nothing is fetched. Other providers' tokenizers differ by some percent.

Pictures:

* Gemini: 258 tokens when both sides are at most 384 pixels, else 258 for each tile of 768 x 768 that covers it
  (ai.google.dev/gemini-api/docs/tokens). Gemini 3 and later spend a fixed number on a picture whatever its size,
  1120 at the default resolution of media (ai.google.dev/gemini-api/docs/media-resolution).
* OpenAI, models of tiles: shrunk to fit 2048 x 2048, then to a shorter side of 768; a base and a number for each tile
  of 512 x 512 (platform.openai.com/docs/guides/images-vision, "calculating costs": 85 and 170 for GPT-4o).
* OpenAI, models of patches: one for each patch of 32 x 32, at most so many patches, times a factor of the model (the
  same page: 1.62 for GPT-4.1 mini and GPT-5 mini, 2.46 for GPT-4.1 nano and GPT-5 nano, at most 1536 patches; since
  GPT-5.4 at most 10,000, and 1.2 by what the API reports).
* Any other model, such as an open one behind a compatible server: patches of 32 x 32 with the factor 1, about what the
  Qwen-VL family spends.
"""

from __future__ import annotations

import json
import math
import re
import warnings
from collections.abc import Iterable, Mapping
from functools import cache
from typing import TYPE_CHECKING

from ravu_kg.errors import MissingExtraError
from ravu_kg.types import ModelRequest, Picture

if TYPE_CHECKING:
    import bpe_openai  # pyright: ignore[reportMissingTypeStubs]  # it is typed itself

_WHAT = "Counting tokens"
_GEMINI_SMALL_PX, _GEMINI_TILE_PX, _GEMINI_TILE_TOKENS = 384, 768, 258
_GEMINI_3_TOKENS = 1120  # whatever its size
_TILE_PX, _TILES_FIT_PX, _TILES_SHORT_PX = 512, 2048, 768
_PATCH_PX, _MOST_PATCHES = 32, 1536
_TILES = (  # models whose names start so, tokens of the base and of a tile
    ("gpt-4o-mini", 2833, 5667),
    ("gpt-4o", 85, 170),
    ("gpt-4.1", 85, 170),
    ("gpt-4.5", 85, 170),
    ("gpt-5", 70, 140),
    ("o1", 75, 150),
    ("o3", 75, 150),
)
_PATCHES = (  # models whose names start so, tokens of a patch, most patches
    ("gpt-4.1-mini", 1.62, _MOST_PATCHES),
    ("gpt-4.1-nano", 2.46, _MOST_PATCHES),
    ("gpt-5-mini", 1.62, _MOST_PATCHES),
    ("gpt-5-nano", 2.46, _MOST_PATCHES),
    ("gpt-5.4", 1.2, 10_000),
    ("gpt-5.5", 1.2, 10_000),
    ("gpt-5.6", 1.2, 10_000),
    ("gpt-6", 1.2, 10_000),
    ("o4-mini", 1.72, _MOST_PATCHES),
)


def require_tokenizer(references: Iterable[str]) -> None:
    """See that tokens can be counted, before long work that would be for nothing.

    Args:
        references: of the models whose tokens will be counted: an extra that they need anyway brings the tokenizer.

    Raises:
        MissingExtraError: the tokenizer is not installed.
    """
    try:
        _encoding()
    except MissingExtraError as error:
        if {reference.partition(":")[0] for reference in references} == {"gemini"}:
            raise MissingExtraError(_WHAT, "gemini") from error
        raise


def count_text(text: str) -> int:
    """Tokens of a text.

    Raises:
        MissingExtraError: the tokenizer is not installed.
    """
    # A lone surrogate has no bytes, so nothing to count; a model is sent it replaced.
    return len(_encoding().encode_ordinary(text.encode("utf-8", "replace").decode()))


def count_picture(picture: Picture, reference: str) -> int:
    """Tokens of a picture for a model, by the rule that its provider published."""
    provider, _, model = reference.partition(":")
    width_px, height_px = picture.width_px, picture.height_px
    if provider == "gemini":
        if _is_gemini_3(model):
            return _GEMINI_3_TOKENS
        if max(width_px, height_px) <= _GEMINI_SMALL_PX:
            return _GEMINI_TILE_TOKENS
        return _GEMINI_TILE_TOKENS * _cells(width_px, height_px, _GEMINI_TILE_PX)
    for start, factor, most in _PATCHES:
        if provider == "openai" and model.startswith(start):
            return _patches(width_px, height_px, factor, most)
    for start, base, tile in _TILES:
        if provider == "openai" and model.startswith(start):
            shrink = min(1.0, _TILES_FIT_PX / max(width_px, height_px))
            shrink *= min(1.0, _TILES_SHORT_PX / (min(width_px, height_px) * shrink))
            return base + tile * _cells(width_px * shrink, height_px * shrink, _TILE_PX)
    return _patches(width_px, height_px, 1.0, _MOST_PATCHES)


def count_request(request: ModelRequest, reference: str) -> int:
    """Tokens of all that a request sends: instructions, texts, pictures and the schema of the reply."""
    parts = sum(count_text(part) if isinstance(part, str) else count_picture(part, reference) for part in request.parts)
    return count_text(request.instructions) + parts + count_schema(request.schema)


def count_schema(schema: Mapping[str, object] | None) -> int:
    """Tokens of a reply's schema, which providers count as input; 0 for free text."""
    return count_text(json.dumps(schema)) if schema else 0


@cache
def _encoding() -> bpe_openai.Encoding:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # it opens its vocabulary in an old way
            import bpe_openai  # pyright: ignore[reportMissingTypeStubs]  # it is typed itself
    except ImportError as error:
        raise MissingExtraError(_WHAT, "openai") from error
    return bpe_openai.get_encoding("o200k_base")


def _cells(width_px: float, height_px: float, side_px: int) -> int:
    # A side that is a whole number of cells stays one through the rounding of a shrink.
    return math.ceil(width_px / side_px - 1e-9) * math.ceil(height_px / side_px - 1e-9)


def _patches(width_px: int, height_px: int, factor: float, most: int) -> int:
    return math.ceil(min(most, _cells(width_px, height_px, _PATCH_PX)) * factor)


def _is_gemini_3(model: str) -> bool:
    version = re.match(r"gemini-(\d+)", model)
    return version is not None and int(version[1]) >= 3
