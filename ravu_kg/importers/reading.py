"""Files that others made, read with care: their size, their encoding, their JSON, and each row of it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, NoReturn, TypeVar, cast

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from ravu_kg.errors import ConfigurationError
from ravu_kg.importers.annotated import Problems, refuse

MOST_BYTES = 512_000_000
"""Larger files are refused: JSON takes ten times its size in memory."""
_MODEL = TypeVar("_MODEL", bound="Row")

Finite = Annotated[float, Field(allow_inf_nan=False)]
Positive = Annotated[float, Field(gt=0, allow_inf_nan=False)]
Seconds = Annotated[float, Field(ge=0, allow_inf_nan=False)]
TrackId = Annotated[int, Field(ge=0, lt=2**31)]
FrameNumber = Annotated[int, Field(ge=0, lt=2**31)]
Words = Annotated[str, Field(min_length=1, max_length=500, pattern=r"\S")]


class Row(BaseModel):
    """One record of somebody else's JSON: what is not used of it is not looked at."""

    model_config = ConfigDict(extra="ignore", frozen=True)


def read_bytes(path: Path) -> bytes:
    """What a file holds.

    Raises:
        ConfigurationError: it cannot be read, or is too large.
    """
    try:
        size = path.stat().st_size
        if size > MOST_BYTES:
            refuse(
                path, f"the file has {size / 1e6:,.0f} MB, and at most {MOST_BYTES / 1e6:,.0f} are read. Split it up."
            )
        return path.read_bytes()
    except OSError as error:
        raise ConfigurationError(
            f"{path}: the file cannot be read: {error.strerror or error}. Check the path and its permissions."
        ) from error


def as_text(path: Path, content: bytes) -> str:
    """UTF-8, with or without a byte order mark.

    Raises:
        ConfigurationError: it is not; the message says on which line.
    """
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        hint = "It seems to be UTF-16." if content[:2] in (b"\xff\xfe", b"\xfe\xff") else "Save it as UTF-8."
        refuse(path, f"line {line} is not UTF-8 text. {hint}")
    if "\0" in text:
        refuse(path, f"line {text.count(chr(10), 0, text.index(chr(0))) + 1} holds a null character: no text file.")
    return text


def read_json(path: Path) -> tuple[object, bytes]:
    """The JSON of a file, and its bytes.

    Raises:
        ConfigurationError: the file cannot be read or is not JSON.
    """
    content = read_bytes(path)
    return parse_json(path, as_text(path, content)), content


def parse_json(path: Path, text: str) -> object:
    """The value of a JSON text; ``NaN`` and ``Infinity`` are not JSON.

    Raises:
        ConfigurationError: it is not JSON.
    """
    try:
        return json.loads(text, parse_constant=_no_number, parse_int=_whole)
    except json.JSONDecodeError as error:
        refuse(path, f"line {error.lineno}, column {error.colno}: not JSON: {error.msg}.")
    except RecursionError:
        refuse(path, "the JSON is nested too deeply.")
    except ValueError as error:
        refuse(path, f"{error}.")


def json_object(path: Path, value: object, what: str) -> Mapping[str, object]:
    """The value as a JSON object.

    Raises:
        ConfigurationError: it is none.
    """
    if not isinstance(value, dict):
        refuse(path, f"{what} is no JSON object.")
    return cast("Mapping[str, object]", value)  # the keys of JSON are strings


def json_list(path: Path, holder: Mapping[str, object], field: str, *, needed: bool = True) -> Sequence[object]:
    """A list in a JSON object.

    Raises:
        ConfigurationError: it is not there, or no list.
    """
    value = holder.get(field)
    if value is None and not needed:
        return ()
    if not isinstance(value, list):
        refuse(path, f"field {field}: {'missing' if value is None else 'no list'}.")
    return cast("Sequence[object]", value)


def head(path: Path, value: object, model: type[_MODEL], where: str = "") -> _MODEL:
    """A record without which the file makes no sense.

    Raises:
        ConfigurationError: something in it is wrong.
    """
    try:
        return model.model_validate(value)
    except ValidationError as error:
        for field, message in _wrong(error, where):
            raise ConfigurationError(f"{path}, field {field}: {message}. Nothing was imported.") from error
        raise


def rows(
    path: Path, values: Iterable[object], where: str, model: type[_MODEL], problems: Problems
) -> Iterator[tuple[str, _MODEL]]:
    """The records of a list, each with its place; those that are wrong are told.

    Raises:
        ConfigurationError: one is wrong and bad rows are not left out.
    """
    for position, value in enumerate(values):
        place = f"{where}.{position}"
        try:
            row = model.model_validate(value)
        except ValidationError as error:
            field, message = _wrong(error, place)[0]
            problems.found(path, None, field, message)
            continue
        yield place, row


def _wrong(error: ValidationError, where: str) -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = []
    for one in error.errors(include_url=False):
        field = ".".join(part for part in (where, *(str(part) for part in one["loc"])) if part)
        found.append((field, one["msg"].removeprefix("Value error, ")))
    return found


def _no_number(name: str) -> NoReturn:
    raise ValueError(f"{name} is no number of JSON")


def _whole(digits: str) -> int:
    if len(digits) > 30:
        raise ValueError(f"{digits[:12]}... is too large a number")
    return int(digits)
