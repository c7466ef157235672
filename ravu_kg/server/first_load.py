"""A database made from files by Neo4j's own import, for a home without data."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from ravu_kg.errors import ServerError
from ravu_kg.server.embedded import EmbeddedServer
from ravu_kg.server.fetching import Progress, fetch_import, silent
from ravu_kg.server.home import Home
from ravu_kg.server.records import Endpoint, ServerConfig

_GROWTH = 3
"""Room that a database with its indexes takes, in sizes of the files: by arithmetic 2.6."""


def fill(
    config: ServerConfig,
    nodes: Sequence[tuple[str, Path]],
    relationships: Sequence[tuple[str, Path]],
    finish: Callable[[Endpoint], None],
    is_empty: Callable[[], bool],
    progress: Progress | None = None,
) -> None:
    """Put a database made of Parquet files in the place of an empty one.

    It is made beside the present one, started and finished there, and takes its place at the very end: whatever happens
    before, a kill too, leaves the present one.

    Args:
        config: the server.
        nodes: label and file.
        relationships: type and file.
        finish: called with the address of a server that has the new data: indexes, and what files cannot say.
        is_empty: whether the present database still holds nothing; asked again before it goes.
        progress: told in a line what is waited for.

    Raises:
        ServerError: the import failed, there is no room, or the present database was filled meanwhile.
    """
    report = progress or silent
    home = Home(config.home)
    home.prepare()
    _require_room(home, sum(path.stat().st_size for _, path in (*nodes, *relationships)))
    trial = EmbeddedServer(replace(config, home=home.incoming, bolt_port=None, http_port=None))
    trial.reset()  # what a killed run has left
    try:
        with trial.paused(report) as (incoming, tool):
            incoming.write_private(incoming.password_file, home.password() + "\n")
            report("Importing")
            tool.import_full(nodes, relationships, fetch_import(config.version, report))
        report("Starting Neo4j on the new data")
        finish(trial.start(report))
        trial.stop()
        if not is_empty():
            raise ServerError(f"Somebody filled the memory in {config.home} meanwhile. Nothing was changed.")
        with EmbeddedServer(config).paused(report) as (home, _):
            home.replace_data(incoming.data)
            home.keep_version(config.version)
    finally:
        trial.reset()
        shutil.rmtree(home.incoming, ignore_errors=True)


def _require_room(home: Home, files_bytes: int) -> None:
    free = shutil.disk_usage(home.path).free
    if free < _GROWTH * files_bytes:
        raise ServerError(
            f"There is no room in {home.path} for the database: {free // 2**20} MB are free, about "
            f"{_GROWTH * files_bytes // 2**20} MB needed. Make room; nothing was changed."
        )
