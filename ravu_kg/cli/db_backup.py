"""``ravu-kg db dump`` and ``ravu-kg db load``: the whole embedded database in one file."""

from __future__ import annotations

from pathlib import Path

import click

from ravu_kg.cli.frame import State
from ravu_kg.cli.output import FILE, confirm, counted, echo_json, examples, json_option, size, status_line


@click.command(epilog=examples("ravu-kg db dump memory.ravudump"))
@click.argument("file", type=FILE)
@json_option
@click.pass_obj
def dump(state: State, file: Path, as_json: bool) -> None:
    """Back up the whole embedded database into FILE.

    A running server is stopped for it and started again. `ravu-kg db load FILE` restores it, on this version of Neo4j
    or a later one. What is kept in the cache folder is not part of it.
    """
    from ravu_kg.memory.backup import dump_database

    with status_line() as say:
        made = dump_database(state.settings(), file, say)
    if as_json:
        echo_json({"file": str(made.path), "neo4j": made.neo4j_version, "dump_bytes": made.dump_bytes})
    else:
        click.echo(f"Dumped the database of Neo4j {made.neo4j_version} into {file} ({size(made.dump_bytes)}).")


@click.command(epilog=examples("ravu-kg db load memory.ravudump", "ravu-kg db load memory.ravudump --yes"))
@click.argument("file", type=FILE)
@click.option("--yes", is_flag=True, help="Do not ask.")
@json_option
@click.pass_obj
def load(state: State, file: Path, yes: bool, as_json: bool) -> None:
    """Replace the whole embedded database by that of FILE, made with `ravu-kg db dump`.

    The dump may be of an earlier Neo4j, never of a later one. It is loaded and tried out beside the present database,
    which stays as it is when anything goes wrong. A running server is stopped and started again.
    """
    from ravu_kg.memory.backup import load_database
    from ravu_kg.memory.opening import server_config
    from ravu_kg.server.backup import read_backup

    settings = state.settings()
    if settings.neo4j.uri is None:
        found = read_backup(file)  # a wrong file is told before anything is asked
        home = server_config(settings).home
        confirm(f"Replace the whole memory in {home} by {file} of {found.created_at}?", yes)
    with status_line() as say:
        restored = load_database(settings, file, say)
    if as_json:
        versions = {"from_neo4j": restored.from_version, "to_neo4j": restored.to_version}
        echo_json({"file": str(file), **versions, "videos": restored.videos})
        return
    upgraded = restored.from_version != restored.to_version
    note = f", now of Neo4j {restored.to_version} and before of {restored.from_version}" if upgraded else ""
    click.echo(f"Loaded {file}: {counted(restored.videos, 'video')}{note}.")
