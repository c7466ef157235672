"""Somebody's own Cypher: planned, looked at, then run, all in one reading transaction with limits."""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Callable, Generator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from typing import LiteralString, TypeVar, cast

import neo4j
from neo4j import exceptions as driver_errors

from ravu_kg.deadline import LateError, within
from ravu_kg.errors import GraphError, UsageError
from ravu_kg.graph import hints, readonly
from ravu_kg.graph.results import ReadResult
from ravu_kg.graph.store.plain import plain_row
from ravu_kg.graph.values import elide_vectors, is_mapping, is_sequence

MAX_ROWS = 1_000_000
MAX_BYTES = 64 * 2**20
"""The most that a result may hold, as its text; the rows up to there are given."""

_T = TypeVar("_T")
_PLAN = "EXPLAIN "
_GRACE_S = 5.0
_KNOWN_S = 300.0
_KNOWN_TEXTS = 256
_UNKNOWN_NAMES = {"01N50": "label", "01N51": "relationship type", "01N52": "property"}
_EXPLAINED = ("Neo.ClientError.Statement.", "Neo.ClientError.Procedure.ProcedureNotFound")


@dataclass(frozen=True, slots=True)
class AdHocQuery:
    """A query and its limits."""

    text: str
    parameters: dict[str, object]
    max_rows: int
    max_bytes: int
    timeout_s: float
    names_text: str
    """The statement that gives the names of the graph: kind and name."""

    def check(self, *, known: bool) -> None:
        """Refuse what can be told without the server.

        Args:
            known: the text was looked at before and may run.

        Raises:
            UsageError: the text may not run, a parameter is missing, or a limit makes no sense.
        """
        if not 1 <= self.max_rows <= MAX_ROWS:
            raise UsageError(f"The limit of rows is 1 to {MAX_ROWS:,}, not {self.max_rows:,}.")
        if self.max_bytes < 1 or not 0 < self.timeout_s < threading.TIMEOUT_MAX / 2:
            raise UsageError("A limit of bytes or seconds is above 0.")
        if not known:
            readonly.refuse_text(self.text)
        missing = readonly.missing_parameters(self.text, self.parameters)
        if missing:
            names = ", ".join(f"${name}" for name in missing)
            raise UsageError(f"The query needs a value for {names}: --param {missing[0]}=VALUE on the command line.")


class KnownTexts:
    """Texts that passed the gate a while ago: what a statement may do depends on its text alone.

    A text that is asked again need not be planned for its operators again, which spares a round trip. It still runs
    in a transaction that reads. Those with notes are not kept, since the notes depend on what the graph holds.
    Safe in threads.
    """

    def __init__(self) -> None:
        self._since_s: dict[str, float] = {}
        self._lock = threading.Lock()

    def __contains__(self, text: str) -> bool:
        """Whether the text passed within the last minutes."""
        with self._lock:
            since_s = self._since_s.get(text)
        return since_s is not None and time.monotonic() - since_s < _KNOWN_S

    def add(self, text: str) -> None:
        """Remember a text that passed; the oldest one is forgotten for it."""
        with self._lock:
            self._since_s.pop(text, None)
            while len(self._since_s) >= _KNOWN_TEXTS:
                del self._since_s[next(iter(self._since_s))]
            self._since_s[text] = time.monotonic()


def answer(
    query: AdHocQuery, session: Callable[[], AbstractContextManager[neo4j.Session]], known: KnownTexts
) -> ReadResult:
    """Check the query, plan it, look at the plan, run it.

    Args:
        query: what is asked.
        session: opens one that reads.
        known: texts that need not be planned again; those that pass are added.

    Raises:
        UsageError: it would do more than read, names something that is probably misspelt, or lacks a parameter.
        GraphError: Neo4j refused it, or it took too long.
    """
    planned = query.text in known
    query.check(known=planned)
    started_s = time.perf_counter()

    def work() -> ReadResult:
        unit = neo4j.unit_of_work(metadata={"template": "ad-hoc", "app": "ravu-kg"}, timeout=query.timeout_s)
        with session() as opened:
            rows, columns, truncated, notes = opened.execute_read(unit(lambda tx: _run(tx, query, planned=planned)))
        if not notes:
            known.add(query.text)
        elapsed_s = time.perf_counter() - started_s
        return ReadResult(rows, "", query.parameters, elapsed_s, columns, truncated, notes)

    return _within(query.timeout_s + _GRACE_S, work)


