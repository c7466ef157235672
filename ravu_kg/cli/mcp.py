"""``ravu-kg mcp``: the memory for programs that speak the Model Context Protocol."""

from __future__ import annotations

import sys

import click

from ravu_kg.cli.frame import State, profile_option
from ravu_kg.cli.output import examples
from ravu_kg.errors import MissingExtraError


@click.command(
    "mcp",
    epilog=examples(
        "ravu-kg mcp",
        'In the configuration of a client:  {"mcpServers": {"ravu-kg": {"command": "ravu-kg", "args": ["mcp"]}}}',
    ),
)
@profile_option
@click.pass_obj
def command(state: State, /) -> None:
    """Serve the memory to other programs (Model Context Protocol).

    A client starts this command itself and talks to it over standard input and output. Its tools list videos, answer
    questions, find entities and their events, run Cypher that only reads, and show frames with boxes. The database is
    opened with the first call.
    """
    try:
        from ravu_kg.cli.mcp_server import MemoryServer
    except ImportError as error:
        raise MissingExtraError("The server of the Model Context Protocol", "mcp") from error
    state.settings()  # what is wrong with them is said now and not with the first call
    if sys.stdin.isatty():
        click.echo("Waiting for a client on the standard input; clients start this command themselves.", err=True)
    with MemoryServer(state.open_memory) as server:
        server.run("stdio")
