"""How long a question takes, as a whole process and as a second question in one process; and the cost of imports.

Run: ``python -m tests.benchmarks.bench_ask`` (starts a server of its own; needs the test data).

* process: ``ravu-kg ask VIDEO QUESTION``, server running. Goal: median < 3 s.
* second question: in one process. Goal: median < 0.3 s.
* ``import ravu_kg`` and ``ravu-kg --help``. Goal: < 0.5 s each.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from ravu_kg.memory import VideoMemory
from tests.benchmarks.bench_index import bench_settings
from tests.benchmarks.machine import COMMAND, own_server, print_load, test_data

QUESTIONS = (
    "How many people are there?",
    "Who comes after the first person leaves?",
    "Where does the person stand?",
    "What happens at the end?",
    "When is a person near the table?",
)
REPEATS = 7


def main() -> None:
    print_load()
    clip = test_data() / "videos" / "one_by_one_persons.mp4"
    with tempfile.TemporaryDirectory() as folder, own_server():
        settings = bench_settings(Path(folder) / "cache")
        with VideoMemory.open(settings) as memory:
            video = memory.index(clip).video_id
            memory.ask(video, "What colour is the table?")
            second = [seconds(lambda question=question: memory.ask(video, question)) for question in QUESTIONS * 2]
        whole = [seconds(lambda q=q: run([COMMAND, "ask", video, q])) for q in (*QUESTIONS, *QUESTIONS)]
        helped = [seconds(lambda: run([COMMAND, "--help"])) for _ in range(REPEATS)]
        imported = [seconds(lambda: run([sys.executable, "-c", "import ravu_kg"])) for _ in range(REPEATS)]
        bare = [seconds(lambda: run([sys.executable, "-c", "pass"])) for _ in range(REPEATS)]
    for name, times, goal in (
        ("ask, whole process", whole, "3"),
        ("second question", second, "0.3"),
        ("ravu-kg --help", helped, "0.5"),
        ("import ravu_kg", imported, "0.5"),
        ("python alone", bare, "-"),
    ):
        print(f"{name:20} median {statistics.median(times):.3f} s, best {min(times):.3f} s (goal {goal})")
    print_load()


def run(command: list[str]) -> None:
    subprocess.run(command, check=True, capture_output=True)


def seconds(work: Callable[[], object]) -> float:
    started_s = time.perf_counter()
    work()
    return time.perf_counter() - started_s


if __name__ == "__main__":
    main()
