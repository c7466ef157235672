"""An open connection: named templates in managed transactions, and read-only ad-hoc Cypher."""

from __future__ import annotations

import logging
import re
import time
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import fields
from types import TracebackType
from typing import LiteralString, Self, TypeVar, cast

import neo4j
from neo4j import exceptions as driver_errors

from ravu_kg.errors import ConfigurationError, GraphError, UsageError
from ravu_kg.graph.results import Counters, ReadResult, TemplateProblem
from ravu_kg.graph.store.adhoc import MAX_BYTES, AdHocQuery, KnownTexts, answer
from ravu_kg.graph.store.failures import translated
from ravu_kg.graph.store.plain import plain_row
from ravu_kg.graph.templates import Template, TemplateLibrary
from ravu_kg.graph.values import Rows, check, example

_log = logging.getLogger(__name__)
_T = TypeVar("_T")
_TIMEOUT_S = 60.0
_CONNECT_TIMEOUT_S = 15.0
_ADHOC_FETCH = 200
"""Rows of an ad-hoc query that may wait unread: they can be large."""


class Store:
    """An open connection to one database. Safe to share between threads; close it, or use it as a context manager."""

    def __init__(
        self, driver: neo4j.Driver, database: str, server_version: tuple[int, ...], templates: TemplateLibrary, uri: str
    ) -> None:
        self.server_version = server_version
        self.templates = templates
        self.uri = uri
        self.database = database
        self._driver = driver
        # Shared by all sessions: a read sees the writes before it, in a cluster too.
        self._bookmarks = neo4j.GraphDatabase.bookmark_manager()
        self._known_texts = KnownTexts()

    @classmethod
    def connect(
        cls,
        uri: str,
        username: str,
        password: str,
        *,
        database: str = "neo4j",
        templates: TemplateLibrary | None = None,
    ) -> Self:
        """Connect and make sure that the server answers.

        Args:
            uri: ``bolt://``, ``neo4j://``, or one of them with ``+s`` or ``+ssc``.
            username: may be empty together with ``password`` for a server without authentication.
            password: of the user.
            database: name of the database.
            templates: those of the package by default.

        Raises:
            UnavailableError: no server answers at ``uri``.
            AuthenticationError: the server refuses the user or password.
            ConfigurationError: ``uri`` is malformed, or its encryption does not suit the server.
        """
        # The driver repeats each notification in this log; without a handler Python would print them on stderr.
        logging.getLogger("neo4j.notifications").addHandler(logging.NullHandler())
        library = templates or TemplateLibrary.load()
        if not re.match(r"(bolt|neo4j)(\+s|\+ssc)?://", uri):
            raise ConfigurationError(
                f"'{uri}' is no address of a Neo4j server: it starts with bolt:// or neo4j://, or one of them with +s "
                "or +ssc (the http:// address is the Browser's). Set NEO4J_URI."
            )
        try:
            driver = neo4j.GraphDatabase.driver(  # pyright: ignore[reportUnknownMemberType]  -- untyped **config
                uri,
                auth=(username, password) if username or password else None,
                telemetry_disabled=True,
                notifications_min_severity="OFF",
                connection_timeout=_CONNECT_TIMEOUT_S,
                user_agent="ravu-kg",
            )
        except (ValueError, driver_errors.DriverError) as error:
            raise ConfigurationError(f"'{uri}' is no address of a Neo4j server ({error}). Set NEO4J_URI.") from error
        try:
            with translated(uri):
                agent = driver.get_server_info().agent  # pyright: ignore[reportUnknownMemberType]  -- untyped **config
            store = cls(driver, database, _version(agent), library, uri)
        except BaseException:  # Ctrl-C while connecting, too
            driver.close()
            raise
        return store

    @property
    def bookmarks(self) -> tuple[str, ...]:
        """What this connection has written or seen, for another one to follow: reads in a cluster may be behind."""
        return tuple(sorted(self._bookmarks.get_bookmarks()))

    def follow(self, bookmarks: Sequence[str]) -> None:
        """Read at least what another connection, of another process perhaps, had written or seen by then.

        A server that has not come so far is waited for.

        Args:
            bookmarks: its :attr:`bookmarks`.
        """
        self._bookmarks.update_bookmarks((), bookmarks)

    def template(self, name: str) -> Template:
        """The template, in the variant for this server.

        Raises:
            NotFoundError: no template has the name.
        """
        return self.templates.get(name, self.server_version)

    def read(self, name: str, /, **parameters: object) -> ReadResult:
        """Run a read template; the server refuses it if it writes.

        A node that somebody else deletes while it is read gives nulls where the template promises values: such a row
        is left out.

        Raises:
            TypeError: parameters that the template does not declare.
            GraphError: Neo4j refused or is out of reach.
        """
        template = self.template(name)
        bound = template.bind(parameters)
        started_s = time.perf_counter()

        def work(transaction: neo4j.ManagedTransaction) -> tuple[list[dict[str, object]], tuple[str, ...]]:
            result = transaction.run(_literal(template.text), bound)
            columns = tuple(result.keys())
            return [plain_row(record, columns) for record in result], columns

        with self._session(neo4j.READ_ACCESS, name) as session:
            found, columns = session.execute_read(_unit(work, name, _TIMEOUT_S))
        promised = template.promised
        rows = [row for row in found if all(row[column] is not None for column in promised)]
        if len(rows) < len(found):
            _log.debug("%s: %d rows of nodes that were deleted meanwhile are left out", name, len(found) - len(rows))
        return ReadResult(rows, name, bound, time.perf_counter() - started_s, columns)

    def write(self, name: str, /, **parameters: object) -> Counters:
        """Run one write or schema template in one transaction.

        Raises:
            TypeError: parameters that the template does not declare.
            GraphError: Neo4j refused or is out of reach; nothing was written.
        """
        return self.write_all([(name, parameters)])

    def write_all(self, statements: Sequence[tuple[str, Mapping[str, object]]]) -> Counters:
        """Run several write templates in ONE transaction: all of them take effect, or none.

        A template that takes ``$rows`` and returns ``written`` must have written every row: otherwise a node that a
        row refers to is missing, and the transaction is rolled back.

        Raises:
            TypeError: parameters that a template does not declare.
            GraphError: Neo4j refused, is out of reach, or a row refers to something that is not there.
        """
        bound = [(self.template(name), self.template(name).bind(parameters)) for name, parameters in statements]
        names = ", ".join(dict.fromkeys(template.name for template, _ in bound))

        def work(transaction: neo4j.ManagedTransaction) -> Counters:
            total = Counters()
            for template, parameters in bound:
                result = transaction.run(_literal(template.text), parameters)
                if any(column.name == "written" for column in template.columns):
                    _require_written(result.single(strict=True)["written"], parameters.get("rows"), template.name)
                total += _counters(result.consume().counters)
            return total

        with self._session(neo4j.WRITE_ACCESS, names) as session:
            return session.execute_write(_unit(work, names, _TIMEOUT_S * 5))

    def query_readonly(
        self,
        text: str,
        parameters: Mapping[str, object] | None = None,
        *,
        limit: int = 1000,
        max_bytes: int = MAX_BYTES,
        timeout_s: float = 30.0,
    ) -> ReadResult:
        """Run somebody's own Cypher when it only reads this graph.

        Three gates: the text and its plan (listed functions, procedures and operators), read access mode (the server
        refuses to write), and limits of time, rows and bytes. Long lists of numbers are shown as ``<768 floats>``.

        Args:
            text: one statement.
            parameters: its ``$parameters``.
            limit: the most rows to fetch; :attr:`ReadResult.truncated` tells when there were more.
            max_bytes: the most that the rows may take as text; likewise.
            timeout_s: the longest it may run, planning and fetching included.

        Raises:
            UsageError: the statement would do more than read, misspells a name of the graph, or a parameter is missing
                or cannot be sent.
            GraphError: Neo4j refused the statement, it took too long, or the server is out of reach.
        """
        names = self.template("library/names").text
        query = AdHocQuery(text, _sendable(parameters or {}), limit, max_bytes, timeout_s, names)
        return answer(
            query, lambda: self._session(neo4j.READ_ACCESS, "the query", "WARNING", _ADHOC_FETCH), self._known_texts
        )

    def explain(self, template: Template) -> list[str]:
        """What is wrong with a template on this server, without running it; see :func:`check_templates`."""
        values = template.bind({p.name: example(p.type) for p in template.parameters})
        with self._session(neo4j.WRITE_ACCESS, template.name, notifications="INFORMATION") as session:
            result = session.run(_literal("EXPLAIN " + template.text), values)
            columns = list(result.keys())
            summary = result.consume()
        problems = [
            f"{status.gql_status}: {status.status_description}"
            for status in summary.gql_status_objects
            if status.gql_status.startswith("01")
            or status.classification == neo4j.NotificationClassification.PERFORMANCE
        ]
        if summary.query_type not in _QUERY_TYPES[template.mode]:
            problems.append(f"mode is '{template.mode}' but the server's query type is '{summary.query_type}'")
        declared = [column.name for column in template.columns]
        if columns != declared:
            problems.append(f"returns {columns}, but its header declares {declared}")
        return problems

    def close(self) -> None:
        """Close the connection; the store cannot be used afterwards."""
        self._driver.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @contextmanager
    def _session(
        self, access: str, what: str, notifications: str = "OFF", fetch_size: int = 1000
    ) -> Generator[neo4j.Session]:
        with (
            translated(self.uri, what),
            self._driver.session(  # pyright: ignore[reportUnknownMemberType]  -- untyped **config
                database=self.database,
                default_access_mode=access,
                bookmark_manager=self._bookmarks,
                fetch_size=fetch_size,
                notifications_min_severity=neo4j.NotificationMinimumSeverity(notifications),
            ) as session,
        ):
            yield session