def _run(
    tx: neo4j.ManagedTransaction, query: AdHocQuery, *, planned: bool
) -> tuple[list[dict[str, object]], tuple[str, ...], bool, tuple[str, ...]]:
    # The text is the user's own: it runs only after its plan has been looked at, and in a transaction that reads.
    notes = () if planned else _looked_at(tx, query)
    with _explained(query, ""):
        result = tx.run(cast(LiteralString, query.text), query.parameters)
        columns = tuple(result.keys())
        rows, used, truncated = list[dict[str, object]](), 0, False
        for record in result:
            row = {name: elide_vectors(value) for name, value in plain_row(record, columns).items()}
            used += _size(row)
            if len(rows) == query.max_rows or used > query.max_bytes:
                truncated = True
                break
            rows.append(row)
        result.consume()
    return rows, columns, truncated, notes


def _looked_at(tx: neo4j.ManagedTransaction, query: AdHocQuery) -> tuple[str, ...]:
    """Notes on the query, once its plan shows that it may run."""
    with _explained(query, _PLAN):
        planned = tx.run(cast(LiteralString, _PLAN + query.text), query.parameters).consume()
    operators: dict[object, object] = getattr(planned, "plan", None) or {}  # typed as a bare dict by the driver
    readonly.refuse_plan(planned.query_type or "", operators)
    return _unknown_names(tx, query, planned)


@contextmanager
def _explained(query: AdHocQuery, prefix: str) -> Generator[None]:
    """What the server says about a faulty query, with its place in the user's own text.

    Args:
        query: the query.
        prefix: what stands before its text in the statement that is sent.
    """
    try:
        yield
    except driver_errors.ClientError as error:
        if not str(error.code).startswith(_EXPLAINED) or "AccessMode" in str(error.code):
            raise
        names = readonly.FUNCTIONS | readonly.PROCEDURES
        message = hints.explained(str(error.message), query.text, prefix, names)
        raise GraphError(f"Not valid Cypher: {message}") from error


def _unknown_names(tx: neo4j.ManagedTransaction, query: AdHocQuery, planned: neo4j.ResultSummary) -> tuple[str, ...]:
    """Notes on labels, types and properties that the graph does not have.

    Raises:
        UsageError: one of them is so like a known one that it is a slip.
    """
    notes = list[str]()
    for status in planned.gql_status_objects:
        kind = _UNKNOWN_NAMES.get(status.gql_status, "")
        match = re.search(r"`(.*?)` does not exist", status.status_description) if kind else None
        if match is None:
            continue
        offset = status.position.offset - len(_PLAN) if status.position else 0
        known = tx.run(cast(LiteralString, query.names_text))
        names = {str(record["name"]) for record in known if record["kind"] == kind}
        problem = f"The graph has no {kind} `{match.group(1)}`"
        meant = hints.did_you_mean(match.group(1), names)
        if meant:
            raise UsageError(hints.placed(problem, query.text, offset, meant))
        notes.append(hints.placed(problem, query.text, offset).split("\n")[0])
    return tuple(dict.fromkeys(notes))


def _within(seconds: float, work: Callable[[], _T]) -> _T:
    """The result of the work, waited for at most so long.

    The server's own time limit does not cover planning, and some statements make it lose its reply altogether. The
    driver knows no limit for a read, so the thread is left behind then, with its connection.
    """
    try:
        return within(seconds, work, "ad-hoc query")
    except LateError:
        raise GraphError(f"No answer to the query within {seconds:.0f} s. Ask for less, or in a simpler way.") from None


def _size(value: object) -> int:
    """About how many bytes the value takes as JSON."""
    if isinstance(value, str):
        return len(value) + 2
    if is_mapping(value):
        return sum(len(str(key)) + 4 + _size(item) for key, item in value.items()) + 2
    if is_sequence(value):
        return sum(_size(item) + 2 for item in value) + 2
    return 8
