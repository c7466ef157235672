"""Identities: which entities are one and the same.

Every entity has an ``identityId``: the smallest id (as text) among the entities that automatic or accepted
``SAME_AS`` links join to it, its own when there is none. It is recomputed whenever a link is made, decided or removed.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Literal

from ravu_kg.errors import NotFoundError
from ravu_kg.graph.rows import batches
from ravu_kg.graph.store import Store

_BATCH = 5000


def identities(entity_ids: Iterable[str], links: Iterable[tuple[str, str]]) -> dict[str, str]:
    """The identity of each entity: the smallest id of the entities that links join to it.

    >>> identities(["v#1", "v#2", "v#3"], [("v#2", "v#3")])
    {'v#1': 'v#1', 'v#2': 'v#2', 'v#3': 'v#2'}
    """
    parents = {entity_id: entity_id for entity_id in entity_ids}

    def root(entity_id: str) -> str:
        parents.setdefault(entity_id, entity_id)
        while parents[entity_id] != entity_id:
            parents[entity_id] = parents[parents[entity_id]]
            entity_id = parents[entity_id]
        return entity_id

    for one, other in links:
        low, high = sorted((root(one), root(other)))
        parents[high] = low  # the smaller id is always the root
    return {entity_id: root(entity_id) for entity_id in parents}


def recompute(store: Store, entity_ids: Iterable[str]) -> None:
    """Set ``identityId`` of the entities and of all that links join to them, across videos.

    Raises:
        GraphError: Neo4j failed, or an entity is not in the graph.
    """
    given = set(entity_ids)
    known = set(given)
    links = set[tuple[str, str]]()
    frontier = given
    while frontier:
        found = set[str]()
        for batch in batches(sorted(frontier), _BATCH):
            for row in store.read("ingest/identity_neighbours", entity_ids=batch).rows:
                links.add((str(row["entity_id"]), str(row["other_id"])))
                found.add(str(row["other_id"]))
        frontier = found - known
        known |= found
    _write(store, identities(known, links))


def decide(
    store: Store, entity_id: str, other_id: str, status: Literal["accepted", "rejected"], decided_by: str
) -> None:
    """Accept or reject the link between two entities; may be decided anew at any time.

    Raises:
        NotFoundError: no link joins them.
        GraphError: Neo4j failed.
    """
    rows = store.read("ingest/identity_link", entity_id=entity_id, other_id=other_id).rows
    if not rows:
        raise NotFoundError(f"No link joins {entity_id} and {other_id}. Only a link that was found can be decided.")
    for row in rows:
        ends = {"earlier_id": row["earlier_id"], "later_id": row["later_id"]}
        store.write("ingest/decide_identity", **ends, status=status, decided_by=decided_by)
    recompute(store, [entity_id, other_id])


def _write(store: Store, found: Mapping[str, str]) -> None:
    rows = [{"entity_id": entity_id, "identity_id": identity_id} for entity_id, identity_id in sorted(found.items())]
    for batch in batches(rows, _BATCH):
        store.write("ingest/identities", rows=batch)
