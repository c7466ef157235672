"""``ravu-kg config``: the effective settings."""

from __future__ import annotations

import click

from ravu_kg.cli.frame import State, profile_option
from ravu_kg.cli.output import echo_json, examples, json_option, print_table


@click.group("config", epilog=examples("ravu-kg config show"))
def command() -> None:
    """Show the settings and where each came from.

    Command-line flags come before the environment (RAVU_KG_TRACKING_RATE_HZ, RAVU_KG_MODELS__DETECT, NEO4J_URI,
    NEO4J_USERNAME, NEO4J_PASSWORD, NEO4J_DATABASE), the environment before ravu-kg.toml in the current folder or
    above it, the file before the profile (--profile, RAVU_KG_PROFILE, or profile in the file), and the profile before
    the defaults.
    """


@command.command(epilog=examples("ravu-kg config show", "ravu-kg config show --profile gemini"))
@profile_option
@json_option
@click.pass_obj
def show(state: State, as_json: bool) -> None:
    """Print every setting with its value and origin; secrets are hidden."""
    entries = list(state.settings().entries())
    if as_json:
        echo_json({key: {"value": value, "origin": origin} for key, value, origin in entries})
    else:
        rows = [(key, "-" if value is None else value, origin) for key, value, origin in entries]
        print_table(("setting", "value", "from"), rows)
