"""``ravu-kg index``: videos into the graph."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from ravu_kg.cli.frame import State
from ravu_kg.cli.output import FILE, echo_json, examples, json_option, print_pairs, progress_bar, say_error, seconds
from ravu_kg.errors import RavuError, UsageError

if TYPE_CHECKING:
    from ravu_kg.memory import IndexResult, VideoMemory


@click.command(
    "index",
    epilog=examples(
        "ravu-kg index holiday.mp4",
        "ravu-kg index clips/*.mp4 --detector yolox:yolox_nano_416.onnx",
        "ravu-kg index street.avi --tracks street.txt",
        "ravu-kg index -- -name-with-a-dash.mp4",
    ),
)
@click.argument("videos", nargs=-1, required=True, type=FILE, metavar="VIDEO...")
@click.option(
    "--tracks",
    type=FILE,
    metavar="FILE",
    help="Tracks to use instead of detecting: MOT text or the project's JSON. For one video.",
)
@click.option("--detector", metavar="REF", help="NAME or NAME:MODEL; see ravu-kg doctor. Default: auto.")
@click.option("--tracker", metavar="REF", help="NAME of the tracker; see ravu-kg doctor.")
@click.option("--build", metavar="NAME", help="Keep this graph beside the video's other builds.")
@click.option("--replace", is_flag=True, help="Put a new graph in the place of the one that is there.")
@json_option
@click.pass_obj
def command(
    state: State,
    videos: tuple[Path, ...],
    tracks: Path | None,
    detector: str | None,
    tracker: str | None,
    build: str | None,
    replace: bool,
    as_json: bool,
) -> None:
    """Turn videos into graphs.

    A video that is indexed already is left as it is. An interrupted run goes on where it stopped when the same
    command is given again. After a bad file the rest is still indexed; the exit code is that of the first failure.
    """
    if tracks is not None and len(videos) > 1:
        raise UsageError("--tracks belongs to one video. Index the videos one by one.")
    done: list[dict[str, object]] = []
    first_failure: RavuError | None = None
    with state.open_memory({"models.detect": detector, "models.track": tracker}) as memory:
        for position, video in enumerate(videos):
            try:
                result = _index(memory, video, tracks, build, replace)
            except RavuError as error:
                first_failure = first_failure or error
                say_error(str(error))
                done.append({"video": str(video), "status": "failed", "error": str(error)})
                continue
            done.append({"video": str(video), **result.to_dict()})
            if not as_json:
                _show(result, video, hint=position == len(videos) - 1)
    if as_json:
        echo_json(done)
    if first_failure is not None:
        raise click.exceptions.Exit(first_failure.exit_code)


def _index(memory: VideoMemory, video: Path, tracks: Path | None, build: str | None, replace: bool) -> IndexResult:
    with progress_bar(video.name) as report:
        return memory.index(video, tracks=tracks, build=build, replace=replace, progress=report)


def _show(result: IndexResult, video: Path, hint: bool) -> None:
    took_s = sum(result.elapsed_s.values())
    if result.status == "unchanged":
        known_as = "" if result.title == video.stem else f" as {result.title!r}"
        headline = f"already indexed{known_as}, nothing changed"
    else:
        headline = f"indexed {seconds(result.duration_s)} of video in {seconds(took_s)}"
    click.echo(f"{click.style(video.name, bold=True)}  {headline}")
    pairs: list[tuple[str, object]] = [
        ("  id", result.video_id),
        (
            "  found",
            f"{result.entities} entities in {result.frame_nodes} frame nodes, {result.relations} relations, "
            f"{result.events} events",
        ),
        ("  detector", result.detector + (f" ({result.detector_reason})" if result.detector_reason else "")),
    ]
    if result.status != "unchanged":
        stages = ", ".join(f"{stage} {took:.1f}" for stage, took in result.elapsed_s.items() if took >= 0.05)
        pairs.append(("  seconds", stages))
    if hint:
        pairs.append(("  next", f'ravu-kg ask {result.video_id[:8]} "What happens at the end?"'))
    print_pairs(pairs)
