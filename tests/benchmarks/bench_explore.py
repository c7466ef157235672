"""How much the queries of ``explore/`` cost as the library grows, and what the gate adds to ad-hoc Cypher.

Run: ``python -m tests.benchmarks.bench_explore [--videos 10 100 300]`` (starts a server of its own).

* db hits of each query about one video, by PROFILE, with so many videos stored; they must not grow. Goal: all equal.
* the median time of each, in the largest library. Goal: < 50 ms.
* gate: ``query_readonly`` against the bare statement in a transaction, for a text that the plan cache knows. Goal: the
  medians are < 5 ms apart, both where this process asks the text for the first time, which plans it for the gate, and
  where it asked it a moment ago. A text that the server sees for the first time is printed too. Milliseconds of CPU are
  this process's own, which other programs on the machine change less than the time on the clock.
"""

from __future__ import annotations

import argparse
import itertools
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

import neo4j

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from builders import a_scene, vectors
from plan_costs import PARAMETERS, PER_VIDEO, VIDEO, add_other_videos, db_hits

from ravu_kg.graph.schema import migrate
from ravu_kg.graph.store import Store
from ravu_kg.graph.writer import GraphWriter
from ravu_kg.server import EmbeddedServer, ServerConfig
from ravu_kg.server.processes import free_port
from tests.benchmarks.machine import print_load

CHEAP = "MATCH (e:Entity {videoId: $v}) RETURN e.label AS label, count(*) AS n"


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--videos", type=int, nargs="+", default=[10, 100, 300], help="sizes of the library")
    sizes = sorted(arguments.parse_args().videos)
    print_load()
    with tempfile.TemporaryDirectory() as home:
        bolt = free_port()
        server = EmbeddedServer(
            ServerConfig(Path(home), bolt_port=bolt, http_port=free_port(taken=frozenset({bolt})), heap_mb=1024)
        )
        try:
            endpoint = server.start()
            address = (endpoint.bolt_uri, endpoint.username, endpoint.password)
            with (
                Store.connect(*address) as store,
                neo4j.GraphDatabase.driver(address[0], auth=address[1:], telemetry_disabled=True) as driver,
            ):
                migrate(store, 768, "test")
                bench_hits(store, driver, sizes)
                bench_gate(store, driver, address)
        finally:
            server.stop()
    print_load()


def bench_hits(store: Store, driver: neo4j.Driver, sizes: list[int]) -> None:
    add_video(store, VIDEO, frame_count=30)
    stored, hits = 1, dict[str, list[int]]()
    for size in sizes:
        add_other_videos(driver, stored, size)
        stored = size
        for name in PER_VIDEO:
            hits.setdefault(name, []).append(db_hits(driver, store.template(f"explore/{name}"), PARAMETERS))
    print(f"{'explore query':24}" + "".join(f"{size:>9}" for size in sizes) + "   db hits by videos stored; median ms")
    for name, counts in hits.items():
        template = store.template(f"explore/{name}")
        bound = {p.name: PARAMETERS[p.name] for p in template.parameters}
        took = median_ms(lambda template=template, bound=bound: store.read(template.name, **bound))
        grown = "" if len(set(counts)) == 1 else "   GROWS"
        print(f"{name:24}" + "".join(f"{count:>9}" for count in counts) + f"{took:>9.1f} ms{grown}")


def bench_gate(store: Store, driver: neo4j.Driver, address: tuple[str, str, str]) -> None:
    def bare(text: str = CHEAP) -> None:
        with driver.session(database="neo4j", default_access_mode="READ") as session:
            session.execute_read(lambda transaction: list(transaction.run(text, {"v": VIDEO})))

    def gated(text: str = CHEAP, of: Store = store) -> None:
        of.query_readonly(text, {"v": VIDEO})

    gated()
    bare_ms, bare_cpu_ms = median_ms(bare, 200), cpu_ms(bare)
    print(f"bare statement: {bare_ms:.2f} ms, {bare_cpu_ms:.2f} ms of CPU here")
    with ExitStack() as end:
        # The server knows the text; none of these stores has asked it.
        new_here = [end.enter_context(Store.connect(*address)) for _ in range(101)]
        took = median_ms(lambda: gated(of=new_here.pop()), 100)
    print(f"gate, text in the plan cache, new here: {took - bare_ms:.2f} ms more than the bare statement (goal < 5)")
    took, more_cpu_ms = median_ms(gated, 200), cpu_ms(gated) - bare_cpu_ms
    again = f"{took - bare_ms:.2f} ms more (goal < 5), {more_cpu_ms:.2f} ms of CPU here"
    print(f"gate, text in the plan cache, asked again: {again}")
    fresh = itertools.count()
    bare_new = median_ms(lambda: bare(f"{CHEAP}{next(fresh)}"), 20)  # the column's name differs each time
    gated_new = median_ms(lambda: gated(f"{CHEAP}{next(fresh)}"), 20)
    print(f"gate, text that the server sees for the first time: {gated_new:.1f} ms against {bare_new:.1f} ms")


def add_video(store: Store, video_id: str, *, frame_count: int) -> None:
    scene = a_scene(video_id, frame_count=frame_count, window_frames=frame_count)
    writer = GraphWriter(store)
    writer.begin(scene.video, scene.entities, scene.links)
    for window in scene.windows:
        writer.write_window(video_id, window, vectors(len(window.nodes)))
    writer.write_events(video_id, scene.events, scene.event_embeddings)
    writer.finish(video_id)


def median_ms(work: Callable[[], object], repeats: int = 15) -> float:
    work()
    times = list[float]()
    for _ in range(repeats):
        started_s = time.perf_counter()
        work()
        times.append((time.perf_counter() - started_s) * 1000)
    return statistics.median(times)


def cpu_ms(work: Callable[[], object], repeats: int = 200) -> float:
    """CPU of this process for one call, on average."""
    started_s = time.process_time()
    for _ in range(repeats):
        work()
    return (time.process_time() - started_s) * 1000 / repeats


if __name__ == "__main__":
    main()
