"""A checked bundle into the graph."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime
from itertools import islice
from typing import cast

import numpy as np

from ravu_kg.graph import schema
from ravu_kg.graph.bundle.format import RECORDS
from ravu_kg.graph.bundle.reading import Bundle, Json
from ravu_kg.graph.bundle.writing import lines
from ravu_kg.graph.store import Store, Vector
from ravu_kg.graph.writer import GraphWriter, Statement
from ravu_kg.types import FloatArray

_BATCH = 5000
_BATCH_WITH_VECTORS = 1000
_ENTITY_BATCH = 200
Embed = Callable[[Sequence[str]], FloatArray]
"""Vectors (n, d) of n sentences."""


def equals_graph(store: Store, bundle: Bundle) -> bool:
    """Whether the graph holds just what the bundle does, but for links between entities, which people decide about.

    Raises:
        GraphError: Neo4j failed.
    """
    wanted = bundle.digests()
    return all(
        _digest(lines(store, bundle.video_id, part)) == wanted[part] for part in RECORDS if part != "identity_links"
    )


def load_bundle(
    store: Store,
    bundle: Bundle,
    video_id: str,
    *,
    uri: str | None,
    embed: Embed | None,
    progress: Callable[[float], None] | None = None,
) -> int:
    """Write what a bundle holds as a new graph, complete when this returns.

    Args:
        store: an open store without that video.
        bundle: the bundle.
        video_id: the id that the video gets: its own, or that of a replacement.
        uri: where the video's file lies; None when that is not known.
        embed: makes the vectors, instead of those in the bundle.
        progress: told the share that is written, 0..1.

    Returns:
        How many links lead to entities of videos that are not in this memory, and were left out.

    Raises:
        GraphError: Neo4j failed; what is written by then has the status ``importing``.
    """
    rename = _Renamer(bundle.video_id, video_id)
    record = schema.embedder(store)
    total = sum(bundle.count(part) for part in RECORDS) or 1
    done = 0
    embedder = record.name if embed and record is not None else None
    for name, parameters in bundle_statements(bundle, video_id, uri=uri, embed=embed, embedder=embedder):
        store.write(name, **parameters)
        if not name.endswith("_order"):  # they tell of records that were counted
            done += len(cast("Sequence[object]", parameters.get("rows", ())))
        if progress:
            progress(done / total)
    left_out = _write_links(store, bundle, rename)
    GraphWriter(store).finish(video_id)
    return left_out


def bundle_statements(
    bundle: Bundle, video_id: str, *, uri: str | None, embed: Embed | None = None, embedder: str | None = None
) -> Iterator[Statement]:
    """What writes all that a bundle holds, but for the links between entities; see :func:`load_bundle`.

    Args:
        bundle: the bundle.
        video_id: the id that the video gets.
        uri: where the video's file lies; None when that is not known.
        embed: makes the vectors, instead of those in the bundle.
        embedder: the name of what makes them then.
    """
    rename = _Renamer(bundle.video_id, video_id)
    properties = {**_properties(bundle.video()), "uri": uri}
    if embedder is not None:
        properties["embedder"] = embedder
    yield "bundle/start", {"video_id": video_id, "properties": properties}
    for part, size in (("entities", _ENTITY_BATCH), ("frames", _BATCH)):
        for batch in _batches(bundle.records(part), size):
            rows = [{"id": rename(record["id"]), "properties": rename.properties(record)} for record in batch]
            yield f"ingest/{part}", {"video_id": video_id, "rows": rows}
    yield from _order(bundle, "frames", "ingest/frame_order", rename)
    for batch, vectors in _with_vectors(bundle, "frame_nodes", "frame_node_vectors", embed):
        yield "ingest/frame_nodes", {"rows": _node_rows(batch, vectors, rename)}
    for batch, vectors in _with_vectors(bundle, "events", "event_vectors", embed):
        yield "ingest/events", {"rows": _event_rows(batch, vectors, rename)}
    yield from _order(bundle, "events", "ingest/event_order", rename)
    for batch in _batches(bundle.records("relations"), _BATCH):
        yield "ingest/relations", {"rows": [_relation_row(record, rename) for record in batch]}
    for batch in _batches(bundle.records("same_as"), _BATCH):
        yield "ingest/same_as", {"rows": [_link_row(record, rename) for record in batch]}


def link_rows(bundle: Bundle) -> list[dict[str, object]]:
    """The links between entities, as rows of ``bundle/links``; some may lead to videos that are not in this memory."""
    rename = _Renamer(bundle.video_id, bundle.video_id)
    return [_link_row(record, rename) for record in bundle.records("identity_links")]


class _Renamer:
    """Names of a bundle's nodes under the id that the video gets."""

    def __init__(self, old: str, new: str) -> None:
        self._old = old
        self._new = new

    def __call__(self, name: object) -> str:
        """A node's id; that of another video's node stays."""
        text = str(name)
        own = text.startswith(self._old) and text[len(self._old) : len(self._old) + 1] in ("/", "#")
        return self._new + text[len(self._old) :] if own else text

    def properties(self, record: Json) -> dict[str, object]:
        """A node's properties, with what refers to the video."""
        known = _properties(record)
        known["videoId"] = self._new
        if "entityId" in known:
            known["entityId"] = self(known["entityId"])
        return known


