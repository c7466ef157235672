"""``ravu-kg videos``: what is in the memory."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ravu_kg.cli.frame import State
from ravu_kg.cli.index import usage_pairs
from ravu_kg.cli.keeping import blur_option, check_file, say_blurred, say_written, write_page
from ravu_kg.cli.lanes import lane, lane_cells
from ravu_kg.cli.names import VIDEO
from ravu_kg.cli.output import (
    FILE,
    build_option,
    confirm,
    counted,
    echo_json,
    examples,
    json_option,
    print_pairs,
    print_table,
    seconds,
)
from ravu_kg.report.formatting import clock

if TYPE_CHECKING:
    from ravu_kg.memory.library import VideoDetails
    from ravu_kg.report.records import ShownEntity

_CUTS = 12
"""``videos show`` tells at most so many."""


@click.group(
    "videos",
    epilog=examples(
        "ravu-kg videos list", "ravu-kg videos show holiday", "ravu-kg videos report holiday -o holiday.html"
    ),
)
def command() -> None:
    """List, show, report on and delete the indexed videos."""


@command.command("list", epilog=examples("ravu-kg videos list", "ravu-kg videos list --json"))
@json_option
@click.pass_obj
def list_all(state: State, as_json: bool) -> None:
    """List every video of the memory. On a narrow terminal titles and detectors are cut; --json has them in full."""
    with state.open_memory() as memory:
        videos = memory.videos()
    if as_json:
        echo_json([video.to_dict() for video in videos])
        return
    if not videos:
        click.echo("The memory is empty. Add a video: ravu-kg index FILE", err=True)
        return
    rows = [
        (
            video.video_id,
            video.title,
            seconds(video.duration_s),
            video.entities,
            video.frame_nodes,
            video.status,
            video.detector,
        )
        for video in videos
    ]
    columns = ("id", "title", "length", "entities", "nodes", "status", "detector")
    print_table(columns, rows, right=("length", "entities", "nodes"), shorten=("title", "detector"))


@command.command(
    epilog=examples("ravu-kg videos show holiday", "ravu-kg videos show holiday --json --canonical > graph.json")
)
@click.argument("video", type=VIDEO)
@build_option
@click.option("--canonical", is_flag=True, help="The whole graph in a form that is equal for equal graphs (JSON).")
@json_option
@click.pass_obj
def show(state: State, video: str, build: str | None, canonical: bool, as_json: bool) -> None:
    """Show what is known of a video: its pipeline, sizes and entities."""
    from ravu_kg.report.reading import read_entities

    with state.open_memory() as memory:
        video = memory.resolve(video, build)
        if canonical:
            echo_json(memory.canonical(video))
            return
        details = memory.details(video)
        entities = read_entities(memory.store, details.summary.video_id)
    if as_json:
        echo_json(details.to_dict())
        return
    summary, counts = details.summary, details.counts
    size = f"{summary.width_px} x {summary.height_px} px, {summary.frame_rate:.4g} frames a second"
    tracked = "" if summary.tracking_rate_hz is None else f"; tracked {summary.tracking_rate_hz:g} times a second"
    print_pairs(
        [
            ("Title", summary.title),
            ("Id", summary.video_id),
            *([("Build", summary.build)] if summary.build else []),
            ("File", summary.uri or "-"),
            ("Length", f"{seconds(summary.duration_s)}, {size}"),
            ("Status", f"{summary.status}, revision {summary.revision}"),
            ("Sampled", f"{counted(summary.frames, 'frame')}, one every {summary.sample_interval_s:g} s{tracked}"),
            *_cut_pairs(summary.cuts_s),
            ("Detector", f"{summary.detector}, tracker {summary.tracker}"),
            ("Words by", f"{summary.describer}, embedder {summary.embedder}"),
            (
                "Holds",
                f"{counted(summary.entities, 'entity')} ({counted(counts.identities, 'identity')}), "
                f"{counted(summary.frame_nodes, 'frame node')}, {counted(counts.relations, 'relation')}, "
                f"{counted(counts.events, 'event')}",
            ),
            *usage_pairs(details.usage),
        ]
    )
    if details.entities:
        click.echo()
        _print_entities(details, entities)


def _print_entities(details: VideoDetails, shown: Sequence[ShownEntity]) -> None:
    """A line for each, with a lane that tells when it is there."""
    colors = {one.entity_id: one.color for one in shown}
    length_s = details.summary.duration_s
    cells = lane_cells(taken=40 + max(len(entity.given_name or "") for entity in details.entities))
    rows = [
        (
            f"#{entity.track_id} {entity.given_name or ''}".rstrip(),
            "#" + entity.identity_id.partition("#")[2],
            seconds(entity.start_s),
            seconds(entity.end_s),
            lane(entity.start_s, entity.end_s, length_s, cells),
            entity.description,
        )
        for entity in details.entities
    ]
    heading = f"0:00{clock(length_s, 0).rjust(cells - 4)}"
    print_table(
        ("entity", "identity", "from", "to", heading, "description"),
        rows,
        right=("from", "to"),
        paint={heading: [colors.get(entity.entity_id, "") for entity in details.entities]},
    )


@command.command(
    epilog=examples(
        "ravu-kg videos report holiday -o holiday.html", "ravu-kg videos report holiday -o holiday.html --blur-faces"
    )
)
@click.argument("video", type=VIDEO)
@click.option("-o", "--output", type=FILE, required=True, metavar="FILE.html", help="The page to write.")
@build_option
@blur_option
@json_option
@click.pass_obj
def report(state: State, video: str, output: Path, build: str | None, blur_faces: bool, as_json: bool) -> None:
    """Write a page about a video: pictures with boxes, a timeline, relations at each moment, entities and events.

    The page is one HTML file that needs no network. When the video's file was moved, its frames are marked missing.
    """
    check_file(output, "-o")
    with state.open_memory() as memory:
        video_id = memory.resolve(video, build)
        size_bytes = write_page(output, memory.reports.video(video_id, blur_faces=blur_faces))
    if as_json:
        echo_json({"video_id": video_id, "file": str(output), "bytes": size_bytes})
    else:
        say_written("Report", output, size_bytes)
    if blur_faces:
        say_blurred()


@command.command(epilog=examples("ravu-kg videos attach vidor:2793806282 2793806282.mp4"))
@click.argument("video", type=VIDEO)
@click.argument("file", type=FILE)
@click.option("--any-length", is_flag=True, help="The file may be longer than the annotation.")
@json_option
@click.pass_obj
def attach(state: State, video: str, file: Path, any_length: bool, as_json: bool) -> None:
    """Join VIDEO, which is known by its annotation, to its FILE, so that its pictures can be shown.

    Its id and all that is known of it stay. Also names the new place of a file that was moved.
    """
    with state.open_memory() as memory:
        done = memory.attach(video, file, any_length=any_length)
    if as_json:
        echo_json(done.to_dict())
        return
    told = {
        "attached": f"its file is {done.file} from now on",
        "moved": f"its file lies at {done.file} now",
        "unchanged": f"{done.file} is its file already",
    }
    click.echo(f"{done.title} ({done.video_id}): {told[done.status]}.")


def _cut_pairs(cuts_s: Sequence[float] | None) -> list[tuple[str, object]]:
    """How many shots there are and where they are cut, where that is known."""
    if cuts_s is None:
        return []
    if not cuts_s:
        return [("Shots", "1")]
    told = ", ".join(seconds(cut_s) for cut_s in cuts_s[:_CUTS])
    more = f" and {len(cuts_s) - _CUTS} more" if len(cuts_s) > _CUTS else ""
    return [("Shots", f"{len(cuts_s) + 1}, cut at {told}{more}")]


@command.command(epilog=examples("ravu-kg videos delete holiday", "ravu-kg videos delete 91028f9d6c72cc81 --yes"))
@click.argument("videos", nargs=-1, required=True, type=VIDEO, metavar="VIDEO...")
@build_option
@click.option("--yes", is_flag=True, help="Do not ask.")
@json_option
@click.pass_obj
def delete(state: State, videos: tuple[str, ...], build: str | None, yes: bool, as_json: bool) -> None:
    """Delete videos from the memory, and what the cache keeps of them. The video files stay."""
    with state.open_memory() as memory:
        ids = [memory.resolve(video, build) for video in videos]
        titles = {video.video_id: video.title for video in memory.videos()}
        named = ", ".join(f"{titles[one]} ({one})" for one in ids)
        confirm(f"Delete {named} from the memory?", yes)
        for one in ids:
            memory.delete(one)
    if as_json:
        echo_json({"deleted": ids})
    else:
        click.echo(f"Deleted {named}.")
