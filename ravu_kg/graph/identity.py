"""Identities: which entities are one and the same.

Every entity has an ``identityId``: the smallest id (as text) among the entities that links in use join to it, its own
when there is none. In use are accepted ``SAME_AS`` links, and automatic ones from the threshold on; but two entities
whose link is rejected are never one, however many others join them: then the weakest automatic link that would do so
is left out. It is recomputed whenever a link is made, decided or removed.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import cast

from ravu_kg.graph.rows import batches
from ravu_kg.graph.store import Store
from ravu_kg.types import LinkStatus

_BATCH = 5000
Pair = tuple[str, str]
"""Ids of two entities, the smaller first."""


@dataclass(frozen=True, slots=True)
class Link:
    """How two entities are joined, or kept apart."""

    score: float
    status: LinkStatus


def pair(one: str, other: str) -> Pair:
    """Two entities whose order does not matter."""
    return (one, other) if one <= other else (other, one)


def identities(
    entity_ids: Iterable[str], links: Iterable[tuple[str, str]], apart: Iterable[tuple[str, str]] = ()
) -> dict[str, str]:
    """The identity of each entity: the smallest id of the entities that links join to it.

    Args:
        entity_ids: the entities.
        links: pairs that are one, the surest first: a link that would join two of ``apart`` is left out.
        apart: pairs that are never one.

    >>> identities(["v#1", "v#2", "v#3"], [("v#2", "v#3")])
    {'v#1': 'v#1', 'v#2': 'v#2', 'v#3': 'v#2'}
    >>> identities(["v#1", "v#2", "v#3"], [("v#1", "v#2"), ("v#2", "v#3")], apart=[("v#1", "v#3")])
    {'v#1': 'v#1', 'v#2': 'v#1', 'v#3': 'v#3'}
    """
    parents = {entity_id: entity_id for entity_id in entity_ids}
    foes: dict[str, set[str]] = {}
    for one, other in apart:
        foes.setdefault(one, set()).add(other)
        foes.setdefault(other, set()).add(one)

    def root(entity_id: str) -> str:
        parents.setdefault(entity_id, entity_id)
        while parents[entity_id] != entity_id:
            parents[entity_id] = parents[parents[entity_id]]
            entity_id = parents[entity_id]
        return entity_id

    for one, other in links:
        low, high = sorted((root(one), root(other)))
        if low == high or any(root(foe) == high for foe in foes.get(low, ())):
            continue
        parents[high] = low  # the smaller id is always the root, and has the foes of all
        foes[low] = foes.get(low, set()) | foes.get(high, set())
    return {entity_id: root(entity_id) for entity_id in parents}


def in_use(entity_ids: Iterable[str], links: Mapping[Pair, Link], threshold: float) -> dict[str, str]:
    """The identity of each entity by its links: accepted ones first, then automatic ones by score."""
    used = [
        (link.status != "accepted", -link.score, ends)
        for ends, link in links.items()
        if link.status == "accepted" or (link.status == "auto" and link.score >= threshold)
    ]
    apart = [ends for ends, link in links.items() if link.status == "rejected"]
    return identities(entity_ids, [ends for _, _, ends in sorted(used)], apart)


def neighbourhood(store: Store, entity_ids: Iterable[str]) -> tuple[set[str], dict[Pair, Link]]:
    """The entities and all that automatic or accepted links join to them, across videos; and the links among these.

    Raises:
        GraphError: Neo4j failed.
    """
    frontier = set(entity_ids)
    known = set(frontier)
    links: dict[Pair, Link] = {}
    while frontier:
        found = set[str]()
        for batch in batches(sorted(frontier), _BATCH):
            for row in store.read("ingest/identity_neighbours", entity_ids=batch).rows:
                status = cast("LinkStatus", row["status"])  # written by this package alone
                ends = pair(str(row["entity_id"]), str(row["other_id"]))
                links[ends] = Link(float(str(row["score"])), status)
                if status != "rejected":
                    found.add(str(row["other_id"]))
        frontier = found - known
        known |= found
    return known, {ends: link for ends, link in links.items() if set(ends) <= known}


def threshold(store: Store) -> float:
    """The score from which on an automatic link is used; 0 while none was set: then all are.

    Raises:
        GraphError: Neo4j failed.
    """
    rows = store.read("identities/threshold").rows
    return float(str(rows[0]["threshold"])) if rows else 0.0


def recompute(store: Store, entity_ids: Iterable[str]) -> None:
    """Set ``identityId`` of the entities and of all that links join to them, across videos.

    Raises:
        GraphError: Neo4j failed, or an entity is not in the graph.
    """
    known, links = neighbourhood(store, entity_ids)
    for name, parameters in identity_statements(in_use(known, links, threshold(store))):
        store.write(name, **parameters)


def identity_statements(found: Mapping[str, str]) -> list[tuple[str, dict[str, object]]]:
    """The statements that set identities, as :meth:`Store.write_all` takes them."""
    rows: Sequence[dict[str, object]] = [
        {"entity_id": entity_id, "identity_id": identity_id} for entity_id, identity_id in sorted(found.items())
    ]
    return [("ingest/identities", {"rows": batch}) for batch in batches(rows, _BATCH)]
