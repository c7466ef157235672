"""``ravu-kg search``: moments by meaning, without question answering."""

from __future__ import annotations

import click

from ravu_kg.cli.frame import State
from ravu_kg.cli.names import VIDEO
from ravu_kg.cli.output import echo_json, examples, json_option, print_table, seconds


@click.command(
    "search",
    epilog=examples('ravu-kg search "a dog near a woman"', 'ravu-kg search "a red car" --video holiday --limit 5'),
)
@click.argument("text")
@click.option("--video", type=VIDEO, metavar="VIDEO", help="Only in this video: path, id or title.")
@click.option("--limit", default=10, show_default=True, type=click.IntRange(1, 1000), help="How many moments.")
@json_option
@click.pass_obj
def command(state: State, text: str, video: str | None, limit: int, as_json: bool) -> None:
    """List moments by meaning.

    Those whose sentences are nearest to TEXT, best first.
    """
    with state.open_memory() as memory:
        moments = memory.search(text, video, limit=limit)
    if as_json:
        echo_json(moments)
        return
    if not moments:
        click.echo("Nothing found. ravu-kg videos list shows what is indexed.", err=True)
        return
    rows = [(m.title, seconds(m.timestamp_s), m.entity_id.partition("#")[2], f"{m.score:.2f}", m.text) for m in moments]
    print_table(
        ("video", "time", "entity", "score", "sentence"), rows, right=("time", "entity", "score"), shorten=("video",)
    )
