"""What follows an import from files, on the running server: indexes, values that files cannot hold, identities."""

from __future__ import annotations

from collections.abc import Callable
from typing import cast

from ravu_kg.errors import GraphError
from ravu_kg.graph import identity, schema
from ravu_kg.graph.bulk.files import ImportPlan, Row
from ravu_kg.graph.rows import batches
from ravu_kg.graph.store import Store

_BATCH = 5000
_VIDEO_BATCH = 500
_LABELS = {"videos": "Video", "frames": "Frame", "entities": "Entity", "frame_nodes": "FrameNode", "events": "Event"}


def finish_import(
    store: Store, plan: ImportPlan, embedder: str, dimensions: int, progress: Callable[[str], None] | None = None
) -> int:
    """Make an imported graph what a load through the server would have made of it; gives the links left out.

    Args:
        store: of a server with the imported data.
        plan: the files that were imported.
        embedder: what made the vectors.
        dimensions: of the vectors.
        progress: told in a line what is done.

    Returns:
        How many links lead to entities that are not in this memory, and were left out.

    Raises:
        GraphError: the graph is not what the files say, or Neo4j failed.
    """
    report = progress or _silent
    _require_all(store, plan)
    report("Making the indexes")
    schema.migrate(store, dimensions, embedder)
    report("Finishing")
    left_out = 0
    linked = set[str]()
    for name, rows in plan.later.items():
        if name.endswith("links"):
            rows, missing = _known(store, rows)
            left_out += missing
            linked |= {str(row[end]) for row in rows for end in ("earlier_id", "later_id")}
        for batch in batches(rows, _BATCH):
            store.write(name, rows=batch)
    identity.recompute(store, linked)
    complete = [{"id": video_id, "properties": properties} for video_id, properties in plan.videos.items()]
    for batch in batches(complete, _VIDEO_BATCH):
        store.write("bulk/videos", rows=batch)
    return left_out


def is_empty(store: Store) -> bool:
    """Whether the graph holds no video, and no part of one.

    Raises:
        GraphError: Neo4j failed.
    """
    return not any(store.read("bulk/counts").rows[0].values())


def _known(store: Store, rows: list[Row]) -> tuple[list[Row], int]:
    """The links whose ends are both there, each once: a link over two videos is told by both."""
    once = {(row["earlier_id"], row["later_id"]): row for row in rows}
    ends = sorted({str(end) for pair in once for end in pair})
    known = set[object]()
    for batch in batches(ends, _BATCH):
        known |= {row["entity_id"] for row in store.read("bundle/known_entities", entity_ids=batch).rows}
    kept = [row for pair, row in once.items() if set(pair) <= known]
    return kept, len(once) - len(kept)


def _require_all(store: Store, plan: ImportPlan) -> None:
    found = store.read("bulk/counts").rows[0]
    for column, label in _LABELS.items():
        if cast(int, found[column]) != plan.counts[label]:
            raise GraphError(
                f"The import made {found[column]} of {plan.counts[label]} nodes {label}. Nothing was changed; the "
                "report of Neo4j's tool lies in the home's folder logs."
            )


def _silent(line: str) -> None:
    """Progress that nobody asked for."""
