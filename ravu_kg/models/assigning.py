"""From settings to loaded models: which model each role of a run has."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from ravu_kg.errors import ConfigurationError, ProviderError
from ravu_kg.models.prices import PriceTable
from ravu_kg.models.profiles import require_extra
from ravu_kg.models.roles import Role, has_model, reference_of, require_images
from ravu_kg.plugins import load_language_model
from ravu_kg.protocols import LanguageModel
from ravu_kg.settings import Settings

_OF_NO_MATTER = ("base_url", "api", "images", "dimensions")  # options that do not change what a model says


@dataclass(frozen=True, slots=True)
class Assigned:
    """A role's model."""

    reference: str
    key: str
    """The reference with the options that change what the model says."""
    model: LanguageModel | None
    """None when only recorded replies are used and the model itself cannot be had."""
    accepts_images: bool


def assign(settings: Settings, roles: Iterable[Role], *, replay: bool) -> Mapping[Role, Assigned]:
    """Load the models of some roles, each model once; roles without a model are left out.

    Raises:
        MissingExtraError: a model's library is not installed.
        ConfigurationError: a model needs a key, is not known, or accepts no images where its role needs them.
    """
    wanted: dict[Role, str] = {role: reference_of(settings, role) for role in roles if has_model(settings, role)}
    if wanted and not replay:
        require_extra(settings, wanted.values())
    models = {reference: _load(settings, reference, replay) for reference in dict.fromkeys(wanted.values())}
    return {role: _assign(settings, role, reference, models[reference]) for role, reference in wanted.items()}


def require_prices(prices: PriceTable, references: Iterable[str]) -> None:
    """See that a ceiling on cost can be kept.

    Raises:
        ConfigurationError: a model has no price.
    """
    for reference in references:
        if prices.price(reference) is None:
            raise ConfigurationError(
                f"A ceiling on cost cannot be kept: the price of {reference} is not known. Write it into ravu-kg.toml, "
                f'as [prices."{reference}"] with input and output in US dollars per million tokens (0 for a model of '
                "your own), or use a ceiling on tokens (--max-tokens)."
            )


def _load(settings: Settings, reference: str, replay: bool) -> LanguageModel | None:
    try:
        return load_language_model(reference, settings.providers)
    except (ConfigurationError, ProviderError):
        if replay:  # neither a key nor the library is needed
            return None
        raise


def _assign(settings: Settings, role: Role, reference: str, model: LanguageModel | None) -> Assigned:
    options = settings.providers.get(reference.partition(":")[0], {})
    changing = {name: value for name, value in options.items() if name not in _OF_NO_MATTER}
    key = f"{reference} {json.dumps(changing, sort_keys=True, default=str)}" if changing else reference
    if model is None:
        return Assigned(reference, key, None, options.get("images", True) is not False)
    require_images(role, model)
    return Assigned(reference, key, model, model.accepts_images)
