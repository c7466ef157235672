"""Values of the driver as plain data, without vectors."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence

import numpy as np
from neo4j import Record
from neo4j.graph import Node, Path, Relationship
from neo4j.time import Date, DateTime, Duration, Time
from neo4j.vector import Vector

from ravu_kg.graph.values import elide_vectors, is_mapping, is_sequence

_NUMBERS = {"i8": np.int8, "i16": np.int16, "i32": np.int32, "i64": np.int64, "f32": np.float32, "f64": np.float64}


def plain_row(record: Record, columns: Sequence[str]) -> dict[str, object]:
    """A row of a result: nodes, relationships and paths as dictionaries, times as ISO text."""
    return {name: _plain(value) for name, value in zip(columns, record.values(), strict=True)}


def as_record(row: Mapping[str, object]) -> Record:
    """A row as the driver's own kind of record, which other libraries ask for."""
    return Record(row)


def _plain(value: object) -> object:
    """Nodes, relationships and paths as dictionaries, without embeddings; vectors as arrays; the rest as it came."""
    if isinstance(value, Node):
        return {"labels": sorted(value.labels), "properties": _properties(value)}
    if isinstance(value, Relationship):
        ends = [_name_of(node) for node in value.nodes]
        return {"type": value.type, "start": ends[0], "end": ends[1], "properties": _properties(value)}
    if isinstance(value, Path):
        return {
            "nodes": [_plain(node) for node in value.nodes],
            "relationships": [_plain(relationship) for relationship in value.relationships],
        }
    if isinstance(value, (DateTime, Date, Time, Duration)):
        return value.iso_format()
    if isinstance(value, Vector):
        return np.frombuffer(value.raw(byteorder=sys.byteorder), _NUMBERS[value.dtype.value])
    if is_sequence(value):
        return value if value and isinstance(value[0], float) else [_plain(item) for item in value]
    if is_mapping(value):
        return {str(name): _plain(item) for name, item in value.items()}
    return value


def _properties(entity: Node | Relationship) -> dict[str, object]:
    return {
        name: elide_vectors(value) if name == "embedding" else _plain(value) for name, value in sorted(entity.items())
    }


def _name_of(node: Node | None) -> object:
    return None if node is None else node.get("id", node.element_id)
