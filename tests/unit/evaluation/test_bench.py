"""What a bench keeps: vectors of texts, and what is read of a video."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Literal, cast

import numpy as np

from ravu_kg.evaluation.bench import KeptEmbedder, KeptReader
from ravu_kg.graph.embedding import SentenceCache
from ravu_kg.graph.results import ReadResult
from ravu_kg.graph.store import Store
from ravu_kg.types import FloatArray


class Embedder:
    name = "test"
    dimensions = 2

    def __init__(self) -> None:
        self.texts: list[str] = []

    def embed(self, texts: Sequence[str], kind: Literal["query", "document"]) -> FloatArray:
        self.texts += texts
        return np.array([[len(text), kind == "query"] for text in texts], np.float32)


def test_a_text_is_embedded_once_in_this_run_and_in_the_next(tmp_path: Path):
    first, second = Embedder(), Embedder()
    with SentenceCache(tmp_path / "sentences.sqlite") as cache:
        kept = KeptEmbedder(first, cache)
        assert kept.embed(["a", "bbb", "a"], "query").tolist() == [[1, 1], [3, 1], [1, 1]]
        assert kept.embed(["bbb", "cc"], "query").tolist() == [[3, 1], [2, 1]]
        assert kept.embed([], "query").shape == (0, 2)
        assert sorted(first.texts) == ["a", "bbb", "cc"]
        assert KeptEmbedder(second, cache).embed(["a", "cc"], "query").tolist() == [[1, 1], [2, 1]]
        assert not second.texts


def test_vectors_of_queries_are_not_those_of_documents(tmp_path: Path):
    with SentenceCache(tmp_path / "sentences.sqlite") as cache:
        cache.put("test", {"a": np.array([9, 9], np.float32)})  # as a document's is kept
        kept = KeptEmbedder(Embedder(), cache)
        assert kept.embed(["a"], "query").tolist() == [[1, 1]]
        assert kept.embed(["a"], "document").tolist() == [[1, 0]]


class Reads:
    """In the place of a store: notes what it is asked."""

    def __init__(self) -> None:
        self.names: list[str] = []

    def read(self, name: str, **parameters: object) -> ReadResult:
        self.names.append(name)
        return ReadResult([], name, parameters, 0.0)


def test_what_does_not_depend_on_the_question_is_read_once_and_told_of_each_time():
    store, told = Reads(), list[str]()
    reader = KeptReader(cast("Store", store))
    for _ in range(3):
        reader.observed(lambda result: told.append(result.template)).entities("v")
    reader.entities("w")
    assert store.names == ["reasoning/entities"] * 2
    assert told == ["reasoning/entities"] * 3


def test_what_depends_on_the_question_is_read_each_time():
    store = Reads()
    reader = KeptReader(cast("Store", store))
    for _ in range(2):
        reader.relevant_events("v", np.zeros(2, np.float32), (0.0, 1.0), 3)
    assert store.names == ["reasoning/analyze_events"] * 2
