"""How much faster two workers index a batch than one.

Run: ``python -m tests.benchmarks.bench_workers [--workers 2] [--clips 8] [--seconds 60]`` (starts a server of its own;
needs the test data, and idle cores).

Eight clips of at least 60 s, each a clip of the test data looped, are indexed by one worker and by several, with empty
caches each time. A worker's detector, encoder and decoding use one thread. The workers' start, in which they load
their models, is measured apart. Goal: two workers on two idle cores are at least 1.6 times as fast as one.
Beside it the same in one process that uses all cores, as ``ravu-kg index`` does without ``--workers``.
"""

from __future__ import annotations

import argparse
import itertools
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import av

from ravu_kg.engines.alone import Alone
from ravu_kg.engines.batch import index_all
from ravu_kg.engines.finding import Source
from ravu_kg.engines.processes import Processes
from ravu_kg.engines.records import Crew, Failure, Order
from ravu_kg.memory import VideoMemory
from ravu_kg.settings import Settings
from tests.benchmarks.bench_index import bench_settings, forget
from tests.benchmarks.machine import own_server, print_load, test_data

SOURCES = ("woman_in_room", "children_on_bed", "baby_reading", "dog_and_woman", "arm_wrestling", "cup_shuffle")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--clips", type=int, default=8)
    parser.add_argument("--seconds", type=float, default=61.0)
    given = parser.parse_args()
    print_load()
    with tempfile.TemporaryDirectory() as folder, own_server():
        settings = bench_settings(Path(folder) / "cache")
        names = itertools.islice(itertools.cycle(SOURCES), given.clips)
        clips = [
            looped(test_data() / "videos" / f"{name}.mp4", Path(folder) / f"{number}-{name}.mkv", given.seconds)
            for number, name in enumerate(names)
        ]
        with VideoMemory.open(settings) as memory:
            bench(memory, clips, given.workers)
    print_load()


def bench(memory: VideoMemory, clips: Sequence[Path], workers: int) -> None:
    settings = memory.settings
    # A server plans each statement when it first sees it: warm it with this much of work, then forget all of it.
    run("warm-up", Alone(memory), memory, clips[:2])
    plain_s = run("one process, all cores", Alone(memory), memory, clips)
    took_s = {count: with_workers(count, settings, memory, clips) for count in (1, workers)}
    print(
        f"{workers} workers are {took_s[1] / took_s[workers]:.2f} times as fast as one (goal 1.6 for two on two idle "
        f"cores), and {plain_s / took_s[workers]:.2f} times as fast as one process that uses all cores"
    )


def with_workers(count: int, settings: Settings, memory: VideoMemory, clips: Sequence[Path]) -> float:
    started_s = time.perf_counter()
    with Processes(settings, count, threads=1) as crew:
        crew.wait_until_ready()
        print(f"{f'start of {count} workers':28} {time.perf_counter() - started_s:7.1f} s")
        return run(f"workers: {count}", crew, memory, clips)


def run(name: str, crew: Crew, memory: VideoMemory, clips: Sequence[Path]) -> float:
    """Seconds until all clips are indexed; all of it is removed again."""
    forget(memory.settings)
    duration_s, by_stage = 0.0, Counter[str]()
    started_s = time.perf_counter()
    for one in index_all(crew, [Source(clip) for clip in clips], Order(), lambda number, stage, share: None):
        assert not isinstance(one.outcome, Failure), one.outcome.message
        duration_s += one.outcome.duration_s
        by_stage.update(one.outcome.elapsed_s)
    took_s = time.perf_counter() - started_s
    for clip in clips:
        memory.delete(str(clip))
    stages = ", ".join(f"{stage} {spent_s:.1f}" for stage, spent_s in by_stage.items() if spent_s >= 0.05)
    rate = f"{duration_s / took_s:.1f} times real time, {len(clips)} clips"
    print(f"{name:28} {took_s:7.1f} s   {rate}   all of them: {stages}", flush=True)
    return took_s


def looped(source: Path, target: Path, least_s: float) -> Path:
    """A clip again and again until it is long enough, without encoding anything anew."""
    with av.open(str(target), "w") as written:
        written.metadata["comment"] = target.stem  # makes the content its own
        stream, offset, reached_s = None, 0, 0.0
        while stream is None or reached_s < least_s:
            with av.open(str(source)) as read:
                of_source = read.streams.video[0]
                stream = stream or written.add_stream_from_template(of_source)
                packets = [packet for packet in read.demux(of_source) if packet.pts is not None]
                first = min(packet.pts for packet in packets)
                step = max(packet.pts + packet.duration for packet in packets) - first
                for packet in packets:
                    packet.pts, packet.dts = packet.pts - first + offset, packet.dts - first + offset
                    packet.stream = stream
                    written.mux(packet)
                offset += step
                reached_s = float(offset * of_source.time_base)
    return target


if __name__ == "__main__":
    main()
