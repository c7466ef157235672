"""An SQLite file of things that can be had again. Several processes and threads may use one file."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

_DAMAGED = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)


@dataclass(slots=True)
class CacheFile:
    """Never stops the work: a damaged file is begun anew, and one that cannot be used is left alone; a warning says so.

    The file, its folder and its table are made when they are first needed.
    """

    path: Path
    schema: str
    """The statements that make its tables unless they are there."""
    wait_s: float
    """How long another process's lock is waited for."""
    name: str
    """As warnings call it."""
    retire: Callable[[Path], str]
    """Takes a damaged file out of the way and says what became of it."""
    unusable: str
    """What it means that the file cannot be used."""
    warn: Callable[[str], None]
    _lock: threading.Lock = field(default_factory=threading.Lock, init=False)
    _connection: sqlite3.Connection | None = field(default=None, init=False)

    def attempt(self, work: Callable[[sqlite3.Connection], None]) -> None:
        """Do the work; on a damaged file, once more on a new one; on any other failure of the file, not at all."""
        with self._lock:
            try:
                try:
                    work(self._open())
                except sqlite3.DatabaseError as error:
                    if error.sqlite_errorcode & 0xFF not in _DAMAGED:
                        raise
                    self._close()
                    self.warn(f"{self.name} {self.path} is damaged ({error}); {self.retire(self.path)}")
                    for suffix in ("-wal", "-shm"):  # they belong to the damaged file
                        self.path.with_name(self.path.name + suffix).unlink(missing_ok=True)
                    work(self._open())
            except (sqlite3.Error, OSError) as error:
                self._close()
                self.warn(f"{self.name} {self.path} cannot be used: {error}. {self.unusable}")

    def close(self) -> None:
        """Close the file; the next use opens it again."""
        with self._lock:
            self._close()

    def _open(self) -> sqlite3.Connection:
        if self._connection is None:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            # One connection for all threads, guarded by the lock.
            self._connection = sqlite3.connect(self.path, timeout=self.wait_s, check_same_thread=False)
            self._connection.execute("PRAGMA journal_mode = WAL")
            # What is written survives the death of the process; only with the machine may the last be lost.
            self._connection.execute("PRAGMA synchronous = NORMAL")
            self._connection.executescript(self.schema)
        return self._connection

    def _close(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None
