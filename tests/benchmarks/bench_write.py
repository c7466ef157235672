"""How fast frame nodes with vectors are written and found, beside bare loops over the driver in the same run.

Run: ``python -m tests.benchmarks.bench_write [--nodes 10000] [--library 100000]`` (starts a server of its own).

* writer: ``GraphWriter.write_window``, one transaction a window, 768-d vectors, all indexes online.
* bare: the very same statements with rows prepared beforehand, sent by the driver and nothing else. Goal: >= 0.85.
* create: ``CREATE`` of the nodes alone with their vectors, in batches of 1,000, the indexes online as well.
* localize_node: through the store, over a video of 100 nodes in a library of 100,000, against the bare statement.
  Goal: <= 1.5 of its median.
"""

from __future__ import annotations

import argparse
import itertools
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import neo4j
import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from builders import Scene, a_scene, vectors

from ravu_kg.graph import rows
from ravu_kg.graph.schema import migrate
from ravu_kg.graph.store import Rows, Store, Vector
from ravu_kg.graph.writer import GraphWriter, window_statements
from ravu_kg.server import DEFAULT_VERSION, EmbeddedServer, Endpoint, ServerConfig
from ravu_kg.server.processes import free_port

Statement = tuple[str, Mapping[str, object]]

WINDOW_FRAMES = 50
TRACKS = 20
CREATE = (
    "UNWIND $rows AS row CREATE (n:FrameNode {id: row.id}) SET n += row.properties "
    "WITH n, row CALL db.create.setNodeVectorProperty(n, 'embedding', row.embedding)"
)


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--nodes", type=int, default=10_000, help="frame nodes a measurement")
    arguments.add_argument("--library", type=int, default=100_000, help="frame nodes in the library; 0 leaves it out")
    arguments.add_argument("--repeats", type=int, default=3)
    chosen = arguments.parse_args()
    version = os.environ.get("RAVU_KG_TEST_NEO4J_VERSION") or DEFAULT_VERSION
    with tempfile.TemporaryDirectory() as home:
        bolt = free_port()
        http = free_port(taken=frozenset({bolt}))
        server = EmbeddedServer(ServerConfig(Path(home), version, bolt, http, heap_mb=1024, page_cache_mb=512))
        try:
            endpoint = server.start()
            bench(endpoint, chosen.nodes, chosen.library, chosen.repeats)
        finally:
            server.stop()


def bench(endpoint: Endpoint, nodes: int, library: int, repeats: int) -> None:
    address = (endpoint.bolt_uri, endpoint.username, endpoint.password)
    with (
        Store.connect(*address) as store,
        neo4j.GraphDatabase.driver(address[0], auth=address[1:], telemetry_disabled=True) as driver,
    ):
        migrate(store, 768, "test")
        names = itertools.count()
        bench_writing(store, driver, nodes, repeats, names)
        if library:
            bench_localizing(store, driver, library)


def bench_writing(store: Store, driver: neo4j.Driver, nodes: int, repeats: int, names: itertools.count[int]) -> None:
    write_by_writer(store, driver, a_long_scene(next(names), 2000))  # plans and warms up
    ways: dict[str, Callable[[Store, neo4j.Driver, Scene], float]] = {
        "writer": write_by_writer,
        "bare": write_bare,
        "create": create_bare,
    }
    rates: dict[str, list[float]] = {way: [] for way in ways}
    for repeat in range(repeats):
        order = list(ways.items())
        for way, write in order if repeat % 2 == 0 else reversed(order):
            scene = a_long_scene(next(names), nodes)
            rates[way].append(nodes / write(store, driver, scene))
    print(f"load {os.getloadavg()[0]:.1f}; {nodes} frame nodes with 768 numbers, {repeats} runs each; rows a second")
    for way, found in rates.items():
        print(f"  {way:7} median {statistics.median(found):7.0f}   best {max(found):7.0f}")
    medians = statistics.median(rates["writer"]) / statistics.median(rates["bare"])
    best = max(rates["writer"]) / max(rates["bare"])
    print(f"  writer / bare: {medians:.2f} of the medians, {best:.2f} of the best")


