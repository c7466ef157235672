"""The command line: one module a command, each loaded when it is needed."""

from __future__ import annotations

import signal
import sys

from ravu_kg.cli.frame import cli


def main() -> None:
    """Entry point of ``ravu-kg``."""
    try:
        cli.main(args=sys.argv[1:], prog_name="ravu-kg")
    finally:
        # All is said and only Python's own end is left, of which Ctrl-C would make a traceback or another exit code.
        signal.signal(signal.SIGINT, signal.SIG_IGN)
