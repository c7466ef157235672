"""``ravu-kg db``: the embedded Neo4j server."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from ravu_kg.cli.db_backup import dump, load
from ravu_kg.cli.frame import State
from ravu_kg.cli.output import confirm, echo_json, examples, json_option, print_pairs, status_line

if TYPE_CHECKING:
    from ravu_kg.server import EmbeddedServer, Endpoint, ServerStatus


@click.group("db", epilog=examples("ravu-kg db start", "ravu-kg db open"))
def command() -> None:
    """Start, stop and open the embedded Neo4j server.

    Commands that need a server start it themselves. With NEO4J_URI set, that server is used instead and these
    commands leave it alone.
    """


@command.command(epilog=examples("ravu-kg db start"))
@json_option
@click.pass_obj
def start(state: State, as_json: bool) -> None:
    """Start the server, or say that it runs."""
    server = _server(state)
    with status_line() as say:
        endpoint = server.start(say)
    _show(endpoint, server.status(), as_json)


@command.command(epilog=examples("ravu-kg db stop"))
@json_option
@click.pass_obj
def stop(state: State, as_json: bool) -> None:
    """Stop the server; its data stays."""
    server = _server(state)
    with status_line() as say:
        say("Stopping Neo4j ...")
        stopped = server.stop()
    if as_json:
        echo_json({"stopped": stopped, "running": False})
    else:
        click.echo("Stopped." if stopped else "It was not running.")


@command.command(epilog=examples("ravu-kg db status", "ravu-kg db status --json"))
@json_option
@click.pass_obj
def status(state: State, as_json: bool) -> None:
    """Show whether the server runs, where, and how big its data is."""
    settings = state.settings()
    if settings.neo4j.uri:
        click.echo(f"NEO4J_URI is set: commands use {settings.neo4j.uri}, not the embedded server below.", err=True)
    current = _server(state).status()
    _show(current.endpoint, current, as_json)


@command.command("open", epilog=examples("ravu-kg db open", "ravu-kg db open --no-launch"))
@click.option("--launch/--no-launch", default=True, help="Open the link in the web browser, or only print it.")
@click.option("--password", "with_password", is_flag=True, help="Print the password too.")
@json_option
@click.pass_obj
def open_browser(state: State, launch: bool, with_password: bool, as_json: bool) -> None:
    """Open the Neo4j Browser on the memory."""
    from ravu_kg.graph.templates import TemplateLibrary
    from ravu_kg.server import browser_link

    server = _server(state)
    with status_line() as say:
        endpoint = server.start(say)
    link = browser_link(endpoint, TemplateLibrary.load().get("explore/overview").text)
    if launch:
        click.launch(link)
    if as_json:
        shown = {"password": endpoint.password} if with_password else {}
        echo_json({"link": link, "username": endpoint.username, **shown})
        return
    pairs = [("Browser", link), ("User", endpoint.username)]
    if with_password:
        pairs.append(("Password", endpoint.password))
    else:
        pairs.append(("Password", "shown by: ravu-kg db open --password"))
    print_pairs(pairs)


@command.command(epilog=examples("ravu-kg db reset", "ravu-kg db reset --yes"))
@click.option("--yes", is_flag=True, help="Do not ask.")
@json_option
@click.pass_obj
def reset(state: State, yes: bool, as_json: bool) -> None:
    """Stop the server and delete all its data: every indexed video."""
    server = _server(state)
    home = server.status().home
    confirm(f"Delete the whole memory in {home}?", yes)
    with status_line() as say:
        say("Deleting ...")
        server.reset()
    if as_json:
        echo_json({"deleted": str(home)})
    else:
        click.echo(f"Deleted the memory in {home}.")


command.add_command(dump)
command.add_command(load)


def _server(state: State) -> EmbeddedServer:
    from ravu_kg.memory import server_config
    from ravu_kg.server import EmbeddedServer

    return EmbeddedServer(server_config(state.settings()))


def _show(endpoint: Endpoint | None, status: ServerStatus, as_json: bool) -> None:
    facts: dict[str, object] = {
        "running": status.running,
        "version": status.version,
        "home": str(status.home),
        "data_mb": round(status.data_bytes / 1e6, 1),
        "log": str(status.log),
    }
    if endpoint is not None:
        facts |= {
            "bolt_uri": endpoint.bolt_uri,
            "browser_url": endpoint.browser_url,
            "username": endpoint.username,
            "pid": endpoint.pid,
        }
    if as_json:
        echo_json(facts)
        return
    state = "running" if endpoint else "starting or not answering" if status.running else "stopped"
    pairs = [("Neo4j", f"{status.version}, {state}")]
    if endpoint is not None:
        pairs += [("Bolt", endpoint.bolt_uri), ("Browser", endpoint.browser_url), ("User", endpoint.username)]
    pairs += [("Data", f"{status.home} ({facts['data_mb']} MB)"), ("Log", str(status.log))]
    print_pairs(pairs)