def a_long_scene(number: int, nodes: int) -> Scene:
    tracks = tuple(range(1, TRACKS + 1))
    return a_scene(f"bench{number:011d}", frame_count=nodes // TRACKS, tracks=tracks, window_frames=WINDOW_FRAMES)


def write_by_writer(store: Store, driver: neo4j.Driver, scene: Scene) -> float:
    writer = GraphWriter(store)
    writer.begin(scene.video, scene.entities, ())
    embeddings = [scene.embeddings(window) for window in scene.windows]
    started_s = time.perf_counter()
    for window, found in zip(scene.windows, embeddings, strict=True):
        writer.write_window(scene.video.id, window, found)
    return time.perf_counter() - started_s


def write_bare(store: Store, driver: neo4j.Driver, scene: Scene) -> float:
    GraphWriter(store).begin(scene.video, scene.entities, ())
    ends: list[int] = []
    transactions: list[list[Statement]] = []
    for window in scene.windows:
        ends.append(window.frames[-1].index + 1)
        found = [Vector(vector) for vector in scene.embeddings(window).tolist()]
        statements = window_statements(scene.video.id, window, found, list(ends))
        transactions.append([(store.template(n).text, store.template(n).bind(values)) for n, values in statements])
    started_s = time.perf_counter()
    with driver.session(database="neo4j") as session:
        for transaction in transactions:
            session.execute_write(_send, transaction)
    return time.perf_counter() - started_s


def create_bare(store: Store, driver: neo4j.Driver, scene: Scene) -> float:
    batches = [
        Rows(
            rows.frame_node_row(node, Vector(vector))
            for node, vector in zip(window.nodes, scene.embeddings(window).tolist(), strict=True)
        )
        for window in scene.windows
    ]
    started_s = time.perf_counter()
    with driver.session(database="neo4j") as session:
        for batch in batches:
            session.execute_write(_send, [(CREATE, {"rows": batch})])
    return time.perf_counter() - started_s


def bench_localizing(store: Store, driver: neo4j.Driver, library: int) -> None:
    started_s = time.perf_counter()
    for index in ("frame_node_embedding", "event_embedding"):
        store.write(f"schema/drop_{index}")  # filled afterwards: much faster
    basis = np.random.default_rng(1).normal(size=(64, 768)).astype(np.float32)
    with driver.session(database="neo4j") as session:
        for start in range(0, library, 1000):
            weights = np.random.default_rng(start).normal(size=(1000, 64)).astype(np.float32)
            found = weights @ basis
            found /= np.linalg.norm(found, axis=1, keepdims=True)
            batch = Rows(a_library_row(start + number, vector) for number, vector in enumerate(found.tolist()))
            session.execute_write(_send, [(CREATE, {"rows": batch})])
    migrate(store, 768, "test")
    print(f"library of {library} frame nodes filled and indexed in {time.perf_counter() - started_s:.0f} s")
    template = store.template("reasoning/localize_node_exact")
    queries = [Vector(vector) for vector in vectors(200, seed=7).tolist()]
    bare_s, store_s = list[float](), list[float]()
    for number, query in enumerate(queries):
        values = {
            "video_id": f"lib{number % (library // 100):06d}",
            "embedding": query,
            "from_s": 0.0,
            "to_s": 1e9,
            "k": 10,
        }
        started_s = time.perf_counter()
        with driver.session(database="neo4j", default_access_mode="READ") as session:
            found = session.execute_read(lambda tx, v=values: tx.run(template.text, v).data())
        bare_s.append(time.perf_counter() - started_s)
        started_s = time.perf_counter()
        through = store.read("reasoning/localize_node_exact", **values).rows
        store_s.append(time.perf_counter() - started_s)
        assert [row["node_id"] for row in through] == [row["node_id"] for row in found]
        assert len(through) == 10
    bare_ms, store_ms = (statistics.median(times[20:]) * 1000 for times in (bare_s, store_s))
    print(f"load {os.getloadavg()[0]:.1f}; localize_node over 100 of {library} nodes, median of 180 questions")
    print(f"  bare {bare_ms:.2f} ms, store {store_ms:.2f} ms, store / bare {store_ms / bare_ms:.2f}")


def a_library_row(number: int, vector: list[float]) -> dict[str, object]:
    video, second = f"lib{number // 100:06d}", number % 100
    properties = {"videoId": video, "entityId": f"{video}#1", "frameIndex": second, "t": float(second)}
    properties |= {"label": "person", "description": "A person."}
    return {"id": f"{video}/{second}/1", "properties": properties, "embedding": Vector(vector)}


def _send(transaction: neo4j.ManagedTransaction, statements: Sequence[Statement]) -> None:
    for text, values in statements:
        transaction.run(text, dict(values)).consume()  # type: ignore[arg-type]


if __name__ == "__main__":
    main()