def _properties(record: Json) -> dict[str, object]:
    known = dict(cast("Mapping[str, object]", record["properties"]))  # as it was checked
    for name in cast("list[str]", record.get("times", [])):
        known[name] = datetime.fromisoformat(str(known[name]))
    return known


def _node_rows(records: Sequence[Json], vectors: FloatArray, rename: _Renamer) -> list[dict[str, object]]:
    rows: list[dict[str, object]] = []
    for record, vector in zip(records, vectors.tolist(), strict=True):
        known = rename.properties(record)
        name = rename(record["id"])
        rows.append(
            {
                "id": name,
                "frame_id": name.rpartition("/")[0],
                "entity_id": known["entityId"],
                "embedding": Vector(vector),
                "properties": known,
            }
        )
    return rows


def _event_rows(records: Sequence[Json], vectors: FloatArray, rename: _Renamer) -> list[dict[str, object]]:
    rows: list[dict[str, object]] = []
    for record, vector in zip(records, vectors.tolist(), strict=True):
        known = rename.properties(record)
        row = {"id": rename(record["id"]), "entity_id": known["entityId"], "properties": known}
        rows.append({**row, "embedding": Vector(vector)})
    return rows


def _link_row(record: Json, rename: _Renamer) -> dict[str, object]:
    ends = {"earlier_id": rename(record["earlier"]), "later_id": rename(record["later"])}
    return {**ends, "properties": _properties(record)}


def _relation_row(record: Json, rename: _Renamer) -> dict[str, object]:
    known = _properties(record)
    key = {"predicate": known.pop("predicate"), "source": known.pop("source")}
    return {
        "subject_id": rename(record["earlier"]),
        "object_id": rename(record["later"]),
        **key,
        "properties": known,
    }


def _order(bundle: Bundle, part: str, template: str, rename: _Renamer) -> Iterator[Statement]:
    ordered = (record for record in bundle.records(part) if record["next"] is not None)
    for batch in _batches(ordered, _BATCH):
        rows = [{"earlier_id": rename(record["id"]), "later_id": rename(record["next"])} for record in batch]
        yield template, {"rows": rows}


def _write_links(store: Store, bundle: Bundle, rename: _Renamer) -> int:
    left_out = 0
    for batch in _batches(bundle.records("identity_links"), _BATCH):
        rows = [_link_row(record, rename) for record in batch]
        ends = sorted({str(row[end]) for row in rows for end in ("earlier_id", "later_id")})
        known = {row["entity_id"] for row in store.read("bundle/known_entities", entity_ids=ends).rows}
        kept = [row for row in rows if {row["earlier_id"], row["later_id"]} <= known]
        left_out += len(rows) - len(kept)
        store.write("bundle/links", rows=kept)
    return left_out


def _with_vectors(
    bundle: Bundle, part: str, vectors: str, embed: Embed | None
) -> Iterator[tuple[list[Json], FloatArray]]:
    stored = iter(()) if embed else bundle.vectors(vectors, _BATCH_WITH_VECTORS)
    for batch in _batches(bundle.records(part), _BATCH_WITH_VECTORS):
        if embed:
            sentences = [str(cast("Json", record["properties"])["description"]) for record in batch]
            yield batch, np.asarray(embed(sentences))
        else:
            yield batch, next(stored)


def _batches(records: Iterator[Json], size: int) -> Iterator[list[Json]]:
    while batch := list(islice(records, size)):
        yield batch


def _digest(chunks: Iterator[bytes]) -> str:
    digest = hashlib.sha256()
    for chunk in chunks:
        digest.update(chunk)
    return digest.hexdigest()
