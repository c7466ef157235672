"""Indexing with models: wall time of the model stages against their calls, and the pipeline's own processor time.

Run: ``python -m tests.benchmarks.bench_models [--minutes 10]`` (needs the test data, no Neo4j).
A scripted server in a process of its own takes 1 s a call; 8 calls at a time; a real clip, looped, with four entities
in every frame. Goals: wall <= 1.2 x calls / 8 s, plus 1 s for each stage that waits for the one before; own processor
time, that is without models, detecting, decoding and embedding, <= 5 % of the goal for the wall.

Also the table of what sharing calls saves: calls and tokens of a minute with 1 to 6 targets a call.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from ravu_kg.models.calls import ModelCalls
from ravu_kg.models.roles import INDEX_ROLES
from ravu_kg.perception.captioning import chain, stretches
from ravu_kg.perception.captioning.captioner import Captioner
from ravu_kg.perception.captioning.estimate import StandIn
from ravu_kg.perception.geometry import describe
from ravu_kg.settings import Settings
from ravu_kg.types import Perception, SampledFrame, Track, Usage
from ravu_kg.video.reader import probe, read_frames
from tests.benchmarks.bench_long import loop
from tests.benchmarks.machine import print_load, test_data
from tests.e2e.models.seeing import Seer
from tests.model_server import ModelServer

CALL_S, CONCURRENCY, ENTITIES = 1.0, 8, 4
DEPENDENT_STAGES = 4
MODEL = "gemini:gemini-2.5-flash"
ROLES = ("describe", "graph", "sentence", "events")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.serve:
        serve()
        return
    print_load()
    with tempfile.TemporaryDirectory() as folder:
        looped = Path(folder) / "loop.mp4"
        loop(test_data() / "videos" / "dog_and_woman.mp4", looped, options.minutes * 60)
        perception = seen(looped)
        saving(perception)
        with server() as url:
            run(perception, url, Path(folder) / "cache")
    print_load()


def run(perception: Perception, url: str, cache: Path) -> None:
    os.environ["GEMINI_API_KEY"] = "test-key"
    settings = Settings.model_validate(
        {
            "models": {"describe": MODEL},
            "providers": {"gemini": {"base_url": url}},
            "cache": cache,
            "calls": {"concurrency": CONCURRENCY},
        }
    )
    description = describe(perception, "v")
    clock = Clock()
    clock.watch()
    started_s = time.perf_counter()
    with ModelCalls.open(settings, INDEX_ROLES) as calls:
        clock.watch_asking(calls)
        captioner = Captioner(description, "v", calls, 3)
        main_s = time.thread_time()
        for _ in captioner.windows(lambda share: None):
            pass
        captioner.events(lambda share: None)
        clock.add("own", time.thread_time() - main_s)
        total = calls.total()
    wall_s = time.perf_counter() - started_s
    goal_s = 1.2 * total.calls / CONCURRENCY * CALL_S + DEPENDENT_STAGES
    own_s = clock.spent["own"]
    frames = len(perception.frames)
    print(f"{frames} frames, {total.calls} calls ({total.calls / frames * 60:.0f} a minute)")
    print(f"wall {wall_s:.1f} s (goal {goal_s:.1f} s; calls / {CONCURRENCY} = {total.calls / CONCURRENCY:.1f} s)")
    print(f"own processor time {own_s:.2f} s = {own_s / goal_s:.1%} of that goal (5 %)")


def saving(perception: Perception) -> None:
    """Calls and tokens for each minute of video, by the number of targets that share a call."""
    description = describe(perception, "v")
    minutes = len(perception.frames) / 60
    print("targets  calls/min  tokens in/min: describe, all  tokens out/min")
    for targets in (1, 2, 3, 4, 6):
        calls = StandIn(dict.fromkeys(ROLES, MODEL))
        captioner = Captioner(description, "v", calls, 3, decode=False, targets=targets)
        for _ in captioner.windows(lambda share: None):
            pass
        captioner.events(lambda share: None)
        total = sum(calls.usage.values(), Usage())
        print(
            f"{targets:7}  {total.calls / minutes:9.0f}  {calls.usage['describe'].input_tokens / minutes:15,.0f}, "
            f"{total.input_tokens / minutes:11,.0f}  {total.output_tokens / minutes:14,.0f}"
        )


def seen(path: Path) -> Perception:
    """Four entities that walk through the picture, in every frame; nothing is detected."""
    video = probe(path)
    times_s = np.arange(0.0, video.duration_s - 0.2, 0.2)
    frames = tuple(SampledFrame(n, f.source_frame, f.timestamp_s) for n, f in enumerate(read_frames(video, 1.0)))
    tracks: list[Track] = []
    for number in range(1, ENTITIES + 1):
        left = 100 * number + 200 * np.sin(times_s / 10 + number) + 200
        boxes = np.stack([left, np.full_like(left, 200), left + 120, np.full_like(left, 500)], axis=1)
        sure = np.full(len(times_s), 0.9, dtype=np.float32)
        tracks.append(Track(number, "person", times_s, boxes.astype(np.float32), sure))
    return Perception(video, frames, tuple(tracks), (), (), "none", "none", 1.0)


class Clock:
    """Processor time of threads, by what they do."""

    def __init__(self) -> None:
        self.spent = {"own": 0.0}
        self._lock = threading.Lock()

    def add(self, what: str, seconds: float) -> None:
        with self._lock:
            self.spent[what] = self.spent.get(what, 0.0) + seconds

    def watch(self) -> None:
        """Making stretches without decoding, and the chains without the calls."""
        decode, make, words = stretches.frames_at, stretches.Stretches.__iter__, chain.Chain.put_into_words
        stretches.frames_at = lambda *args: self._each(decode(*args), -1)  # type: ignore[assignment]
        stretches.Stretches.__iter__ = lambda one: self._each(make(one), 1)  # type: ignore[method-assign]
        chain.Chain.put_into_words = self._timed(words, 1)  # type: ignore[method-assign]

    def watch_asking(self, calls: ModelCalls) -> None:
        calls.ask = self._timed(calls.ask, -1)  # type: ignore[method-assign]

    def _each(self, items: Iterator[Any], sign: int) -> Iterator[Any]:
        while True:
            started_s = time.thread_time()
            item = next(items, None)
            self.add("own", sign * (time.thread_time() - started_s))
            if item is None:
                return
            yield item

    def _timed(self, function: Callable[..., Any], sign: int) -> Callable[..., Any]:
        def timed(*args: Any, **options: Any) -> Any:
            started_s = time.thread_time()
            try:
                return function(*args, **options)
            finally:
                self.add("own", sign * (time.thread_time() - started_s))

        return timed


@contextmanager
def server() -> Iterator[str]:
    """The scripted server in a process of its own, so that its work is not counted here."""
    command = [sys.executable, "-m", "tests.benchmarks.bench_models", "--serve"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stdin=subprocess.PIPE, text=True)
    assert process.stdout is not None
    try:
        yield process.stdout.readline().strip()
    finally:
        process.communicate("\n")


def serve() -> None:
    with ModelServer(Seer(lamp=lambda frame: False), delay_s=CALL_S) as model_server:
        print(model_server.url, flush=True)
        sys.stdin.readline()


if __name__ == "__main__":
    main()
