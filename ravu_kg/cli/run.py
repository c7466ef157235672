"""``ravu-kg run``: a saved plan on a video."""

from __future__ import annotations

from pathlib import Path

import click

from ravu_kg.cli.frame import State, profile_option
from ravu_kg.cli.names import VIDEO
from ravu_kg.cli.output import FILE, build_option, examples, json_option
from ravu_kg.cli.views import Explain, explain_options, show_answer


@click.command("run", epilog=examples("ravu-kg run plan.json holiday", "ravu-kg run plan.json holiday --explain"))
@click.argument("plan_file", metavar="PLAN.json", type=FILE)
@click.argument("video", type=VIDEO)
@build_option
@explain_options
@profile_option
@json_option
@click.pass_obj
def command(
    state: State,
    plan_file: Path,
    video: str,
    build: str | None,
    explain: bool,
    explain_file: Path | None,
    as_json: bool,
) -> None:
    """Run a saved plan on a video.

    Save one with ravu-kg plan --json, or write it by hand.
    """
    from ravu_kg.reasoning.plan import read_plan

    plan = read_plan(plan_file)
    with state.open_memory() as memory:
        show_answer(memory, memory.run(plan, memory.resolve(video, build)), Explain(explain, explain_file, as_json))
