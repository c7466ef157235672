"""What else could hold the vectors: FAISS, LanceDB and sqlite-vec, built and dropped in turn."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ravu_kg.types import FloatArray

CHUNK = 20_000
Search = Callable[[FloatArray, int], list[int]]
"""Places of the k nearest rows to a query."""
SearchOne = Callable[[int, FloatArray, int], list[int]]
"""The same within one video, by its number."""


@dataclass(frozen=True)
class Built:
    """A store that holds all vectors."""

    name: str
    build_s: float
    disk_bytes: int
    search: Search
    search_video: SearchOne
    exact: bool


@contextmanager
def faiss_flat(vectors: np.ndarray, per_video: int, folder: Path, threads: int) -> Iterator[Built]:
    import faiss

    faiss.omp_set_num_threads(threads)
    started_s = time.perf_counter()
    index = faiss.IndexFlatIP(vectors.shape[1])
    for start in range(0, len(vectors), CHUNK):
        index.add(np.asarray(vectors[start : start + CHUNK]))
    built_s = time.perf_counter() - started_s

    def search_video(number: int, query: FloatArray, k: int) -> list[int]:
        chosen = faiss.SearchParameters(sel=faiss.IDSelectorRange(number * per_video, (number + 1) * per_video))
        return _places(index.search(query[None], k, params=chosen)[1])

    yield Built(
        "FAISS flat", built_s, vectors.nbytes, lambda q, k: _places(index.search(q[None], k)[1]), search_video, True
    )


@contextmanager
def faiss_hnsw(vectors: np.ndarray, per_video: int, folder: Path, threads: int) -> Iterator[Built]:
    import faiss

    faiss.omp_set_num_threads(threads)
    started_s = time.perf_counter()
    index = faiss.IndexHNSWSQ(vectors.shape[1], faiss.ScalarQuantizer.QT_8bit, 16, faiss.METRIC_INNER_PRODUCT)
    index.hnsw.efConstruction = 100
    index.train(np.asarray(vectors[: 2 * CHUNK]))
    for start in range(0, len(vectors), CHUNK):
        index.add(np.asarray(vectors[start : start + CHUNK]))
    index.hnsw.efSearch = 64
    built_s = time.perf_counter() - started_s
    file = folder / "hnsw.faiss"
    faiss.write_index(index, str(file))

    def search_video(number: int, query: FloatArray, k: int) -> list[int]:
        selector = faiss.IDSelectorRange(number * per_video, (number + 1) * per_video)
        chosen = faiss.SearchParametersHNSW(sel=selector, efSearch=64)
        return _places(index.search(query[None], k, params=chosen)[1])

    yield Built(
        "FAISS HNSW, 8 bits",
        built_s,
        file.stat().st_size,
        lambda q, k: _places(index.search(q[None], k)[1]),
        search_video,
        False,
    )


@contextmanager
def lancedb(vectors: np.ndarray, per_video: int, folder: Path, threads: int) -> Iterator[Built]:
    import lancedb as lance
    import pyarrow as pa

    started_s = time.perf_counter()
    connection = lance.connect(folder / "lance")
    width = vectors.shape[1]

    def batches() -> Iterator[pa.RecordBatch]:
        for start in range(0, len(vectors), CHUNK):
            part = np.ascontiguousarray(vectors[start : start + CHUNK])
            places = np.arange(start, start + len(part))
            column = pa.FixedSizeListArray.from_arrays(pa.array(part.reshape(-1)), width)
            yield pa.RecordBatch.from_arrays(
                [pa.array(places), pa.array(places // per_video), column], names=["place", "video", "vector"]
            )

    schema = pa.schema([("place", pa.int64()), ("video", pa.int64()), ("vector", pa.list_(pa.float32(), width))])
    table = connection.create_table("nodes", pa.RecordBatchReader.from_batches(schema, batches()))
    table.create_scalar_index("video")
    if len(vectors) >= CHUNK:
        parts = max(1, round(len(vectors) ** 0.5 / 4))
        table.create_index(metric="cosine", num_partitions=parts, num_sub_vectors=width // 8, index_type="IVF_PQ")
    built_s = time.perf_counter() - started_s

    def search(query: FloatArray, k: int) -> list[int]:
        found = (
            table.search(query).metric("cosine").nprobes(20).refine_factor(10).limit(k).select(["place", "_distance"])
        )
        return [int(row["place"]) for row in found.to_list()]

    def search_video(number: int, query: FloatArray, k: int) -> list[int]:
        found = table.search(query).metric("cosine").where(f"video = {number}", prefilter=True).limit(k)
        return [
            int(row["place"]) for row in found.nprobes(20).refine_factor(10).select(["place", "_distance"]).to_list()
        ]

    yield Built("LanceDB, IVF-PQ", built_s, _size(folder / "lance"), search, search_video, False)


@contextmanager
def sqlite_vec(vectors: np.ndarray, per_video: int, folder: Path, threads: int) -> Iterator[Built]:
    import apsw  # Python's own sqlite3 is often built without extensions
    import sqlite_vec as extension

    started_s = time.perf_counter()
    file = folder / "vectors.sqlite"
    connection = apsw.Connection(str(file))
    connection.enable_load_extension(True)
    connection.load_extension(extension.loadable_path())
    connection.enable_load_extension(False)
    # Not a partition a video: each would take room for 1,024 vectors.
    connection.execute(f"CREATE VIRTUAL TABLE node USING vec0(vector float[{vectors.shape[1]}], video integer)")
    for start in range(0, len(vectors), CHUNK):
        part = np.asarray(vectors[start : start + CHUNK])
        with connection:
            connection.executemany(
                "INSERT INTO node(rowid, vector, video) VALUES (?, ?, ?)",
                ((start + n, row.tobytes(), (start + n) // per_video) for n, row in enumerate(part)),
            )
    built_s = time.perf_counter() - started_s
    all_of = "SELECT rowid FROM node WHERE vector MATCH ? AND k = ?"
    one_of = "SELECT rowid FROM node WHERE vector MATCH ? AND k = ? AND video = ?"

    def search(query: FloatArray, k: int) -> list[int]:
        return [row[0] for row in connection.execute(all_of, (query.tobytes(), k))]

    def search_video(number: int, query: FloatArray, k: int) -> list[int]:
        return [row[0] for row in connection.execute(one_of, (query.tobytes(), k, number))]

    try:
        yield Built("sqlite-vec", built_s, file.stat().st_size, search, search_video, True)
    finally:
        connection.close()


STORES = (faiss_flat, faiss_hnsw, lancedb, sqlite_vec)


def _places(found: np.ndarray) -> list[int]:
    return [int(place) for place in found[0]]


def _size(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
