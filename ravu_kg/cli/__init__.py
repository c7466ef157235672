"""The command line: one module a command, each loaded when it is needed."""

from __future__ import annotations

import sys

from ravu_kg.cli.frame import cli


def main() -> None:
    """Entry point of ``ravu-kg``."""
    cli.main(args=sys.argv[1:], prog_name="ravu-kg")
