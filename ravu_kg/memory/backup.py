"""Backing up and restoring the embedded database: every video of the memory."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from ravu_kg.errors import ConfigurationError
from ravu_kg.graph import schema
from ravu_kg.graph.store import Store
from ravu_kg.memory.library import summaries
from ravu_kg.memory.opening import server_config, share_cache
from ravu_kg.server import Endpoint, ServerConfig, backup
from ravu_kg.settings import Settings


@dataclass(frozen=True, slots=True)
class Restored:
    """What was loaded."""

    source: Path
    from_version: str
    """Neo4j that wrote the data."""
    to_version: str
    videos: int


def dump_database(settings: Settings, target: Path, progress: Callable[[str], None] | None = None) -> backup.Backup:
    """Write the embedded database into a file; see :func:`ravu_kg.server.backup.dump`.

    Raises:
        ConfigurationError: the settings name a server of the user's own.
        UsageError: the file exists, or its folder does not.
        ServerError: there is no database, or Neo4j failed.
    """
    return backup.dump(_embedded(settings), target, progress)


def load_database(settings: Settings, source: Path, progress: Callable[[str], None] | None = None) -> Restored:
    """Put the database of a file in the place of the embedded one; see :func:`ravu_kg.server.backup.load`.

    Raises:
        ConfigurationError: the settings name a server of the user's own; the file is cut or of a later Neo4j.
        GraphError: the graph in it is of a newer ravu-kg, or Neo4j cannot use it. Nothing was changed.
    """
    config = _embedded(settings)
    found = 0

    def check(endpoint: Endpoint) -> None:
        nonlocal found
        database = settings.neo4j.database
        with Store.connect(endpoint.bolt_uri, endpoint.username, endpoint.password, database=database) as store:
            schema.bring_up_to_date(store)
            found = len(summaries(store))

    loaded = backup.load(config, source, check, progress)
    return Restored(source, loaded.neo4j_version, config.version, found)


def _embedded(settings: Settings) -> ServerConfig:
    if settings.neo4j.uri is not None:
        raise ConfigurationError(
            f"NEO4J_URI is set: {settings.neo4j.uri} is a server of your own, and only the embedded one is dumped and "
            "loaded. Use its own neo4j-admin, or unset NEO4J_URI. For one video: ravu-kg export bundle"
        )
    share_cache(settings)
    return server_config(settings)
