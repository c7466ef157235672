"""Ready-made settings: one file a profile, and a page beside it that says what it costs and how to start."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable
from importlib.resources import files
from importlib.util import find_spec

from ravu_kg.errors import MissingExtraError
from ravu_kg.settings import Settings

_LIBRARIES = {"gemini": ("google.genai", "bpe_openai"), "openai": ("openai", "bpe_openai")}
"""What an extra brings that the profile needs."""


def require_extra(settings: Settings, models: Iterable[str] = ()) -> None:
    """See that the libraries of the chosen profile are installed, and those of models beside it.

    Args:
        settings: whose profile.
        models: references of the models that are about to be used.

    Raises:
        MissingExtraError: they are not; it names all that is missing in one pip command, and who needs it.
    """
    missing: dict[str, str] = {}
    if extra := missing_extra(settings):
        missing[extra] = f"The profile {settings.profile}"
    for reference in models:
        provider = reference.partition(":")[0]
        if provider in _LIBRARIES and not _has(provider):
            missing.setdefault(provider, reference)
    if missing:
        raise MissingExtraError(" and ".join(missing.values()), ",".join(missing), several=len(missing) > 1)


def missing_extra(settings: Settings) -> str | None:
    """The extra that the chosen profile needs and that is not installed."""
    if settings.profile is None:
        return None
    text = (files("ravu_kg.models") / "profiles" / f"{settings.profile}.toml").read_text(encoding="utf-8")
    extra = tomllib.loads(text).get("extra")
    return extra if extra and not _has(extra) else None


def _has(extra: str) -> bool:
    return all(map(_is_installed, _LIBRARIES[extra]))


def _is_installed(module: str) -> bool:
    try:
        return find_spec(module) is not None
    except ModuleNotFoundError:  # of the package that it is in
        return False
