"""The methods that the paper compares with: no evidence, all of it, and what is nearest to the question in meaning."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from ravu_kg.evaluation.bench import Bench, Second
from ravu_kg.evaluation.methods.protocol import answer_from, found_by, localizing, overview, own_texts
from ravu_kg.evaluation.questions import Question
from ravu_kg.graph.reader import VideoRow
from ravu_kg.reasoning.context import Phrases
from ravu_kg.reasoning.protocols import Reply
from ravu_kg.reasoning.records import Answer, Evidence, Execution
from ravu_kg.types import Usage


class Blind:
    """Answers without looking; without a model it takes the option that is nearest to the question in meaning."""

    name = "blind"
    says = "the question and its options alone"

    def texts(self, bench: Bench, questions: Sequence[Question]) -> Iterator[str]:
        """See :class:`Method`."""
        return own_texts(questions)

    def answers(self, bench: Bench, video: VideoRow, questions: Sequence[Question]) -> Iterator[Answer]:
        """See :class:`Method`."""
        phrases, reader = _prepared(bench, questions), bench.one_video()
        for question in questions:
            execution = found_by(bench, video, question.question, (), overview())
            if not bench.answers_by_model:
                reply = _nearest_option(question, phrases)
                yield _by_options_alone(execution, reply)
                continue
            yield answer_from(bench, execution, question, phrases, reader)


class AllFrames:
    """Answers from everything that is said of each sampled frame."""

    name = "all-frames"
    says = "every sampled frame"

    def texts(self, bench: Bench, questions: Sequence[Question]) -> Iterator[str]:
        """See :class:`Method`."""
        return own_texts(questions)

    def answers(self, bench: Bench, video: VideoRow, questions: Sequence[Question]) -> Iterator[Answer]:
        """See :class:`Method`."""
        phrases, reader = _prepared(bench, questions), bench.one_video()
        if bench.answers_by_model:
            frames = bench.reader.global_context(video.video_id, [(0.0, video.duration_s + 1.0)], video.frame_count)
            evidence = [
                Evidence(one.timestamp_s, one.frame_index, one.entity_ids, "found", 1.0, one.description)
                for one in frames
            ]
        else:
            evidence = [as_evidence(one, video) for one in bench.sentences(video)]
        for question in questions:
            execution = found_by(bench, video, question.question, evidence, overview())
            yield answer_from(bench, execution, question, phrases, reader)


class TextSearch:
    """Answers from the frames whose sentences are nearest to the question in meaning."""

    name = "text"

    def __init__(self, seconds: int) -> None:
        self._seconds = seconds

    @property
    def says(self) -> str:
        """See :class:`Method`."""
        return f"the {self._seconds} seconds whose sentences are nearest to the question"

    def texts(self, bench: Bench, questions: Sequence[Question]) -> Iterator[str]:
        """See :class:`Method`."""
        return own_texts(questions)

    def answers(self, bench: Bench, video: VideoRow, questions: Sequence[Question]) -> Iterator[Answer]:
        """See :class:`Method`."""
        phrases, reader = _prepared(bench, questions), bench.one_video()
        vectors = [phrases.vector(one.question) for one in questions]
        for question, found in zip(questions, bench.nearest_seconds(video, vectors, self._seconds), strict=True):
            evidence = [as_evidence(one, video) for one in found]
            execution = found_by(bench, video, question.question, evidence, localizing(question.question))
            yield answer_from(bench, execution, question, phrases, reader)


def as_evidence(one: Second, video: VideoRow) -> Evidence:
    """What is said of a sampled frame as evidence."""
    return Evidence(
        timestamp_s=one.timestamp_s,
        frame_index=one.frame_index,
        entity_ids=(one.entity_id,),
        step="found",
        score=one.score,
        text=one.text,
        node_id=one.node_id,
        video_id=video.video_id,
    )


def _prepared(bench: Bench, questions: Sequence[Question]) -> Phrases:
    """All texts of a video's questions are embedded at once; options are only ever compared with evidence."""
    phrases = bench.phrases()
    phrases.prepare(own_texts(questions))
    return phrases


def _nearest_option(question: Question, phrases: Phrases) -> Reply:
    scores = phrases.similarity(question.question, question.options)
    if not scores:
        return Reply("", None, 0.0, outcome="unknown")
    order = np.argsort(scores, kind="stable")[::-1]
    best = int(np.argmax(scores))
    margin = scores[best] - scores[int(order[1])] if len(scores) > 1 else 0.0
    return Reply(question.options[best], best, max(0.0, margin))


def _by_options_alone(execution: Execution, reply: Reply) -> Answer:
    return Answer(
        answer=reply.text,
        option=reply.option,
        margin=reply.margin,
        method={"planner": "none", "reranker": "none", "answerer": "extractive"},
        evidence=(),
        plan=execution.plan,
        trace=(),
        usage=Usage(),
        coverage=execution.coverage,
        video_id=execution.video_id,
        question=execution.plan.question,
        outcome=reply.outcome,
    )
