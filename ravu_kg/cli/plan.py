"""``ravu-kg plan``: a question as steps, without running them."""

from __future__ import annotations

import click

from ravu_kg.cli.frame import State, profile_option
from ravu_kg.cli.output import examples, json_option
from ravu_kg.cli.views import print_plan, say_models


@click.command(
    "plan",
    epilog=examples(
        'ravu-kg plan "Who comes after the first person leaves?"',
        'ravu-kg plan "How many people are there?" --json > plan.json',
    ),
)
@click.argument("question")
@profile_option
@json_option
@click.pass_obj
def command(state: State, question: str, as_json: bool) -> None:
    """Show the steps that a question becomes.

    The JSON form can be edited, saved and run again with ravu-kg run. No video and no database is needed; with a
    model for the role plan, that model is asked.
    """
    from ravu_kg.memory.asking import plan_and_cost

    plan, steps = plan_and_cost(question, state.settings())
    if as_json:
        click.echo(plan.to_json())
    else:
        print_plan(plan)
    if steps:
        click.echo(f"Planned by {plan.planner}.", err=True)
        say_models(steps)
