"""``ravu-kg lint``: what in the memory of a video does not fit together."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from ravu_kg.cli.frame import State
from ravu_kg.cli.names import VIDEO
from ravu_kg.cli.output import build_option, counted, echo_json, examples, json_option, seconds

if TYPE_CHECKING:
    from ravu_kg.memory.linting import Check, Finding, LintReport

CHECKS: tuple[Check, ...] = ("uncovered", "duplicate", "jump", "outside", "contradiction", "event", "absent")
"""Those of :mod:`ravu_kg.memory.linting`, which takes a while to import."""
_HEADINGS = {
    "uncovered": "Not covered",
    "duplicate": "One thing, two entities",
    "jump": "Tracks that jump",
    "outside": "Boxes outside the picture",
    "contradiction": "Told, but the boxes speak against it",
    "event": "Events that overlap, leave gaps or are out of time",
    "absent": "Sentences that name who is not there",
}
_SHOWN = 20


@click.command(
    "lint",
    epilog=examples(
        "ravu-kg lint holiday",
        "ravu-kg lint holiday --build gemini --check contradiction --check absent",
        "ravu-kg lint holiday --json",
    ),
)
@click.argument("video", type=VIDEO)
@build_option
@click.option("--check", "checks", multiple=True, type=click.Choice(CHECKS), help="Only this check; repeat it.")
@json_option
@click.pass_obj
def command(state: State, video: str, build: str | None, checks: tuple[Check, ...], as_json: bool) -> None:
    """Find what does not fit together in a video's memory.

    Looks for frames that are not covered, one thing that is tracked as two, tracks that jump, boxes outside the
    picture, relations that the boxes contradict, events that overlap or leave gaps, and sentences that name who is not
    there. Each finding comes with its seconds, its entities and a Cypher statement that shows it in the Neo4j Browser.
    A finding is a reason to look, not a verdict; nothing is changed.
    """
    with state.open_memory() as memory:
        report = memory.lint(video, build=build, checks=checks or CHECKS)
    if as_json:
        echo_json(report.to_dict())
    else:
        _show(report)


def _show(report: LintReport) -> None:
    from ravu_kg.reasoning.vocabulary import singular

    count = len(report.findings)
    told = counted(count, "finding") if count else "nothing found"
    build = f" (build {report.video.build})" if report.video.build else ""
    looked_at = ", ".join(counted(number, singular(kind)) for kind, number in report.looked_at.items())
    click.echo(f"{click.style(report.video.title + build, bold=True)}  {told} in {looked_at}")
    for check in report.checks:
        found = [one for one in report.findings if one.check == check]
        if not found:
            continue
        click.echo(f"\n{click.style(_HEADINGS[check], bold=True)} ({check}, {len(found)})")
        for one in found[:_SHOWN]:
            _show_finding(one)
        if len(found) > _SHOWN:
            click.echo(f"  and {len(found) - _SHOWN} more; --json has all")


def _show_finding(one: Finding) -> None:
    when = seconds(one.start_s)
    if one.end_s - one.start_s >= 0.05:
        when = f"{when} to {seconds(one.end_s)}"
    who = " ".join("#" + entity.partition("#")[2] for entity in one.entity_ids)
    click.echo(f"  {click.style(when, fg='cyan')}{f'  {who}' if who else ''}  {one.text}")
    click.echo(f"    {click.style(one.cypher, dim=True)}")
