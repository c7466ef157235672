"""A process that asks, in threads, or indexes, until a given time: ``python -m tests.chaos.worker``."""

from __future__ import annotations

import json
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

from ravu_kg import RavuError, VideoMemory

QUESTIONS = (
    "Which moving object comes first?",
    "How many moving objects are there?",
    "What happens at the end?",
    "When does the moving object leave?",
    "What does the moving object do before it leaves?",
    "Is there a lamp?",
)


def main() -> None:
    """Arguments: what to do, until when, about what, in how many threads, where the report goes."""
    what, end, about, threads, report = sys.argv[1:]
    took_s: list[float] = []
    errors: list[str] = []
    end_s = float(end)
    with VideoMemory.open() as memory:
        work = _asking(memory, about) if what == "ask" else _indexing(memory, Path(about))

        def again_and_again(first: int) -> None:
            turn = first
            while time.time() < end_s and not errors:
                started_s = time.perf_counter()
                try:
                    work(turn)
                except Exception as error:
                    kind = "" if isinstance(error, RavuError) else f"{type(error).__name__}: "
                    errors.append(f"{what}: {kind}{error}")
                took_s.append(time.perf_counter() - started_s)
                turn += 1

        workers = [threading.Thread(target=again_and_again, args=(number,)) for number in range(int(threads))]
        for one in workers:
            one.start()
        for one in workers:
            one.join()
    Path(report).write_text(json.dumps({"what": what, "took_s": took_s, "errors": errors}))


def _asking(memory: VideoMemory, video: str) -> Callable[[int], None]:
    def ask(turn: int) -> None:
        answer = memory.ask(video, QUESTIONS[turn % len(QUESTIONS)])
        if not answer.answer:
            raise ValueError("an answer without words")

    return ask


def _indexing(memory: VideoMemory, folder: Path) -> Callable[[int], None]:
    clips = sorted(folder.glob("*.mp4"))

    def index(turn: int) -> None:
        result = memory.index(clips[turn % len(clips)])
        if result.status != "indexed":
            raise ValueError(f"{result.status}, not indexed")
        memory.delete(result.video_id)

    return index


if __name__ == "__main__":
    main()
