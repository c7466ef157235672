"""What calls cost: a table of published prices, which the user's settings override."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from functools import cache
from importlib.resources import files

from pydantic import BaseModel, ConfigDict

from ravu_kg.settings import PriceSettings
from ravu_kg.types import Usage

_PER_TOKEN = 1e-6
_VERSION = re.compile(r"-(?:\d{4}-\d{2}-\d{2}|\d{3}|latest|preview(?:-\d{2}-\d{2,4})?)$")
"""What providers put after the name of a model to name one version of it."""


@dataclass(frozen=True, slots=True)
class PriceTable:
    """Prices of models by reference, ``"openai:gpt-4o"``."""

    own: Mapping[str, PriceSettings]
    """The user's, which come first."""
    day: date
    """Prices that hold from a later day are not yet in force."""

    @classmethod
    def today(cls, own: Mapping[str, PriceSettings]) -> PriceTable:
        """The prices of today."""
        return cls(own, date.today())

    def price(self, reference: str) -> PriceSettings | None:
        """The price of a model; that of the model when a version of it has none; None when it is not known."""
        for name in (reference, _VERSION.sub("", reference)):
            if name in self.own:
                return self.own[name]
            if in_force := [entry for entry in _published().get(name, ()) if entry.since <= self.day]:
                return max(in_force, key=lambda entry: entry.since)
        return None

    def cost_usd(self, reference: str, input_tokens: int, output_tokens: int, cached_tokens: int = 0) -> float | None:
        """What so many tokens cost; None for a model without a price. The cached ones are among those of the input."""
        price = self.price(reference)
        if price is None:
            return None
        cached = price.input if price.cached_input is None else price.cached_input
        return _PER_TOKEN * (
            (input_tokens - cached_tokens) * price.input + cached_tokens * cached + output_tokens * price.output
        )


def cost(reference: str, usage: Usage, own: Mapping[str, PriceSettings] | None = None) -> float | None:
    """What usage costs today with nothing in a provider's cache, in US dollars; None for a model without a price.

    Args:
        reference: the model, ``"openai:gpt-4o"``.
        usage: its tokens.
        own: the user's prices, ``settings.prices``.
    """
    return PriceTable.today(own or {}).cost_usd(reference, usage.input_tokens, usage.output_tokens)


class _Published(PriceSettings):
    since: date = date.min


class _Table(BaseModel):
    model_config = ConfigDict(extra="forbid")

    checked: date
    models: dict[str, list[_Published]]


def checked_on() -> date:
    """When the table was last compared with the providers' pages."""
    return _table().checked


def _published() -> Mapping[str, list[_Published]]:
    return _table().models


@cache
def _table() -> _Table:
    text = (files("ravu_kg.models") / "prices.toml").read_text(encoding="utf-8")
    return _Table.model_validate(tomllib.loads(text))
