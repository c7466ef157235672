"""The sampled frames of a video with what is said of them, and how near phrases come to that."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from functools import cached_property
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from ravu_kg.graph.reader import EventVectorRow, ToldRow
from ravu_kg.graph.vector_cache import VideoVectors
from ravu_kg.reasoning.told import words_told
from ravu_kg.reasoning.vocabulary import matching_labels
from ravu_kg.types import FloatArray

Values = NDArray[np.float64]
"""One number for each sampled frame that something is said of."""


@dataclass(frozen=True, eq=False)
class Seconds:
    """The frames that something is said of, in time order."""

    frame_indices: NDArray[np.int64]
    timestamps_s: Values
    unit: FloatArray
    """(m, d): each different vector once."""
    frame_of: NDArray[np.intp]
    row_of: NDArray[np.intp]
    """Pairs of a frame and a vector of it, each once."""

    words: tuple[frozenset[str], ...]
    """Of each frame, in their base form."""
    labels: tuple[frozenset[str], ...]
    """Of what is seen in each frame."""

    event_unit: FloatArray
    """(e, d): the vectors of the events that cover a frame."""
    event_frame_of: NDArray[np.intp]
    event_of: NDArray[np.intp]
    """Pairs of a frame and an event that covers it."""

    @classmethod
    def of(
        cls, vectors: VideoVectors, tell: Callable[[], tuple[Sequence[ToldRow], Sequence[EventVectorRow]]]
    ) -> Seconds:
        """From the vectors of a video's frame nodes, and what is told of its frames and events.

        Vectors that are kept in memory are taken apart once, and ``tell`` is asked only then.
        """
        found = _KNOWN.get(vectors)
        if found is None:
            found = _KNOWN[vectors] = _apart(vectors, *tell())
        return found

    def near(self, phrase: FloatArray) -> Values:
        """The cosine of a phrase with what is said of each frame: the mean over its different sentences."""
        return _mean(self.unit @ _unit(phrase), self.frame_of, self.row_of, len(self.timestamps_s))[0]

    def near_events(self, phrase: FloatArray) -> Values:
        """The cosine of a phrase with what is said of the events that cover each frame, their mean.

        A frame without event has the cosine with its own sentences.
        """
        found, counts = _mean(
            self.event_unit @ _unit(phrase), self.event_frame_of, self.event_of, len(self.timestamps_s)
        )
        return np.where(counts > 0, found, self.near(phrase))

    def shared(self, wanted: Collection[str]) -> Values:
        """For each frame the weight of the wanted words that it has: the rarer a word in the video, the more."""
        count = len(self.words)
        total = np.zeros(count)
        for word in sorted(wanted):
            has = np.array([word in words for words in self.words], dtype=np.float64)
            if often := has.sum():
                total += has * np.log1p((count - often + 0.5) / (often + 0.5))
        return total

    def shows(self, noun: str) -> Values:
        """1 for each frame in which something is seen that a noun can mean, else 0."""
        meant = frozenset(matching_labels(noun, self._every_label)) if noun else frozenset[str]()
        return np.array([1.0 if meant & one else 0.0 for one in self.labels])

    @cached_property
    def _every_label(self) -> list[str]:
        return sorted(frozenset[str]().union(*self.labels))

    @cached_property
    def interval_s(self) -> float:
        """Between two frames, as a rule."""
        return float(np.median(np.diff(self.timestamps_s))) if len(self.timestamps_s) > 1 else 1.0

    @cached_property
    def places(self) -> Values:
        """Where each frame lies between the start of the video, 0, and its end, 1."""
        length_s = self.timestamps_s[-1] + self.interval_s
        return (self.timestamps_s + self.interval_s / 2) / length_s

    def smooth(self, values: Values, width_s: float) -> Values:
        """Each value with its neighbours in time, weighed by a bell of this width."""
        if width_s <= 0:
            return values
        size = max(1, round(4 * width_s / self.interval_s))
        bell = np.exp(-0.5 * (np.arange(-size, size + 1) * self.interval_s / width_s) ** 2)
        inside = slice(size, size + len(values))
        return np.convolve(values, bell)[inside] / np.convolve(np.ones(len(values)), bell)[inside]


_KNOWN: WeakKeyDictionary[VideoVectors, Seconds] = WeakKeyDictionary()


def _unit(phrase: FloatArray) -> FloatArray:
    return phrase / max(float(np.linalg.norm(phrase)), 1e-9)


def _mean(
    scores: FloatArray, frame_of: NDArray[np.intp], row_of: NDArray[np.intp], frames: int
) -> tuple[Values, Values]:
    """The mean score of each frame, 0 where it has none, and of how many."""
    counts = np.bincount(frame_of, minlength=frames).astype(np.float64)
    total = np.bincount(frame_of, weights=scores[row_of], minlength=frames)
    return total / np.maximum(counts, 1.0), counts


def _apart(vectors: VideoVectors, told: Sequence[ToldRow], events: Sequence[EventVectorRow]) -> Seconds:
    frames, at = np.unique(vectors.frame_indices, return_index=True)
    frame_of = np.searchsorted(frames, vectors.frame_indices)
    pairs = np.unique(np.stack([frame_of, vectors.row_of], axis=1), axis=0)
    rows = {row.frame_index: row for row in told}
    of_frames = [rows.get(index) for index in frames.tolist()]
    timestamps_s = vectors.timestamps_s[at]
    covered = [
        (frame, event)
        for event, row in enumerate(events)
        for frame in range(
            int(np.searchsorted(timestamps_s, row.start_s)), int(np.searchsorted(timestamps_s, row.end_s))
        )
    ]
    covers = np.array(covered, dtype=np.intp).reshape(-1, 2)
    dimensions = vectors.unit.shape[1]
    event_vectors = np.array([row.embedding for row in events], dtype=np.float32).reshape(-1, dimensions)
    lengths = np.linalg.norm(event_vectors, axis=1, keepdims=True)
    return Seconds(
        frames,
        timestamps_s,
        vectors.unit,
        pairs[:, 0],
        pairs[:, 1],
        tuple(words_told(row) if row else frozenset[str]() for row in of_frames),
        tuple(frozenset(row.labels) if row else frozenset[str]() for row in of_frames),
        (event_vectors / np.where(lengths > 0, lengths, 1.0)).astype(np.float32),
        covers[:, 0],
        covers[:, 1],
    )
