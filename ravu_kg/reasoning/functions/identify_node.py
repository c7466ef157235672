"""identify_node: the entity that a phrase describes."""

from __future__ import annotations

from ravu_kg.reasoning.context import Context, as_interval
from ravu_kg.reasoning.functions import showing
from ravu_kg.reasoning.plan import IdentifyNode
from ravu_kg.reasoning.records import Found


def identify_node(context: Context, step: str, arguments: IdentifyNode, leaf: bool) -> Found:
    """The identity that is meant: by its noun, and by its sentences where several share the noun."""
    identities = context.matching(arguments.query)
    if not identities and context.identities():
        return showing.nothing(context, step, "identify_node", arguments.query)
    if not identities:
        return Found(step, "identify_node", note="The memory has no entity for this video.")
    identity = identities[0] if len(identities) == 1 else context.best(arguments.query, identities)
    evidence = ()
    if leaf:
        nodes = context.reader.entity_nodes(identity.entity_ids, [context.span], 3)
        evidence = tuple(showing.of_node(context, step, node) for node in nodes)
    return Found(
        step,
        "identify_node",
        evidence=evidence,
        intervals=tuple(as_interval(identity, one.start_s, one.end_s) for one in identity.entities),
        entity_ids=identity.entity_ids,
        name=identity.name,
    )
