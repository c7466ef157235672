"""``ravu-kg eval``: methods measured on questions whose answers are known."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Generator, Sequence
from contextlib import closing, contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import click

from ravu_kg import __version__
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
    status_line,
)
from ravu_kg.errors import UsageError

if TYPE_CHECKING:
    from ravu_kg.evaluation.diffing import Difference
    from ravu_kg.evaluation.estimating import RoleCost
    from ravu_kg.evaluation.running import Finished
    from ravu_kg.evaluation.runs import Run
    from ravu_kg.evaluation.sources import Loaded
    from ravu_kg.memory import VideoMemory

_Function = TypeVar("_Function", bound=Callable[..., object])
_SHOWN = 10


def _memory_options(function: _Function) -> _Function:
    function = click.option(
        "--home", type=FILE, metavar="FOLDER", help="Data folder of the evaluation's server; never your memory's."
    )(function)
    return click.option(
        "--embedder", metavar="NAME:MODEL", help="Encoder of every method; each has a graph of its own."
    )(function)


@click.group(
    "eval",
    epilog=examples(
        "ravu-kg eval load captions captions_1fps.json objects_1fps.json",
        "ravu-kg eval run nextqa val.csv --method ravu --graph captions -o runs/ravu",
        "ravu-kg eval report runs/ravu runs/text -o report.html",
    ),
)
def command() -> None:
    """Measure methods on questions whose answers are known.

    Evaluations run in a server and data folder of their own, never in your memory. The server goes on running until
    `ravu-kg eval stop`. ravu_kg/evaluation/README.md shows
    how to make each table of the paper, and describes the format of your own questions.
    """


@command.command(
    epilog=examples(
        "ravu-kg eval load captions captions_30w_1fps.json objects_3_1fps.json",
        "ravu-kg eval load detector clips/",
        "ravu-kg eval load tracks clips/              (NAME.tracks.json beside each video)",
    )
)
@click.argument("graph", metavar="GRAPH")
@click.argument("files", nargs=-1, required=True, type=FILE, metavar="FILE...")
@click.option("--skip-bad", is_flag=True, help="Leave out rows that cannot be used, and say which.")
@click.option("--fps", "frame_rate", type=click.FloatRange(0, 1000, min_open=True), help="As for `ravu-kg import`.")
@_memory_options
@json_option
@click.pass_obj
def load(
    state: State,
    graph: str,
    files: tuple[Path, ...],
    skip_bad: bool,
    frame_rate: float | None,
    embedder: str | None,
    home: Path | None,
    as_json: bool,
) -> None:
    """Put videos into the memory of evaluations: GRAPH says what its graphs are made of.

    `captions` and the other kinds of `ravu-kg import` take annotation files; `detector` takes videos, which are
    indexed; `tracks` takes videos with given tracks beside them. Videos that are there stay as they are.
    """
    from ravu_kg.evaluation.sources import fill

    with _open(state, embedder, home) as memory, progress_bar("load") as report:
        loaded = fill(
            memory,
            graph,
            files,
            skip_bad=skip_bad,
            frame_rate=frame_rate,
            on_problem=_say_problem,
            progress=report,
        )
    if as_json:
        echo_json(asdict(loaded))
    else:
        click.echo(_told(loaded))
        _say_how_to_stop(embedder, home)


@command.command(
    epilog=examples(
        "ravu-kg eval run nextqa val.csv --method ravu --graph captions -o runs/ravu",
        "ravu-kg eval run nextgqa val.csv gsub_val.json --method text --graph captions --types TN,TP -o runs/text",
        "ravu-kg eval run egoschema subset_anno.json --method ravu-hierarchical --graph captions --limit 100 -o runs/h",
        "ravu-kg eval run own questions.jsonl --method clip --graph detector -o runs/clip --profile gemini --estimate",
    )
)
@click.argument("dataset", metavar="DATASET")
@click.argument("files", nargs=-1, required=True, type=FILE, metavar="FILE...")
@click.option("--method", required=True, metavar="NAME", help="See `ravu-kg eval methods`.")
@click.option("--graph", required=True, metavar="GRAPH", help="What the graphs are made of; see `ravu-kg eval load`.")
@click.option("--output", "-o", "folder", type=FILE, metavar="RUN", help="Folder of the run; goes on with one there.")
@click.option("--types", metavar="TYPE,...", help="Only questions of these types or groups.")
@click.option("--limit", type=int, metavar="N", help="Only so many, drawn by --seed.")
@click.option("--seed", type=int, default=0, show_default=True, help="Of the draw.")
@click.option("--seconds", type=int, default=5, show_default=True, help="How many seconds text and clip answer from.")
@click.option("--workers", type=click.IntRange(1, 64), default=4, show_default=True, help="Videos asked at a time.")
@click.option("--clip-model", metavar="MODEL:WEIGHTS", help="Of open_clip, for clip; weights by name or as a file.")
@click.option("--name", help="What reports call the run; by default its folder's name.")
@click.option("--skip-bad", is_flag=True, help="Leave out questions that cannot be used, and say which.")
@click.option("--estimate", is_flag=True, help="Say what it will cost, and ask nothing.")
@_memory_options
@profile_option
@json_option
@click.pass_obj
def run(
    state: State,
    dataset: str,
    files: tuple[Path, ...],
    method: str,
    graph: str,
    folder: Path | None,
    types: str | None,
    limit: int | None,
    seed: int,
    seconds: int,
    workers: int,
    clip_model: str | None,
    name: str | None,
    skip_bad: bool,
    estimate: bool,
    embedder: str | None,
    home: Path | None,
    as_json: bool,
) -> None:
    """Put the questions of DATASET to a method, and keep each answer with its plan and evidence.

    A run that was killed goes on where it stopped when the same command is given again. Questions whose video is not in
    the graph are counted and not scored. With models in the settings (or --profile) they plan, rank and answer; without
    them rules do, and the answer is extractive.
    """
    from ravu_kg.evaluation.bench import Bench
    from ravu_kg.evaluation.datasets import read_questions
    from ravu_kg.evaluation.estimating import estimate as estimated
    from ravu_kg.evaluation.methods import make_method
    from ravu_kg.evaluation.questions import select
    from ravu_kg.evaluation.running import digest_of, put_questions
    from ravu_kg.evaluation.runs import Setup, open_run, read_run
    from ravu_kg.evaluation.sources import graph_of
    from ravu_kg.graph.embedding import SentenceCache

    if folder is None and not estimate:
        raise UsageError("Name a folder for the run: -o RUN.")
    every = read_questions(dataset, files, skip_bad=skip_bad, on_problem=_say_problem)
    wanted = tuple(one.strip() for one in (types or "").split(",") if one.strip())
    questions = select(every, types=wanted, limit=limit, seed=seed)
    chosen = make_method(method, seconds=seconds, clip_model=clip_model or "")
    with (
        _open(state, embedder, home) as memory,
        SentenceCache(memory.settings.cache / "sentences.sqlite") as cache,
        closing(Bench(memory, cache)) as bench,
    ):
        there = graph_of(memory, graph)
        if not any(one.video in there.videos for one in questions):
            raise UsageError(
                f"None of the videos of these questions is in the graph from {graph}, which has {len(there.videos)}. "
                f"Put them there: ravu-kg eval load {graph} FILE..."
            )
        if estimate:
            _show_estimate(estimated(questions, there.videos, chosen, bench, seed=seed), len(questions), as_json)
            return
        assert folder is not None  # refused above
        setup = Setup(
            dataset=dataset,
            questions=len(questions),
            digest=digest_of(questions),
            method=chosen.name,
            graph=graph,
            pipeline="" if method == "blind" else there.pipeline([one.video for one in questions]),
            embedder=memory.embedder.name,
            roles=bench.roles,
            options={"seconds": seconds, "says": chosen.says},
            types=wanted,
            limit=limit,
            seed=seed,
        )
        with open_run(folder, setup, __version__, name or "") as writer, progress_bar("eval") as report:
            finished = put_questions(
                questions,
                there.videos,
                chosen,
                bench,
                writer,
                workers=workers,
                progress=lambda share: report("asking", share),
            )
    _show_run(read_run(folder), finished, as_json)
    if not as_json:
        _say_how_to_stop(embedder, home)


@command.command(epilog=examples("ravu-kg eval methods"))
@json_option
def methods(as_json: bool) -> None:
    """List the methods, data sets and graphs that a run can be made of."""
    from ravu_kg.evaluation.datasets import DATASETS
    from ravu_kg.evaluation.methods import METHODS
    from ravu_kg.evaluation.sources import GRAPHS

    if as_json:
        datasets = {name: {"title": one.title, "files": one.files} for name, one in DATASETS.items()}
        echo_json({"methods": dict(METHODS), "datasets": datasets, "graphs": list(GRAPHS)})
        return
    print_table(("method", "answers from"), list(METHODS.items()))
    click.echo()
    print_table(("data set", "files"), [(name, f"{one.title}: {one.files}") for name, one in DATASETS.items()])
    click.echo(f"\n{click.style('graphs', bold=True)}  {', '.join(GRAPHS)}")


@command.command(
    epilog=examples(
        "ravu-kg eval report runs/*  -o report.html",
        "ravu-kg eval report runs/ravu runs/text -o report.md --missing-wrong",
    )
)
@click.argument("folders", nargs=-1, required=True, type=FILE, metavar="RUN...")
@click.option("--output", "-o", "target", type=FILE, help="Write it: .md or .html by the name; else Markdown is shown.")
@click.option("--missing-wrong", is_flag=True, help="Count questions whose video is not in the graph as wrong.")
@click.option("--seed", type=int, default=0, show_default=True, help="Of the intervals.")
@json_option
def report(folders: tuple[Path, ...], target: Path | None, missing_wrong: bool, seed: int, as_json: bool) -> None:
    """Put runs into tables laid out as the paper's, beside its published figures.

    The tables say which figures were measured here and which are quoted. An HTML page is one file that needs no
    network.
    """
    from ravu_kg.evaluation.report import make_report
    from ravu_kg.evaluation.report.page import as_page
    from ravu_kg.evaluation.report.text import as_markdown
    from ravu_kg.evaluation.runs import read_run

    if target is not None and target.suffix.lower() not in (".md", ".html"):
        raise UsageError(f"{target} is neither .md nor .html. Name the file by what it is to be.")
    made = make_report([read_run(folder) for folder in folders], missing_wrong=missing_wrong, seed=seed)
    if target is not None:
        text = as_page(made) if target.suffix.lower() == ".html" else as_markdown(made)
        try:
            target.write_text(text, encoding="utf-8")
        except OSError as error:
            raise UsageError(f"{target} cannot be written: {error.strerror}. Name another file with -o.") from error
    if as_json:
        echo_json(made.to_dict())
    elif target is None:
        click.echo(as_markdown(made))
    else:
        click.echo(f"Wrote {counted(len(made.tables), 'table')} of {counted(len(made.runs), 'run')} into {target}.")


@command.command(epilog=examples("ravu-kg eval diff runs/text runs/ravu", "ravu-kg eval diff runs/a runs/b --json"))
@click.argument("first", type=FILE)
@click.argument("second", type=FILE)
@click.option("--limit", type=click.IntRange(min=1), default=_SHOWN, show_default=True, help="Questions of each list.")
@json_option
def diff(first: Path, second: Path, limit: int, as_json: bool) -> None:
    """List the questions that run SECOND wins and loses against FIRST, each with the evidence of both.

    A paired test says how likely so uneven a split is if neither is better.
    """
    from ravu_kg.evaluation.diffing import compare_runs
    from ravu_kg.evaluation.runs import read_run

    found = compare_runs(read_run(first), read_run(second))
    if as_json:
        echo_json(found.to_dict())
    else:
        _show_difference(found, limit)


@command.command(
    epilog=examples(
        "ravu-kg eval stop",
        "ravu-kg eval stop --embedder sentence-transformers:all-mpnet-base-v2",
        "ravu-kg eval stop --home /data/evaluation",
    )
)
@_memory_options
@json_option
@click.pass_obj
def stop(state: State, embedder: str | None, home: Path | None, as_json: bool) -> None:
    """Stop the server of evaluations; its data stays.

    The server is that of the same --embedder and --home with which it was started.
    """
    from ravu_kg.evaluation.home import own_settings
    from ravu_kg.memory import server_config
    from ravu_kg.server import EmbeddedServer

    config = server_config(own_settings(state.settings(), embedder=embedder or "", home=home))
    with status_line() as say:
        say("Stopping Neo4j ...")
        stopped = EmbeddedServer(config).stop()
    if as_json:
        echo_json({"stopped": stopped, "running": False})
    elif stopped:
        click.echo(f"Stopped the server of evaluations in {config.home}. Its data stays.")
    else:
        click.echo(
            f"No server of evaluations runs in {config.home}. Another one is named by the --embedder or --home with "
            "which it was started."
        )


@contextmanager
def _open(state: State, embedder: str | None, home: Path | None) -> Generator[VideoMemory]:
    from ravu_kg.evaluation.home import own_settings
    from ravu_kg.memory import VideoMemory
    from ravu_kg.memory.opening import share_cache
    from ravu_kg.plugins import load_embedder

    settings = own_settings(state.settings(), embedder=embedder or "", home=home)
    share_cache(settings)
    encoder = load_embedder(settings.models.embed, settings.providers)  # before a server is started for nothing
    with status_line() as say:
        memory = VideoMemory.open(settings, progress=say, embedder=encoder)
    with memory:
        yield memory


def _told(loaded: Loaded) -> str:
    stages = ", ".join(f"{stage} {elapsed_s:.1f} s" for stage, elapsed_s in loaded.elapsed_s.items())
    nodes = counted(loaded.frame_nodes, "frame node")
    return f"{counted(loaded.videos, 'video')}, {loaded.added} of them new with {nodes} ({stages})."


def _say_how_to_stop(embedder: str | None, home: Path | None) -> None:
    given = [*(("--embedder", embedder) if embedder else ()), *(("--home", str(home)) if home else ())]
    click.echo(f"The server goes on running. To stop it: {shlex.join(['ravu-kg', 'eval', 'stop', *given])}", err=True)


def _say_problem(problem: object) -> None:
    click.echo(f"Left out: {problem}", err=True)


def _show_estimate(costs: Sequence[RoleCost], questions: int, as_json: bool) -> None:
    known = [one.cost_usd for one in costs]
    total = None if None in known else sum(price or 0.0 for price in known)
    if as_json:
        roles = [{"role": one.role, "model": one.model, **asdict(one.usage), "cost_usd": one.cost_usd} for one in costs]
        echo_json({"questions": questions, "roles": roles, "cost_usd": total})
        return
    if not costs:
        click.echo(f"{counted(questions, 'question')}. No model is used: nothing will be paid.")
        return
    rows = [
        (
            one.role,
            one.model,
            one.usage.calls,
            one.usage.input_tokens,
            one.usage.output_tokens,
            "not known" if one.cost_usd is None else f"${one.cost_usd:.2f}",
        )
        for one in costs
    ]
    columns = ("role", "model", "calls", "input tokens", "output tokens", "price")
    print_table(columns, rows, right=columns[2:])
    price = "at a price that is not known" if total is None else f"for about ${total:.2f}"
    click.echo(f"{counted(questions, 'question')} {price}. Nothing was asked.")


def _show_run(run: Run, finished: Finished, as_json: bool) -> None:
    from ravu_kg.evaluation.summary import summary_of

    summary = summary_of(run)
    if as_json:
        told = {**asdict(finished), "questions_per_s": finished.questions_per_s}
        echo_json({"run": str(run.path), "finished": told, "figures": summary.to_dict()})
        return
    print_pairs(summary.pairs())
    speed = f"{finished.questions_per_s:.1f} questions a second" if finished.asked else "nothing was left to ask"
    click.echo(
        f"{finished.asked} asked, {finished.kept} kept from before, {finished.missing} of videos that are not in the "
        f"graph; {speed}, embedding apart ({finished.embedding_s:.1f} s)."
    )


def _show_difference(found: Difference, limit: int) -> None:
    paired = found.paired
    click.echo(
        f"{click.style(f'{found.first} -> {found.second}', bold=True)}  {counted(paired.count, 'question')}: "
        f"{paired.first:.1%} -> {paired.second:.1%}, {paired.won} won, {paired.lost} lost, p = {paired.p_value:.2g}"
    )
    if found.iop is not None:
        difference, p_value = found.iop
        click.echo(f"IoP {difference:+.3f}, p = {p_value:.2g}")
    for title, changes in (("Won", found.won), ("Lost", found.lost)):
        if not changes:
            continue
        click.echo(f"\n{click.style(title, bold=True)} ({len(changes)})")
        for one in changes[:limit]:
            click.echo(f"{one.id}  [{one.type}] {one.question}")
            click.echo(f"    right: {one.right}")
            for name, side in ((found.first, one.first), (found.second, one.second)):
                click.echo(f"    {name}: {side.answer}  ({', '.join(f'{second} s' for second in side.seconds)})")
                for text in side.texts:
                    click.echo(click.style(f"        {text}", dim=True))
        if len(changes) > limit:
            click.echo(f"and {len(changes) - limit} more; --json has all")
