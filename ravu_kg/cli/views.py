"""How plans and answers look."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import click

from ravu_kg.cli.lanes import print_lanes
from ravu_kg.cli.output import FILE, echo_json, print_pairs, print_table, seconds
from ravu_kg.errors import UsageError

if TYPE_CHECKING:
    from ravu_kg.memory import VideoMemory
    from ravu_kg.reasoning.plan import Plan, Step
    from ravu_kg.reasoning.records import Answer, ModelStep
    from ravu_kg.report.records import ShownEntity
    from ravu_kg.types import Usage

_Function = TypeVar("_Function", bound=Callable[..., object])


@dataclass(frozen=True)
class Explain:
    """How much of the way to an answer is shown."""

    statements: bool = False
    file: Path | None = None
    as_json: bool = False


def explain_options(function: _Function) -> _Function:
    """``--explain`` and ``--explain-file``."""
    function = click.option(
        "--explain-file",
        type=FILE,
        metavar="FILE",
        help="Write the executed Cypher with all parameters in full to FILE, to run it in the Browser.",
    )(function)
    return click.option("--explain", is_flag=True, help="Show the plan and the executed Cypher.")(function)


def print_plan(plan: Plan) -> None:
    """The steps, one a line."""
    rows = [(f"{number}", _call(step), f"-> {step.save_as}") for number, step in enumerate(plan.steps, start=1)]
    print_table(("", "step", "saved as"), rows, right=("",))


def show_answer(memory: VideoMemory, answer: Answer, explain: Explain, options: tuple[str, ...] = ()) -> None:
    """The answer first, then what proves it."""
    if explain.file is not None:
        _write_statements(answer, explain.file)
    if explain.as_json:
        echo_json(answer.to_dict())
        return
    click.echo(click.style(answer.answer, bold=True))
    if options and answer.option is not None:
        click.echo(f"Option {answer.option}: {options[answer.option]} (margin {answer.margin:.2f})")
    for note in answer.notes:
        if note not in answer.answer:
            click.echo(click.style(note, dim=True))
    click.echo()
    entities = _meant(memory, answer)
    _print_evidence(answer, entities)
    _print_timeline(memory, answer, entities)
    if explain.statements:
        from ravu_kg.reasoning.asking import explain as explain_trace

        click.echo(f"\n{click.style('Plan', bold=True)}")
        print_plan(answer.plan)
        click.echo(f"\n{explain_trace(answer.trace)}")
    click.echo()
    _print_footing(memory, answer)
    if answer.model_steps:
        click.echo()
        print_table(_COST_COLUMNS, _costs(answer.model_steps), right=_COST_COLUMNS[2:])


def say_models(steps: Sequence[ModelStep]) -> None:
    """What models cost, in one line a role on stderr."""
    for _, model, calls, *numbers in (_costs([step])[0] for step in steps):
        given, made, price, took = numbers
        cost = f"{given} tokens in, {made} tokens out, {price}" if calls != "0" else "a kept reply, which costs nothing"
        click.echo(f"{model}: {cost}, {took}.", err=True)


_COST_COLUMNS = ("step", "model", "calls", "tokens in", "tokens out", "price", "time")


def _costs(steps: Sequence[ModelStep]) -> list[tuple[str, ...]]:
    """A row for each step, and one for all when there are several."""
    rows = [
        _cost_row(step.role, step.model, step.usage, step.usage.cost_usd if step.has_price else None, step.elapsed_s)
        for step in steps
    ]
    if len(steps) > 1:
        from ravu_kg.types import Usage

        total = sum((step.usage for step in steps), Usage())
        cost_usd = total.cost_usd if all(step.has_price for step in steps) else None
        rows.append(_cost_row("all", "", total, cost_usd, sum(step.elapsed_s for step in steps)))
    return rows


def _cost_row(role: str, model: str, usage: Usage, cost_usd: float | None, elapsed_s: float) -> tuple[str, ...]:
    price = "not known" if cost_usd is None else f"${cost_usd:.4f}"
    tokens = f"{usage.input_tokens:,}", f"{usage.output_tokens:,}"
    return role, model, f"{usage.calls}", *tokens, price, f"{elapsed_s:.1f} s"


def _meant(memory: VideoMemory, answer: Answer) -> dict[str, ShownEntity]:
    """The entities of the videos that the evidence is from, by id."""
    from ravu_kg.report.reading import read_entities

    videos = dict.fromkeys(one.video_id or answer.video_id for one in answer.evidence)
    return {one.entity_id: one for video_id in videos for one in read_entities(memory.store, video_id)}


def _print_evidence(answer: Answer, entities: Mapping[str, ShownEntity]) -> None:
    if not answer.evidence:
        click.echo("No evidence was found.")
        return
    rows = [
        (seconds(one.timestamp_s), _short(one.entity_ids, entities), f"{one.score:.2f}", one.step, one.text)
        for one in answer.evidence
    ]
    print_table(("time", "entities", "score", "step", "evidence"), rows, right=("time", "score"))


def _print_timeline(memory: VideoMemory, answer: Answer, entities: Mapping[str, ShownEntity]) -> None:
    """Where in the video the evidence lies; for an answer from one video."""
    videos = {one.video_id or answer.video_id for one in answer.evidence}
    if len(videos) != 1:
        return
    click.echo()
    print_lanes(answer, list(entities.values()), memory.reader.video(videos.pop()).duration_s)


def _write_statements(answer: Answer, file: Path) -> None:
    from ravu_kg.reasoning.asking import explain

    try:
        file.write_text(explain(answer.trace, full_vectors=True) + "\n", encoding="utf-8")
    except OSError as error:
        raise UsageError(f"{file} cannot be written: {error.strerror}. Give another --explain-file.") from error


def _print_footing(memory: VideoMemory, answer: Answer) -> None:
    coverage = answer.coverage
    known = f"{coverage.known} of {coverage.frames} sampled frames are known"
    if coverage.unknown_intervals:
        unknown = ", ".join(f"{seconds(start)} to {seconds(end)}" for start, end in coverage.unknown_intervals)
        known += f"; nothing is known of {unknown}"
    pairs: list[tuple[str, object]] = [
        ("Method", ", ".join(f"{role} {name}" for role, name in answer.method.items())),
        ("Coverage", known),
    ]
    link = memory.evidence_link(answer)
    if link:
        pairs.append(("Browser", click.style(link, dim=True)))
    print_pairs(pairs)


def _call(step: Step) -> str:
    import json

    arguments = step.arguments.model_dump(mode="json", by_alias=True, exclude_defaults=True)
    shown = ", ".join(f"{name}={json.dumps(value, ensure_ascii=False)}" for name, value in arguments.items())
    return f"{step.function}({shown})"


def _short(entity_ids: tuple[str, ...], entities: Mapping[str, ShownEntity]) -> str:
    """``#1 #2 (Anna)``."""
    from ravu_kg.types import entity_tag  # NumPy comes with it

    names = [entities[one].given_name if one in entities else None for one in entity_ids]
    told = [f" ({name})" if name else "" for name in names]
    return " ".join(entity_tag(one) + name for one, name in zip(entity_ids, told, strict=True))
