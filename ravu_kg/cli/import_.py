"""``ravu-kg import``: what others have made, into the memory."""

from __future__ import annotations

from pathlib import Path

import click

from ravu_kg.cli.frame import State
from ravu_kg.cli.output import FILE, echo_json, examples, json_option, progress_bar


@click.group("import", epilog=examples("ravu-kg import bundle holiday.ravu"))
def command() -> None:
    """Bring what was made elsewhere into the memory."""


@command.command(
    epilog=examples("ravu-kg import bundle holiday.ravu", "ravu-kg import bundle holiday.ravu --video holiday.mp4")
)
@click.argument("files", nargs=-1, required=True, type=FILE, metavar="FILE...")
@click.option("--replace", is_flag=True, help="Put it in the place of another graph of the same video.")
@click.option("--reembed", is_flag=True, help="Make the vectors anew, with the embedder of this memory.")
@click.option("--video", "video_file", type=FILE, help="File of the video, to show pictures from.")
@json_option
@click.pass_obj
def bundle(
    state: State, files: tuple[Path, ...], replace: bool, reembed: bool, video_file: Path | None, as_json: bool
) -> None:
    """Bring videos from bundles of `ravu-kg export bundle` into the memory.

    Every file is checked to its end before any of them is written. A video that is there and the same stays as it is.
    """
    from ravu_kg.memory.bundles import import_bundles

    with state.open_memory() as memory, progress_bar("import") as report:
        done = import_bundles(memory, files, replace=replace, reembed=reembed, video_file=video_file, progress=report)
    if as_json:
        echo_json([one.to_dict() for one in done])
        return
    for one in done:
        held = f"{one.frame_nodes} frame nodes, {one.events} events"
        told = {"unchanged": "is there already, the same", "replaced": f"replaced: {held}", "imported": held}
        click.echo(f"{one.title} ({one.video_id}): {told[one.status]}.")
        if one.links_left_out:
            click.echo(
                f"{one.links_left_out} links to entities of videos that are not here were left out. To have them, "
                "import those videos, then this one with --replace.",
                err=True,
            )
