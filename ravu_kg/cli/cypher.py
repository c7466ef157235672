"""``ravu-kg cypher``: ad-hoc Cypher, read only."""

from __future__ import annotations

import json

import click

from ravu_kg.cli.frame import State
from ravu_kg.cli.output import echo_json, examples, json_option, print_table


@click.command(
    "cypher",
    epilog=examples(
        'ravu-kg cypher "MATCH (e:Entity) RETURN e.label AS label, count(*) AS n ORDER BY n DESC"',
        'ravu-kg cypher "MATCH (v:Video) RETURN v.id, v.title" --json',
    ),
)
@click.argument("query")
@json_option
@click.pass_obj
def command(state: State, query: str, as_json: bool) -> None:
    """Run a Cypher query that only reads."""
    with state.open_memory() as memory:
        result = memory.cypher(query)
    if as_json:
        echo_json(result.rows)
    elif result.rows:
        print_table(result.columns, [[_cell(row[column]) for column in result.columns] for row in result.rows])
    else:
        click.echo("No rows.", err=True)
    if result.truncated:
        click.echo(f"Only the first {len(result.rows)} rows are shown. Add a LIMIT, or count with count(*).", err=True)


def _cell(value: object) -> object:
    if isinstance(value, float):
        return f"{value:.6g}"
    return json.dumps(value, ensure_ascii=False, default=str) if isinstance(value, dict | list) else value
