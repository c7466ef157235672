"""What is said to a language model and what it says: plain records, the same for every provider."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class Picture:
    """An encoded image that goes into a request."""

    data: bytes
    media_type: Literal["image/jpeg", "image/png"]
    width_px: int
    height_px: int


@dataclass(frozen=True, slots=True)
class ModelRequest:
    """One call of a language model."""

    instructions: str
    """What never changes between calls of one kind; it comes first, so that providers can cache it."""
    parts: tuple[str | Picture, ...]
    """Texts and images of this call, in order."""
    schema: Mapping[str, object] | None = None
    """JSON schema of the reply, its ``title`` the name of the stage; None for free text."""
    max_output_tokens: int = 2048


@dataclass(frozen=True, slots=True)
class ModelReply:
    """What a language model said."""

    text: str
    finish: Literal["stop", "length"]
    """``length``: cut off at the limit of output tokens."""
    input_tokens: int
    output_tokens: int
    cached_tokens: int = 0
    """Those of the input that the provider had in its cache."""


@dataclass(frozen=True, slots=True)
class Usage:
    """What calls of models came to; all zero without one."""

    calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cost_usd: float = 0.0
    """By the price table; 0 for a model without a price."""

    def __add__(self, other: Usage) -> Usage:
        return Usage(
            self.calls + other.calls,
            self.input_tokens + other.input_tokens,
            self.output_tokens + other.output_tokens,
            self.cost_usd + other.cost_usd,
        )
