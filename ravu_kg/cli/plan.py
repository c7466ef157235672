"""``ravu-kg plan``: a question as steps, without running them."""

from __future__ import annotations

import click

from ravu_kg.cli.frame import State
from ravu_kg.cli.output import examples, json_option
from ravu_kg.cli.views import print_plan


@click.command(
    "plan",
    epilog=examples(
        'ravu-kg plan "Who comes after the first person leaves?"',
        'ravu-kg plan "How many people are there?" --json > plan.json',
    ),
)
@click.argument("question")
@json_option
@click.pass_obj
def command(state: State, question: str, as_json: bool) -> None:
    """Show the steps that a question becomes.

    The JSON form can be edited, saved and run again with ravu-kg run. No video and no server is needed.
    """
    from ravu_kg.memory import make_plan

    plan = make_plan(question)
    if as_json:
        click.echo(plan.to_json())
    else:
        print_plan(plan)
