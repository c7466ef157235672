"""Putting questions: what happens to those that cannot be carried out, and to a run that stops in its middle."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest

from ravu_kg.errors import PlanError, ProviderError
from ravu_kg.evaluation.bench import Bench
from ravu_kg.evaluation.questions import Question
from ravu_kg.evaluation.results import Result
from ravu_kg.evaluation.running import digest_of, put_questions
from ravu_kg.evaluation.runs import RunWriter, Setup, open_run, read_run
from ravu_kg.graph.reader import VideoRow
from ravu_kg.reasoning.plan import GetGlobalContext, Plan, Step
from ravu_kg.reasoning.records import Answer, CoverageReport, Evidence, ModelStep
from ravu_kg.types import FloatArray, Usage

SETUP = Setup("own", 6, "abc", "scripted", "captions", "", "test", {})
QUESTIONS = [
    Question(f"q{number}", f"v{number // 2}", f"question {number}", ("a", "b"), 0, "TN", "T", ((0.0, 2.0),))
    for number in range(6)
]
VIDEOS = {"v0": "captions:v0", "v1": "captions:v1", "v2": "captions:v2"}


class Embedder:
    elapsed_s = 0.0
    texts: Sequence[str] = ()

    def embed(self, texts: Sequence[str], kind: str) -> FloatArray:
        self.texts = list(texts)
        return np.zeros((len(texts), 2), np.float32)


def a_bench() -> Bench:
    reader = SimpleNamespace(video=lambda video_id: SimpleNamespace(video_id=video_id))
    return cast("Bench", SimpleNamespace(reader=reader, embedder=Embedder()))


class Scripted:
    """Answers rightly, but for what it is told to do otherwise."""

    name = "scripted"
    says = "what it is told"

    def __init__(self, **does: BaseException | dict[str, object]) -> None:
        self.does = does
        self.asked: list[str] = []
        self.threads: set[int] = set()

    def texts(self, bench: Bench, questions: Sequence[Question]) -> Iterator[str]:
        return iter([one.question for one in questions])

    def answers(self, bench: Bench, video: VideoRow, questions: Sequence[Question]) -> Iterator[Answer]:
        for question in questions:
            self.asked.append(question.id)
            self.threads.add(threading.get_ident())
            does = self.does.get(question.id, {})
            if isinstance(does, BaseException):
                raise does
            yield replace(an_answer(question, video.video_id), **does)  # type: ignore[arg-type]


def an_answer(question: Question, video_id: str) -> Answer:
    step = Step(function="get_global_context", arguments=GetGlobalContext(), save_as="found")
    evidence = [(7.2, 0.9), (3.0, 0.8), (7.8, 0.7)]
    return Answer(
        answer=question.options[0],
        option=0,
        margin=0.1,
        method={"answerer": "extractive"},
        evidence=tuple(Evidence(time_s, int(time_s), (), "found", score, "said") for time_s, score in evidence),
        plan=Plan(question=question.question, steps=(step,)),
        trace=(),
        usage=Usage(1, 100, 10, 0.5),
        coverage=CoverageReport(1, 1, 0, 0),
        video_id=video_id,
    )


def opened(path: Path) -> AbstractContextManager[RunWriter]:
    return open_run(path, SETUP, "1.0")


def results(path: Path) -> dict[str, Result]:
    return {one.id: one for one in read_run(path).results}


def test_an_answer_is_kept_with_its_seconds_plan_and_tokens(tmp_path: Path):
    bench = a_bench()
    with opened(tmp_path / "run") as writer:
        done = put_questions(QUESTIONS, VIDEOS, Scripted(), bench, writer)
    assert (done.asked, done.kept, done.missing) == (6, 0, 0)
    assert sorted(cast("Any", bench.embedder).texts) == sorted(one.question for one in QUESTIONS)
    first = results(tmp_path / "run")["q0"]
    assert (first.seconds, first.right, first.input_tokens, first.cost_usd) == ((7, 3), True, 100, 0.5)
    assert first.plan["question"] == "question 0"
    assert first.spans == ((0.0, 2.0),)


def test_a_question_that_cannot_be_carried_out_does_not_take_its_neighbours_with_it(tmp_path: Path):
    method = Scripted(q2=PlanError("no such step"))
    with opened(tmp_path / "run") as writer:
        put_questions(QUESTIONS, VIDEOS, method, a_bench(), writer)
    found = results(tmp_path / "run")
    assert {key: one.outcome for key, one in found.items()} == {
        **dict.fromkeys((one.id for one in QUESTIONS), "answered"),
        "q2": "failed",
    }
    assert found["q2"].notes == ("no such step",)
    assert not found["q2"].right


def test_what_a_filter_blocks_is_told_from_what_is_wrong(tmp_path: Path):
    method = Scripted(q1={"outcome": "refused", "option": None})
    with opened(tmp_path / "run") as writer:
        put_questions(QUESTIONS, VIDEOS, method, a_bench(), writer)
    assert results(tmp_path / "run")["q1"].outcome == "refused"


def test_a_price_that_is_not_known_is_not_nothing(tmp_path: Path):
    step = ModelStep("answer", "openai:unpriced", Usage(1, 100, 10), 0.1, has_price=False)
    with opened(tmp_path / "run") as writer:
        put_questions(QUESTIONS, VIDEOS, Scripted(q0={"model_steps": (step,)}), a_bench(), writer)
    assert results(tmp_path / "run")["q0"].cost_usd is None


def test_a_model_that_cannot_be_had_stops_the_run_which_then_goes_on(tmp_path: Path):
    with opened(tmp_path / "run") as writer, pytest.raises(ProviderError, match="wrong key"):
        put_questions(QUESTIONS, VIDEOS, Scripted(q3=ProviderError("wrong key")), a_bench(), writer)
    kept = results(tmp_path / "run")
    assert "q3" not in kept
    assert {"q0", "q1", "q2"} <= kept.keys()
    method = Scripted()
    with opened(tmp_path / "run") as writer:
        done = put_questions(QUESTIONS, VIDEOS, method, a_bench(), writer)
    assert done.kept == len(kept)
    assert sorted(method.asked) == sorted({one.id for one in QUESTIONS} - kept.keys())
    assert len(results(tmp_path / "run")) == 6


def test_questions_of_a_missing_video_are_asked_when_it_is_there(tmp_path: Path):
    without = {name: video_id for name, video_id in VIDEOS.items() if name != "v1"}
    with opened(tmp_path / "run") as writer:
        done = put_questions(QUESTIONS, without, Scripted(), a_bench(), writer)
    assert (done.asked, done.missing) == (4, 2)
    assert results(tmp_path / "run")["q2"].outcome == "missing"
    with opened(tmp_path / "run") as writer:  # still not there: nothing is written again
        assert put_questions(QUESTIONS, without, Scripted(), a_bench(), writer).asked == 0
    with opened(tmp_path / "run") as writer:
        method = Scripted()
        done = put_questions(QUESTIONS, VIDEOS, method, a_bench(), writer)
    assert (done.asked, done.kept, sorted(method.asked)) == (2, 4, ["q2", "q3"])
    assert {one.outcome for one in results(tmp_path / "run").values()} == {"answered"}


def test_videos_are_asked_by_several_workers(tmp_path: Path):
    barrier = threading.Barrier(3)

    class Together(Scripted):
        def answers(self, bench: Bench, video: VideoRow, questions: Sequence[Question]) -> Iterator[Answer]:
            barrier.wait(30)  # each video has a thread, or nobody comes through
            return super().answers(bench, video, questions)

    with opened(tmp_path / "run") as writer:
        put_questions(QUESTIONS, VIDEOS, Together(), a_bench(), writer, workers=3)
    assert len(results(tmp_path / "run")) == 6


def test_other_questions_have_another_digest():
    assert digest_of(QUESTIONS) == digest_of([replace(one) for one in QUESTIONS])
    assert digest_of(QUESTIONS) != digest_of([*QUESTIONS[:-1], replace(QUESTIONS[-1], answer=1)])
