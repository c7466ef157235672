"""Every reply that was ever received, by what was asked: no call is made twice."""

from __future__ import annotations

import difflib
import hashlib
import json
import logging
import sqlite3
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Self

from ravu_kg.cache_file import CacheFile
from ravu_kg.errors import RefusalError
from ravu_kg.types import ModelReply, ModelRequest, Picture

_WAIT_S = 30.0
_COMPARED = 200  # recorded requests that a missing one is compared with, the latest
_COMPARED_CLOSELY = 5
_COMPARED_CHARACTERS = 4000
_log = logging.getLogger(__name__)

_SCHEMA = """
CREATE TABLE IF NOT EXISTS reply (
    key BLOB PRIMARY KEY,
    model TEXT NOT NULL,
    stage TEXT NOT NULL,
    request TEXT NOT NULL,
    text TEXT NOT NULL,
    finish TEXT NOT NULL,
    input_tokens INTEGER NOT NULL,
    output_tokens INTEGER NOT NULL,
    cached_tokens INTEGER NOT NULL,
    received TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP
);
CREATE TABLE IF NOT EXISTS asked_for (
    video TEXT NOT NULL,
    key BLOB NOT NULL,
    PRIMARY KEY (video, key)
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS asked_for_key ON asked_for (key);
"""
LIBRARY = "*"
"""Stands for all videos, in the place of one: what is asked about them all may say something of each."""
_FORGET_REPLIES = """
DELETE FROM reply WHERE key IN (
    SELECT key FROM asked_for WHERE video = :library
    UNION
    SELECT mine.key FROM asked_for AS mine WHERE mine.video = :video AND NOT EXISTS (
        SELECT 1 FROM asked_for AS other WHERE other.key = mine.key AND other.video <> :video
    )
)
"""
_UNUSABLE = (
    "Replies are not kept; check the space on the disk and the permissions of the folder, or name another in "
    "RAVU_KG_CACHE."
)
_REFUSED = "refused"  # in the column finish; the text is what the error said


@dataclass(frozen=True, slots=True)
class Near:
    """A recorded request that is much like one that was not recorded."""

    model: str
    stage: str
    alike: float
    """0..1, by the text."""
    difference: str
    """Where they first differ, the recorded one first."""


@dataclass(frozen=True, slots=True)
class Recorded:
    """What a model once said."""

    asked: str
    """All texts of the request, the changing ones first, a line in the place of each picture."""
    text: str
    output_tokens: int


