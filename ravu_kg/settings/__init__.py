"""Settings and where each came from: flags > environment > ``ravu-kg.toml`` > profile > defaults.

Nothing is read at import; :func:`load` reads the environment, at most one file and at most one profile when it is
called. Secrets come from the environment only. A variable is ``RAVU_KG_`` and the key in capitals, ``__`` for a dot:
``RAVU_KG_MODELS__DETECT``; ``NEO4J_URI``, ``NEO4J_USERNAME``, ``NEO4J_PASSWORD`` and ``NEO4J_DATABASE`` work as well.
"""

from __future__ import annotations

import difflib
import os
import re
import tomllib
from collections.abc import Iterator, Mapping
from contextlib import suppress
from importlib.resources import files
from pathlib import Path
from typing import Literal, cast, get_args

import platformdirs
from pydantic import BaseModel, Field, PrivateAttr, SecretStr, ValidationError, field_validator, model_validator

from ravu_kg.errors import ConfigurationError
from ravu_kg.settings.sections import (
    CallSettings,
    ModelSettings,
    Neo4jSettings,
    PriceSettings,
    Section,
    ServerSettings,
    WorkerSettings,
)

__all__ = [
    "FILE_NAME",
    "CallSettings",
    "ModelSettings",
    "Neo4jSettings",
    "PriceSettings",
    "Profile",
    "ServerSettings",
    "Settings",
    "WorkerSettings",
    "load",
]

FILE_NAME = "ravu-kg.toml"
_PREFIX = "RAVU_KG_"
_TEST_PREFIX = "RAVU_KG_TEST_"
_NEO4J_VARIABLES = {
    "NEO4J_URI": "neo4j.uri",
    "NEO4J_USERNAME": "neo4j.username",
    "NEO4J_PASSWORD": "neo4j.password",
    "NEO4J_DATABASE": "neo4j.database",
}
_PATH_KEYS = ("cache", "server.home")
_SECRET_WORDS = ("password", "api_key", "apikey", "token", "secret")
_SECRET_VALUE = re.compile(r"sk-[\w-]{16,}|AIza[\w-]{30,}")
_USER_OF_ADDRESS = re.compile(r"(?<=://)[^/\s]+@")
_KEY_VARIABLES = {"openai": "OPENAI_API_KEY", "gemini": "GEMINI_API_KEY"}
Profile = Literal["gemini", "openai", "local", "offline"]
_BAD_TOML = (ValueError, RecursionError)
"""What tomllib raises: its own error and that of a number too long are ValueErrors; brackets may nest too deeply."""
_Layer = dict[str, tuple[object, str]]
"""Dotted key -> value and where it came from."""


class Settings(Section):
    """Everything a user can set. Build it with :func:`load`, or directly in code."""

    neo4j: Neo4jSettings = Neo4jSettings()
    server: ServerSettings = ServerSettings()
    models: ModelSettings = ModelSettings()
    calls: CallSettings = CallSettings()
    workers: WorkerSettings = WorkerSettings()
    profile: Profile | None = None
    """Ready-made models for every role, for whatever is not set otherwise."""
    tracking_rate_hz: float = Field(default=5.0, gt=0, le=240)
    sample_interval_s: float = Field(default=1.0, gt=0)
    describe_window: int = Field(default=3, ge=1, le=9)
    """Frames that a model sees to describe one: itself and as many before as after. Fewer cost less."""
    cache: Path = Field(default_factory=lambda: Path(platformdirs.user_cache_dir("ravu-kg", appauthor=False)))
    """Folder of everything that can be made again: jars, weights, detections, sentence vectors."""
    providers: dict[str, dict[str, object]] = Field(default_factory=dict[str, dict[str, object]])
    """Options of a provider by its name."""
    prices: dict[str, PriceSettings] = Field(default_factory=dict[str, PriceSettings])
    """Prices by reference, ``[prices."openai:my-model"]``; they come before those of the price table."""

    _origins: dict[str, str] = PrivateAttr(default_factory=dict[str, str])

    @model_validator(mode="after")
    def _sampling_is_no_denser_than_tracking(self) -> Settings:
        if self.sample_interval_s * self.tracking_rate_hz < 1 - 1e-9:
            raise ValueError(
                f"sample_interval_s {self.sample_interval_s:g} is shorter than one step of tracking "
                f"(1/{self.tracking_rate_hz:g} s); raise tracking_rate_hz or sample_interval_s"
            )
        return self

    @field_validator("describe_window")
    @classmethod
    def _has_a_middle(cls, value: int) -> int:
        if value % 2 == 0:
            raise ValueError(f"a window of {value} frames has no middle; give an odd number")
        return value

    @classmethod
    def with_origins(cls, values: Mapping[str, object], origins: Mapping[str, str]) -> Settings:
        """Validated settings that remember where each dotted key came from."""
        settings = cls.model_validate(values)
        settings._origins.update(origins)
        return settings

    def origin(self, key: str) -> str:
        """Where a dotted key's value came from, in words."""
        return self._origins.get(key, "default")

    def entries(self) -> Iterator[tuple[str, object, str]]:
        """Every key with its value and origin; a secret is shown as stars."""
        for key, value in _leaves(self.model_dump()):
            shown = "********" if isinstance(value, SecretStr) or (value and _is_secret(key)) else value
            if isinstance(shown, str):
                shown = _USER_OF_ADDRESS.sub("********@", shown)
            yield key, shown, self.origin(key)


