"""``ravu-kg demo``."""

from __future__ import annotations

import click

from ravu_kg.cli.output import examples


@click.command("demo", epilog=examples("ravu-kg demo"))
def command() -> None:
    """Index a real clip and answer questions about it."""
