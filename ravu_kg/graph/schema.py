"""The schema of the graph: versioned migrations, vector indexes, and the embedder that made the vectors.

A migration is a file ``cypher/schema/NNNN_name.cypher``; it is applied once and remembered in a ``SchemaMigration``
node with its checksum. Vector indexes are not migrations: their length depends on the embedder and their shape on the
server, so they are compared with what they should be whenever the graph is opened. Full-text indexes, which a first
load leaves away, are made again then when they are missing.

The label ``VectorBlock`` is reserved for a derived cache of vectors: it has its constraint and its index, nothing
fills it yet, and removing a video would remove its blocks.
"""

from __future__ import annotations

import hashlib
import re
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ravu_kg.errors import ConfigurationError, GraphError
from ravu_kg.graph.store import Store, Vector
from ravu_kg.graph.templates import Template
from ravu_kg.types import FloatArray

VECTOR_INDEXES = ("frame_node_embedding", "event_embedding")
TEXT_INDEXES = {"frame_node_text": "schema/0020_frame_node_text", "event_text": "schema/0021_event_text"}
"""Full-text index -> the migration that makes it."""
_POLL_S = 0.1
_BATCH = 1000


@dataclass(frozen=True, slots=True)
class EmbedderRecord:
    """The embedder whose vectors the graph holds."""

    name: str
    dimensions: int
    status: str
    """``ready``, or ``reembedding`` while vectors are being replaced."""
    cursor_label: str
    cursor_id: str


def migrate(store: Store, dimensions: int = 768, embedder: str = "sentence-transformers:all-mpnet-base-v2") -> int:
    """Bring the schema up to date; nothing happens when it already is.

    Args:
        store: an open store.
        dimensions: length of the embedder's vectors.
        embedder: its reference; recorded in a new graph, compared in an existing one.

    Returns:
        How many migrations were applied.

    Raises:
        ConfigurationError: the graph was made with another embedder.
        GraphError: the graph was made by a newer version of the package, or a migration was changed afterwards.
    """
    applied = {_integer(row["version"]): row["checksum"] for row in store.read("schema/migrations").rows}
    migrations = _migrations(store)
    newer = max(applied, default=0)
    if newer > max(migrations):
        raise GraphError(f"This graph was made by a newer ravu-kg (schema {newer}). Upgrade: pip install -U ravu-kg")
    for version, checksum in applied.items():
        if checksum != _checksum(migrations[version]):
            raise GraphError(f"Migration {version} differs from the one that made this graph. Reinstall ravu-kg.")
    if applied:
        _require_embedder(store, embedder, dimensions)
    pending = {version: template for version, template in migrations.items() if version not in applied}
    for template in pending.values():
        store.write(template.name)
    if pending:
        rows = [
            {"version": version, "name": template.name, "checksum": _checksum(template)}
            for version, template in pending.items()
        ]
        store.write("schema/record_migrations", rows=rows)
    if pending or not _has_embedder(store):  # else a graph that only may be read could not be opened
        store.write("schema/record_embedder", name=embedder, dimensions=dimensions)
    _require_embedder(store, embedder, dimensions)
    if _update_indexes(store, dimensions) or pending:
        await_indexes(store)
    return len(pending)


def bring_up_to_date(store: Store) -> None:
    """Bring the schema up to date for the embedder that the graph was made with; an empty graph stays empty.

    Raises:
        GraphError: the graph was made by a newer version of the package, or a migration was changed afterwards.
    """
    record = embedder(store)
    if record is not None and record.status != "reembedding":
        migrate(store, record.dimensions, record.name)


def newest(store: Store) -> int:
    """The number of the newest migration that this version of the package knows."""
    return max(_migrations(store))


def await_indexes(store: Store) -> None:
    """Return when every index is online, however long it takes to fill them.

    Raises:
        GraphError: an index could not be filled.
    """
    # Asked again and again: one waiting statement would be stopped by the server's limit on transactions.
    while pending := store.read("schema/pending_indexes").rows:
        failed = [str(row["name"]) for row in pending if row["state"] == "FAILED"]
        if failed:
            raise GraphError(f"The server could not fill the index {', '.join(failed)}. Its log tells why.")
        time.sleep(_POLL_S)


def embedder(store: Store) -> EmbedderRecord | None:
    """The embedder that made the graph's vectors; None for a graph without schema."""
    rows = store.read("schema/embedder").rows
    if not rows:
        return None
    row = rows[0]
    return EmbedderRecord(
        str(row["name"]),
        _integer(row["dimensions"]),
        str(row["status"]),
        str(row["cursor_label"] or ""),
        str(row["cursor_id"] or ""),
    )