def load(flags: Mapping[str, object] | None = None, config: Path | None = None) -> Settings:
    """The effective settings.

    Args:
        flags: dotted key -> value, from the command line; ``None`` values are left out.
        config: the file to read instead of the nearest ``ravu-kg.toml`` at or above the current folder.

    Raises:
        ConfigurationError: an unknown key, a value of the wrong kind, a secret in the file, or an unreadable file.
    """
    file = _find_file(config)
    layers = [_flag_layer(flags or {}), _environment_layer()]
    if file is not None:
        layers.append(_file_layer(file))
    if profile := next((layer["profile"] for layer in layers if "profile" in layer), None):
        layers.append(_profile_layer(*profile))
    values: dict[str, object] = {}
    origins: dict[str, str] = {}
    for layer in reversed(layers):
        for key, (value, origin) in layer.items():
            _assign(values, key, value)
            origins[key] = origin
    try:
        return Settings.with_origins(values, origins)
    except ValidationError as error:
        raise ConfigurationError(_explain(error, origins)) from error


# --- layers -----------------------------------------------------------------------------------


def _find_file(config: Path | None) -> Path | None:
    if config is not None:
        if not config.exists():
            raise ConfigurationError(f"No such settings file: {config}. Check the path given with --config.")
        return config.resolve()
    here = Path.cwd()
    return next((folder / FILE_NAME for folder in (here, *here.parents) if (folder / FILE_NAME).is_file()), None)


def _file_layer(file: Path) -> _Layer:
    try:
        values = tomllib.loads(file.read_text(encoding="utf-8"))
    except UnicodeDecodeError as error:
        raise ConfigurationError(f"{file} is not text, so it holds no settings. Name another with --config.") from error
    except _BAD_TOML as error:
        raise ConfigurationError(f"{file} is not valid TOML: {error}.") from error
    except OSError as error:
        raise ConfigurationError(
            f"{file} cannot be read: {error.strerror}. Check its permissions, or name another with --config."
        ) from error
    layer: _Layer = {}
    for key, value in _leaves(values):
        if _is_secret(key) or (isinstance(value, str) and _SECRET_VALUE.match(value)):
            raise ConfigurationError(
                f"{file}: {key}: secrets are read from the environment only. Remove the line and set "
                f"{_variable_of(key)} instead."
            )
        _check_known(key, str(file))
        # A path in the file means the same from every folder below it.
        anchored = (
            str(file.parent / Path(value).expanduser()) if key in _PATH_KEYS and isinstance(value, str) else value
        )
        layer[key] = (anchored, str(file))
    return layer


def _profile_layer(name: object, origin: str) -> _Layer:
    # Read as data: the settings know nothing of the models that the profiles belong to.
    if name not in get_args(Profile):
        near = difflib.get_close_matches(str(name), get_args(Profile), n=1)
        raise ConfigurationError(
            f"{origin}: there is no profile {name!r}. Profiles: {', '.join(get_args(Profile))}."
            + (f" Did you mean {near[0]}?" if near else "")
        )
    text = (files("ravu_kg") / "models" / "profiles" / f"{name}.toml").read_text(encoding="utf-8")
    return {key: (value, f"profile {name}") for key, value in _leaves(tomllib.loads(text)) if key != "extra"}


