"""The canonical export: what one video's graph says, in a form that is equal for equal graphs."""

from __future__ import annotations

import numpy as np

from ravu_kg.errors import NotFoundError
from ravu_kg.graph.store import Store
from ravu_kg.graph.values import is_mapping, is_sequence
from ravu_kg.types import FloatArray

_LISTS = ("frames", "entities", "frame_nodes", "relations", "same_as", "identity_links", "events")
_DIGITS = 4


def canonical(store: Store, video_id: str) -> dict[str, object]:
    """A video's graph as plain data.

    Sorted by id; numbers rounded to 4 digits; without creation times, revision, where the file lies, and vectors
    (see :func:`vectors`). Two graphs of the same video by the same pipeline give equal exports.

    Raises:
        NotFoundError: no such video.
        GraphError: Neo4j failed.
    """
    found = store.read("export/video", video_id=video_id).rows
    if not found:
        raise NotFoundError(f"The graph has no video {video_id}. 'ravu-kg videos list' shows them all.")
    exported: dict[str, object] = {"video": _rounded(found[0]["record"])}
    for name in _LISTS:
        rows = store.read(f"export/{name}", video_id=video_id).rows
        exported[name] = [_rounded(row["record"]) for row in rows]
    return exported


def vectors(store: Store, video_id: str) -> tuple[list[str], FloatArray]:
    """Ids of a video's frame nodes and events in order, and their vectors (n, d).

    Raises:
        GraphError: Neo4j failed.
    """
    rows = [
        row
        for name in ("export/frame_node_vectors", "export/event_vectors")
        for row in store.read(name, video_id=video_id).rows
    ]
    return [str(row["id"]) for row in rows], np.array([row["embedding"] for row in rows], dtype=np.float32)


def _rounded(value: object) -> object:
    if isinstance(value, float):
        return round(value, _DIGITS)
    if is_mapping(value):
        return {str(key): _rounded(item) for key, item in sorted(value.items(), key=str)}
    if is_sequence(value):
        return [_rounded(item) for item in value]
    return value
