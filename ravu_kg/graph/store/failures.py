"""Errors of the driver as errors of this package: what happened, to what, and what to do next."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager

from neo4j import exceptions as driver_errors

from ravu_kg.errors import (
    AuthenticationError,
    ConfigurationError,
    DatabaseStoppedError,
    GraphError,
    RavuError,
    UnavailableError,
)


@contextmanager
def translated(uri: str, what: str = "") -> Generator[None]:
    """Whatever the driver raises inside leaves as an error of this package.

    Args:
        uri: of the server, for the message.
        what: is being done, for the message.
    """
    try:
        yield
    except (driver_errors.Neo4jError, driver_errors.DriverError, OSError) as error:
        raise translate(error, uri, what) from error
    except (UnicodeError, OverflowError) as error:
        raise GraphError(
            f"A value cannot be stored{_during(what)}: {error}. Text must be well-formed, integers fit 64 bits."
        ) from error


def translate(error: Exception, uri: str = "Neo4j", what: str = "") -> RavuError:
    """The error of this package for one of the driver."""
    during = _during(what)
    if isinstance(error, driver_errors.AuthError):
        return AuthenticationError(f"{uri} refused the user name or password. Check NEO4J_USERNAME and NEO4J_PASSWORD.")
    if isinstance(error, driver_errors.IncompleteCommit):
        return UnavailableError(
            f"The connection to {uri} was lost{during} while it was being committed: it is written as a whole or not "
            "at all. Run the same command again: it goes on from what is there."
        )
    if isinstance(error, _MISCONFIGURED):
        return ConfigurationError(f"Cannot talk to {uri}: {error}. Check NEO4J_URI, its scheme and certificates.")
    if isinstance(error, (driver_errors.Neo4jError, driver_errors.ResultFailedError)):
        return _translate_code(error, uri, during)
    if isinstance(error, _UNAVAILABLE):
        return UnavailableError(
            f"No Neo4j server answers at {uri}{during} ({_first_line(error)}). "
            "Start it ('ravu-kg db start' for the embedded one) or correct NEO4J_URI."
        )
    return GraphError(f"Neo4j at {uri} failed{during}: {_first_line(error)}")


_MISCONFIGURED = (driver_errors.ConfigurationError, driver_errors.UnsupportedServerProduct)
_UNAVAILABLE = (
    driver_errors.ServiceUnavailable,
    driver_errors.SessionExpired,
    driver_errors.ConnectionPoolError,
    driver_errors.TransientError,
    OSError,
)


def _during(what: str) -> str:
    return f" during {what}" if what else ""


def _translate_code(error: Exception, uri: str, during: str) -> RavuError:
    code = str(getattr(error, "code", "") or "")
    message = str(getattr(error, "message", "") or _first_line(error))
    if "TransactionLogError" in code or "needs to be restarted" in message:
        return DatabaseStoppedError(
            f"The database at {uri} has stopped itself{during}; most likely its disk is full. Make room there and run "
            "the same command again, which starts the embedded server anew; a server of your own restart yourself."
        )
    if isinstance(error, driver_errors.ForbiddenOnReadOnlyDatabase) or "AccessMode" in code or "ReadOnly" in code:
        return GraphError(f"Refused{during}: only reading is allowed here. {message}")
    if "TransactionTimedOut" in code or "TransactionTerminated" in code or "LockClientStopped" in code:
        return GraphError(f"Stopped{during}: it ran longer than allowed. Ask for less, or allow it more time.")
    if "DatabaseNotFound" in code:
        return GraphError(f"{uri} has no such database: {message} Set NEO4J_DATABASE.")
    if isinstance(error, driver_errors.ConstraintError):
        return GraphError(f"Refused{during}: it breaks a constraint of the graph. {message}")
    if isinstance(error, (driver_errors.CypherSyntaxError, driver_errors.CypherTypeError)):
        return GraphError(f"Not valid Cypher{during}: {message}")
    if isinstance(error, driver_errors.Forbidden):
        return GraphError(f"The user has no right to do this{during}: {message}")
    if isinstance(error, driver_errors.TransientError):
        return UnavailableError(f"{uri} was too busy{during}, also after retrying: {message} Try again later.")
    return GraphError(f"Neo4j refused{during}: {message} ({code or type(error).__name__})")


def _first_line(error: Exception) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0]
