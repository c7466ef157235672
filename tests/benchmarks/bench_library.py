"""How quick a memory stays as it grows to a million frame nodes, and what else could hold its vectors.

Run: ``python -m tests.benchmarks.bench_library [--videos 100 1000 10000] [--minutes 75] [--others-at 1000 10000]``
(makes a server of its own for each size, in a temporary folder; a video has 100 frame nodes and 20 events; needs about
30 GB of disk at 10,000 videos).

For each size, filled by Neo4j's own import (``ravu-kg db import-full`` does the same):

* time of the files, the import and the indexes; disk; memory of the server; bytes a frame node.
* p50 and p99 of each reasoning function and of the queries of ``explore/``, with the db hits of their statements, asked
  about one video after the other by 1 client. Goal: the functions within 1.3 of the smallest size.
* localize_node per video (with the vectors in memory, by the server's scan, by its index) and library-wide with recall
  of the first 10 against an exact scan, by 1 and 8 clients. Goals: per video >= 0.99; library-wide >= 0.97 and a median
  under 25 ms.
* beside them FAISS, LanceDB and sqlite-vec with the same vectors, each built and dropped in turn.

What does not fit into the time is left out, and said so.
"""

from __future__ import annotations

import argparse
import logging
import math
import shutil
import statistics
import tempfile
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path

import neo4j
import numpy as np
import psutil

from ravu_kg.errors import GraphError
from ravu_kg.graph.bulk.finishing import finish_import
from ravu_kg.graph.reader import GraphReader, VideoRow
from ravu_kg.graph.store import Store
from ravu_kg.graph.writer import GraphWriter
from ravu_kg.server import EmbeddedServer, Endpoint, ServerConfig
from ravu_kg.server.first_load import fill
from ravu_kg.types import FloatArray
from tests.benchmarks.library_data import PER_VIDEO, Library, Real, exact, real_sentences
from tests.benchmarks.library_stores import STORES
from tests.benchmarks.machine import print_load
from tests.plan_costs import OF_THE_LIBRARY, PARAMETERS, VIDEO, db_hits
from tests.plan_costs import PER_VIDEO as EXPLORE

K = 10
LONG_MS = 20_000.0
"""A query that took so long in all is not asked again."""
WARM_UP = 30
"""Calls of each function that are not counted."""
LARGE_NODES = 5000
"""Of one more video, whose nodes are found by the index."""
Step = Callable[[GraphReader, VideoRow, FloatArray], object]


class Clock:
    """How much of the allowed time is left."""

    def __init__(self, minutes: float) -> None:
        self._end_s = time.monotonic() + 60 * minutes

    def allows(self, what: str, needed_s: float) -> bool:
        if time.monotonic() + needed_s < self._end_s:
            return True
        print(f"{what}: left out, the time is up")
        return False


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--videos", type=int, nargs="+", default=[100, 1000, 10_000], help="sizes of the library")
    parser.add_argument("--others-at", type=int, nargs="*", default=[1000, 10_000], help="sizes to compare stores at")
    parser.add_argument("--calls", type=int, default=60, help="calls of each function")
    parser.add_argument("--minutes", type=float, default=75.0, help="the longest the whole may take")
    parser.add_argument("--heap-mb", type=int, default=2048)
    parser.add_argument("--page-cache-mb", type=int, default=4096)
    parser.add_argument("--folder", type=Path, help="where the databases are made; by default the temporary folder")
    chosen = parser.parse_args()
    logging.getLogger("neo4j.notifications").addHandler(logging.NullHandler())
    clock = Clock(chosen.minutes)
    print_load()
    real = real_sentences()
    print(f"{len(real.sentences)} sentences of real captions by {real.embedder.name} ({real.dimensions} numbers)")
    tables: dict[int, dict[str, tuple[float, float, int]]] = {}
    for videos in sorted(chosen.videos):
        if not clock.allows(f"{videos} videos", 60 + videos * 0.15):
            continue
        with tempfile.TemporaryDirectory(dir=chosen.folder) as folder:
            library = Library(real, videos)
            tables[videos] = bench_size(Path(folder), library, chosen, clock)
            if videos in chosen.others_at:
                bench_others(Path(folder), library, clock)
    print_tables(tables)
    print_load()


# --- one size -------------------------------------------------------------------------------------