def _environment_layer() -> _Layer:
    layer: _Layer = {}
    for variable, key in _NEO4J_VARIABLES.items():
        if value := os.environ.get(variable):
            layer[key] = (value, f"environment {variable}")
    for variable, value in os.environ.items():
        if variable.startswith(_PREFIX) and not variable.startswith(_TEST_PREFIX):
            key = variable.removeprefix(_PREFIX).lower().replace("__", ".")
            _check_known(key, f"environment variable {variable}")
            layer[key] = (_from_text(key, value), f"environment {variable}")
    return layer


def _from_text(key: str, text: str) -> object:
    """A variable's value; the known keys are converted by their type, a provider's options as TOML writes them."""
    if key in _PATH_KEYS:
        return str(Path(text).expanduser())
    if key.startswith("providers."):
        with suppress(*_BAD_TOML):
            return tomllib.loads(f"value = {text}")["value"]
    return text


def _flag_layer(flags: Mapping[str, object]) -> _Layer:
    return {key: (value, "command line") for key, value in flags.items() if value is not None}


# --- keys -------------------------------------------------------------------------------------


def _known_keys() -> list[str]:
    """Every dotted key, but for the options of providers, which belong to them, and the prices of models."""
    keys: list[str] = []
    for name, field in Settings.model_fields.items():
        section = field.annotation
        if isinstance(section, type) and issubclass(section, BaseModel):
            keys += [f"{name}.{key}" for key in section.model_fields]
        elif name not in ("providers", "prices"):
            keys.append(name)
    return keys


def _check_known(key: str, where: str) -> None:
    parts = key.split(".")
    if key in _known_keys() or (parts[0] == "providers" and len(parts) >= 3):
        return
    if parts[0] == "prices":
        if len(parts) >= 3 and parts[-1] in PriceSettings.model_fields and ":" in key:
            return
        raise ConfigurationError(
            f'{where}: {key}: prices are given per model in the settings file, as [prices."NAME:MODEL"] with '
            f"{', '.join(PriceSettings.model_fields)} in US dollars per million tokens."
        )
    if parts[0] == "providers":
        raise ConfigurationError(f"{where}: {key}: options are given per provider, as providers.NAME.OPTION.")
    by_last_part = {known.rsplit(".", 1)[-1]: known for known in _known_keys()}
    near = difflib.get_close_matches(key, _known_keys(), n=1, cutoff=0.0)[0]
    if (last := difflib.get_close_matches(parts[-1], by_last_part, n=1, cutoff=0.75)) and len(parts) == 1:
        near = by_last_part[last[0]]
    raise ConfigurationError(f"{where}: unknown key {key}. The nearest known key is {near}.")


def _is_secret(key: str) -> bool:
    """By its name; numbers of tokens are none."""
    name = key.rsplit(".", 1)[-1].lower()
    return name == "key" or (not name.endswith("tokens") and any(word in name for word in _SECRET_WORDS))


def _variable_of(key: str) -> str:
    parts = key.split(".")
    if parts[0] == "providers" and parts[1] in _KEY_VARIABLES:
        return _KEY_VARIABLES[parts[1]]
    by_key = {known: variable for variable, known in _NEO4J_VARIABLES.items()}
    return by_key.get(key, _PREFIX + key.upper().replace(".", "__"))


def _explain(error: ValidationError, origins: Mapping[str, str]) -> str:
    problems: list[str] = []
    for item in error.errors():
        key = ".".join(str(part) for part in item["loc"])
        message = item["msg"].removeprefix("Value error, ")
        problems.append(f"{origins.get(key, 'settings')}: {key}: {message}" if key else message)
    return "; ".join(problems) + "."


def _leaves(values: Mapping[str, object], prefix: str = "") -> Iterator[tuple[str, object]]:
    for key, value in values.items():
        if isinstance(value, dict):
            # TOML tables and pydantic's dumps have text keys; narrowing from object cannot know that.
            yield from _leaves(cast("dict[str, object]", value), f"{prefix}{key}.")
        else:
            yield prefix + key, value


def _assign(values: dict[str, object], key: str, value: object) -> None:
    *sections, last = key.split(".")
    if sections[:1] == ["prices"]:
        sections = ["prices", ".".join(sections[1:])]  # models have dots in their names
    for section in sections:
        # Known keys never lead through a plain value, so what is there is a section.
        values = cast("dict[str, object]", values.setdefault(section, dict[str, object]()))
    values[last] = value
