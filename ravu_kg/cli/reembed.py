"""``ravu-kg reembed``: new vectors from another embedder."""

from __future__ import annotations

import click

from ravu_kg.cli.frame import State, profile_option
from ravu_kg.cli.output import counted, echo_json, examples, json_option, progress_bar


@click.command(
    "reembed",
    epilog=examples("ravu-kg reembed", "ravu-kg reembed --embedder sentence-transformers:all-MiniLM-L6-v2"),
)
@click.option("--embedder", metavar="REF", help="NAME or NAME:MODEL. Default: models.embed of the settings.")
@profile_option
@json_option
@click.pass_obj
def command(state: State, embedder: str | None, as_json: bool) -> None:
    """Make all vectors anew with another embedder.

    Needed once after another embedder was chosen; until then the memory refuses to open with it.
    """
    with state.open_memory({"models.embed": embedder}) as memory, progress_bar("reembed") as report:
        result = memory.reembed(report)
    if as_json:
        echo_json(result)
    else:
        have = f"{counted(result.sentences, 'sentence')} {'has' if result.sentences == 1 else 'have'}"
        click.echo(f"{have} new vectors of {result.embedder} ({result.dimensions} numbers).")
