"""Puts questions to a memory by a method, video by video, several at a time, and keeps each answer at once."""

from __future__ import annotations

import hashlib
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_EXCEPTION, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass

from ravu_kg.errors import NotFoundError, ReasoningError
from ravu_kg.evaluation.bench import Bench
from ravu_kg.evaluation.methods import Method
from ravu_kg.evaluation.questions import Question
from ravu_kg.evaluation.results import Result, answered, ranked_seconds, unanswered
from ravu_kg.evaluation.runs import RunWriter
from ravu_kg.graph.reader import VideoRow

NOT_THERE = "Its video is not in the graph."


@dataclass(frozen=True, slots=True)
class Finished:
    """What a run came to."""

    asked: int
    """Now; those of an earlier run were kept."""
    kept: int
    missing: int
    """Questions whose video is not in the graph."""
    elapsed_s: float
    """Of the questions asked now, without embedding."""
    embedding_s: float

    @property
    def questions_per_s(self) -> float:
        """Without embedding."""
        return self.asked / self.elapsed_s if self.elapsed_s > 0 else 0.0


def digest_of(questions: Sequence[Question]) -> str:
    """Tells chosen questions from others: their ids and texts."""
    digest = hashlib.sha256()
    for one in questions:
        digest.update(repr((one.id, one.video, one.question, one.options, one.answer, one.spans)).encode())
    return digest.hexdigest()[:16]


def put_questions(
    questions: Sequence[Question],
    videos: Mapping[str, str],
    method: Method,
    bench: Bench,
    writer: RunWriter,
    *,
    workers: int = 1,
    progress: Callable[[float], None] | None = None,
) -> Finished:
    """Answer the questions that a run lacks.

    A question that cannot be carried out is kept as ``failed``. One whose video is not in the graph is ``missing``, and
    asked when the run is gone on with and the video is there.

    Args:
        questions: that were chosen.
        videos: name in the data set -> id in the graph.
        method: how to answer.
        bench: the memory.
        writer: of the run.
        workers: videos that are asked at a time.
        progress: told the finished share, 0..1.

    Raises:
        ProviderError: a model cannot be had; what is answered is kept.
        GraphError: Neo4j failed; likewise.
    """
    done = {key for key, result in writer.done.items() if result.outcome != "missing" or result.video not in videos}
    todo = [one for one in questions if one.id not in done]
    kept = len(questions) - len(todo)
    missing = [one for one in todo if one.video not in videos]
    if missing:
        writer.add(*(unanswered(one, "missing", NOT_THERE) for one in missing))
    by_video: dict[str, list[Question]] = {}
    for one in todo:
        if one.video in videos:
            by_video.setdefault(one.video, []).append(one)
    count, total = 0, len(questions)
    finished, stopped, lock = kept + len(missing), threading.Event(), threading.Lock()

    def ask(video: str, of_video: Sequence[Question]) -> None:
        nonlocal count, finished
        try:
            for result in _results(method, bench, bench.reader.video(videos[video]), of_video):
                writer.add(result)
                with lock:
                    count, finished = count + 1, finished + 1
                    if progress:
                        progress(finished / total)
                if stopped.is_set():
                    return
        except BaseException:  # Ctrl-C, too: the other threads end with their question
            stopped.set()
            raise

    embedded_s, started_s = bench.embedder.elapsed_s, time.perf_counter()
    asked = [one for of_video in by_video.values() for one in of_video]
    bench.embedder.embed(list(method.texts(bench, asked)), "query")
    with ThreadPoolExecutor(workers, thread_name_prefix="eval") as pool:
        futures: list[Future[None]] = [
            pool.submit(_unless(stopped, ask), video, of_video) for video, of_video in by_video.items()
        ]
        try:
            wait(futures, return_when=FIRST_EXCEPTION)
        except BaseException:  # Ctrl-C: no further video is begun
            stopped.set()
            raise
        for future in futures:
            future.result()
    embedding_s = bench.embedder.elapsed_s - embedded_s
    elapsed_s = max(0.0, time.perf_counter() - started_s - embedding_s)
    absent = Counter(one.video not in videos for one in questions)[True]
    return Finished(count, kept, absent, elapsed_s, embedding_s)


def _results(method: Method, bench: Bench, video: VideoRow, questions: Sequence[Question]) -> Iterator[Result]:
    """One for each question; one that cannot be carried out does not take the others of its video with it."""
    left = list(questions)
    while left:
        answers = method.answers(bench, video, tuple(left))
        try:
            for question in tuple(left):
                started_s = time.perf_counter()
                answer = next(answers)
                ranked = ranked_seconds([(one.timestamp_s, one.score) for one in answer.evidence])
                yield answered(question, answer, ranked, time.perf_counter() - started_s)
                left.remove(question)
        except NotFoundError:
            raise
        except ReasoningError as error:
            yield unanswered(left.pop(0), "failed", str(error))


def _unless(
    stopped: threading.Event, work: Callable[[str, Sequence[Question]], None]
) -> Callable[[str, Sequence[Question]], None]:
    def begin(video: str, questions: Sequence[Question]) -> None:
        if not stopped.is_set():
            work(video, questions)

    return begin
