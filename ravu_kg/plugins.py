"""Providers by reference: ``"name:model"`` names an entry point and the model it loads.

An entry point is a factory ``(model, options) -> provider``; the built-in ones come through the same door.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from typing import Literal

from ravu_kg.errors import ConfigurationError, MissingExtraError, ProviderError, UnknownProviderError
from ravu_kg.protocols import AppearanceModel, Detector, Embedder, LanguageModel, Tracker

Kind = Literal["detector", "tracker", "embedder", "appearance model", "language model"]
Options = Mapping[str, Mapping[str, object]]
"""Provider name -> its options (``[providers.NAME]`` of the settings)."""

_GROUPS: dict[Kind, str] = {
    "detector": "ravu_kg.detectors",
    "tracker": "ravu_kg.trackers",
    "embedder": "ravu_kg.embedders",
    "appearance model": "ravu_kg.appearance_models",
    "language model": "ravu_kg.language_models",
}
_AUTO = ("ultralytics", "yolox", "people+motion")


@dataclass(frozen=True, slots=True)
class Choice:
    """The detector that ``auto`` stands for on this machine."""

    reference: str
    refused: Mapping[str, str]
    """Why not one of those before it, by name."""


def installed(kind: Kind) -> dict[str, EntryPoint]:
    """The installed providers of a kind by name, in alphabetical order."""
    return {point.name: point for point in sorted(entry_points(group=_GROUPS[kind]), key=lambda point: point.name)}


def require_installed(kind: Kind, reference: str) -> None:
    """Refuse a name that nothing stands behind, without loading anything.

    Raises:
        UnknownProviderError: no installed provider of the kind has that name.
    """
    name = reference.partition(":")[0]
    if name not in (points := installed(kind)):
        raise UnknownProviderError(
            f"No {kind} named {name!r} is installed. Installed: {', '.join(points) or 'none'}. "
            f"Write NAME or NAME:MODEL, or install the package that provides it."
        )


def load_detector(reference: str, options: Options) -> Detector:
    """A new detector for one video.

    Raises:
        UnknownProviderError: no installed detector has that name.
        MissingExtraError: its library is not installed.
        ProviderError: its weights cannot be had.
    """
    factory: Callable[[str, Mapping[str, object]], Detector] = _entry_point("detector", reference).load()
    return factory(_model(reference), _options(reference, options))


def load_tracker(reference: str, options: Options) -> Tracker:
    """A new tracker for one video; raises as :func:`load_detector`."""
    factory: Callable[[str, Mapping[str, object]], Tracker] = _entry_point("tracker", reference).load()
    return factory(_model(reference), _options(reference, options))


def load_embedder(reference: str, options: Options) -> Embedder:
    """An embedder; raises as :func:`load_detector`."""
    factory: Callable[[str, Mapping[str, object]], Embedder] = _entry_point("embedder", reference).load()
    return factory(_model(reference), _options(reference, options))


def load_appearance_model(reference: str, options: Options) -> AppearanceModel:
    """An appearance model; raises as :func:`load_detector`."""
    point = _entry_point("appearance model", reference)
    factory: Callable[[str, Mapping[str, object]], AppearanceModel] = point.load()
    return factory(_model(reference), _options(reference, options))


def load_language_model(reference: str, options: Options) -> LanguageModel:
    """A language model, ``"gemini:MODEL"``; raises as :func:`load_detector`.

    Raises:
        ConfigurationError: its key is not in the environment, or an option of it is wrong.
    """
    factory: Callable[[str, Mapping[str, object]], LanguageModel] = _entry_point("language model", reference).load()
    return factory(_model(reference), _options(reference, options))


def choose_detector(options: Options) -> Choice:
    """What ``auto`` means here: the first detector that can be loaded.

    Raises:
        ConfigurationError: none can, which says what each one lacks.
    """
    refused: dict[str, str] = {}
    for name in _AUTO:
        try:
            load_detector(name, options)
        except (MissingExtraError, ProviderError, UnknownProviderError) as error:
            refused[name] = str(error)
        else:
            return Choice(name, refused)
    raise ConfigurationError(
        "No detector can be loaded. " + " ".join(f"{name}: {why}" for name, why in refused.items())
    )


def fetch(kind: Kind, reference: str, options: Options, progress: Callable[[str], None]) -> Path:
    """Put all that a provider needs on this machine; gives the folder or file.

    A provider that needs something fetched has a function ``fetch(model, progress, options)`` beside its factory.

    Raises:
        UnknownProviderError: no installed provider of the kind has that name.
        MissingExtraError: its library is not installed.
        ConfigurationError: it has nothing to fetch.
        ProviderError: it cannot be had.
    """
    point = _entry_point(kind, reference)
    fetches: Callable[[str, Callable[[str], None], Mapping[str, object]], Path] | None = getattr(
        import_module(point.module), "fetch", None
    )
    if fetches is None:
        raise ConfigurationError(f"The {kind} {point.name!r} has nothing to fetch.")
    return fetches(_model(reference), progress, _options(reference, options))


def is_ready(kind: Kind, reference: str, options: Options) -> bool:
    """Whether :func:`fetch` would find all there; False also where the provider cannot tell.

    A provider that can has a function ``is_ready(model, options)`` beside its factory.

    Raises:
        UnknownProviderError: no installed provider of the kind has that name.
        ConfigurationError: an option of it is wrong.
    """
    point = _entry_point(kind, reference)
    ready: Callable[[str, Mapping[str, object]], bool] | None = getattr(import_module(point.module), "is_ready", None)
    return ready is not None and ready(_model(reference), _options(reference, options))


def _entry_point(kind: Kind, reference: str) -> EntryPoint:
    require_installed(kind, reference)
    point = installed(kind)[reference.partition(":")[0]]
    try:
        point.load()
    except (ImportError, AttributeError) as error:
        raise UnknownProviderError(
            f"The {kind} {point.name!r} ({point.value}) cannot be imported: {error}. Reinstall its package."
        ) from error
    return point


def _model(reference: str) -> str:
    return reference.partition(":")[2]


def _options(reference: str, options: Options) -> Mapping[str, object]:
    return options.get(reference.partition(":")[0], {})