class ReplyStore:
    """Replies and refusals in an SQLite file. Several processes and threads may use one file.

    A damaged file is set aside and a new one begun; a warning says so. The pictures of a request are not stored, only
    their digests.
    """

    def __init__(self, path: Path, warn: Callable[[str], None] = _log.warning) -> None:
        """Open the file, or make it and its folder.

        Args:
            path: the file.
            warn: gets one line when the file is set aside or cannot be used.
        """
        self._file = CacheFile(path, _SCHEMA, _WAIT_S, "The store of replies", _set_aside, _UNUSABLE, warn)
        self._file.attempt(lambda connection: None)

    def get(self, key: bytes) -> ModelReply | RefusalError | None:
        """What was received for a request, or None."""
        found: list[tuple[str, str, int, int, int]] = []

        def read(connection: sqlite3.Connection) -> None:
            query = "SELECT text, finish, input_tokens, output_tokens, cached_tokens FROM reply WHERE key = ?"
            found.extend(connection.execute(query, (key,)))

        self._file.attempt(read)
        for text, finish, input_tokens, output_tokens, cached_tokens in found:
            if finish == _REFUSED:
                return RefusalError(text)
            return ModelReply(
                text, "length" if finish == "length" else "stop", input_tokens, output_tokens, cached_tokens
            )
        return None

    def latest(self, model: str, stage: str, count: int) -> list[Recorded]:
        """The latest whole replies of a model in a stage."""
        rows: list[tuple[str, str, int]] = []

        def read(connection: sqlite3.Connection) -> None:
            query = (
                "SELECT request, text, output_tokens FROM reply"
                " WHERE model = ? AND stage = ? AND finish = 'stop' ORDER BY rowid DESC LIMIT ?"
            )
            rows.extend(connection.execute(query, (model, stage, count)))

        self._file.attempt(read)
        return [Recorded(*row) for row in rows]

    def put(self, key: bytes, model: str, request: ModelRequest, reply: ModelReply | RefusalError) -> None:
        """Keep what was received for a request, on the disk when this returns."""
        if isinstance(reply, RefusalError):
            received = (str(reply), _REFUSED, 0, 0, 0)
        else:
            received = (reply.text, reply.finish, reply.input_tokens, reply.output_tokens, reply.cached_tokens)
        # A lone surrogate, which a model may well write as an escape, cannot be stored as text.
        row = (key, model, stage_of(request), _readable(request), *received)
        row = tuple(value.encode("utf-8", "replace").decode() if isinstance(value, str) else value for value in row)

        def write(connection: sqlite3.Connection) -> None:
            with connection:
                connection.execute(
                    "INSERT OR REPLACE INTO reply"
                    " (key, model, stage, request, text, finish, input_tokens, output_tokens, cached_tokens)"
                    " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
                    row,
                )

        self._file.attempt(write)

    def note(self, key: bytes, video: str) -> None:
        """Note that a request is about a video, whether it was answered yet or not; :data:`LIBRARY` for all of them."""

        def write(connection: sqlite3.Connection) -> None:
            with connection:
                connection.execute("INSERT OR IGNORE INTO asked_for VALUES (?, ?)", (video, key))

        self._file.attempt(write)

    def knows(self, video: str) -> bool:
        """Whether any reply about a video is kept, so that going on with it does not ask for everything again."""
        found: list[tuple[int]] = []

        def read(connection: sqlite3.Connection) -> None:
            query = "SELECT EXISTS (SELECT 1 FROM asked_for JOIN reply USING (key) WHERE video = ?)"
            found.extend(connection.execute(query, (video,)))

        self._file.attempt(read)
        return bool(found and found[0][0])

    def forget(self, key: bytes) -> None:
        """Keep nothing of a request, so that it is asked again."""

        def write(connection: sqlite3.Connection) -> None:
            with connection:
                connection.execute("DELETE FROM reply WHERE key = ?", (key,))
                connection.execute("DELETE FROM asked_for WHERE key = ?", (key,))

        self._file.attempt(write)

    def forget_video(self, video: str) -> int:
        """Keep nothing of a video that is deleted; gives how many replies went.

        Those to requests that another video made, too, stay with it. Those about all videos go.
        """
        gone = 0

        def write(connection: sqlite3.Connection) -> None:
            nonlocal gone
            with connection:
                connection.execute("PRAGMA secure_delete = ON")  # what was said is overwritten, not only unlinked
                gone = connection.execute(_FORGET_REPLIES, {"video": video, "library": LIBRARY}).rowcount
                connection.execute("DELETE FROM asked_for WHERE video IN (?, ?)", (video, LIBRARY))

        self._file.attempt(write)
        return gone

    def nearest(self, model: str, request: ModelRequest) -> Near | None:
        """The recorded request that is most like this one: of its stage if there is any, by its text."""
        stage, text = stage_of(request), _readable(request)
        rows: list[tuple[str, str, str]] = []

        def read(connection: sqlite3.Connection) -> None:
            query = (
                "SELECT model, stage, request FROM reply ORDER BY stage = ? DESC, model = ? DESC, rowid DESC LIMIT ?"
            )
            rows.extend(connection.execute(query, (stage, model, _COMPARED)))

        self._file.attempt(read)
        same_stage = [row for row in rows if row[1] == stage] or rows
        # First by a rough measure: the exact one takes long.
        candidates = sorted(same_stage, key=lambda row: _alike(row[2], text, rough=True), reverse=True)[
            :_COMPARED_CLOSELY
        ]
        found = [Near(row[0], row[1], _alike(row[2], text), _difference(row[2], text)) for row in candidates]
        return max(found, key=lambda near: near.alike, default=None)

    def close(self) -> None:
        """Close the file; the next use opens it again."""
        self._file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def key_of(model: str, request: ModelRequest) -> bytes:
    """What a request is known by: the model and all that it is sent."""
    return hashlib.sha256(json.dumps([model, *_content(request)], sort_keys=True).encode()).digest()


def stage_of(request: ModelRequest) -> str:
    """Which stage a request belongs to: the title of its schema; empty for free text."""
    return str((request.schema or {}).get("title", ""))


def _set_aside(path: Path) -> str:
    """Out of the way, but kept: it may hold replies that were paid for."""
    number = 1
    while (aside := path.with_name(f"{path.name}.damaged-{number}")).exists():
        number += 1
    path.replace(aside)
    return f"it is now {aside.name}, and a new one is begun. Calls whose replies it held are made again."


def _content(request: ModelRequest) -> list[object]:
    parts = [part if isinstance(part, str) else {"picture": _digest(part)} for part in request.parts]
    return [request.instructions, parts, request.schema, request.max_output_tokens]


def _readable(request: ModelRequest) -> str:
    parts = [part if isinstance(part, str) else f"[picture {_digest(part)[:16]}]" for part in request.parts]
    return "\n".join([*parts, request.instructions])


def _digest(picture: Picture) -> str:
    return hashlib.sha256(picture.data).hexdigest()


def _alike(one: str, other: str, rough: bool = False) -> float:
    """0..1, by the words in common; in any order when it is rough."""
    one, other = one[:_COMPARED_CHARACTERS], other[:_COMPARED_CHARACTERS]
    matcher = difflib.SequenceMatcher(None, one.split(), other.split(), autojunk=False)
    return matcher.quick_ratio() if rough else matcher.ratio()


def _difference(recorded: str, text: str) -> str:
    at = next(
        (i for i, (a, b) in enumerate(zip(recorded, text, strict=False)) if a != b), min(len(recorded), len(text))
    )
    start = max(0, at - 20)
    return f"{recorded[start : at + 40]!r} was asked, now {text[start : at + 40]!r}"
