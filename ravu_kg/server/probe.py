"""Is there a Neo4j server, and which? Works on any server, embedded or not."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from importlib.resources import files
from typing import LiteralString, cast

from neo4j import GraphDatabase, Query
from neo4j.exceptions import AuthError, ConfigurationError, DriverError, Neo4jError

from ravu_kg.errors import AuthenticationError, GraphError, UnavailableError

_ANSWER_TIMEOUT_S = 10.0
_SCHEMES = frozenset(f"{scheme}{security}" for scheme in ("bolt", "neo4j") for security in ("", "+s", "+ssc"))


@dataclass(frozen=True, slots=True)
class ServerInfo:
    """What a server says about itself."""

    version: str
    edition: str

    @property
    def version_numbers(self) -> tuple[int, ...]:
        """For comparing: ``(2026, 9, 0)``."""
        return tuple(int(part) for part in self.version.split("-")[0].split("+")[0].split(".") if part.isdigit())


def server_info(uri: str, username: str, password: str) -> ServerInfo:
    """Version and edition of the server at ``uri``.

    Raises:
        AuthenticationError: it refused the user name or password.
        UnavailableError: no answer.
        GraphError: it answered with another error, or the address cannot be used.
    """
    scheme = uri.split("://")[0]
    if scheme not in _SCHEMES:  # the driver would take a web address and speak another protocol
        raise GraphError(f"{uri!r} is no Bolt address. Use one such as bolt://127.0.0.1:7687 or neo4j+s://HOST.")
    text = files("ravu_kg.server").joinpath("probe.cypher").read_text(encoding="utf-8")
    try:
        with GraphDatabase.driver(  # pyright: ignore[reportUnknownMemberType]  -- untyped **config
            uri,
            auth=(username, password),
            telemetry_disabled=True,
            connection_timeout=_ANSWER_TIMEOUT_S,
            max_transaction_retry_time=0,  # whoever wants to wait uses wait_for_bolt
        ) as driver:
            # The driver wants literal text; this one is a file of the package.
            records, _, _ = driver.execute_query(Query(cast(LiteralString, text)))
    except AuthError as error:
        raise AuthenticationError(
            f"Neo4j at {uri} refused the user {username!r} or the password. Check NEO4J_USERNAME and NEO4J_PASSWORD."
        ) from error
    except (ConfigurationError, ValueError) as error:
        raise GraphError(f"{uri!r} is no Bolt address: {error}") from error
    except DriverError as error:
        raise UnavailableError(f"No Neo4j server answers at {uri}: {error}") from error
    except Neo4jError as error:
        # On a busy machine the first query of a cold server may take longer than a transaction is allowed to.
        if error.is_retryable() or "TransactionTimedOut" in (error.code or ""):
            raise UnavailableError(f"Neo4j at {uri} is not ready: {error.message}") from error
        raise GraphError(f"Neo4j at {uri} answered with an error: {error.message}") from error
    return ServerInfo(version=str(records[0]["version"]), edition=str(records[0]["edition"]))


def wait_for_bolt(
    uri: str,
    username: str,
    password: str,
    timeout_s: float,
    *,
    still_starting: Callable[[], None] | None = None,
    interval_s: float = 0.25,
) -> ServerInfo:
    """Wait until the server at ``uri`` has answered a query.

    Args:
        uri: address.
        username: of the user.
        password: of the user.
        timeout_s: how long to wait.
        still_starting: called between tries; it raises to give up.
        interval_s: pause between tries.

    Raises:
        AuthenticationError: it answered and refused the password.
        UnavailableError: no answer in time.
    """
    deadline = time.monotonic() + timeout_s
    while True:
        try:
            return server_info(uri, username, password)
        except UnavailableError:
            if time.monotonic() >= deadline:
                raise
        if still_starting is not None:
            still_starting()
        time.sleep(interval_s)
