from __future__ import annotations

from pathlib import Path

from ravu_kg.graph.templates import parse_template
from ravu_kg.memory.links import inlined

SOURCE = """// name: x
// mode: read
// summary: A test.
// param names: LIST<STRING> - names
// param limit: INTEGER - how many
// returns n: NODE - a node
MATCH (n:Entity) WHERE n.id IN $names AND n.label <> '$names' // not $limit
RETURN n LIMIT $limit
"""


def test_parameters_are_written_into_the_statement_as_quoted_literals():
    template = parse_template(SOURCE, Path("x.cypher"), Path())
    text = inlined(template, {"names": ["a'}) DETACH DELETE n //", "b\\"], "limit": 3})
    assert text.splitlines() == [
        r"MATCH (n:Entity) WHERE n.id IN ['a\'}) DETACH DELETE n //', 'b\\'] AND n.label <> '$names' // not $limit",
        "RETURN n LIMIT 3",
    ]
