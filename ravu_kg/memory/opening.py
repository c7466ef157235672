"""From settings to an open store: the user's own server, or the embedded one."""

from __future__ import annotations

import os
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path

import platformdirs
from filelock import FileLock

from ravu_kg.errors import AuthenticationError, ConfigurationError, DatabaseStoppedError
from ravu_kg.graph.store import Store
from ravu_kg.server import EmbeddedServer, Endpoint, ServerConfig, cache_dir
from ravu_kg.settings import Settings


def server_config(settings: Settings) -> ServerConfig:
    """The embedded server that the settings describe; its home is by default in the user's data folder."""
    server = settings.server
    data = Path(platformdirs.user_data_dir("ravu-kg", appauthor=False))
    return ServerConfig(
        home=server.home or data / f"neo4j-{server.version}",
        version=server.version,
        bolt_port=server.bolt_port,
        http_port=server.http_port,
        heap_mb=server.heap_mb,
        page_cache_mb=server.page_cache_mb,
    )


def open_store(settings: Settings, progress: Callable[[str], None] | None = None) -> tuple[Store, Endpoint | None]:
    """An open store; the endpoint is that of the embedded server, None for a server of the user's own.

    Raises:
        ConfigurationError: a server is named without a password, or its address is malformed.
        ServerError: the embedded server cannot be started.
        UnavailableError: nothing answers at the address.
        AuthenticationError: the user or password is refused.
    """
    own = settings.neo4j
    if own.uri is None:
        server = EmbeddedServer(server_config(settings))
        endpoint = server.start(progress)
        try:
            return _working(endpoint, own.database), endpoint
        except DatabaseStoppedError:
            endpoint = server.restart(progress)
            return _working(endpoint, own.database), endpoint
        except AuthenticationError as error:
            raise server.wrong_password() from error
    if own.password is None:
        raise ConfigurationError(
            f"The server {own.uri} is set, but no password for user {own.username}. Set NEO4J_PASSWORD; for a server "
            "without authentication set it to nothing and NEO4J_USERNAME to nothing as well."
        )
    store = Store.connect(own.uri, own.username, own.password.get_secret_value(), database=own.database)
    return store, None


@contextmanager
def running_store(settings: Settings) -> Generator[Store | None]:
    """A store for a quick look: None where the embedded server does not run; nothing is started.

    Raises:
        RavuError: the server cannot be reached.
    """
    store = None
    if settings.neo4j.uri is not None:
        store, _ = open_store(settings)
    elif endpoint := EmbeddedServer(server_config(settings)).status().endpoint:
        store = Store.connect(endpoint.bolt_uri, endpoint.username, endpoint.password, database=settings.neo4j.database)
    try:
        yield store
    finally:
        if store is not None:
            store.close()


def _working(endpoint: Endpoint, database: str) -> Store:
    """A store that has answered a query: a database that has stopped itself still lets everybody connect."""
    store = Store.connect(endpoint.bolt_uri, endpoint.username, endpoint.password, database=database)
    try:
        store.read("schema/embedder")
    except BaseException:  # Ctrl-C, too
        store.close()
        raise
    return store


def share_cache(settings: Settings) -> None:
    """Let every part, providers and child processes too, keep what it fetches in the cache folder of the settings."""
    if settings.cache != cache_dir():
        os.environ["RAVU_KG_CACHE"] = str(settings.cache)


@contextmanager
def one_at_a_time(cache: Path, video_id: str) -> Generator[None]:
    """Only one process indexes a video at a time; the second waits and then finds it indexed."""
    folder = cache / "locks"
    folder.mkdir(parents=True, exist_ok=True)
    with FileLock(folder / f"{video_id}.lock"):
        yield
