"""Ready-made settings: one file a profile, and a page beside it that says what it costs and how to start."""

from __future__ import annotations

import tomllib
from importlib.resources import files
from importlib.util import find_spec

from ravu_kg.errors import MissingExtraError
from ravu_kg.settings import Settings

_LIBRARIES = {"gemini": ("google.genai", "bpe_openai"), "openai": ("openai", "bpe_openai")}
"""What an extra brings that the profile needs."""


def require_extra(settings: Settings) -> None:
    """See that the libraries of the chosen profile are installed; nothing without a profile.

    Raises:
        MissingExtraError: they are not; it names the pip command.
    """
    if missing := missing_extra(settings):
        raise MissingExtraError(f"The profile {settings.profile}", missing)


def missing_extra(settings: Settings) -> str | None:
    """The extra that the chosen profile needs and that is not installed."""
    if settings.profile is None:
        return None
    text = (files("ravu_kg.models") / "profiles" / f"{settings.profile}.toml").read_text(encoding="utf-8")
    extra = tomllib.loads(text).get("extra")
    return extra if extra and not all(map(_is_installed, _LIBRARIES[extra])) else None


def _is_installed(module: str) -> bool:
    try:
        return find_spec(module) is not None
    except ModuleNotFoundError:  # of the package that it is in
        return False
