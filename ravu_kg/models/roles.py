"""What the language models are used for, and which model each of these roles has."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from ravu_kg.errors import ConfigurationError
from ravu_kg.plugins import installed
from ravu_kg.protocols import LanguageModel
from ravu_kg.settings import Settings

Role = Literal[
    "detect",
    "describe",
    "graph",
    "sentence",
    "events",
    "plan",
    "rerank",
    "identify",
    "count",
    "analyze",
    "answer",
]
WORD_ROLES: tuple[Role, ...] = ("describe", "graph", "sentence", "events")
"""Stages that put frames into words, in their order."""
INDEX_ROLES: tuple[Role, ...] = ("detect", *WORD_ROLES)
ASK_ROLES: tuple[Role, ...] = ("plan", "rerank", "identify", "count", "analyze", "answer")
IMAGE_ROLES: tuple[Role, ...] = ("detect", "describe")
"""Roles that look at frames, so that their model has to accept images."""

MEASURED = "measured"
RULES = "rules"
EXTRACTIVE = "extractive"
_WITHOUT_MODEL: dict[Role, str] = {
    **dict.fromkeys(("describe", "graph", "sentence", "events"), MEASURED),
    **dict.fromkeys(("plan", "rerank", "identify", "count", "analyze"), RULES),
    "answer": EXTRACTIVE,
}
"""What stands in for a model, by role."""


def reference_of(settings: Settings, role: Role) -> str:
    """The provider of a role after all fall-backs: ``"gemini:MODEL"``, or what stands in for a model.

    An unset graph has the describer's model, unset sentences and events that of the graph, and whatever judges evidence
    that of the answer. Measured descriptions need no model to become a graph, sentences and events, and an extractive
    answer no judge: these stages are ``"measured"`` and ``"rules"`` then.
    """
    models = settings.models
    match role:
        case "detect" | "describe" | "plan" | "answer":
            return str(getattr(models, role))
        case "graph":
            return MEASURED if models.describe == MEASURED else models.graph or models.describe
        case "sentence" | "events":
            graph = reference_of(settings, "graph")
            return MEASURED if graph == MEASURED else getattr(models, role) or graph
        case "rerank" | "identify" | "count" | "analyze":
            fallback = RULES if models.answer == EXTRACTIVE else models.answer
            return getattr(models, role) or fallback


def has_model(settings: Settings, role: Role) -> bool:
    """Whether a language model has this role."""
    reference = reference_of(settings, role)
    if role == "detect":  # also names detectors, which are no language models
        return reference.partition(":")[0] in installed("language model")
    return reference != _WITHOUT_MODEL[role]


def require_images(role: Role, model: LanguageModel) -> None:
    """See that a role which looks at frames has a model that accepts images.

    Raises:
        ConfigurationError: it does not.
    """
    if role in IMAGE_ROLES and not model.accepts_images:
        raise ConfigurationError(
            f"The role {role} looks at frames, but {model.name} accepts no images. Choose a model that does for "
            f"models.{role}, or --profile offline, which needs none."
        )


def uses_models(settings: Settings, roles: Iterable[Role]) -> bool:
    """Whether a language model has any of these roles."""
    return any(has_model(settings, role) for role in roles)
