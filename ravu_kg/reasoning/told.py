"""What a memory tells of a video in words, moment by moment: of what people or models have said, not measured."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from threading import Lock
from typing import Literal
from weakref import WeakKeyDictionary

import numpy as np

from ravu_kg.graph.reader import GraphReader, ToldRow
from ravu_kg.graph.vector_cache import VideoVectors
from ravu_kg.reasoning.judging import content_words
from ravu_kg.types import FloatArray


@dataclass(frozen=True, eq=False)
class Told:
    """What is said of a video by sampled frame: words, and the vectors of its sentences."""

    frame_indices: tuple[int, ...]
    timestamps_s: tuple[float, ...]
    words: tuple[frozenset[str], ...]
    """Of each frame, in their base form."""
    unit: FloatArray
    """(m, d): vectors of length 1, in the order of the frames."""
    starts: tuple[int, ...]
    """Where the vectors of each frame begin."""

    @classmethod
    def of(cls, rows: Sequence[ToldRow], vectors: VideoVectors) -> Told | None:
        """From what the graph gives.

        Args:
            rows: of the video.
            vectors: of its frame nodes.

        Returns:
            None when nothing is told, or nothing of it has a vector.
        """
        known = {row.frame_index: row for row in rows}
        frames, nodes = vectors.frame_indices.tolist(), vectors.row_of.tolist()
        pairs = sorted({(frame, row) for frame, row in zip(frames, nodes, strict=True) if frame in known})
        if not pairs:
            return None
        starts = [at for at, (frame, _) in enumerate(pairs) if not at or pairs[at - 1][0] != frame]
        kept = [known[pairs[at][0]] for at in starts]
        return cls(
            tuple(row.frame_index for row in kept),
            tuple(row.timestamp_s for row in kept),
            tuple(words_told(row) for row in kept),
            vectors.unit[[row for _, row in pairs]],
            tuple(starts),
        )

    def only(self, frames: Collection[int]) -> Told | None:
        """What is told of some frames; None when nothing is."""
        chosen = [position for position, frame in enumerate(self.frame_indices) if frame in frames]
        if not chosen:
            return None
        ends = (*self.starts[1:], len(self.unit))
        parts = [self.unit[self.starts[position] : ends[position]] for position in chosen]
        lengths = [len(part) for part in parts]
        return Told(
            tuple(self.frame_indices[position] for position in chosen),
            tuple(self.timestamps_s[position] for position in chosen),
            tuple(self.words[position] for position in chosen),
            np.concatenate(parts),
            tuple(sum(lengths[:at]) for at in range(len(lengths))),
        )

    def near(self, phrases: FloatArray) -> FloatArray:
        """(k, frames): the best cosine of each phrase with any sentence of each frame; phrases are (k, d)."""
        length = np.linalg.norm(phrases, axis=1, keepdims=True)
        scores = (phrases / np.where(length > 0, length, 1.0)) @ self.unit.T
        return np.maximum.reduceat(scores, self.starts, axis=1)

    @cached_property
    def frequency(self) -> Counter[str]:
        """In how many frames a word is said."""
        return Counter(word for words in self.words for word in words)

    def weight(self, words: Collection[str]) -> float:
        """How much of some words is said, 0..1: each by the logarithm of how often, a word of every frame as 1."""
        return self.total(words) / len(words) if words else 0.0

    def total(self, words: Collection[str]) -> float:
        """How much all of some words are said, each 0..1."""
        often = math.log1p(len(self.words))
        return sum(math.log1p(self.frequency[word]) / often for word in words)

    def known(self, words: Collection[str]) -> int:
        """How many of some words are said at all."""
        return sum(word in self.frequency for word in words)


_kept: WeakKeyDictionary[VideoVectors, Told | None] = WeakKeyDictionary()
_lock = Lock()


def told_of(reader: GraphReader, video_id: str, dimensions: int) -> Told | None:
    """What people or models have said of a video; put together once for each of its versions.

    Args:
        reader: the graph.
        video_id: the video.
        dimensions: of the vectors.

    Returns:
        None when its sentences are measured, or it is too large for its vectors to be kept in memory.

    Raises:
        NotFoundError: the memory has no such video.
    """
    video = reader.video(video_id)
    vectors = reader.vectors.frame_nodes(video, dimensions) if reader.vectors.holds(video) else None
    if vectors is not None:
        with _lock:
            if vectors in _kept:
                return _kept[vectors]
    rows = reader.told(video_id)
    if vectors is None and rows:
        vectors = reader.vectors.frame_nodes(video, dimensions)
    if vectors is None:
        return None
    told = Told.of(rows, vectors)
    with _lock:
        _kept[vectors] = told
    return told


SupportBy = Literal["video", "evidence"]
"""What options are weighed by: everything that is told of the video, or its evidence alone."""


@dataclass(frozen=True, slots=True)
class Telling:
    """What is told of a video, to weigh options by."""

    told: Told
    by: SupportBy
    vectors: Callable[[Sequence[str]], FloatArray]
    """Embeds texts: (n, d)."""
    encoder: str
    """Its name."""


@lru_cache(maxsize=100_000)
def words_of(text: str) -> frozenset[str]:
    """Words that carry meaning, in a simple base form."""
    return frozenset(content_words(text))


def words_told(row: ToldRow) -> frozenset[str]:
    """Those of all that is told of a frame."""
    return frozenset[str]().union(*map(words_of, (*row.sentences, *row.labels)))
