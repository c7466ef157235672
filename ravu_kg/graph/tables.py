"""Results as tables for other programs: CSV, JSON, Parquet, a pandas data frame.

Nodes, lists and maps have no place in a flat table: they are written as JSON, but for lists of one plain type, which
Parquet knows. Vectors are elided already, see :class:`~ravu_kg.graph.results.ReadResult`.
"""

from __future__ import annotations

import csv
import io
import json
import math
from pathlib import Path
from typing import TYPE_CHECKING

from ravu_kg.errors import MissingExtraError, UsageError
from ravu_kg.graph.results import ReadResult
from ravu_kg.graph.values import is_mapping, is_sequence

if TYPE_CHECKING:
    import pandas  # pyright: ignore[reportMissingTypeStubs]  -- it ships none

EXTRA = "analysis"
_PLAIN_TYPES = (bool, int, float, str)


def to_csv(result: ReadResult) -> str:
    """CSV with a heading, as spreadsheets read it; null is an empty cell."""
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(result.columns)
    writer.writerows([_flat(row[column]) for column in result.columns] for row in result.rows)
    return text.getvalue()


def to_json(result: ReadResult) -> str:
    """A JSON list with one object a row; numbers that JSON cannot say are text."""
    return json.dumps([_finite(row) for row in result.rows], indent=2, ensure_ascii=False, default=str, allow_nan=False)


def to_frame(result: ReadResult) -> pandas.DataFrame:
    """A pandas data frame with the result's columns.

    Raises:
        MissingExtraError: pandas is not installed.
    """
    try:
        import pandas  # pyright: ignore[reportMissingTypeStubs]  -- it ships none
    except ImportError as error:
        raise MissingExtraError("A data frame", EXTRA) from error
    return pandas.DataFrame(result.rows, columns=list(result.columns))


def write_parquet(result: ReadResult, path: Path) -> None:
    """Write a Parquet file. A column of several types, of nodes or of maps holds JSON.

    Raises:
        MissingExtraError: pyarrow is not installed.
        UsageError: the file cannot be written.
    """
    try:
        import pyarrow  # pyright: ignore[reportMissingTypeStubs]  -- it ships none
        import pyarrow.parquet  # pyright: ignore[reportMissingTypeStubs]  -- it ships none
    except ImportError as error:
        raise MissingExtraError("Writing Parquet", EXTRA) from error
    columns = {column: _uniform([row[column] for row in result.rows]) for column in result.columns}
    table = pyarrow.table(columns)  # pyright: ignore  -- pyarrow has no types
    try:
        pyarrow.parquet.write_table(table, path)  # pyright: ignore  -- likewise
    except OSError as error:
        raise unwritable(path, error) from error


def unwritable(path: Path, error: OSError) -> UsageError:
    """The error for a file that cannot be written."""
    return UsageError(f"{path} cannot be written: {error.strerror or error}. Name a file in a folder that exists.")


def _flat(value: object) -> object:
    if is_mapping(value) or is_sequence(value):
        return json.dumps(_finite(value), ensure_ascii=False, default=str, allow_nan=False)
    return value


def _finite(value: object) -> object:
    if isinstance(value, float) and not math.isfinite(value):
        return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
    if is_mapping(value):
        return {str(name): _finite(item) for name, item in value.items()}
    if is_sequence(value):
        return [_finite(item) for item in value]
    return value


def _uniform(values: list[object]) -> list[object]:
    """The column as values of one type that Parquet knows."""
    items = [item for value in values if is_sequence(value) for item in value]
    scalars = [value for value in values if value is not None and not is_sequence(value)]
    lists_only = not scalars and any(is_sequence(value) for value in values)
    kinds = {type(item) for item in (items if lists_only else [*items, *scalars]) if item is not None}
    if kinds == {int, float}:
        if lists_only:
            return [
                [None if item is None else float(str(item)) for item in value] if is_sequence(value) else None
                for value in values
            ]
        if not items:
            return [None if value is None else float(str(value)) for value in values]
    if (lists_only or not items) and len(kinds) <= 1 and kinds <= set(_PLAIN_TYPES):
        return values
    return [None if value is None else value if isinstance(value, str) else _as_json(value) for value in values]


def _as_json(value: object) -> str:
    return json.dumps(_finite(value), ensure_ascii=False, default=str, allow_nan=False)
