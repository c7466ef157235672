"""Options that several detectors share, checked where they enter."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from ravu_kg.errors import ConfigurationError


def only(detector: str, options: Mapping[str, object], known: Collection[str]) -> None:
    """Refuse options that a detector does not have.

    Raises:
        ConfigurationError: one of them is unknown.
    """
    unknown = sorted(set(options) - set(known))
    if unknown:
        raise ConfigurationError(
            f"Detector {detector!r} has no option {', '.join(map(repr, unknown))}. "
            f"It has: {', '.join(sorted(known)) or 'none'}. Correct [providers.{detector}]."
        )


def fraction(detector: str, options: Mapping[str, object], name: str, default: float) -> float:
    """An option between 0 and 1.

    Raises:
        ConfigurationError: it is something else.
    """
    value = options.get(name, default)
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value <= 1:
        raise ConfigurationError(
            f"Option {name!r} of detector {detector!r} must be a number from 0 to 1, not {value!r}. "
            f"Correct [providers.{detector}]."
        )
    return float(value)


def no_model(detector: str, model: str) -> None:
    """Refuse a model for a detector that has none.

    Raises:
        ConfigurationError: a model was given.
    """
    if model:
        raise ConfigurationError(f"Detector {detector!r} takes no model. Write {detector!r} instead of {model!r} too.")
