"""A video that is told of, without a graph."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ravu_kg.graph.reader import ToldRow
from ravu_kg.graph.vector_cache import VideoVectors
from ravu_kg.reasoning.told import Told
from ravu_kg.types import FloatArray
from tests.integration.reasoning.park import BagOfWords

KITE = [
    ["A boy stands on a beach.", "a blue kite"],
    ["A boy runs along the beach with a kite."],
    ["The kite rises over the water."],
    ["A boy laughs while his kite flies."],
    ["A girl eats ice cream on a towel."],
    ["A girl eats ice cream and waves."],
]


def embed(texts: Sequence[str]) -> FloatArray:
    return BagOfWords().embed(texts, "query")


def rows_and_vectors(seconds: Sequence[Sequence[str]]) -> tuple[list[ToldRow], VideoVectors]:
    rows = [ToldRow(at, float(at), ("thing",), tuple(said)) for at, said in enumerate(seconds)]
    frames = [at for at, said in enumerate(seconds) for _ in said]
    unit = embed([text for said in seconds for text in said])
    ids = tuple(f"v/{at}/{number}" for number, at in enumerate(frames))
    vectors = VideoVectors(
        "v", "1", ids, ids, np.array(frames), np.array(frames, dtype=float), unit, np.arange(len(frames))
    )
    return rows, vectors


def told(seconds: Sequence[Sequence[str]] = KITE, only: Sequence[int] | None = None) -> Told:
    made = Told.of(*rows_and_vectors(seconds))
    assert made is not None
    kept = made if only is None else made.only(only)
    assert kept is not None
    return kept
