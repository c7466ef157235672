"""Vectors of a video's frame nodes in memory, so that repeated questions about it need no scan of the server.

What is kept follows the video's version: whatever changes a vector (indexing again, a correction, another embedder, a
bundle in its place, by whichever process) gives the video another version, and its vectors are fetched again.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ravu_kg.graph.records import VideoRow, integer, number
from ravu_kg.graph.store import Store
from ravu_kg.types import FloatArray, Span

BUDGET_BYTES = 256 * 2**20
"""What the vectors of all videos together may take: about 85,000 different sentences of 768 numbers."""
_SAME = 2e-6
"""Scores nearer than this may come in another order at the server, which adds up in another order."""
_SPARE = 64

Positions = NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class VideoVectors:
    """The frame nodes of one video in the order of their ids, and what their sentences mean. Safe in threads."""

    video_id: str
    version: str
    node_ids: tuple[str, ...]
    entity_ids: tuple[str, ...]
    frame_indices: NDArray[np.int64]
    timestamps_s: NDArray[np.float64]
    unit: FloatArray
    """(m, d): each different vector once, of length 1."""
    row_of: Positions
    """(n,): the row of ``unit`` that is a node's."""

    @property
    def size_bytes(self) -> int:
        """About what it takes in memory."""
        texts = sum(map(len, self.node_ids)) + len(self.node_ids) * 120
        return self.unit.nbytes + self.row_of.nbytes + self.timestamps_s.nbytes + self.frame_indices.nbytes + texts

    @cached_property
    def positions(self) -> dict[str, int]:
        """Where a node stands, by its id."""
        return {node_id: position for position, node_id in enumerate(self.node_ids)}

    def scores(self, embedding: FloatArray) -> FloatArray:
        """(n,): the similarity of each node to a phrase as Neo4j gives it, (1 + cosine) / 2.

        Raises:
            ValueError: the phrase's vector has another length.
        """
        query = np.asarray(embedding, dtype=np.float32)
        length = float(np.linalg.norm(query))
        if length == 0.0:
            return np.full(len(self.node_ids), 0.5, dtype=np.float32)
        different = self.unit @ (query / length).astype(np.float32) * 0.5 + 0.5
        return different.astype(np.float32)[self.row_of]

    def nearest(self, embedding: FloatArray, k: int, span: Span | None = None) -> Positions:
        """Positions of the k nodes nearest to a phrase, best first and equals by their ids.

        Args:
            embedding: of the phrase.
            k: how many.
            span: only nodes from its start to before its end, seconds.

        Raises:
            ValueError: the phrase's vector has another length.
        """
        return self._best(self.scores(embedding), k, span)[:k]

    def candidates(self, embedding: FloatArray, k: int, span: Span | None = None) -> Positions:
        """The k nearest, and a few as near as the last of them to rounding: the server tells which come first."""
        return self._best(self.scores(embedding), k, span)[: k + _SPARE]

    def _best(self, scores: FloatArray, k: int, span: Span | None) -> Positions:
        among: Positions = np.arange(len(scores))
        if span is not None:
            among = np.flatnonzero((self.timestamps_s >= span[0]) & (self.timestamps_s < span[1]))
        if k < 1 or not len(among):
            return among[:0]
        found = scores[among]
        if k < len(found):
            last = np.partition(found, len(found) - k)[len(found) - k]
            near = found >= last - _SAME
            among, found = among[near], found[near]
        # Positions are in the order of ids, and a stable sort leaves equals in it.
        return among[np.argsort(-found, kind="stable")]


@dataclass(slots=True)
class _Filling:
    """One thread fetches a video, others that want it wait for it."""

    lock: threading.Lock = field(default_factory=threading.Lock)
    waiting: int = 0


