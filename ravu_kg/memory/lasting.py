"""What people decided and corrected outlives the indexing of a video anew."""

from __future__ import annotations

from ravu_kg.graph import corrections, decisions
from ravu_kg.graph.corrections import Embed
from ravu_kg.graph.store import Store
from ravu_kg.types import replaced_id


def prepare(store: Store, graph_id: str, embed: Embed) -> None:
    """Lay a video's corrections over the graph that is to take its place, before it is complete.

    Nothing happens for a graph that takes no place. So no question meets the new graph without them.

    Raises:
        ProviderError: from ``embed``.
        GraphError: Neo4j failed.
    """
    if video_id := replaced_id(graph_id):
        corrections.apply_again(store, video_id, embed, graph_id=graph_id)


def settle(store: Store, video_id: str, embed: Embed) -> tuple[str, ...]:
    """Let a video's corrections be about the graph that took its place; doing it twice changes nothing.

    Returns:
        A line for each correction or decision that waits, since nothing lies any more where its entity was.

    Raises:
        ProviderError: from ``embed``.
        GraphError: Neo4j failed.
    """
    corrections.apply_again(store, video_id, embed)
    return waiting(store, video_id)


def waiting(store: Store, video_id: str) -> tuple[str, ...]:
    """A line for each correction or decision about a video that waits.

    Raises:
        GraphError: Neo4j failed.
    """
    edits = [
        f"correction {one.id}: {one.note}"
        for one in corrections.records(store, video_id)
        if one.note is not None and one.undone_at is None
    ]
    decided = [
        f"decision {one.operation}: {one.note}"
        for one in decisions.records(store, video_id)
        if one.note is not None and one.undone_at is None
    ]
    return (*edits, *decided)