def reembed(
    store: Store,
    name: str,
    dimensions: int,
    embed: Callable[[Sequence[str]], FloatArray],
    progress: Callable[[int], None] | None = None,
) -> int:
    """Replace every vector of the graph by another embedder's; an interrupted run goes on where it stopped.

    Args:
        store: an open store with a migrated schema.
        name: reference of the new embedder.
        dimensions: length of its vectors.
        embed: vectors (n, dimensions) of n sentences; called with at most 1,000 at a time.
        progress: told after each batch how many nodes have new vectors.

    Returns:
        How many nodes got a new vector in this run.

    Raises:
        GraphError: the graph has no schema yet, or Neo4j failed; start again to go on.
        ProviderError: from ``embed``.
    """
    record = embedder(store)
    if record is None:
        raise GraphError("There is nothing to re-embed: this graph has no schema yet. Index a video first.")
    if record.status != "reembedding" or (record.name, record.dimensions) != (name, dimensions):
        store.write("schema/start_reembedding", name=name, dimensions=dimensions)
        record = EmbedderRecord(name, dimensions, "reembedding", "FrameNode", "")
    _drop(store, VECTOR_INDEXES)
    done = 0
    stages = (("FrameNode", "frame_node"), ("Event", "event"))
    for label, stem in stages[0 if record.cursor_label == "FrameNode" else 1 :]:
        after_id = record.cursor_id if record.cursor_label == label else ""
        while rows := store.read(f"schema/{stem}s_to_embed", after_id=after_id, limit=_BATCH).rows:
            vectors = embed([str(row["description"] or "") for row in rows])
            after_id = str(rows[-1]["id"])
            batch = [
                {"id": row["id"], "embedding": Vector(vector.tolist())}
                for row, vector in zip(rows, vectors, strict=True)
            ]
            store.write_all(
                [
                    (f"schema/set_{stem}_embeddings", {"rows": batch}),
                    ("schema/move_cursor", {"cursor_label": label, "cursor_id": after_id}),
                ]
            )
            done += len(rows)
            if progress:
                progress(done)
    _update_indexes(store, dimensions)
    await_indexes(store)
    store.write("schema/finish_reembedding", name=name)
    return done


def drop_search_indexes(store: Store) -> None:
    """Leave the vector and full-text indexes away while much is written; :func:`make_search_indexes` makes them again.

    So does :func:`migrate`, after an interruption.

    Raises:
        GraphError: Neo4j failed.
    """
    _drop(store, (*VECTOR_INDEXES, *TEXT_INDEXES))


def make_search_indexes(store: Store, dimensions: int) -> None:
    """Make the vector and full-text indexes that are missing, and return when they are filled.

    Raises:
        GraphError: Neo4j failed, or an index could not be filled.
    """
    _update_indexes(store, dimensions)
    await_indexes(store)


def _migrations(store: Store) -> dict[int, Template]:
    found = dict[int, Template]()
    for template in store.templates:
        if match := re.fullmatch(r"schema/(\d{4})_\w+", template.name):
            found[int(match.group(1))] = store.templates.get(template.name)
    return dict(sorted(found.items()))


def _checksum(template: Template) -> str:
    return hashlib.sha256(template.text.encode()).hexdigest()


def _has_embedder(store: Store) -> bool:
    return embedder(store) is not None


def _require_embedder(store: Store, name: str, dimensions: int) -> None:
    record = embedder(store)
    if record is None:
        return
    if record.status == "reembedding":
        raise GraphError(f"Re-embedding this graph with {record.name} was interrupted. Finish it: ravu-kg reembed")
    if (record.name, record.dimensions) != (name, dimensions):
        raise ConfigurationError(
            f"This graph holds vectors of {record.name} ({record.dimensions} numbers each), but the settings name "
            f"{name} ({dimensions}). Set that embedder again, or replace the vectors: ravu-kg reembed"
        )


def _drop(store: Store, indexes: Sequence[str]) -> None:
    for index in indexes:
        store.write(f"schema/drop_{index}")


def _update_indexes(store: Store, dimensions: int) -> bool:
    """Create vector indexes, anew when they have another length or shape, and what is missing of full-text ones.

    An index of shortened vectors, which earlier versions made, is one of another shape: its scores are not exact.

    Full-text indexes go after the vector indexes and come back before them: where those are right nothing is missing,
    and the opening of a graph has to look at those alone.

    Returns:
        Whether anything changed.
    """
    present = {
        str(row["name"]): (row["dimensions"], row["properties"], row["shortened"])
        for row in store.read("schema/vector_indexes").rows
    }
    wrong: list[str] = []
    for index in VECTOR_INDEXES:
        time_property = "t" if index == "frame_node_embedding" else "tStart"
        filtered = store.template(f"schema/create_{index}").requires != ""
        properties = ["embedding", "videoId", time_property] if filtered else ["embedding"]
        if present.get(index) != (dimensions, properties, False):
            wrong.append(index)
    if not wrong:
        return False
    for migration in TEXT_INDEXES.values():
        store.write(migration)  # where there is none
    for index in wrong:
        store.write(f"schema/drop_{index}")
        store.write(f"schema/create_{index}", dimensions=dimensions)
    return True


def _integer(value: object) -> int:
    if not isinstance(value, int):
        raise GraphError(f"The graph holds {value!r} where a number was written. Was it changed by hand?")
    return value
