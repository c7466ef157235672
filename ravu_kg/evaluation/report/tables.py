"""A table of a report: rows that were measured here beside rows that are quoted."""

from __future__ import annotations

import math
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files
from typing import Literal

from pydantic import BaseModel, ConfigDict

Origin = Literal["measured", "quoted"]


@dataclass(frozen=True, slots=True)
class Row:
    """One system."""

    section: str
    name: str
    values: tuple[float | None, ...]
    """None where there is no figure."""
    origin: Origin
    low_high: tuple[float, float] | None = None
    """95 % interval of the last accuracy of a measured row."""
    questions: int | None = None
    """How many a measured row is about."""


@dataclass(frozen=True, slots=True)
class Table:
    """A table as the paper lays it out."""

    key: str
    """``table_1`` and so on; others for what the paper has no table of."""
    title: str
    columns: tuple[str, ...]
    rows: tuple[Row, ...]
    note: str = ""
    source: str = ""
    """Where the quoted figures stand; empty without any."""
    decimals: int = 1

    @property
    def counted(self) -> bool:
        """Whether any row has an interval, or a number of questions."""
        return any(row.low_high is not None or row.questions is not None for row in self.rows)

    def to_dict(self) -> dict[str, object]:
        """Plain values, for JSON."""
        return {
            "key": self.key,
            "title": self.title,
            "columns": list(self.columns),
            "note": self.note,
            "source": self.source,
            "rows": [
                {
                    "section": row.section,
                    "name": row.name,
                    "values": list(row.values),
                    "origin": row.origin,
                    "interval": list(row.low_high) if row.low_high else None,
                    "questions": row.questions,
                }
                for row in self.rows
            ],
        }


class _Row(BaseModel):
    model_config = ConfigDict(extra="forbid")

    section: str
    name: str
    values: list[float | Literal[""]]


class _Published(BaseModel):
    model_config = ConfigDict(extra="forbid")

    title: str
    source: str
    columns: list[str]
    note: str
    rows: list[_Row]


def published(key: str) -> Table:
    """A table with the figures that others have published."""
    found = _published()[key]
    rows = tuple(
        Row(row.section, row.name, tuple(None if value == "" else float(value) for value in row.values), "quoted")
        for row in found.rows
    )
    return Table(key, found.title, tuple(found.columns), rows, found.note, found.source)


def stand_ins() -> Mapping[str, str]:
    """What the paper used where a run may have used something else: ``embedder`` and ``clip``."""
    text = (files("ravu_kg.evaluation") / "published.toml").read_text(encoding="utf-8")
    source: Mapping[str, str] = tomllib.loads(text)["source"]
    return source


def beside(quoted: Table, measured: Sequence[Row]) -> Table:
    """The quoted table with measured rows below."""
    return replace(quoted, rows=(*quoted.rows, *measured))


def percent(value: float) -> float | None:
    """A share as the paper prints it; None for none."""
    return None if math.isnan(value) else round(100 * value, 2)


@cache
def _published() -> Mapping[str, _Published]:
    text = (files("ravu_kg.evaluation") / "published.toml").read_text(encoding="utf-8")
    return {
        key: _Published.model_validate(value) for key, value in tomllib.loads(text).items() if key.startswith("table_")
    }
