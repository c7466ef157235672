"""The graph as Parquet files, as ``neo4j-admin database import full`` reads them.

:class:`ImportFiles` takes the very statements that a load through the server sends (``ingest/frame_nodes`` with its
rows, and so on), so that both ways lead to one graph. What the import cannot say is kept for afterwards: see
:mod:`ravu_kg.graph.bulk.finishing`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import cast

import numpy as np

from ravu_kg.errors import GraphError
from ravu_kg.graph.bulk.parquet import VECTOR, ParquetTable, require_parquet
from ravu_kg.graph.values import is_sequence

Row = Mapping[str, object]
_Key = tuple[str, str, str, str, tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class Source:
    """A file of nodes with one label, or of relationships of one type."""

    name: str
    path: Path


@dataclass(slots=True)
class ImportPlan:
    """The files, and what is left to be done on the server afterwards."""

    nodes: list[Source] = field(default_factory=list[Source])
    relationships: list[Source] = field(default_factory=list[Source])
    videos: dict[str, dict[str, object]] = field(default_factory=dict[str, dict[str, object]])
    """Properties by id."""
    later: dict[str, list[Row]] = field(default_factory=dict[str, list[Row]])
    """Rows by the template that writes them: values that the files cannot hold, and links between entities."""
    counts: Counter[str] = field(default_factory=Counter[str])
    """Nodes by label."""

    @property
    def size_bytes(self) -> int:
        """Of all files."""
        return sum(source.path.stat().st_size for source in (*self.nodes, *self.relationships))


class ImportFiles:
    """Writes what would be written to a server. Give videos one after the other, then :meth:`close`."""

    def __init__(self, folder: Path) -> None:
        """Write into an empty folder.

        Raises:
            MissingExtraError: pyarrow is not installed.
        """
        require_parquet()
        self._folder = folder
        self._tables: dict[_Key, ParquetTable] = {}
        self._plan = ImportPlan()
        self._written: set[tuple[object, ...]] = set()
        self._video = ""

    def write(self, name: str, /, **parameters: object) -> None:
        """Take one statement of a load: a template and its parameters.

        Raises:
            GraphError: the statement has no place in a first load.
            OSError: the disk is full.
        """
        rows = cast("Sequence[Row]", parameters.get("rows") or ())
        video_id = str(parameters.get("video_id") or "")
        match name:
            case "bundle/start" | "ingest/video":
                self._begin(video_id, cast("Row", parameters["properties"]))
            case "ingest/window":
                self._plan.videos[video_id]["windowEnds"] = parameters["window_ends"]
            case "ingest/entities":
                self._entities(rows, video_id)
            case "ingest/frames":
                self._frames(rows, video_id)
            case "ingest/frame_order":
                self._order(rows, "Frame")
            case "ingest/frame_nodes":
                self._frame_nodes(rows)
            case "ingest/events":
                self._events(rows)
            case "ingest/event_order":
                self._order(rows, "Event")
            case "ingest/relations":
                self._relations(rows)
            case "ingest/same_as":
                self._same_as(rows)
            case "bundle/links" | "ingest/identity_links":
                self._plan.later.setdefault(name, []).extend(rows)
            case _:
                raise GraphError(f"{name} is no statement of a first load.")

    def close(self) -> ImportPlan:
        """End the files, and tell which they are."""
        for table in self._tables.values():
            table.close()
        for (kind, name, *_), table in self._tables.items():
            (self._plan.nodes if kind == "node" else self._plan.relationships).append(Source(name, table.path))
        return self._plan

    def _begin(self, video_id: str, properties: Row) -> None:
        if video_id in self._plan.videos:
            raise GraphError(f"Video {video_id} is there twice.")
        self._video, self._written = video_id, set()
        self._plan.videos[video_id] = {"windowEnds": [], **properties, "frameNodeCount": 0}
        self._node("Video", {"id": video_id}, {"status": "importing"}, "")

    def _entities(self, rows: Sequence[Row], video_id: str) -> None:
        for row in rows:
            # Until links say otherwise, an entity is its own identity.
            self._node("Entity", row, {**_properties(row), "identityId": row["id"]}, "corrections/write_entities")
            self._relationship("HAS_ENTITY", ("Video", video_id), ("Entity", row["id"]))

    def _frames(self, rows: Sequence[Row], video_id: str) -> None:
        for row in rows:
            self._node("Frame", row, _properties(row), "corrections/write_frames")
            self._relationship("HAS_FRAME", ("Video", video_id), ("Frame", row["id"]))

    def _frame_nodes(self, rows: Sequence[Row]) -> None:
        for row in rows:
            self._node("FrameNode", row, _properties(row), "corrections/write_frame_nodes")
            self._relationship("CONTAINS", ("Frame", row["frame_id"]), ("FrameNode", row["id"]))
            self._relationship("APPEARS_AS", ("Entity", row["entity_id"]), ("FrameNode", row["id"]))
            known = self._plan.videos[self._video]
            known["frameNodeCount"] = cast(int, known["frameNodeCount"]) + 1

    def _events(self, rows: Sequence[Row]) -> None:
        for row in rows:
            self._node("Event", row, _properties(row), "corrections/write_events")
            self._relationship("HAS_EVENT", ("Entity", row["entity_id"]), ("Event", row["id"]))

    def _order(self, rows: Sequence[Row], label: str) -> None:
        for row in rows:
            if self._is_new(label, row["earlier_id"], row["later_id"]):
                self._relationship("NEXT", (label, row["earlier_id"]), (label, row["later_id"]))

    def _relations(self, rows: Sequence[Row]) -> None:
        for row in rows:
            key = (row["subject_id"], row["object_id"], row["predicate"], row["source"])
            properties = {"predicate": row["predicate"], "source": row["source"], **_properties(row)}
            if not all(value is None or _kind(value) for value in properties.values()):
                self._plan.later.setdefault("ingest/relations", []).append(row)
            elif self._is_new("REL", *key):
                self._relationship("REL", ("FrameNode", key[0]), ("FrameNode", key[1]), properties)

    def _same_as(self, rows: Sequence[Row]) -> None:
        for row in rows:
            ends = (row["earlier_id"], row["later_id"])
            properties = {**_properties(row), "scope": "track"}
            if not all(value is None or _kind(value) for value in properties.values()):
                self._plan.later.setdefault("ingest/same_as", []).append(row)
            elif self._is_new("SAME_AS", *ends):
                self._relationship("SAME_AS", ("FrameNode", ends[0]), ("FrameNode", ends[1]), properties)

    def _is_new(self, *key: object) -> bool:
        """What the server would merge is written once."""
        if key in self._written:
            return False
        self._written.add(key)
        return True

    def _node(self, label: str, row: Row, properties: Row, later: str) -> None:
        cells: dict[str, object] = {f"id:ID({label})": row["id"]}
        left: dict[str, object] = {}
        for name, value in properties.items():
            if value is None:
                continue
            if kind := _kind(value):
                cells[f"{name}:{kind}"] = value
            else:
                left[name] = value
        if left:
            embedding = {"embedding": None} if later in _WITH_VECTORS else {}
            self._plan.later.setdefault(later, []).append({"id": row["id"], "properties": left, **embedding})
        vector = row.get("embedding")
        if vector is not None:
            cells[VECTOR] = np.asarray(vector, dtype=np.float32)
        self._plan.counts[label] += 1
        self._table("node", label, "", "", cells).add(cells)

    def _relationship(
        self, name: str, start: tuple[str, object], end: tuple[str, object], properties: Row | None = None
    ) -> None:
        cells: dict[str, object] = {f":START_ID({start[0]})": start[1], f":END_ID({end[0]})": end[1]}
        for key, value in (properties or {}).items():
            if value is not None:
                cells[f"{key}:{_kind(value)}"] = value
        self._table("relationship", name, start[0], end[0], cells).add(cells)

    def _table(self, kind: str, name: str, start: str, end: str, cells: Row) -> ParquetTable:
        # Rows of one file have the same columns: a cell without a value would need rules of its own.
        key = (kind, name, start, end, tuple(cells))
        table = self._tables.get(key)
        if table is None:
            path = self._folder / f"{kind}_{len(self._tables):04d}_{name}.parquet"
            table = self._tables[key] = ParquetTable(path, tuple(cells))
        return table


def _properties(row: Row) -> Row:
    return cast("Row", row["properties"])


def _kind(value: object) -> str:
    """The import's name for the type of a value; empty when it does not take the value as it is.

    It drops empty text, reads times in other ways, and has no lists of several types.
    """
    known = _KINDS.get(type(value))
    if known is not None:
        return known if value != "" else ""
    if isinstance(value, np.ndarray):
        return "double[]"
    if not is_sequence(value):
        return ""
    if not value:
        return "string[]"
    kind = _KINDS.get(type(value[0]), "")
    same = all(type(item) is type(value[0]) for item in value) and (kind != "string" or "" not in value)
    return f"{kind}[]" if kind and same else ""


_KINDS: Mapping[type, str] = {str: "string", bool: "boolean", int: "long", float: "double"}
_WITH_VECTORS = ("corrections/write_frame_nodes", "corrections/write_events")
