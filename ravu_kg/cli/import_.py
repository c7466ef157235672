"""``ravu-kg import``: what others have made, into the memory."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import click

from ravu_kg.cli.frame import State
from ravu_kg.cli.output import FILE, counted, echo_json, examples, json_option, progress_bar

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ravu_kg.importers.annotated import AnnotatedVideo, OnProblem
    from ravu_kg.importers.importing import ImportRun
    from ravu_kg.memory import VideoMemory

_Function = TypeVar("_Function", bound=Callable[..., object])
_SHOWN_PROBLEMS = 20


class _Size(click.ParamType[tuple[int, int]]):
    """``640x480``."""

    name = "WIDTHxHEIGHT"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> tuple[int, int]:
        width, _, height = str(value).lower().partition("x")
        if not (width.isdecimal() and height.isdecimal() and 0 < int(width) < 100_000 and 0 < int(height) < 100_000):
            self.fail(f"{value!r} is no size in pixels, such as 640x480.", param, ctx)
        return int(width), int(height)


_files = click.argument("files", nargs=-1, required=True, type=FILE, metavar="FILE...")
_fps = click.option(
    "--fps", "frame_rate", type=click.FloatRange(0, 1000, min_open=True), help="Frames a second of the video."
)
_size = click.option("--size", "size_px", type=_Size(), help="Size of the picture in pixels, such as 640x480.")


def _common(function: _Function) -> _Function:
    """What all kinds of annotation have."""
    for option in (
        json_option,
        click.option("--replace", is_flag=True, help="Put it in the place of another annotation of the same video."),
        click.option("--skip-bad", is_flag=True, help="Leave out rows that cannot be used, and name them."),
        _files,
    ):
        function = option(function)
    return function


@click.group(
    "import",
    epilog=examples("ravu-kg import bundle holiday.ravu", "ravu-kg import vidor 2793806282.json"),
)
def command() -> None:
    """Bring what was made elsewhere into the memory."""


@command.command(
    epilog=examples("ravu-kg import bundle holiday.ravu", "ravu-kg import bundle holiday.ravu --video holiday.mp4")
)
@_files
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
        held = f"{counted(one.frame_nodes, 'frame node')}, {counted(one.events, 'event')}"
        told = {"unchanged": "is there already, the same", "replaced": f"replaced: {held}", "imported": held}
        click.echo(f"{one.title} ({one.video_id}): {told[one.status]}.")
        if one.links_left_out:
            click.echo(
                f"Left out, to entities of videos that are not here: {counted(one.links_left_out, 'link')}. To have "
                "all, import those videos, then this one with --replace.",
                err=True,
            )


@command.command(epilog=examples("ravu-kg import vidor 2793806282.json", "ravu-kg import vidor training/*.json"))
@_common
@click.pass_obj
def vidor(state: State, files: tuple[Path, ...], skip_bad: bool, replace: bool, as_json: bool) -> None:
    """Tracks and relations of VidOR or VidVRD, one JSON file a video.

    Relations keep their spans; those that are actions (watch, pull) are events of who does them, too.
    """
    from ravu_kg.importers import vidor as kind

    def read(memory: VideoMemory, told: OnProblem) -> Iterable[AnnotatedVideo]:
        interval_s = memory.settings.sample_interval_s
        return kind.read(files, skip_bad=skip_bad, on_problem=told, sample_interval_s=interval_s)

    _import(state, read, replace, as_json)


@command.command(
    epilog=examples("ravu-kg import mot MOT17-02/gt/gt.txt", "ravu-kg import mot gt.txt --fps 25 --size 640x480")
)
@_common
@_fps
@_size
@click.option("--name", metavar="NAME", help="Name of the sequence; by default that of seqinfo.ini or of its folder.")
@click.pass_obj
def mot(
    state: State,
    files: tuple[Path, ...],
    skip_bad: bool,
    replace: bool,
    as_json: bool,
    frame_rate: float | None,
    size_px: tuple[int, int] | None,
    name: str | None,
) -> None:
    """Tracks (gt.txt) or detections (det.txt) of the MOT Challenge, or the folder of a sequence.

    The frame rate and size come from seqinfo.ini beside the file, or from the options. Detections, whose ids are -1,
    are joined to tracks by ByteTrack.
    """
    from ravu_kg.importers import mot as kind
    from ravu_kg.plugins import load_tracker

    if name is not None and len(files) > 1:
        raise click.UsageError("--name names one sequence; give one file with it.")

    def read(memory: VideoMemory, told: OnProblem) -> Iterable[AnnotatedVideo]:
        return kind.read(
            files,
            skip_bad=skip_bad,
            on_problem=told,
            sample_interval_s=memory.settings.sample_interval_s,
            frame_rate=frame_rate,
            size_px=size_px,
            name=name,
            make_tracker=lambda: load_tracker("bytetrack", memory.settings.providers),
        )

    _import(state, read, replace, as_json)


@command.command(epilog=examples("ravu-kg import star STAR_val.json"))
@_common
@_fps
@_size
@click.pass_obj
def star(
    state: State,
    files: tuple[Path, ...],
    skip_bad: bool,
    replace: bool,
    as_json: bool,
    frame_rate: float | None,
    size_px: tuple[int, int] | None,
) -> None:
    """Situation graphs of STAR, which are those of Action Genome: relations and actions at key frames.

    Files that are imported together are one collection: all questions about a video add to its one graph.
    """
    from ravu_kg.importers import star as kind

    def read(_memory: VideoMemory, told: OnProblem) -> Iterable[AnnotatedVideo]:
        return kind.read(files, skip_bad=skip_bad, on_problem=told, frame_rate=frame_rate, size_px=size_px)

    _import(state, read, replace, as_json)


@command.command("video-memory", epilog=examples("ravu-kg import video-memory kitchen/"))
@_common
@_fps
@_size
@click.pass_obj
def video_memory(
    state: State,
    files: tuple[Path, ...],
    skip_bad: bool,
    replace: bool,
    as_json: bool,
    frame_rate: float | None,
    size_px: tuple[int, int] | None,
) -> None:
    """Memories of the VideoAgent system: a folder with tracking.json, captions.json and embeddings.npz.

    Tracks that are one thing by their given vectors are linked as re-entries.
    """
    from ravu_kg.importers import video_memory as kind

    def read(memory: VideoMemory, told: OnProblem) -> Iterable[AnnotatedVideo]:
        return kind.read(
            files,
            skip_bad=skip_bad,
            on_problem=told,
            sample_interval_s=memory.settings.sample_interval_s,
            frame_rate=frame_rate,
            size_px=size_px,
        )

    _import(state, read, replace, as_json)


@command.command(epilog=examples("ravu-kg import cvat annotations.xml --fps 25"))
@_common
@_fps
@click.pass_obj
def cvat(
    state: State,
    files: tuple[Path, ...],
    skip_bad: bool,
    replace: bool,
    as_json: bool,
    frame_rate: float | None,
) -> None:
    """Tracks of a CVAT task, exported as "CVAT for video 1.1" (XML). CVAT does not write the frame rate: give --fps."""
    from ravu_kg.importers import cvat as kind

    def read(memory: VideoMemory, told: OnProblem) -> Iterable[AnnotatedVideo]:
        interval_s = memory.settings.sample_interval_s
        return kind.read(files, skip_bad=skip_bad, on_problem=told, sample_interval_s=interval_s, frame_rate=frame_rate)

    _import(state, read, replace, as_json)


@command.command(epilog=examples("ravu-kg import coco holiday.json", "ravu-kg import coco instances.json --fps 6"))
@_common
@_fps
@click.pass_obj
def coco(
    state: State,
    files: tuple[Path, ...],
    skip_bad: bool,
    replace: bool,
    as_json: bool,
    frame_rate: float | None,
) -> None:
    """Tracks as COCO-video JSON: what `ravu-kg export coco` writes, CocoVID, or YouTube-VIS."""
    from ravu_kg.importers import coco as kind

    def read(memory: VideoMemory, told: OnProblem) -> Iterable[AnnotatedVideo]:
        interval_s = memory.settings.sample_interval_s
        return kind.read(files, skip_bad=skip_bad, on_problem=told, sample_interval_s=interval_s, frame_rate=frame_rate)

    _import(state, read, replace, as_json)


@command.command(epilog=examples("ravu-kg import captions captions.json objects.json"))
@_common
@click.pass_obj
def captions(state: State, files: tuple[Path, ...], skip_bad: bool, replace: bool, as_json: bool) -> None:
    """Captions, and names of objects, for each second of videos, as JSON: {video: [of second 0, of second 1, ...]}.

    Files that are imported together tell of the same videos.
    """
    from ravu_kg.graph.embedding import SentenceCache, embed_all
    from ravu_kg.importers import captions as kind

    def read(memory: VideoMemory, told: OnProblem) -> Iterable[AnnotatedVideo]:
        embedder = memory.embedder
        with SentenceCache(memory.settings.cache / "sentences.sqlite") as cache:
            yield from kind.read(
                files, skip_bad=skip_bad, on_problem=told, vectors=lambda texts: embed_all(texts, embedder, cache)
            )

    _import(state, read, replace, as_json)


def _import(
    state: State,
    read: Callable[[VideoMemory, OnProblem], Iterable[AnnotatedVideo]],
    replace: bool,
    as_json: bool,
) -> None:
    from ravu_kg.importers.importing import import_annotated

    with state.open_memory() as memory, progress_bar("import") as report:
        run = import_annotated(memory, lambda told: read(memory, told), replace=replace, progress=report)
    if as_json:
        echo_json(run.to_dict())
        return
    _say(run)


def _say(run: ImportRun) -> None:
    for one in run.videos:
        held = (
            f"{counted(one.frames, 'frame')}, {counted(one.entities, 'entity')}, "
            f"{counted(one.frame_nodes, 'frame node')}, {counted(one.relations, 'relation')}, "
            f"{counted(one.events, 'event')}" + (f", {counted(one.links, 'link')} of re-entry" if one.links else "")
        )
        told = {"unchanged": "is there already, the same", "replaced": f"replaced: {held}", "imported": held}
        click.echo(f"{one.title} ({one.video_id}): {told[one.status]}.")
        for note in one.waiting:
            click.echo(f"  waits: {note}", err=True)
    for problem in run.problems[:_SHOWN_PROBLEMS]:
        click.echo(f"Left out: {problem}.", err=True)
    if run.problems:
        more = len(run.problems) - _SHOWN_PROBLEMS
        rest = f", {more} of them not shown (--json has all)" if more > 0 else ""
        click.echo(
            f"{counted(len(run.problems), 'row')} {'was' if len(run.problems) == 1 else 'were'} left out{rest}.",
            err=True,
        )
    took = ", ".join(f"{stage} {seconds:.1f} s" for stage, seconds in run.elapsed_s.items())
    click.echo(f"Took: {took}.", err=True)
