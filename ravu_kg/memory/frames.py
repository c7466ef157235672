"""Results as pandas data frames."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Literal

from ravu_kg.graph.results import ReadResult
from ravu_kg.graph.tables import to_frame

if TYPE_CHECKING:
    import pandas  # pyright: ignore[reportMissingTypeStubs]  -- it ships none

Table = Literal["entities", "events", "relations"]
TABLES: dict[str, str] = {
    "entities": "programs/entities",
    "events": "programs/events",
    "relations": "programs/relations",
}
"""The tables that have a name of their own, with their templates."""


def framed(result: ReadResult) -> pandas.DataFrame:
    """The result as a data frame; its ``attrs`` hold ``truncated`` and ``notes`` of the result.

    A warning says when there was more than the frame holds.

    Raises:
        MissingExtraError: pandas is not installed.
    """
    frame = to_frame(result)
    frame.attrs.update(truncated=result.truncated, notes=list(result.notes))
    if result.truncated:
        warnings.warn(
            f"Only the first {len(result.rows):,} rows are in the data frame. Allow more with limit=, or ask for less.",
            stacklevel=3,
        )
    return frame
