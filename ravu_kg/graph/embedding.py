"""Sentences to vectors: each different sentence is embedded once, in this run and, with a cache, ever."""

from __future__ import annotations

import hashlib
import logging
import sqlite3
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Self

import numpy as np

from ravu_kg.cache_file import CacheFile
from ravu_kg.errors import ProviderError
from ravu_kg.protocols import Embedder
from ravu_kg.types import FloatArray

_BATCH_TEXTS = 256  # what an interrupted run loses at most
_KEYS_A_QUERY = 500  # SQLite before 3.32 takes 999 parameters
_WAIT_S = 10.0
_SCHEMA = (
    "CREATE TABLE IF NOT EXISTS sentence"
    " (embedder TEXT NOT NULL, digest BLOB NOT NULL, vector BLOB NOT NULL, PRIMARY KEY (embedder, digest))"
)
_log = logging.getLogger(__name__)


def embed_all(
    texts: Sequence[str],
    embedder: Embedder,
    cache: SentenceCache | None,
    progress: Callable[[float], None] | None = None,
) -> FloatArray:
    """Vectors of sentences (the paper's g_e), in the order of the sentences.

    Args:
        texts: the sentences; equal ones are embedded once.
        embedder: what makes the vectors.
        cache: vectors of earlier runs, and where the new ones go.
        progress: gets the finished share, 0..1, after each batch.

    Returns:
        An array of shape (len(texts), embedder.dimensions).

    Raises:
        ProviderError: the embedder failed, or gave anything but one finite vector of its length for each sentence.
    """
    known = dict(cache.get(embedder.name, texts, embedder.dimensions)) if cache else {}
    # Sentences of one length share a batch: little padding.
    new = sorted({text for text in texts if text not in known}, key=lambda text: (len(text), text))
    for start in range(0, len(new), _BATCH_TEXTS):
        batch = new[start : start + _BATCH_TEXTS]
        vectors = _checked(embedder.embed(batch, "document"), len(batch), embedder)
        found = dict(zip(batch, vectors, strict=True))
        known.update(found)
        if cache:
            cache.put(embedder.name, found)
        if progress:
            progress((start + len(batch)) / len(new))
    if progress and not new:
        progress(1.0)
    result = np.empty((len(texts), embedder.dimensions), np.float32)
    for row, text in enumerate(texts):
        result[row] = known[text]
    return result


class SentenceCache:
    """Vectors in an SQLite file, by embedder and sentence. Several processes and threads may use one file.

    The sentences themselves are not stored, only their digests. A cache never stops the work: a damaged file is made
    anew, and one that cannot be read or written is left alone; a warning says so.
    """

    def __init__(self, path: Path, warn: Callable[[str], None] = _log.warning) -> None:
        """Open the file, or make it and its folder.

        Args:
            path: the file.
            warn: gets one line when the file is made anew or cannot be used.
        """
        self._file = CacheFile(
            path, _SCHEMA, _WAIT_S, "The sentence cache", _discarded, "Sentences are embedded again.", warn
        )
        self._file.attempt(lambda connection: None)

    def get(self, embedder: str, texts: Sequence[str], dimensions: int) -> Mapping[str, FloatArray]:
        """The vectors that are known, by sentence."""
        by_digest = {_digest(text): text for text in texts}
        digests = list(by_digest)
        found: dict[str, FloatArray] = {}

        def read(connection: sqlite3.Connection) -> None:
            for start in range(0, len(digests), _KEYS_A_QUERY):
                keys = digests[start : start + _KEYS_A_QUERY]
                query = (
                    "SELECT digest, vector FROM sentence WHERE embedder = ? AND digest IN "
                    f"({','.join('?' * len(keys))})"
                )
                for digest, blob in connection.execute(query, (embedder, *keys)):
                    vector = np.frombuffer(blob, np.float32)
                    if len(vector) == dimensions:
                        found[by_digest[digest]] = vector

        self._file.attempt(read)
        return found

    def put(self, embedder: str, vectors: Mapping[str, FloatArray]) -> None:
        """Keep vectors, in one transaction."""
        rows = [
            (embedder, _digest(text), np.ascontiguousarray(vector, np.float32).tobytes())
            for text, vector in vectors.items()
        ]

        def write(connection: sqlite3.Connection) -> None:
            with connection:
                connection.executemany("INSERT OR REPLACE INTO sentence VALUES (?, ?, ?)", rows)

        self._file.attempt(write)

    def forget(self, texts: Sequence[str]) -> None:
        """Keep no vector of these sentences, by whatever embedder."""
        digests = [_digest(text) for text in dict.fromkeys(texts)]

        def write(connection: sqlite3.Connection) -> None:
            embedders = [row[0] for row in connection.execute("SELECT DISTINCT embedder FROM sentence")]
            rows = [(embedder, digest) for embedder in embedders for digest in digests]
            with connection:
                connection.executemany("DELETE FROM sentence WHERE embedder = ? AND digest = ?", rows)

        self._file.attempt(write)

    def close(self) -> None:
        """Close the file; the next use opens it again."""
        self._file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def _discarded(path: Path) -> str:
    path.unlink(missing_ok=True)
    return "it is made anew."


def _digest(text: str) -> bytes:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()


def _checked(vectors: FloatArray, count: int, embedder: Embedder) -> FloatArray:
    if vectors.shape != (count, embedder.dimensions):
        raise ProviderError(
            f"{embedder.name} gave vectors of shape {vectors.shape} for {count} sentences of {embedder.dimensions} "
            f"dimensions. Use another embedder."
        )
    if not np.isfinite(vectors).all():
        raise ProviderError(f"{embedder.name} gave vectors that are not finite numbers. Use another embedder.")
    return vectors
