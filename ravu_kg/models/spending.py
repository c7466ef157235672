"""What runs that have not come to their end have spent: noted with each call, so that no kill loses it."""

from __future__ import annotations

import logging
import sqlite3
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from ravu_kg.cache_file import CacheFile
from ravu_kg.types import Usage

_WAIT_S = 30.0
_log = logging.getLogger(__name__)

_SCHEMA = """
CREATE TABLE IF NOT EXISTS spent (
    account TEXT NOT NULL,
    stage TEXT NOT NULL,
    model TEXT NOT NULL,
    calls INTEGER NOT NULL,
    input_tokens INTEGER NOT NULL,
    output_tokens INTEGER NOT NULL,
    cost_usd REAL,
    PRIMARY KEY (account, stage)
)
"""
_ADD = """
INSERT INTO spent VALUES (?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (account, stage) DO UPDATE SET
    model = excluded.model,
    calls = calls + excluded.calls,
    input_tokens = input_tokens + excluded.input_tokens,
    output_tokens = output_tokens + excluded.output_tokens,
    cost_usd = cost_usd + excluded.cost_usd
"""
_UNUSABLE = "What a run spends is lost when it is killed; check the space on the disk and the folder's permissions."


@dataclass(frozen=True, slots=True)
class Spent:
    """What the calls of one stage came to."""

    model: str
    usage: Usage
    has_price: bool
    """Whether the cost of every call is known."""


class Spending:
    """An SQLite file with what each account, such as the graph that a run makes, has spent by stage.

    It is kept only until the run has noted it with its result. A damaged file is begun anew; a warning says so.
    """

    def __init__(self, path: Path, warn: Callable[[str], None] = _log.warning) -> None:
        """Nothing is opened before it is needed.

        Args:
            path: the file.
            warn: gets one line when the file is begun anew or cannot be used.
        """
        self._file = CacheFile(path, _SCHEMA, _WAIT_S, "The file of what is spent", _begun_anew, _UNUSABLE, warn)

    def add(self, account: str, stage: str, model: str, usage: Usage, *, has_price: bool) -> None:
        """Note a call, on the disk when this returns."""
        cost_usd = usage.cost_usd if has_price else None
        row = (account, stage, model, usage.calls, usage.input_tokens, usage.output_tokens, cost_usd)

        def write(connection: sqlite3.Connection) -> None:
            with connection:
                connection.execute(_ADD, row)

        self._file.attempt(write)

    def of(self, account: str) -> Mapping[str, Spent]:
        """What an account has spent, by stage."""
        rows: list[tuple[str, str, int, int, int, float | None]] = []

        def read(connection: sqlite3.Connection) -> None:
            query = "SELECT stage, model, calls, input_tokens, output_tokens, cost_usd FROM spent WHERE account = ?"
            rows.extend(connection.execute(query, (account,)))

        self._file.attempt(read)
        return {
            stage: Spent(model, Usage(calls, tokens_in, tokens_out, cost_usd or 0.0), cost_usd is not None)
            for stage, model, calls, tokens_in, tokens_out, cost_usd in rows
        }

    def forget(self, account: str) -> None:
        """Keep nothing of an account: what it spent is noted elsewhere, or is of no interest any more."""

        def write(connection: sqlite3.Connection) -> None:
            with connection:
                connection.execute("DELETE FROM spent WHERE account = ?", (account,))

        self._file.attempt(write)

    def close(self) -> None:
        """Close the file; the next use opens it again."""
        self._file.close()


def _begun_anew(path: Path) -> str:
    path.unlink(missing_ok=True)
    return "it is begun anew."
