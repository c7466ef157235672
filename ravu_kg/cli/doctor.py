"""``ravu-kg doctor``: what would be used, and what is missing."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from ravu_kg.cli.frame import State, profile_option
from ravu_kg.cli.output import echo_json, examples, json_option, print_table, status_line
from ravu_kg.errors import ConfigurationError, ProviderError

if TYPE_CHECKING:
    from ravu_kg.memory.diagnosis import Finding
    from ravu_kg.plugins import Kind


@click.command(
    "doctor",
    epilog=examples("ravu-kg doctor", "ravu-kg doctor --fetch embedder", "ravu-kg doctor --profile openai --probe"),
)
@click.option(
    "--fetch",
    type=click.Choice(["embedder", "appearance"]),
    help="Fetch what is missing: the weights of the embedder (404 MB for the default one) or of the model that tells "
    "entities apart by appearance (90 MB).",
)
@click.option(
    "--probe", is_flag=True, help="Call the language model of each role once: a few tokens, which the provider bills."
)
@profile_option
@json_option
@click.pass_obj
def command(state: State, fetch: str | None, probe: bool, as_json: bool) -> None:
    """Say what would be used and what is missing.

    Which server and which models, and how to get what is not there. No language model is called without --probe, which
    reports for each role how long its model takes, what that costs, and whether images and schemas work.

    The exit code is 3 when something is missing without which nothing can be indexed or asked, and 5 when a model that
    was called failed.
    """
    from ravu_kg.memory.diagnosis import diagnose
    from ravu_kg.memory.opening import share_cache
    from ravu_kg.plugins import fetch as fetch_provider
    from ravu_kg.plugins import is_ready

    settings = state.settings()
    if fetch:
        share_cache(settings)
        kind: Kind = "embedder" if fetch == "embedder" else "appearance model"
        reference = settings.models.embed if fetch == "embedder" else settings.models.appear
        was_here = is_ready(kind, reference, settings.providers)
        with status_line() as say:
            folder = fetch_provider(kind, reference, settings.providers, say)
        if was_here:
            click.echo(f"The {kind} {reference} is here already, in {folder}. Nothing was fetched.", err=True)
    with status_line() as say:
        findings = diagnose(settings, say, probe=probe)
    if as_json:
        echo_json([finding.to_dict() for finding in findings])
    else:
        print_table(("", "", ""), [(_mark(one), one.subject, one.detail) for one in findings])
    if probe and any(finding.role and not finding.good for finding in findings):
        raise click.exceptions.Exit(ProviderError.exit_code)
    if any(finding.needed and not finding.good for finding in findings):
        raise click.exceptions.Exit(ConfigurationError.exit_code)


def _mark(finding: Finding) -> str:
    """What cannot be done without is told apart from what would be nice to have."""
    if finding.good:
        return "ok"
    return "problem" if finding.needed else "not here"
