"""Rows into a Parquet file, a group at a time."""

from __future__ import annotations

# The library ships no types.
# pyright: reportMissingTypeStubs=false, reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, cast

import numpy as np

from ravu_kg.errors import MissingExtraError
from ravu_kg.graph.tables import EXTRA
from ravu_kg.types import FloatArray

if TYPE_CHECKING:
    from pyarrow import parquet

VECTOR = "embedding:float[]"
_GROUP_ROWS = 50_000
_GROUP_ROWS_WITH_VECTORS = 10_000
"""How many rows wait in memory, in each file: thirty megabytes of vectors."""


def require_parquet() -> None:
    """See that files can be written.

    Raises:
        MissingExtraError: pyarrow is not installed.
    """
    if find_spec("pyarrow") is None:
        raise MissingExtraError("The import from Parquet files", EXTRA)


class ParquetTable:
    """One file. Its columns say what they are, as in ``t:double``, ``id:ID(Frame)`` or ``:START_ID(Frame)``."""

    def __init__(self, path: Path, columns: Sequence[str]) -> None:
        self.path = path
        self._columns: dict[str, list[object]] = {column: [] for column in columns}
        self._limit = _GROUP_ROWS_WITH_VECTORS if VECTOR in self._columns else _GROUP_ROWS
        self._waiting = 0
        self._writer: parquet.ParquetWriter | None = None

    def add(self, cells: Mapping[str, object]) -> None:
        """Take a row with a value in each column."""
        for column, values in self._columns.items():
            values.append(cells[column])
        self._waiting += 1
        if self._waiting == self._limit:
            self._flush()

    def close(self) -> None:
        """Write what waits, and end the file."""
        if self._waiting:
            self._flush()
        if self._writer is not None:
            self._writer.close()

    def _flush(self) -> None:
        import pyarrow as pa
        from pyarrow import parquet

        table = pa.table({column: _array(column, values) for column, values in self._columns.items()})
        if self._writer is None:
            # A dictionary of vectors or ids is lost work: none comes twice.
            repeated = [one for one in self._columns if one != VECTOR and not one.startswith("id:")]
            self._writer = parquet.ParquetWriter(self.path, table.schema, use_dictionary=repeated)  # pyright: ignore
        self._writer.write_table(table)
        for values in self._columns.values():
            values.clear()
        self._waiting = 0


def _array(column: str, values: Sequence[object]) -> object:
    import pyarrow as pa

    kind = column.rpartition(":")[2]
    if column == VECTOR:
        vectors = cast("Sequence[FloatArray]", values)
        ends = np.cumsum([0, *(len(vector) for vector in vectors)], dtype=np.int32)
        return pa.ListArray.from_arrays(pa.array(ends), pa.array(np.concatenate(vectors)))
    types = {"string": pa.string(), "long": pa.int64(), "double": pa.float64(), "boolean": pa.bool_()}
    if kind.endswith("[]"):
        return pa.array([list(cast("Sequence[object]", value)) for value in values], pa.list_(types[kind[:-2]]))
    return pa.array(values, types.get(kind, pa.string()))  # ids have no type of their own
