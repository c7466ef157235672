"""What the methods of an evaluation share: the graph, the encoder, and who answers."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass
from typing import Literal

import numpy as np

from ravu_kg.graph.embedding import SentenceCache
from ravu_kg.graph.reader import GraphReader, Observer, VideoRow
from ravu_kg.graph.results import ReadResult
from ravu_kg.graph.store import Store
from ravu_kg.graph.vector_cache import VectorCache
from ravu_kg.memory import VideoMemory
from ravu_kg.memory.asking import Asking
from ravu_kg.models.roles import ASK_ROLES, has_model, reference_of
from ravu_kg.protocols import Embedder
from ravu_kg.reasoning.context import Phrases
from ravu_kg.reasoning.models.choosing import Reasoners
from ravu_kg.settings import Settings
from ravu_kg.types import FloatArray

_BATCH_TEXTS = 256
_OF_A_VIDEO = frozenset(
    f"reasoning/{name}" for name in ("video", "coverage", "entities", "shots", "told")
)  # whose answer is the same for every question


@dataclass(frozen=True, slots=True)
class Second:
    """What is said of a sampled frame, with how near it comes to a query."""

    query: int
    node_id: str
    entity_id: str
    frame_index: int
    timestamp_s: float
    text: str
    score: float


class KeptEmbedder:
    """An embedder that embeds a text once, in this run and ever; it notes what embedding took. Safe in threads."""

    def __init__(self, embedder: Embedder, cache: SentenceCache) -> None:
        self._embedder = embedder
        self._cache = cache
        self._lock = threading.Lock()
        self._known: dict[tuple[str, str], FloatArray] = {}
        self.elapsed_s = 0.0
        """Spent on embedding what was not kept."""

    @property
    def name(self) -> str:
        """Of the embedder."""
        return self._embedder.name

    @property
    def dimensions(self) -> int:
        """Of its vectors."""
        return self._embedder.dimensions

    def embed(self, texts: Sequence[str], kind: Literal["query", "document"]) -> FloatArray:
        """Vectors of shape (len(texts), dimensions); raises as the embedder."""
        if any((kind, text) not in self._known for text in texts):
            with self._lock:
                self._get([text for text in dict.fromkeys(texts) if (kind, text) not in self._known], kind)
        if not texts:
            return np.empty((0, self.dimensions), np.float32)
        return np.stack([self._known[kind, text] for text in texts])

    def _get(self, texts: Sequence[str], kind: Literal["query", "document"]) -> None:
        # A model may have other vectors for queries than for documents, which are kept under its plain name.
        key = f"{self.name} ({kind})"
        found = dict(self._cache.get(key, texts, self.dimensions))
        new = sorted((text for text in texts if text not in found), key=len)
        for start in range(0, len(new), _BATCH_TEXTS):
            batch = new[start : start + _BATCH_TEXTS]
            started_s = time.perf_counter()
            vectors = self._embedder.embed(batch, kind)
            self.elapsed_s += time.perf_counter() - started_s
            made = dict(zip(batch, vectors, strict=True))
            self._cache.put(key, made)
            found.update(made)
        self._known.update({(kind, text): vector for text, vector in found.items()})


class KeptReader(GraphReader):
    """A reader for the questions about one video: what does not depend on the question is read once."""

    def __init__(
        self,
        store: Store,
        observe: Observer | None = None,
        vectors: VectorCache | None = None,
        kept: dict[str, ReadResult] | None = None,
    ) -> None:
        super().__init__(store, observe, vectors)
        self._kept = {} if kept is None else kept

    def observed(self, observe: Observer) -> GraphReader:
        """The same reader, with what it keeps, that also tells of each statement."""
        return KeptReader(self._store, observe, self.vectors, self._kept)

    def _read(self, name: str, **parameters: object) -> ReadResult:
        if name not in _OF_A_VIDEO:
            return super()._read(name, **parameters)
        key = f"{name} {sorted(parameters.items())!r}"
        if (known := self._kept.get(key)) is None:
            known = self._kept[key] = super()._read(name, **parameters)
        elif self._observe is not None:
            self._observe(known)
        return known


class Bench:
    """The memory of an evaluation, opened for methods. Close it when the run ends."""

    def __init__(self, memory: VideoMemory, cache: SentenceCache) -> None:
        self.settings: Settings = memory.settings
        self.store: Store = memory.store
        self.reader: GraphReader = memory.reader
        self.embedder = KeptEmbedder(memory.embedder, cache)
        self._asking = Asking(memory.settings, memory.reader)
        self._make: Callable[[], Reasoners] | None = None

    def answering(self, make: Callable[[], Reasoners]) -> Bench:
        """The same with others who answer."""
        other = copy(self)
        other._make = make
        return other

    def phrases(self) -> Phrases:
        """For the questions of one video."""
        return Phrases(self.embedder)

    def one_video(self) -> GraphReader:
        """A reader for the questions about one video, asked one after the other."""
        return KeptReader(self.store, vectors=self.reader.vectors)

    def reasoners(self, video_id: str) -> Reasoners:
        """Planner, judge and answerer for one question."""
        return self._asking.reasoners(video_id) if self._make is None else self._make()

    @property
    def answers_by_model(self) -> bool:
        """Whether a language model answers."""
        return has_model(self.settings, "answer")

    @property
    def roles(self) -> Mapping[str, str]:
        """Role -> model, or what stands in for one."""
        return {role: reference_of(self.settings, role) for role in ASK_ROLES}

    def nearest_seconds(self, video: VideoRow, vectors: Sequence[FloatArray], k: int) -> list[list[Second]]:
        """For each query the k sampled frames with the nearest sentences, best first."""
        found: list[list[Second]] = [[] for _ in vectors]
        if vectors:
            rows = self.store.read(
                "evaluation/nearest_seconds",
                video_id=video.video_id,
                embeddings=[vector.tolist() for vector in vectors],
                k=k,
            ).rows
            for one in (_second(row) for row in rows):
                found[one.query].append(one)
        return found

    def sentences(self, video: VideoRow) -> list[Second]:
        """All that is said of a video, frame by frame."""
        return [_second(row) for row in self.store.read("evaluation/sentences", video_id=video.video_id).rows]

    def close(self) -> None:
        """Give up what waits for a model."""
        self._asking.close()


def _second(row: Mapping[str, object]) -> Second:
    query, score = row.get("query", 0), row.get("score", 1.0)
    frame_index, time_s = row["frame_index"], row["t"]
    assert isinstance(query, int)  # these four as the templates declare
    assert isinstance(score, float)
    assert isinstance(frame_index, int)
    assert isinstance(time_s, float)
    return Second(
        query=query,
        node_id=str(row["node_id"]),
        entity_id=str(row["entity_id"]),
        frame_index=frame_index,
        timestamp_s=time_s,
        text=str(row["description"]),
        score=score,
    )
