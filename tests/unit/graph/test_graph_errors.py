"""Every error of the driver leaves the store as one of the package's."""

from __future__ import annotations

import neo4j.exceptions as driver_errors
import pytest

from ravu_kg.errors import AuthenticationError, ConfigurationError, GraphError, RavuError, UnavailableError
from ravu_kg.graph.store import Store, translate

EXPECTED: dict[type[Exception], type[RavuError]] = {
    driver_errors.AuthError: AuthenticationError,
    driver_errors.TokenExpired: AuthenticationError,
    driver_errors.ConfigurationError: ConfigurationError,
    driver_errors.AuthConfigurationError: ConfigurationError,
    driver_errors.CertificateConfigurationError: ConfigurationError,
    driver_errors.UnsupportedServerProduct: ConfigurationError,
    driver_errors.TransientError: UnavailableError,
    driver_errors.DatabaseUnavailable: UnavailableError,
    driver_errors.NotALeader: UnavailableError,
    driver_errors.ForbiddenOnReadOnlyDatabase: GraphError,
    driver_errors.ServiceUnavailable: UnavailableError,
    driver_errors.RoutingServiceUnavailable: UnavailableError,
    driver_errors.WriteServiceUnavailable: UnavailableError,
    driver_errors.ReadServiceUnavailable: UnavailableError,
    driver_errors.IncompleteCommit: UnavailableError,
    driver_errors.SessionExpired: UnavailableError,
    driver_errors.ConnectionPoolError: UnavailableError,
    driver_errors.ConnectionAcquisitionTimeoutError: UnavailableError,
    driver_errors.Neo4jError: GraphError,
    driver_errors.ClientError: GraphError,
    driver_errors.CypherSyntaxError: GraphError,
    driver_errors.CypherTypeError: GraphError,
    driver_errors.ConstraintError: GraphError,
    driver_errors.Forbidden: GraphError,
    driver_errors.DatabaseError: GraphError,
    driver_errors.DriverError: GraphError,
    driver_errors.SessionError: GraphError,
    driver_errors.TransactionError: GraphError,
    driver_errors.TransactionNestingError: GraphError,
    driver_errors.ResultError: GraphError,
    driver_errors.ResultFailedError: GraphError,
    driver_errors.ResultConsumedError: GraphError,
    driver_errors.ResultNotSingleError: GraphError,
    driver_errors.BrokenRecordError: GraphError,
}


def _tree(root: type[Exception]) -> list[type[Exception]]:
    return [root, *(found for child in root.__subclasses__() for found in _tree(child))]


def _instance(kind: type[Exception]) -> Exception:
    error = kind.__new__(kind)
    Exception.__init__(error, "what the server said")
    return error


def test_every_class_of_the_drivers_tree_is_listed_here() -> None:
    assert set(_tree(driver_errors.Neo4jError)) | set(_tree(driver_errors.DriverError)) == set(EXPECTED)


@pytest.mark.parametrize("kind", EXPECTED, ids=lambda kind: kind.__name__)
def test_every_class_of_the_drivers_tree_is_translated(kind: type[Exception]) -> None:
    translated = translate(_instance(kind), "bolt://host:7687", "reading")
    assert type(translated) is EXPECTED[kind]
    assert translated.exit_code in (3, 6)


def test_a_broken_connection_names_the_address_and_what_to_do() -> None:
    message = str(translate(ConnectionResetError("reset"), "bolt://host:7687", "explore/timeline"))
    assert "bolt://host:7687" in message
    assert "explore/timeline" in message
    assert "ravu-kg db start" in message


@pytest.mark.parametrize("uri", ["http://localhost:7474", "localhost", "bolt+x://h", ""])
def test_a_malformed_address_is_a_configuration_error(uri: str) -> None:
    with pytest.raises(ConfigurationError, match="no address of a Neo4j server"):
        Store.connect(uri, "neo4j", "password")