def check_templates(store: Store) -> list[TemplateProblem]:
    """Check every template against the server: it plans, its query type agrees with its mode, its columns agree.

    A warning counts as a problem: an unknown label or property, a cartesian product, something deprecated. The schema
    has to be migrated. An empty list means that all is well.
    """
    problems = list[TemplateProblem]()
    for name in dict.fromkeys(template.name for template in store.templates):
        try:
            found = store.explain(store.template(name))
        except (GraphError, UsageError) as error:
            found = [str(error)]
        problems.extend(TemplateProblem(name, problem) for problem in found)
    return problems


_QUERY_TYPES = {"read": ("r",), "write": ("w", "rw"), "schema": ("s",)}


def _unit(
    work: Callable[[neo4j.ManagedTransaction], _T], name: str, timeout_s: float
) -> Callable[[neo4j.ManagedTransaction], _T]:
    return neo4j.unit_of_work(metadata={"template": name, "app": "ravu-kg"}, timeout=timeout_s)(work)


def _literal(text: str) -> LiteralString:
    # The driver takes literal text only, so that nobody builds queries from values. Here the text comes from a template
    # file, checked when it was loaded.
    return cast(LiteralString, text)


def _require_written(written: object, rows: object, name: str) -> None:
    if isinstance(rows, Rows) and written != len(rows):
        raise GraphError(
            f"{name} wrote {written} of {len(rows)} rows: a node that they refer to is not in the graph. "
            "Nothing was written."
        )


def _counters(counters: neo4j.SummaryCounters) -> Counters:
    return Counters(**{f.name: getattr(counters, f.name) for f in fields(Counters)})


def _sendable(parameters: Mapping[str, object]) -> dict[str, object]:
    try:
        return {name: check(value, "ANY | NULL", f"${name}") for name, value in parameters.items()}
    except TypeError as error:
        raise UsageError(str(error)) from error


def _version(agent: str) -> tuple[int, ...]:
    """``Neo4j/2026.09.0`` as ``(2026, 9, 0)``."""
    match = re.search(r"/(\d+(?:\.\d+)*)", agent)
    return tuple(int(part) for part in match.group(1).split(".")) if match else ()
