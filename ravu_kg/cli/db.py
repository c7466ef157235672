"""``ravu-kg db``: the embedded Neo4j server."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING

import click

from ravu_kg.cli.db_backup import dump, load
from ravu_kg.cli.db_import import import_full
from ravu_kg.cli.frame import State
from ravu_kg.cli.output import FILE, confirm, echo_json, examples, json_option, print_pairs, status_line
from ravu_kg.errors import GraphError, UsageError

if TYPE_CHECKING:
    from ravu_kg.memory import VideoMemory
    from ravu_kg.memory.browser import KeptAnswer
    from ravu_kg.server import EmbeddedServer, Endpoint, ServerStatus

_launch_option = click.option(
    "--launch/--no-launch", default=True, help="Open the link in the web browser, or only print it."
)


@click.group("db", epilog=examples("ravu-kg db open holiday", "ravu-kg db guide"))
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


@command.command(
    "open",
    epilog=examples(
        "ravu-kg db open",
        "ravu-kg db open holiday",
        "ravu-kg ask holiday 'Who comes in first?' --json > answer.json; ravu-kg db open answer.json",
        "ravu-kg db open holiday --no-launch       (only prints the link)",
    ),
)
@click.argument("target", required=False, metavar="[VIDEO|ANSWER]")
@_launch_option
@click.option("--password", "with_password", is_flag=True, help="Print the password too.")
@json_option
@click.pass_obj
def open_browser(state: State, target: str | None, launch: bool, with_password: bool, as_json: bool) -> None:
    """Open the Neo4j Browser on the memory, with a query in its editor.

    VIDEO is a path, an id (or its first characters) or a title: its entities and what they do are drawn. ANSWER is a
    file that `ravu-kg ask --json` wrote, or - for standard input: its evidence is drawn. Without either, all videos are
    listed. The entities get labels for the colours of their boxes, which the style of `ravu-kg db kit` shows.

    With NEO4J_URI set there is no link, but the query to paste into that server's Browser.
    """
    answer = _answer(target) if target is not None else None
    with state.open_memory() as memory:
        from ravu_kg.memory.links import deep_link

        statement = _statement(memory, target, answer)
        endpoint = memory.endpoint
    if endpoint is None:
        _show_statement(statement, as_json)
        return
    link = deep_link(endpoint, statement)
    if launch:
        _launch(link)
    if as_json:
        shown = {"password": endpoint.password} if with_password else {}
        echo_json({"link": link, "username": endpoint.username, "statement": statement, **shown})
        return
    _show_link(link, endpoint, with_password)


@command.command(epilog=examples("ravu-kg db kit", "ravu-kg db kit ~/Desktop/ravu-kg"))
@click.argument("folder", type=FILE, default=Path("ravu-kg-browser"))
@json_option
def kit(folder: Path, as_json: bool) -> None:
    """Write style, favourites and guide for the Neo4j Browser into FOLDER.

    Drag style.grass and favourites.zip into the Browser's window, one after the other. `ravu-kg db guide` offers both
    without this.
    """
    from ravu_kg.memory.browser import write_kit

    files = write_kit(folder)
    if as_json:
        echo_json({"files": files})
        return
    for file in files:
        click.echo(str(file))


@command.command(epilog=examples("ravu-kg db guide", "ravu-kg db guide --no-launch"))
@click.argument("video", required=False)
@_launch_option
@json_option
@click.pass_obj
def guide(state: State, video: str | None, launch: bool, as_json: bool) -> None:
    """Open the Neo4j Browser with a guide beside it, from the first look to a query of your own.

    It walks through the demo clip (see `ravu-kg demo`), or through VIDEO. Its first page sets the colours, a later one
    brings the favourites. The guide is served from this machine until you press Ctrl-C.
    """
    with state.open_memory() as memory:
        from ravu_kg.memory.browser import demo_video, paint

        video_id = memory.resolve(video) if video is not None else demo_video(memory.videos())
        if memory.endpoint is None:
            raise UsageError(
                "The guide is for the embedded server, but NEO4J_URI is set. Unset it, or read the guide as a page: "
                "ravu-kg db kit writes guide.md."
            )
        paint(memory.store, video_id)
        endpoint = memory.endpoint
    from ravu_kg.memory.kit_server import served_kit

    with served_kit(endpoint, video_id) as link:
        if launch:
            _launch(link)
        if as_json:
            echo_json({"link": link, "username": endpoint.username})
        else:
            _show_link(link, endpoint, with_password=False)
        click.echo("The guide is there until you press Ctrl-C.", err=True)
        with suppress(KeyboardInterrupt):
            Event().wait()


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


def _answer(target: str) -> KeptAnswer | None:
    """The answer that a target is; None when it names a video."""
    from ravu_kg.memory.browser import kept_answer, looks_like_an_answer, read_answer_file

    if not looks_like_an_answer(target):
        return None
    if target == "-":
        return kept_answer(sys.stdin.read(), "standard input")
    return kept_answer(read_answer_file(Path(target)), target)


def _statement(memory: VideoMemory, target: str | None, answer: KeptAnswer | None) -> str:
    """What fills the editor; the videos that it draws get the colours of their boxes."""
    from ravu_kg.memory.browser import paint
    from ravu_kg.memory.links import evidence_statement, video_statement

    if target is None:
        return memory.store.template("explore/overview").text
    videos = answer.video_ids if answer is not None else [target]
    ids = [memory.resolve(video) for video in videos]
    try:
        for video_id in ids:
            paint(memory.store, video_id)
    except GraphError as error:  # a server that this user may only read
        click.echo(f"The boxes' colours could not be noted: {error}", err=True)
    if answer is not None:
        return evidence_statement(memory.store, answer.video_id, answer.evidence)
    return video_statement(memory.store, ids[0])


def _show_statement(statement: str, as_json: bool) -> None:
    """For a server of the user's own, whose Browser could be anywhere."""
    if as_json:
        echo_json({"link": None, "statement": statement})
        return
    click.echo("NEO4J_URI is set: paste this into the Browser of that server.", err=True)
    click.echo(statement)


def _launch(link: str) -> None:
    """Open a link where there is a screen: elsewhere every opener there is would complain, and it is printed anyway."""
    screens = ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER", "WSL_DISTRO_NAME")
    if sys.platform != "linux" or any(os.environ.get(name) for name in screens):
        click.launch(link)


def _show_link(link: str, endpoint: Endpoint, with_password: bool) -> None:
    pairs = [("Browser", link), ("User", endpoint.username)]
    pairs.append(("Password", endpoint.password if with_password else "shown by: ravu-kg db open --password"))
    print_pairs(pairs)


command.add_command(dump)
command.add_command(load)
command.add_command(import_full)


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
