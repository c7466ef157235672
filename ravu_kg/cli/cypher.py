"""``ravu-kg cypher``: ad-hoc Cypher, read only."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import click

from ravu_kg.cli.frame import State, profile_option
from ravu_kg.cli.output import FILE, counted, examples, json_option, print_table
from ravu_kg.errors import UsageError

if TYPE_CHECKING:
    from ravu_kg.graph.results import ReadResult
    from ravu_kg.memory import VideoMemory
    from ravu_kg.memory.drafting import Draft

Format = Literal["table", "csv", "json", "parquet"]
_NAMES_A_VIDEO = frozenset({"video_id"})
"""Text, even where it looks like a number."""
_FORMATS = ("table", "csv", "json", "parquet")


@click.command(
    "cypher",
    epilog=examples(
        'ravu-kg cypher "MATCH (e:Entity) RETURN e.label AS label, count(*) AS n ORDER BY n DESC"',
        'ravu-kg cypher "MATCH (e:Entity {label: \\$label}) RETURN e.id, e.tStart" --param label=dog',
        "ravu-kg cypher explore/crowding --param video_id=holiday --format csv -o crowding.csv",
        'ravu-kg cypher --ask "Which entities come near a dog, and when?" --profile openai',
    ),
)
@click.argument("query", required=False)
@click.option("--ask", "question", metavar="QUESTION", help="Let the model that plans write the query.")
@click.option("--param", "-p", "params", multiple=True, metavar="NAME=VALUE", help="A $parameter: JSON, or plain text.")
@click.option(
    "--format",
    "form",
    type=click.Choice(_FORMATS),
    help="How to write the rows; by default as the file's name says, or as a table.",
)
@json_option
@click.option("--output", "-o", type=FILE, help="Write to a file instead of the terminal.")
@click.option("--limit", type=int, default=1000, show_default=True, help="The most rows to fetch.")
@click.option("--timeout", type=float, default=30.0, show_default=True, help="Seconds that it may run.")
@profile_option
@click.pass_obj
def command(
    state: State,
    query: str | None,
    question: str | None,
    params: tuple[str, ...],
    form: Format | None,
    as_json: bool,
    output: Path | None,
    limit: int,
    timeout: float,
) -> None:
    """Run a Cypher query that only reads.

    QUERY is one statement, the name of a template ('ravu-kg templates list'), or - to read it from the standard input.
    $video_id may be anything that names a video. In a template $limit (100), $from_s and $to_s (the whole video) and
    what may be null may be left out.
    With --ask a language model writes the query instead; it is shown, and runs only when all it does is read.
    """
    form = _form(form, as_json, output)
    if (query is None) == (question is None):
        raise UsageError('Give a query, or a question with --ask: ravu-kg cypher --ask "Who comes near a dog?"')
    text = (sys.stdin.read() if query == "-" else query or "").strip()
    words = _text_parameters(text) if question is None else _NAMES_A_VIDEO
    values = dict(_named_value(one, words) for one in params)
    if question is not None:
        from ravu_kg.memory.drafting import require_model

        require_model(state.settings())  # before a server is started for nothing
    with state.open_memory() as memory:
        if question is None:
            result = memory.cypher(text, values, limit=limit, timeout_s=timeout)
        else:
            result = _drafted(memory, question, values, limit, timeout)
    _write(result, form, output)
    for note in result.notes:
        click.echo(f"{click.style('Note: ', fg='yellow')}{note}", err=True)
    if result.truncated:
        click.echo(f"Cut after {counted(len(result.rows), 'row')}. Add a LIMIT, or count with count(*).", err=True)


def _drafted(memory: VideoMemory, question: str, values: dict[str, object], limit: int, timeout_s: float) -> ReadResult:
    """What the query of a model gives; the query and what it cost are told on stderr."""
    from ravu_kg.cli.views import say_models

    def show(draft: Draft) -> None:
        click.echo(click.style(draft.query, fg="cyan"), err=True)
        if draft.returns:
            click.echo(click.style(f"// {draft.returns}", dim=True), err=True)

    def refused(problem: str) -> None:
        click.echo(f"{click.style('Not run: ', fg='yellow')}{problem}", err=True)

    drafted = memory.draft_cypher(question, values, show=show, refused=refused, limit=limit, timeout_s=timeout_s)
    say_models(drafted.steps)
    click.echo(err=True)
    return drafted.result


def _form(form: Format | None, as_json: bool, output: Path | None) -> Format:
    if as_json:
        if form not in (None, "json"):
            raise UsageError(f"--json and --format {form} contradict each other.")
        return "json"
    if form is None:
        by_suffix: dict[str, Format] = {".csv": "csv", ".json": "json", ".parquet": "parquet"}
        form = by_suffix.get(output.suffix.lower(), "table") if output else "table"
    if form == "parquet" and output is None:
        raise UsageError("Parquet is no text: name a file with -o FILE.parquet.")
    if form == "table" and output is not None:
        raise UsageError(f"A table is for the terminal. For {output} choose --format csv, json or parquet.")
    return form


def _text_parameters(query: str) -> frozenset[str]:
    """The parameters of a template that are text, whatever their values look like."""
    from ravu_kg.graph.templates import TemplateLibrary, is_template_name
    from ravu_kg.graph.values import parse_type

    if not is_template_name(query):
        return _NAMES_A_VIDEO
    declared = TemplateLibrary.load().get(query.strip()).parameters
    return frozenset(parameter.name for parameter in declared if "STRING" in parse_type(parameter.type))


def _named_value(text: str, words: frozenset[str]) -> tuple[str, object]:
    name, found, value = text.partition("=")
    if not found or not re.fullmatch(r"\w+", name):
        raise UsageError(f"--param {text}: write NAME=VALUE, such as label=dog or limit=5.")
    if name in words:
        return name, None if value == "null" else value
    try:
        return name, json.loads(value)
    except ValueError:
        return name, value


def _write(result: ReadResult, form: Format, output: Path | None) -> None:
    from ravu_kg.graph.tables import to_csv, to_json, unwritable, write_parquet

    if form == "parquet" and output is not None:
        write_parquet(result, output)
    elif form == "table":
        if result.rows:
            print_table(result.columns, [[_cell(row[column]) for column in result.columns] for row in result.rows])
        else:
            click.echo("No rows.", err=True)
    else:
        text = to_csv(result) if form == "csv" else to_json(result) + "\n"
        if output is None:
            click.echo(text, nl=False)
        else:
            try:
                output.write_text(text, encoding="utf-8", newline="")
            except OSError as error:
                raise unwritable(output, error) from error
    if output is not None:
        click.echo(f"{counted(len(result.rows), 'row')} written to {output}", err=True)


def _cell(value: object) -> object:
    if isinstance(value, float):
        return f"{value:.6g}"
    return json.dumps(value, ensure_ascii=False, default=str) if isinstance(value, dict | list) else value
