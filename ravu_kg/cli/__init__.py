"""The command line: one module a command."""


def main() -> None:
    """Entry point of ``ravu-kg``."""
