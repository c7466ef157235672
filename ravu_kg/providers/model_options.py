"""Options of hosted models and encoders, checked where they enter."""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

from ravu_kg.errors import ConfigurationError


@dataclass(frozen=True, slots=True)
class Options:
    """The options of one provider, ``[providers.NAME]``."""

    provider: str
    values: Mapping[str, object]
    known: Collection[str] = field(repr=False)

    def __post_init__(self) -> None:
        if unknown := sorted(set(self.values) - set(self.known)):
            raise ConfigurationError(
                f"Provider {self.provider!r} has no option {', '.join(map(repr, unknown))}. "
                f"It has: {', '.join(sorted(self.known))}. Correct [providers.{self.provider}]."
            )

    def address(self, name: str) -> str | None:
        """A URL of HTTP.

        Raises:
            ConfigurationError: it is something else.
        """
        value = self.values.get(name)
        if value is None:
            return None
        if not isinstance(value, str) or not value.startswith(("http://", "https://")):
            raise self._wrong(name, "an address that starts with http:// or https://")
        return value

    def flag(self, name: str) -> bool | None:
        """True or false; None when it is not set.

        Raises:
            ConfigurationError: it is something else.
        """
        value = self.values.get(name)
        if value is not None and not isinstance(value, bool):
            raise self._wrong(name, "true or false")
        return value

    def choice(self, name: str, choices: Collection[str], default: str) -> str:
        """One of some words.

        Raises:
            ConfigurationError: it is none of them.
        """
        value = self.values.get(name, default)
        if not isinstance(value, str) or value not in choices:
            raise self._wrong(name, f"one of {', '.join(choices)}")
        return value

    def number(self, name: str, low: float, high: float) -> float | None:
        """A number of a range; None when it is not set.

        Raises:
            ConfigurationError: it is something else.
        """
        value = self.values.get(name)
        if value is None:
            return None
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not low <= value <= high:
            raise self._wrong(name, f"a number from {low:g} to {high:g}")
        return float(value)

    def count(self, name: str) -> int | None:
        """A whole number above zero; None when it is not set.

        Raises:
            ConfigurationError: it is something else.
        """
        value = self.values.get(name)
        if value is not None and (isinstance(value, bool) or not isinstance(value, int) or value < 1):
            raise self._wrong(name, "a whole number above zero")
        return value

    def _wrong(self, name: str, wanted: str) -> ConfigurationError:
        return ConfigurationError(
            f"Option {name!r} of provider {self.provider!r} must be {wanted}, not {self.values.get(name)!r}. "
            f"Correct [providers.{self.provider}]."
        )


def key_of(*variables: str) -> tuple[str, str] | None:
    """The first of some environment variables that holds a key, with the key; None when none does.

    Raises:
        ConfigurationError: what it holds cannot be a key.
    """
    for variable in variables:
        key = os.environ.get(variable, "").strip()
        if key and not (key.isascii() and key.isprintable() and " " not in key):
            raise ConfigurationError(
                f"{variable} is not a key: it holds spaces or letters that no key has. Copy it again."
            )
        if key:
            return variable, key
    return None
