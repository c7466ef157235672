"""``ravu-kg export``: one video's memory, or its tracks, as a file."""

from __future__ import annotations

from pathlib import Path

import click

from ravu_kg.cli.frame import State
from ravu_kg.cli.output import FILE, counted, echo_json, examples, json_option, size, status_line

_output = click.option("-o", "--output", "target", type=FILE, required=True, help="The file to write.")


@click.group(
    "export",
    epilog=examples("ravu-kg export bundle holiday -o holiday.ravu", "ravu-kg export mot holiday -o holiday.txt"),
)
def command() -> None:
    """Write a video's memory, or its tracks, into a file."""


@command.command(epilog=examples("ravu-kg export bundle holiday -o holiday.ravu"))
@click.argument("video")
@_output
@json_option
@click.pass_obj
def bundle(state: State, video: str, target: Path, as_json: bool) -> None:
    """Write all that is known of VIDEO, with its vectors, into one file for `ravu-kg import bundle`.

    The file is described in ravu_kg/graph/bundle/BUNDLE.md. It holds no picture of the video and no place of its file.
    """
    from ravu_kg.memory.bundles import export_bundle

    with state.open_memory() as memory, status_line() as say:
        say("Exporting ...")
        made = export_bundle(memory, video, target)
    if as_json:
        facts = {"video_id": made.video_id, "title": made.title, "bytes": made.bytes, "records": made.records}
        echo_json({"file": str(made.path), **facts})
    else:
        click.echo(f"Wrote {made.title} ({made.video_id}) into {target}: {size(made.bytes)}.")


@command.command(
    epilog=examples("ravu-kg export mot holiday -o holiday.txt", "ravu-kg index holiday.mp4 --tracks holiday.txt")
)
@click.argument("video")
@_output
@json_option
@click.pass_obj
def mot(state: State, video: str, target: Path, as_json: bool) -> None:
    """Write the tracks of VIDEO as MOT text, which `ravu-kg index --tracks` and trackers' benchmarks read.

    One box a line: frame (from 1), id, left, top, width, height, confidence (-1 where it is not known), -1, -1, -1.
    MOT text has no labels.
    """
    from ravu_kg.memory.exporting import export_mot

    with state.open_memory() as memory:
        _say(export_mot(memory, video, target), target, as_json)


@command.command(epilog=examples("ravu-kg export coco holiday -o holiday.json"))
@click.argument("video")
@_output
@json_option
@click.pass_obj
def coco(state: State, video: str, target: Path, as_json: bool) -> None:
    """Write the tracks of VIDEO as COCO-video JSON: videos, images, categories, tracks and annotations."""
    from ravu_kg.memory.exporting import export_coco

    with state.open_memory() as memory:
        _say(export_coco(memory, video, target), target, as_json)


def _say(boxes: int, target: Path, as_json: bool) -> None:
    if as_json:
        echo_json({"file": str(target), "boxes": boxes})
    else:
        click.echo(f"Wrote {counted(boxes, 'box')} into {target}.")
