"""``ravu-kg index``: videos into the graph."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, cast

import click

from ravu_kg.cli.engines import Engine, engine_options, opened_crew
from ravu_kg.cli.following import follow_source, plain_outcome
from ravu_kg.cli.frame import State, profile_option
from ravu_kg.cli.output import (
    FILE,
    counted,
    echo_json,
    examples,
    json_option,
    print_pairs,
    print_table,
    progress_bar,
    say_error,
    seconds,
)
from ravu_kg.cli.progress import batch_view
from ravu_kg.errors import UsageError

if TYPE_CHECKING:
    from ravu_kg.engines.batch import Finished
    from ravu_kg.engines.finding import Source
    from ravu_kg.engines.records import Failure
    from ravu_kg.memory import IndexResult
    from ravu_kg.memory.estimating import IndexEstimate
    from ravu_kg.memory.records import Stage, StageUsage
    from ravu_kg.settings import Settings

STAGES = ("detect", "describe", "graph", "sentence", "events", "embed")
"""Those of :mod:`ravu_kg.memory.records`, which takes a while to import."""
MEASURED = "geometry"


@click.command(
    "index",
    epilog=examples(
        "ravu-kg index holiday.mp4",
        "ravu-kg index clips/*.mp4 --detector yolox:yolox_nano_416.onnx",
        "ravu-kg index recordings/ --workers 4",
        "ravu-kg index street.avi --tracks street.txt",
        "ravu-kg index holiday.mp4 --build boxes --tracker box-matching",
        "ravu-kg index holiday.mp4 --profile gemini --estimate",
        "ravu-kg index holiday.mp4 --profile gemini --max-cost 0.50",
        "ravu-kg index -- -name-with-a-dash.mp4",
    ),
)
@click.argument("videos", nargs=-1, required=True, type=click.Path(readable=False), metavar="VIDEO...")
@click.option(
    "--tracks",
    type=FILE,
    metavar="FILE",
    help="Tracks to use instead of detecting: MOT text or the project's JSON. For one video.",
)
@click.option("--detector", metavar="REF", help="NAME or NAME:MODEL; see ravu-kg doctor. Default: auto.")
@click.option("--tracker", metavar="REF", help="NAME of the tracker; see ravu-kg doctor.")
@click.option("--build", metavar="NAME", help="Keep this graph beside the video's others; see ravu-kg diff.")
@click.option("--replace", is_flag=True, help="Put a new graph in the place of the one that is there.")
@profile_option
@click.option("--estimate", is_flag=True, help="Only tell what the calls of models will come to; none is made.")
@click.option("--max-cost", type=float, metavar="USD", help="Stop before the calls cost more; can be gone on with.")
@click.option("--max-tokens", type=int, metavar="N", help="Stop before the calls take more tokens, in and out.")
@click.option(
    "--from-stage",
    type=click.Choice(STAGES),
    help="Make everything from this stage on anew, and put it in the place of the graph that is there.",
)
@click.option("--offline-replay", is_flag=True, help="Use replies of models that were kept, and make no call.")
@engine_options
@click.option("--follow", is_flag=True, help="Index a folder's recordings, or a stream by its address, as they grow.")
@click.option(
    "--link-above",
    type=click.FloatRange(0, 1),
    metavar="SCORE",
    help="At the end, join entities of these videos with those they are so much alike to; see ravu-kg identities.",
)
@json_option
@click.pass_obj
def command(
    state: State,
    videos: tuple[str, ...],
    tracks: Path | None,
    detector: str | None,
    tracker: str | None,
    build: str | None,
    replace: bool,
    estimate: bool,
    max_cost: float | None,
    max_tokens: int | None,
    from_stage: Stage | None,
    offline_replay: bool,
    engine: Engine,
    follow: bool,
    link_above: float | None,
    as_json: bool,
) -> None:
    """Turn videos into graphs.

    A folder stands for all videos in it and below it, a quoted pattern for what it matches. A video that is indexed
    already is left as it is. An interrupted run, also one that a ceiling stopped, goes on where it stopped when the
    same command is given again, without --from-stage: no model is asked anything twice.
    Frames that no model answered for are marked as failed and left out; the same command asks for them again. Those
    whose replies could not be used stay as they are until --from-stage asks for all of a stage anew.
    With --follow it goes on until Ctrl-C; what is there can be asked meanwhile.
    After a bad file the rest is still indexed; the exit code is that of the first failure.
    """
    from ravu_kg.engines.addresses import is_url, shown
    from ravu_kg.engines.finding import find_videos

    if not follow and (streams := [shown(one) for one in videos if is_url(one)]):
        raise UsageError(f"{streams[0]} is the address of a stream. Add --follow, or download it and index the file.")
    sources = [] if follow else find_videos([Path(one) for one in videos])
    if tracks is not None and len(sources) > 1:
        raise UsageError("--tracks belongs to one video. Index the videos one by one.")
    if offline_replay and from_stage is not None:
        raise UsageError("--from-stage asks the models again, --offline-replay never asks them. Give one of the two.")
    flags = {"models.detect": detector, "models.track": tracker}
    if estimate and not follow:
        _estimate(state.settings(flags), sources, tracks, from_stage, as_json)
        return
    from ravu_kg.engines.batch import index_all, refused
    from ravu_kg.engines.records import Failure, Order
    from ravu_kg.memory import ModelRun

    order = Order(tracks, build, replace, ModelRun(from_stage, max_cost, max_tokens, offline_replay))
    if follow:
        others = tracks or replace or from_stage or estimate or link_above is not None or engine.workers
        if len(videos) != 1 or others or engine.name != "local":
            raise UsageError(
                "--follow is about one folder or stream, and goes with --detector, --tracker, --build, --profile and "
                "ceilings alone."
            )
        follow_source(state, flags, videos[0], order, as_json, _tell)
        return
    done: dict[int, Finished] = {}
    is_any = any(one.problem is None for one in sources)
    with opened_crew(state, flags, engine) if is_any else nullcontext() as crew, batch_view(len(sources)) as view:

        def report(number: int, stage: str, share: float) -> None:
            view.progress(number, sources[number].path.name, stage, share)

        for one in refused(sources) if crew is None else index_all(crew, sources, order, report):
            done[one.number] = one
            with view.finished(one.number):
                _tell(one.source.path, one.outcome, as_json, is_last=len(done) == len(sources))
    if link_above is not None:
        _link(state, flags, done.values(), link_above)
    if as_json:
        echo_json([plain_outcome(done[number].source.path, done[number].outcome) for number in sorted(done)])
    failures = [done[number].outcome for number in sorted(done)]
    if first := next((one for one in failures if isinstance(one, Failure)), None):
        raise click.exceptions.Exit(first.exit_code)


def usage_pairs(usage: Mapping[str, StageUsage], indent: str = "") -> list[tuple[str, object]]:
    """A line for each stage with what its calls came to, and one for all together when there are several."""
    pairs: list[tuple[str, object]] = [
        (
            f"{indent}{stage}",
            f"{counted(cast('int', one['calls']), 'call')} of {one['model']}, {one['input_tokens']:,} tokens in, "
            f"{one['output_tokens']:,} out, {_price(one['cost_usd'])}",
        )
        for stage, one in usage.items()
    ]
    if len(usage) > 1:
        calls, tokens_in, tokens_out = (
            sum(cast("int", one[name]) for one in usage.values())  # numbers, see Tally
            for name in ("calls", "input_tokens", "output_tokens")
        )
        costs = [one["cost_usd"] for one in usage.values()]
        price = _price(None if None in costs else sum(cast("list[float]", costs)))  # numbers, see Tally
        pairs.append(
            (f"{indent}models", f"{counted(calls, 'call')}, {tokens_in:,} tokens in, {tokens_out:,} out, {price}")
        )
    return pairs


def _tell(path: Path, outcome: IndexResult | Failure, as_json: bool, *, is_last: bool) -> None:
    from ravu_kg.engines.records import Failure

    if isinstance(outcome, Failure):
        say_error(outcome.message)
    elif not as_json:
        _show(outcome, path, hint=is_last)


def _link(state: State, flags: Mapping[str, object], done: Iterable[Finished], score: float) -> None:
    """Link entities across videos, in one go for the whole batch."""
    from ravu_kg.engines.records import Failure

    written = [(one.outcome.video_id, one.bookmarks) for one in done if not isinstance(one.outcome, Failure)]
    if not written:
        return
    videos = [video_id for video_id, _ in written]
    with state.open_memory(flags) as memory:
        memory.store.follow([bookmark for _, bookmarks in written for bookmark in bookmarks])
        linked = memory.identities.link(videos, least_score=score, by="index")
    if linked is None:
        click.echo(f"No two entities are as alike as {score:g}.", err=True)
    else:
        undo = f"ravu-kg identities undo {linked.operation}"
        click.echo(f"Linked {counted(len(linked.pairs), 'pair')} of entities. To take it back: {undo}", err=True)


def _estimate(
    settings: Settings, sources: Sequence[Source], tracks: Path | None, from_stage: Stage | None, as_json: bool
) -> None:
    from ravu_kg.memory.estimating import estimate_index

    estimates: list[IndexEstimate] = []
    for source in sources:
        if source.problem is not None:
            raise source.problem
        with progress_bar(source.path.name) as report:
            estimates.append(estimate_index(settings, source.path, tracks, report, from_stage=from_stage))
    if as_json:
        echo_json([one.to_dict() for one in estimates])
        return
    for one in estimates:
        click.echo(f"{click.style(one.video.name, bold=True)}  {seconds(one.duration_s)} of video")
        if not one.stages:
            click.echo("  No language model is used with these settings, so nothing has to be paid for.")
            continue
        total = one.total
        rows = [
            (
                row.stage,
                row.model,
                f"{row.calls:,}",
                f"{row.input_tokens:,}",
                f"{row.output_tokens:,}",
                _usd(row.cost_usd),
            )
            for row in one.stages
        ]
        price = _usd(total.cost_usd if one.has_price else None)
        rows.append(("all", "", f"{total.calls:,}", f"{total.input_tokens:,}", f"{total.output_tokens:,}", price))
        print_table(
            ("stage", "model", "calls", "tokens in", "tokens out", "US $"),
            rows,
            right=("calls", "tokens in", "tokens out", "US $"),
        )
        if one.kept:
            nothing_left = "; nothing is left to pay for" if not total.calls else ""
            click.echo(
                f"  Kept from earlier calls, which are not made again: {counted(one.kept, 'reply')}{nothing_left}."
            )


def _price(cost_usd: object) -> str:
    return "price not known" if cost_usd is None else f"${cost_usd:.4f}"


def _usd(cost_usd: float | None) -> str:
    return "not known" if cost_usd is None else f"{cost_usd:.4f}"


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
            f"{counted(result.entities, 'entity')} in {counted(result.frame_nodes, 'frame node')}, "
            f"{counted(result.relations, 'relation')}, {counted(result.events, 'event')}",
        ),
        *([("  words by", result.describer)] if result.describer != MEASURED else []),
        ("  detector", result.detector + (f" ({result.detector_reason})" if result.detector_reason else "")),
    ]
    if result.status != "unchanged":
        stages = ", ".join(f"{stage} {took:.1f}" for stage, took in result.elapsed_s.items() if took >= 0.05)
        pairs.append(("  seconds", stages))
    pairs += usage_pairs(result.usage, "  ")
    if result.replayed:
        pairs.append(("  kept", f"{counted(result.replayed, 'reply')} received before"))
    if lost := {state: count for state, count in result.coverage.items() if state != "ok"}:
        told = ", ".join(f"{count} {state}" for state, count in sorted(lost.items()))
        pairs.append(
            ("  not told", f"{told} of {counted(sum(result.coverage.values()), 'frame')}; measured words are kept")
        )
    if result.untold:
        told = ", ".join(f"{count} {state}" for state, count in sorted(result.untold.items()))
        pairs.append(("  not told", f"some events of entities: {told}"))
    pairs += [("  waiting", one) for one in result.waiting]
    if result.unanswered:
        pairs.append(("  next", "index it again: what no model answered for is asked once more"))
    elif hint:
        pairs.append(("  next", f'ravu-kg ask {_short(result.video_id)} "What happens at the end?"'))
    print_pairs(pairs)


def _short(video_id: str) -> str:
    """The start of an id with its build, without which it means the default one: ``0f82b816~other``."""
    content, tilde, build = video_id.partition("~")
    return content[:8] + tilde + build