def bench_size(
    folder: Path, library: Library, chosen: argparse.Namespace, clock: Clock
) -> dict[str, tuple[float, float, int]]:
    nodes = library.videos * PER_VIDEO
    print(f"\n== {library.videos:,} videos, {nodes:,} frame nodes ==")
    config = ServerConfig(folder / "home", heap_mb=chosen.heap_mb, page_cache_mb=chosen.page_cache_mb)
    large = Library(library.real, 1, LARGE_NODES, prefix="large")
    build(config, folder / "files", library, large)
    server = EmbeddedServer(config)
    try:
        endpoint = server.start()
        memory_mb = psutil.Process(endpoint.pid).memory_info().rss / 2**20
        size = server.status().data_bytes
        print(
            f"disk {size / 2**20:,.0f} MB ({size / (nodes + LARGE_NODES):,.0f} bytes a frame node, with its events, "
            f"relations and indexes); the server holds {memory_mb:,.0f} MB after its start"
        )
        with ExitStack() as stack:
            address = (endpoint.bolt_uri, endpoint.username, endpoint.password)
            store = stack.enter_context(Store.connect(*address))
            driver = stack.enter_context(neo4j.GraphDatabase.driver(address[0], auth=address[1:]))
            costs = bench_functions(store, driver, library, chosen.calls)
            costs |= bench_explore(store, driver, library, max(5, chosen.calls // 6))
            bench_localizing(store, library, large, chosen.calls)
            if clock.allows("8 clients", 60):
                bench_clients(endpoint, library)
            print(f"the server holds {psutil.Process(endpoint.pid).memory_info().rss / 2**20:,.0f} MB after all that")
        return costs
    finally:
        server.stop()
        shutil.rmtree(folder / "home", ignore_errors=True)


def build(config: ServerConfig, files: Path, library: Library, large: Library) -> None:
    """A home with the library in it, as a first load makes it, and how it compares with a load through the server."""
    files.mkdir()
    started_s = time.perf_counter()
    plan = library.into_files(files, large)
    written_s, size = time.perf_counter(), plan.size_bytes
    marks: dict[str, float] = {}

    def finish(endpoint: Endpoint) -> None:
        marks["imported"] = time.perf_counter()
        with Store.connect(endpoint.bolt_uri, endpoint.username, endpoint.password) as store:
            finish_import(store, plan, library.real.embedder.name, library.real.dimensions)
            marks["finished"] = time.perf_counter()
            # The same videos through the server, by one client, with all indexes online.
            count = min(50, library.videos)
            again = Library(library.real, count, prefix="again")
            writer = GraphWriter(store)
            for number in range(count):
                again.through_writer(writer, number)
            marks["written"] = time.perf_counter()
            for number in range(count):
                writer.delete(again.id_of(number))

    nodes = [(source.name, source.path) for source in plan.nodes]
    relationships = [(source.name, source.path) for source in plan.relationships]
    fill(config, nodes, relationships, finish, lambda: True)
    shutil.rmtree(files)
    total = library.videos * PER_VIDEO + LARGE_NODES
    took_s = marks["finished"] - started_s
    print(
        f"files {written_s - started_s:.0f} s ({size / 2**20:,.0f} MB), import and start "
        f"{marks['imported'] - written_s:.0f} s, indexes and the rest {marks['finished'] - marks['imported']:.0f} s: "
        f"{total / took_s:,.0f} frame nodes a second"
    )
    rate = min(50, library.videos) * PER_VIDEO / (marks["written"] - marks["finished"])
    print(f"through the server, into this library with its indexes, one client: {rate:,.0f} frame nodes a second")


def bench_functions(
    store: Store, driver: neo4j.Driver, library: Library, calls: int
) -> dict[str, tuple[float, float, int]]:
    """Each reasoning function, asked about another video each time."""
    seen: list[tuple[str, Mapping[str, object]]] = []
    queries = library.queries(calls)
    # Videos that the reader has not met, so that none is answered from its memory; the first ones warm the server up.
    numbers = np.random.default_rng(5).permutation(library.videos)[: calls + WARM_UP]
    costs: dict[str, tuple[float, float, int]] = {}
    for name, step in FUNCTIONS.items():
        reader = GraphReader(store, lambda result: seen.append((result.template, result.parameters)))
        times_ms: list[float] = []
        for call, number in enumerate(numbers):
            video = reader.video(library.id_of(int(number)))
            seen.clear()
            started_s = time.perf_counter()
            step(reader, video, queries[call % calls])
            times_ms.append((time.perf_counter() - started_s) * 1000)
        del times_ms[: min(WARM_UP, len(times_ms) // 2)]
        hits = sum(db_hits(driver, store.template(template), parameters) for template, parameters in seen)
        costs[name] = (*percentiles(times_ms), hits)
    return costs


def bench_explore(
    store: Store, driver: neo4j.Driver, library: Library, calls: int
) -> dict[str, tuple[float, float, int]]:
    costs: dict[str, tuple[float, float, int]] = {}
    numbers = np.random.default_rng(6).integers(0, library.videos, calls)
    for name in (*EXPLORE, *OF_THE_LIBRARY):
        template = store.template(f"explore/{name}")
        times_ms, values = list[float](), dict[str, object]()
        for number in numbers:
            known = {**PARAMETERS, "words": "dog"}
            values = {p.name: about(known.get(p.name), library.id_of(int(number))) for p in template.parameters}
            started_s = time.perf_counter()
            try:
                store.read(template.name, **values)
            except GraphError as error:  # the server's limit of time
                print(f"explore/{name}: {error}")
                times_ms.append(math.inf)
            else:
                times_ms.append((time.perf_counter() - started_s) * 1000)
            if sum(times_ms) > LONG_MS:
                break
        hits = 0 if math.inf in times_ms else db_hits(driver, template, values)
        costs[f"explore/{name}"] = (*percentiles(times_ms), hits)
    return costs


def about(value: object, video_id: str) -> object:
    """A value of a parameter, for another video."""
    if isinstance(value, str):
        return value.replace(VIDEO, video_id)
    return [about(item, video_id) for item in value] if isinstance(value, list) else value


# --- vectors --------------------------------------------------------------------------------------


def bench_localizing(store: Store, library: Library, large: Library, calls: int) -> None:
    reader = GraphReader(store)
    queries = library.queries(calls)
    numbers = [int(one) for one in np.random.default_rng(7).integers(0, library.videos, calls)]
    print(f"{'localize_node':44}{'p50 ms':>9}{'p99 ms':>9}{'recall@10':>11}")

    def per_video(name: str, of: Library, ask: Callable[[VideoRow, FloatArray], Sequence[str]]) -> None:
        times_ms, hits = list[float](), 0
        for query, number in zip(queries, numbers, strict=True):
            number %= of.videos
            video = reader.video(of.id_of(number))
            started_s = time.perf_counter()
            found = ask(video, query)
            times_ms.append((time.perf_counter() - started_s) * 1000)
            wanted = exact(of.vectors(number), query[None], K)[0]
            hits += len({f"{of.id_of(number)}/{place // 5}/{place % 5 + 1}" for place in wanted} & set(found))
        told(name, times_ms, hits / (K * calls))

    def in_memory(video: VideoRow, query: FloatArray) -> Sequence[str]:
        kept = reader.vectors.frame_nodes(video, library.real.dimensions)
        assert kept is not None
        return [kept.node_ids[int(place)] for place in kept.nearest(query, K)]

    def by(template: str, **values: object) -> Callable[[VideoRow, FloatArray], Sequence[str]]:
        def ask(video: VideoRow, query: FloatArray) -> Sequence[str]:
            found = store.read(f"reasoning/{template}", video_id=video.video_id, embedding=query, k=K, **values)
            return [str(row["node_id"]) for row in found.rows]

        return ask

    def product(video: VideoRow, query: FloatArray) -> Sequence[str]:
        return [row.node_id for row in reader.nearest_nodes(video, query, K)]

    per_video("100 nodes, the server compares each", library, by("localize_node_exact", from_s=0.0, to_s=1e9))
    per_video("100 nodes, the index filtered by video", library, by("localize_node", fetch=10 * K))
    per_video("100 nodes, first question (fetched)", library, product)
    per_video("100 nodes, second question", library, product)
    per_video("100 nodes, second question: vector step", library, in_memory)
    per_video(f"{LARGE_NODES} nodes, the index filtered by video", large, product)
    for fetch in (K, 20 * K, 60 * K):
        per_video(f"{LARGE_NODES} nodes, by the index, {fetch} looked at", large, by("localize_node", fetch=fetch))
    per_video(f"{LARGE_NODES} nodes, second question: vector step", large, in_memory)
    thousand_ms = cached_thousand_ms(library.real)
    print(f"{'1,000 nodes in memory: vector step':44}{statistics.median(thousand_ms):>9.2f}{p99(thousand_ms):>9.2f}")

    with tempfile.TemporaryDirectory() as folder:
        wanted = exact(library.all_vectors(Path(folder) / "vectors", large), queries, K)
    count = library.videos * PER_VIDEO
    wanted_ids = [
        {library.node_id(place) if place < count else large.node_id(place - count) for place in places}
        for places in wanted
    ]
    for fetch in (K, 20 * K, 40 * K, 80 * K, 160 * K, 200 * K):
        times_ms, hits = list[float](), 0
        for query, ids in zip(queries, wanted_ids, strict=True):
            started_s = time.perf_counter()
            found = store.read("reasoning/localize_node_library", embedding=query, fetch=fetch, k=K).rows
            times_ms.append((time.perf_counter() - started_s) * 1000)
            hits += len(ids & {str(row["node_id"]) for row in found})
        told(f"library-wide, {fetch} looked at", times_ms, hits / (K * calls))
    times_ms, hits = list[float](), 0
    for query, ids in zip(queries, wanted_ids, strict=True):
        started_s = time.perf_counter()
        nodes = reader.nearest_nodes_in_library(query, K)
        times_ms.append((time.perf_counter() - started_s) * 1000)
        hits += len(ids & {node.node_id for node in nodes})
    told("library-wide, as the product does", times_ms, hits / (K * calls))


def cached_thousand_ms(real: Real) -> list[float]:
    from ravu_kg.graph.vector_cache import VideoVectors

    thousand = Library(real, 1, 1000).vectors(0)
    count = len(thousand)
    ids = tuple(f"lib:0/{place}/1" for place in range(count))
    times = np.arange(count, dtype=np.float64)
    kept = VideoVectors("lib:0", "1", ids, ids, np.arange(count), times, thousand, np.arange(count))
    times_ms: list[float] = []
    for query in Library(real, 1).queries(100):
        started_s = time.perf_counter()
        kept.nearest(query, K)
        times_ms.append((time.perf_counter() - started_s) * 1000)
    return times_ms


def bench_clients(endpoint: Endpoint, library: Library, seconds: float = 8.0) -> None:
    """The same questions by one client and by eight at once."""
    queries = library.queries(64)
    ways: dict[str, Step] = {
        "localize_node, one video": lambda reader, video, query: reader.nearest_nodes(video, query, K),
        "localize_node, library-wide": lambda reader, video, query: reader.nearest_nodes_in_library(query, K),
        "sample_entity_events": FUNCTIONS["sample_entity_events"],
    }
    print(f"{'clients':44}{'':>4}{'p50 ms':>9}{'p99 ms':>9}{'a second':>11}")
    with Store.connect(endpoint.bolt_uri, endpoint.username, endpoint.password) as store:
        reader = GraphReader(store)
        for name, step in ways.items():
            for clients in (1, 8):
                times_ms: list[float] = []
                end_s = time.monotonic() + seconds

                def client(seed: int, step: Step = step, end_s: float = end_s, into: list[float] = times_ms) -> None:
                    random = np.random.default_rng(seed)
                    while time.monotonic() < end_s:
                        video = reader.video(library.id_of(int(random.integers(0, library.videos))))
                        started_s = time.perf_counter()
                        step(reader, video, queries[int(random.integers(0, len(queries)))])
                        into.append((time.perf_counter() - started_s) * 1000)

                threads = [threading.Thread(target=client, args=(seed,)) for seed in range(clients)]
                for thread in threads:
                    thread.start()
                for thread in threads:
                    thread.join()
                median, slowest = percentiles(times_ms)
                print(f"{name:44}{clients:>4}{median:>9.1f}{slowest:>9.1f}{len(times_ms) / seconds:>11.0f}")


def bench_others(folder: Path, library: Library, clock: Clock, calls: int = 20) -> None:
    heads = f"{'build s':>9}{'MB':>8}{'all p50':>9}{'p99':>8}{'recall':>8}{'video p50':>11}{'recall':>8}"
    print(f"{'the same vectors in':24}{heads}")
    vectors = library.all_vectors(folder / "vectors")
    queries = library.queries(calls)
    wanted = exact(vectors, queries, K)
    numbers = [int(one) for one in np.random.default_rng(8).integers(0, library.videos, calls)]
    own = [
        {number * PER_VIDEO + place for place in exact(library.vectors(number), query[None], K)[0]}
        for number, query in zip(numbers, queries, strict=True)
    ]
    for make in STORES:
        name = make.__name__
        if not clock.allows(name, len(vectors) * 0.0006):
            continue
        with tempfile.TemporaryDirectory(dir=folder) as place:
            try:
                with make(vectors, PER_VIDEO, Path(place), psutil.cpu_count(logical=False) or 1) as store:
                    all_ms, all_hits, video_ms, video_hits = list[float](), 0, list[float](), 0
                    for query, found, number, ours in zip(queries, wanted, numbers, own, strict=True):
                        started_s = time.perf_counter()
                        all_hits += len(found & set(store.search(query, K)))
                        between_s = time.perf_counter()
                        video_hits += len(ours & set(store.search_video(number, query, K)))
                        all_ms.append((between_s - started_s) * 1000)
                        video_ms.append((time.perf_counter() - between_s) * 1000)
            except ImportError as error:
                print(f"{name}: left out, {error}")
                continue
        median, slowest = percentiles(all_ms)
        print(
            f"{store.name:24}{store.build_s:>9.1f}{store.disk_bytes / 2**20:>8,.0f}{median:>9.2f}{slowest:>8.2f}"
            f"{all_hits / (K * calls):>8.3f}{statistics.median(video_ms):>11.2f}{video_hits / (K * calls):>8.3f}"
        )


# --- printing -------------------------------------------------------------------------------------


def print_tables(tables: Mapping[int, Mapping[str, tuple[float, float, int]]]) -> None:
    """What each function and query costs by the size of the library, and how much more in the largest one."""
    if not tables:
        return
    sizes = sorted(tables)
    print(f"\n{'p50 / p99 ms and db hits by videos':36}" + "".join(f"{size:>24,}" for size in sizes) + "    grown")
    for name in tables[sizes[0]]:
        cells = "".join(
            f"{tables[s][name][0]:>8.1f} /{tables[s][name][1]:>6.1f}{tables[s][name][2]:>8,}" for s in sizes
        )
        print(f"{name:36}{cells}{tables[sizes[-1]][name][0] / tables[sizes[0]][name][0]:>9.2f}")


def told(name: str, times_ms: Sequence[float], recall: float) -> None:
    print(f"{name:44}{statistics.median(times_ms):>9.2f}{p99(times_ms):>9.2f}{recall:>11.3f}")


def percentiles(times_ms: Sequence[float]) -> tuple[float, float]:
    return statistics.median(times_ms), p99(times_ms)


def p99(times_ms: Sequence[float]) -> float:
    return sorted(times_ms)[min(len(times_ms) - 1, int(len(times_ms) * 0.99))]


def entity_ids(video: VideoRow) -> list[str]:
    return [f"{video.video_id}#{track}" for track in range(1, 6)]


SPAN, WHOLE = (4.0, 12.0), (0.0, 1e9)
FUNCTIONS: dict[str, Step] = {
    "localize_node": lambda reader, video, query: reader.nearest_nodes(video, query, 20),
    "localize_node, a span": lambda reader, video, query: reader.nearest_nodes(video, query, 20, SPAN),
    "identify_node": lambda reader, video, query: reader.identify(entity_ids(video), query, WHOLE, 5),
    "sample_entity_events": lambda reader, video, query: reader.events(
        entity_ids(video)[:1], "after", [(4.0, 5.0)], WHOLE, 3, 3
    ),
    "extract_temporal_part": lambda reader, video, query: reader.temporal_part(video.video_id, "beginning", 5),
    "count_nodes": lambda reader, video, query: reader.sentences(entity_ids(video), query, WHOLE, 3),
    "get_global_context": lambda reader, video, query: reader.global_context(video.video_id, [SPAN], 8),
    "analyze_events": lambda reader, video, query: reader.relevant_events(video.video_id, query, WHOLE, 10),
    "event_moments": lambda reader, video, query: reader.event_moments(video.video_id, query, WHOLE, 3, 10),
    "entities": lambda reader, video, query: reader.entities(video.video_id),
    "tracks": lambda reader, video, query: reader.tracks(entity_ids(video)),
    "entity_nodes": lambda reader, video, query: reader.entity_nodes(entity_ids(video), [SPAN], 5),
    "pairs": lambda reader, video, query: reader.pairs(entity_ids(video)[:1], entity_ids(video)[1:], WHOLE),
    "coverage": lambda reader, video, query: reader.coverage(video.video_id),
    "option_support": lambda reader, video, query: reader.option_support(
        [f"{video.video_id}/1/1"], [f"{video.video_id}/1/geometry/0"], [query.tolist()] * 5
    ),
    "library: localize_node": lambda reader, video, query: reader.nearest_nodes_in_library(query, K),
    "library: entities": lambda reader, video, query: reader.library_entities(["dog"], 10),
    "library: labels": lambda reader, video, query: reader.library_labels(),
}
"""The functions of the paper and what they are made of, as the reader asks for them."""

if __name__ == "__main__":
    main()
