"""``ravu-kg index``: videos into the graph."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, cast

import click

from ravu_kg.cli.frame import State, profile_option
from ravu_kg.cli.output import (
    FILE,
    echo_json,
    examples,
    json_option,
    print_pairs,
    print_table,
    progress_bar,
    say_error,
    seconds,
)
from ravu_kg.errors import RavuError, UsageError

if TYPE_CHECKING:
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
        "ravu-kg index street.avi --tracks street.txt",
        "ravu-kg index holiday.mp4 --build boxes --tracker box-matching",
        "ravu-kg index holiday.mp4 --profile gemini --estimate",
        "ravu-kg index holiday.mp4 --profile gemini --max-cost 0.50",
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
    estimate: bool,
    max_cost: float | None,
    max_tokens: int | None,
    from_stage: Stage | None,
    offline_replay: bool,
    as_json: bool,
) -> None:
    """Turn videos into graphs.

    A video that is indexed already is left as it is. An interrupted run, also one that a ceiling stopped, goes on
    where it stopped when the same command is given again, without --from-stage: no model is asked anything twice.
    Frames that no model answered for are marked as failed and left out; the same command asks for them again. Those
    whose replies could not be used stay as they are until --from-stage asks for all of a stage anew.
    After a bad file the rest is still indexed; the exit code is that of the first failure.
    """
    if tracks is not None and len(videos) > 1:
        raise UsageError("--tracks belongs to one video. Index the videos one by one.")
    if offline_replay and from_stage is not None:
        raise UsageError("--from-stage asks the models again, --offline-replay never asks them. Give one of the two.")
    flags = {"models.detect": detector, "models.track": tracker}
    if estimate:
        _estimate(state.settings(flags), videos, tracks, from_stage, as_json)
        return
    from ravu_kg.memory import ModelRun

    models = ModelRun(from_stage, max_cost, max_tokens, offline_replay)
    done: list[dict[str, object]] = []
    first_failure: RavuError | None = None
    with state.open_memory(flags) as memory:
        for position, video in enumerate(videos):
            try:
                with progress_bar(video.name) as report:
                    result = memory.index(
                        video, tracks=tracks, build=build, replace=replace, models=models, progress=report
                    )
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


def usage_pairs(usage: Mapping[str, StageUsage], indent: str = "") -> list[tuple[str, object]]:
    """A line for each stage with what its calls came to, and one for all together when there are several."""
    pairs: list[tuple[str, object]] = [
        (
            f"{indent}{stage}",
            f"{one['calls']:,} calls of {one['model']}, {one['input_tokens']:,} tokens in, "
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
        pairs.append((f"{indent}models", f"{calls:,} calls, {tokens_in:,} tokens in, {tokens_out:,} out, {price}"))
    return pairs


def _estimate(
    settings: Settings, videos: Sequence[Path], tracks: Path | None, from_stage: Stage | None, as_json: bool
) -> None:
    from ravu_kg.memory.estimating import estimate_index

    estimates: list[IndexEstimate] = []
    for video in videos:
        with progress_bar(video.name) as report:
            estimates.append(estimate_index(settings, video, tracks, report, from_stage=from_stage))
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
            click.echo(f"  {one.kept:,} replies are kept from earlier calls, which are not made again{nothing_left}.")


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
            f"{result.entities} entities in {result.frame_nodes} frame nodes, {result.relations} relations, "
            f"{result.events} events",
        ),
        *([("  words by", result.describer)] if result.describer != MEASURED else []),
        ("  detector", result.detector + (f" ({result.detector_reason})" if result.detector_reason else "")),
    ]
    if result.status != "unchanged":
        stages = ", ".join(f"{stage} {took:.1f}" for stage, took in result.elapsed_s.items() if took >= 0.05)
        pairs.append(("  seconds", stages))
    pairs += usage_pairs(result.usage, "  ")
    if result.replayed:
        pairs.append(("  kept", f"{result.replayed:,} replies that were received before"))
    if lost := {state: count for state, count in result.coverage.items() if state != "ok"}:
        told = ", ".join(f"{count} {state}" for state, count in sorted(lost.items()))
        pairs.append(
            ("  not told", f"{told} of {sum(result.coverage.values())} frames; they keep their measured words")
        )
    if result.untold:
        told = ", ".join(f"{count} {state}" for state, count in sorted(result.untold.items()))
        pairs.append(("  not told", f"some events of entities: {told}"))
    pairs += [("  waiting", one) for one in result.waiting]
    if result.unanswered:
        pairs.append(("  next", "index it again: what no model answered for is asked once more"))
    elif hint:
        pairs.append(("  next", f'ravu-kg ask {result.video_id[:8]} "What happens at the end?"'))
    print_pairs(pairs)
