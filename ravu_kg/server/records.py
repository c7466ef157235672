"""What is asked of the embedded server, and what is told about it."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import quote

DEFAULT_VERSION = "2026.09.0"
USERNAME = "neo4j"


@dataclass(frozen=True, slots=True)
class ServerConfig:
    """The server that is wanted. Ports and memory that are not given are chosen."""

    home: Path
    """Data, logs, configuration and password; one server a home."""
    version: str = DEFAULT_VERSION
    bolt_port: int | None = None
    http_port: int | None = None
    heap_mb: int | None = None
    page_cache_mb: int | None = None


@dataclass(frozen=True, slots=True)
class Endpoint:
    """How to reach a running server."""

    bolt_uri: str
    browser_url: str
    username: str
    password: str = field(repr=False)
    version: str
    pid: int


@dataclass(frozen=True, slots=True)
class ServerStatus:
    """A look at a home, without starting anything."""

    running: bool
    endpoint: Endpoint | None
    """None while it is not running or does not answer yet."""
    home: Path
    version: str
    """Of the data in the home; of the configuration when there is none yet."""
    has_data: bool
    """Whether there is a database in it."""
    data_bytes: int
    """Size of the data on disk."""
    log: Path
    """What the server said, from its last start on."""


def browser_link(endpoint: Endpoint, cypher: str) -> str:
    """A link that opens the Neo4j Browser with a statement in its editor.

    The link holds the address and the user's name, never the password. It names no database: the Browser would look for
    it before it has asked the server for its databases, and show an error above the picture.
    """
    host_port = endpoint.bolt_uri.split("://", 1)[1]
    dbms = quote(f"bolt://{endpoint.username}@{host_port}", safe="")
    return f"{endpoint.browser_url}?cmd=edit&arg={quote(cypher, safe='')}&dbms={dbms}"