class VectorCache:
    """Vectors of the videos that were asked last, within a bound of memory. Safe to share between threads."""

    def __init__(self, store: Store, budget_bytes: int = BUDGET_BYTES) -> None:
        self._store = store
        self._budget_bytes = budget_bytes
        self._kept: OrderedDict[str, VideoVectors] = OrderedDict()
        self._filling: dict[str, _Filling] = {}
        self._lock = threading.Lock()

    @property
    def size_bytes(self) -> int:
        """About what all that is kept takes in memory."""
        with self._lock:
            return sum(one.size_bytes for one in self._kept.values())

    def holds(self, video: VideoRow) -> bool:
        """Whether the vectors are here, in the video's version."""
        with self._lock:
            kept = self._kept.get(video.video_id)
        return kept is not None and video.version != "" and kept.version == video.version

    def frame_nodes(self, video: VideoRow, dimensions: int) -> VideoVectors | None:
        """The vectors of a video as the row describes it, from memory or else from the server.

        Args:
            video: just read, so that its version is the present one. A row without version costs a look-up.
            dimensions: of the vectors.

        Returns:
            None for a video that is not complete, whose vectors have another length, or that is too large to be kept.

        Raises:
            GraphError: Neo4j failed.
        """
        version = video.version or self._version(video.video_id)
        if not version or video.frame_node_count * dimensions * 4 > self._budget_bytes // 2:
            return None
        if (kept := self._look_up(video.video_id, version, dimensions)) is not None:
            return kept
        with self._lock:
            filling = self._filling.setdefault(video.video_id, _Filling())
            filling.waiting += 1
        try:
            with filling.lock:
                if (kept := self._look_up(video.video_id, version, dimensions)) is not None:
                    return kept
                return self._fetch(video.video_id, version, dimensions)
        finally:
            with self._lock:
                filling.waiting -= 1
                if not filling.waiting:
                    self._filling.pop(video.video_id, None)

    def forget(self, video_id: str) -> None:
        """Drop what is kept of a video, which turned out to be another one now."""
        with self._lock:
            self._kept.pop(video_id, None)

    def _look_up(self, video_id: str, version: str, dimensions: int) -> VideoVectors | None:
        with self._lock:
            kept = self._kept.get(video_id)
            if kept is None or kept.version != version or kept.unit.shape[1] != dimensions:
                return None
            self._kept.move_to_end(video_id)
            return kept

    def _fetch(self, video_id: str, version: str, dimensions: int) -> VideoVectors | None:
        rows = self._store.read("reasoning/node_vectors", video_id=video_id, dimensions=dimensions).rows
        # Read after the vectors: what changed meanwhile shows in it.
        if self._version(video_id) != version:
            return None
        matrix = np.array([row["embedding"] for row in rows], dtype=np.float32).reshape(len(rows), dimensions)
        lengths = np.linalg.norm(matrix, axis=1, keepdims=True)
        unit, row_of = _different((matrix / np.where(lengths > 0, lengths, 1.0)).astype(np.float32))
        found = VideoVectors(
            video_id,
            version,
            tuple(str(row["node_id"]) for row in rows),
            tuple(str(row["entity_id"]) for row in rows),
            np.array([integer(row["frame_index"]) for row in rows], dtype=np.int64),
            np.array([number(row["t"]) for row in rows], dtype=np.float64),
            unit,
            row_of,
        )
        with self._lock:
            self._kept[video_id] = found
            self._kept.move_to_end(video_id)
            while len(self._kept) > 1 and sum(one.size_bytes for one in self._kept.values()) > self._budget_bytes:
                self._kept.popitem(last=False)
        return found

    def _version(self, video_id: str) -> str:
        rows = self._store.read("reasoning/video_version", video_id=video_id).rows
        return str(rows[0]["version"] or "") if rows else ""


def _different(vectors: FloatArray) -> tuple[FloatArray, Positions]:
    """Each different row once, in the order of first sight, and which of them each row is.

    Sentences repeat from second to second. One product for all equals also gives them equal scores, to the last bit.
    """
    seen: dict[bytes, int] = {}
    row_of = np.array([seen.setdefault(row.tobytes(), len(seen)) for row in vectors], dtype=np.intp)
    firsts: Sequence[int] | Positions = np.unique(row_of, return_index=True)[1] if len(row_of) else []
    return np.ascontiguousarray(vectors[firsts] if len(row_of) else vectors), row_of
