"""What somebody's own Cypher may do: read this graph, and nothing else.

The server's access mode alone is no boundary: ``LOAD CSV FROM 'http://...'``, ``TERMINATE TRANSACTIONS`` and ``SHOW
SETTINGS`` all count as reading. So the text and the plan are looked at before anything runs.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from ravu_kg.errors import UsageError
from ravu_kg.graph.templates import blank
from ravu_kg.graph.values import is_mapping, is_sequence

PROCEDURES = frozenset(
    {
        "db.index.fulltext.queryNodes",
        "db.index.fulltext.queryRelationships",
        "db.index.vector.queryNodes",
        "db.labels",
        "db.relationshipTypes",
        "db.propertyKeys",
        "db.schema.visualization",
        "db.schema.nodeTypeProperties",
        "db.schema.relTypeProperties",
    }
)
"""The procedures that a query may call."""

_FUNCTION_SPACES = ("date", "datetime", "localdatetime", "localtime", "time", "duration", "point", "vector", "coll")
_REFUSED_OPERATORS = re.compile(r"LoadCSV|Terminate|Show|.*Command", re.IGNORECASE)
_PREPARSER = re.compile(r"\s*(?:(CYPHER)\b((?:\s+(?:\d+|\w+\s*=\s*\w+))*)|(EXPLAIN|PROFILE)\b)", re.IGNORECASE)
_CALLED = re.compile(r"(?<![\w.])(\w+(?:\s*\.\s*\w+)+)\s*\(")


def refuse_text(text: str) -> None:
    """Refuse what can be told from the text alone.

    Raises:
        UsageError: an empty statement, a leading EXPLAIN or PROFILE, or a function of a plug-in.
    """
    code = blank(text)
    if not code.strip():
        raise UsageError("The query is empty. Give one Cypher statement that reads.")
    position = 0
    while match := _PREPARSER.match(code, position):
        if match.group(3):
            raise UsageError(f"Leave out {match.group(3).upper()}: the query is planned and checked anyway.")
        position = match.end()
    for match in _CALLED.finditer(blank(text, keep_names=True)):
        name = re.sub(r"\s", "", match.group(1))
        if name not in PROCEDURES and name.split(".")[0].lower() not in _FUNCTION_SPACES:
            raise UsageError(f"'{name}' may not be called here: only Cypher's own functions and {_allowed()}.")


def refuse_plan(query_type: str, plan: Mapping[object, object]) -> None:
    """Refuse what the server's plan shows.

    Args:
        query_type: of the plan's summary.
        plan: the operator tree as the server describes it.

    Raises:
        UsageError: the statement writes, changes the schema, reads files or manages the server.
    """
    if query_type != "r":
        raise UsageError("Refused: the query would change something. Only statements that read are allowed here.")
    for operator, details in _operators(plan):
        if _REFUSED_OPERATORS.match(operator):
            raise UsageError(f"Refused: the query does more than read this graph ({operator}).")
        if operator.endswith("ProcedureCall"):
            name = re.split(r"[\s(:]", details.strip(), maxsplit=1)[0]
            if name not in PROCEDURES:
                raise UsageError(f"Refused: procedure '{name}' may not be called here, only {_allowed()}.")


def _operators(plan: Mapping[object, object]) -> Iterator[tuple[str, str]]:
    """Every operator of the plan with its details."""
    arguments = plan.get("args")
    details = str(arguments.get("Details", "")) if is_mapping(arguments) else ""
    yield str(plan.get("operatorType", "")).partition("@")[0], details
    children = plan.get("children")
    if is_sequence(children):
        for child in children:
            if is_mapping(child):
                yield from _operators(child)


def _allowed() -> str:
    return ", ".join(sorted(PROCEDURES))
