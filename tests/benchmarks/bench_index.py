"""How fast a video becomes a graph, beside its detector alone in the same run.

Run: ``python -m tests.benchmarks.bench_index [CLIP]`` (starts a server of its own; needs the test data).

* detector: ``detect`` alone on the frames that indexing decodes, before and after; the mean is the reference.
* cold: all stages but the loading of models, nothing in the caches. Goal: <= 1.6 of the detector.
* sentences cached: the same with the sentences' vectors in the cache. Goal: <= 1.35.
* process: ``ravu-kg index`` from start to end, nothing in the caches. Goal: real time / 2.5.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import tempfile
import time
from pathlib import Path

from ravu_kg.memory import VideoMemory
from ravu_kg.plugins import load_detector
from ravu_kg.settings import Settings, load
from ravu_kg.video.reader import probe, read_frames
from tests.benchmarks.machine import COMMAND, own_server, print_load, test_data

BATCH_FRAMES = 4
"""As indexing does it."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("clip", nargs="?", type=Path, default=test_data() / "videos" / "one_by_one_persons.mp4")
    clip = parser.parse_args().clip.resolve()
    print_load()
    with tempfile.TemporaryDirectory() as folder, own_server():
        settings = bench_settings(Path(folder) / "cache")
        bench(clip, settings)
    print_load()


def bench_settings(cache: Path) -> Settings:
    """The default settings with the small detector of the test data and caches of its own."""
    cache.mkdir(parents=True, exist_ok=True)
    os.environ["RAVU_KG_CACHE"] = str(cache)
    os.environ["RAVU_KG_MODELS__DETECT"] = f"yolox:{test_data() / 'detectors' / 'yolox_nano_416.onnx'}"
    return load()


def bench(clip: Path, settings: Settings) -> None:
    duration_s = probe(clip).duration_s
    before_s = detector_alone(clip, settings)
    with VideoMemory.open(settings) as memory:
        # A server plans each statement when it first sees it and compiles what it runs often: warm it with this much
        # of work, then forget all of it.
        memory.delete(memory.index(clip).video_id)
        forget(settings)
        cold = memory.index(clip)
        memory.delete(cold.video_id, keep_cache=True)
        shutil.rmtree(settings.cache / "detections")
        cached = memory.index(clip)
        memory.delete(cached.video_id)
    after_s = detector_alone(clip, settings)
    forget(settings)
    started_s = time.perf_counter()
    subprocess.run([COMMAND, "index", str(clip)], check=True, capture_output=True)
    process_s = time.perf_counter() - started_s

    reference_s = (before_s + after_s) / 2
    print(f"{clip.name}: {duration_s:.1f} s of video")
    print(f"{'detector alone':20} {reference_s:7.1f} s   ({before_s:.1f} before, {after_s:.1f} after)")
    for name, elapsed, goal in (("cold", cold.elapsed_s, 1.6), ("sentences cached", cached.elapsed_s, 1.35)):
        stages = {stage: took for stage, took in elapsed.items() if stage != "load"}
        total_s = sum(stages.values())
        parts = ", ".join(f"{stage} {took:.1f}" for stage, took in stages.items())
        print(f"{name:20} {total_s:7.1f} s   {total_s / reference_s:.2f} of the detector (goal {goal})   {parts}")
    print(f"{'process':20} {process_s:7.1f} s   {duration_s / process_s:.1f} times real time (goal 2.5)")


def forget(settings: Settings) -> None:
    """Empty the caches of detections and sentences."""
    for name in ("detections", "sentences.sqlite", "sentences.sqlite-wal", "sentences.sqlite-shm"):
        path = settings.cache / name
        shutil.rmtree(path) if path.is_dir() else path.unlink(missing_ok=True)


def detector_alone(clip: Path, settings: Settings) -> float:
    """Seconds that ``detect`` takes on the frames at the tracking rate; decoding is not counted."""
    detector = load_detector(settings.models.detect, settings.providers)
    took_s = 0.0
    frames = iter(read_frames(probe(clip), settings.tracking_rate_hz))
    while True:
        batch = [frame for _, frame in zip(range(BATCH_FRAMES), frames, strict=False)]
        if not batch:
            return took_s
        started_s = time.perf_counter()
        detector.detect(batch)
        took_s += time.perf_counter() - started_s


if __name__ == "__main__":
    main()
