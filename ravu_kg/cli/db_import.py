"""``ravu-kg db import-full``: the first load of a large library."""

from __future__ import annotations

from pathlib import Path

import click

from ravu_kg.cli.frame import State
from ravu_kg.cli.output import FILE, counted, echo_json, examples, json_option, size, status_line


@click.command(
    "import-full", epilog=examples("ravu-kg db import-full bundles/", "ravu-kg db import-full a.ravu b.ravu --json")
)
@click.argument("sources", nargs=-1, required=True, type=FILE, metavar="FOLDER|FILE...")
@json_option
@click.pass_obj
def import_full(state: State, sources: tuple[Path, ...], as_json: bool) -> None:
    """Fill an empty memory from bundles at once, by Neo4j's own import: for millions of frame nodes.

    FOLDER holds bundles of `ravu-kg export bundle` (*.ravu). Every bundle is checked; then all go into Parquet files
    (extra `analysis`), the import of Neo4j's admin tool makes a database of them, and its indexes are made. A memory
    that holds videos already is refused: see `ravu-kg import bundle`. Until all is done nothing is changed.
    """
    from ravu_kg.memory.first_load import first_load

    with status_line() as say:
        done = first_load(state.settings(), sources, say)
    if as_json:
        echo_json(done.to_dict())
        return
    click.echo(
        f"Loaded {counted(done.videos, 'video')}: {counted(done.frame_nodes, 'frame node')}, "
        f"{counted(done.events, 'event')} "
        f"({done.write_s:.0f} s for files of {size(done.files_bytes)}, {done.import_s:.0f} s for the import)."
    )
    if done.links_left_out:
        links = counted(done.links_left_out, "link")
        click.echo(f"Left out, to entities of videos that are not here: {links}.", err=True)
