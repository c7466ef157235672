"""What a method is: it finds evidence for questions about one video and answers them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Protocol

from ravu_kg.evaluation.bench import Bench
from ravu_kg.evaluation.questions import Question
from ravu_kg.graph.reader import CoverageRow, GraphReader, VideoRow
from ravu_kg.reasoning.asking import EvidenceSupport, answer_execution
from ravu_kg.reasoning.context import Phrases
from ravu_kg.reasoning.plan import FunctionName, GetGlobalContext, LocalizeNode, Plan, Step
from ravu_kg.reasoning.records import Answer, Evidence, Execution, Found
from ravu_kg.reasoning.uncovered import coverage_of
from ravu_kg.reasoning.weighing import texts_of


class Method(Protocol):
    """A way to answer questions."""

    @property
    def name(self) -> str:
        """As the command line and reports name it."""
        ...

    @property
    def says(self) -> str:
        """In a line, what it does."""
        ...

    def texts(self, bench: Bench, questions: Sequence[Question]) -> Iterator[str]:
        """What will be compared by meaning, as far as it is known before any question is asked.

        Options are among it: they are compared with evidence, never used to find it.
        """
        ...

    def answers(self, bench: Bench, video: VideoRow, questions: Sequence[Question]) -> Iterator[Answer]:
        """The answers to questions about one video, in their order.

        Raises:
            ReasoningError: a question cannot be carried out.
            ProviderError: a model cannot be had.
            GraphError: Neo4j failed.
        """
        ...


def found_by(bench: Bench, video: VideoRow, question: str, evidence: Sequence[Evidence], step: Step) -> Execution:
    """Evidence that a method has chosen as if a plan of one step had found it, so that any answerer can work with it.

    Args:
        bench: of the evaluation.
        video: that was asked.
        question: without its options.
        evidence: what was chosen.
        step: what it stands for.
    """
    plan = Plan(question=question, planner="none", steps=(step,))
    coverage = coverage_of(CoverageRow(video.frame_count, video.frame_count, 0, 0, ()), video)
    in_time = tuple(sorted(evidence, key=lambda one: one.timestamp_s))
    found = Found(step.save_as, step.function, in_time)
    return Execution(plan, video.video_id, in_time, (), {step.save_as: found}, coverage, video.duration_s)


def answer_from(
    bench: Bench,
    execution: Execution,
    question: Question,
    phrases: Phrases,
    reader: GraphReader,
    reranker: str = "none",
) -> Answer:
    """The answer from evidence by whoever answers in the settings."""
    by = bench.reasoners(execution.video_id)
    answer = answer_execution(
        execution,
        question.options,
        supporter=EvidenceSupport(reader, phrases),
        answerer=by.answerer,
        reranker=reranker,
    )
    return by.completed(answer)


def own_texts(questions: Sequence[Question]) -> Iterator[str]:
    """Questions, options, and what options claim."""
    for one in questions:
        yield one.question
        yield from one.options
        yield from texts_of(one.question, one.options)


def localizing(question: str) -> Step:
    """The step that a search for a question's evidence stands for."""
    name: FunctionName = "localize_node"
    return Step(function=name, arguments=LocalizeNode(query=question), save_as="found")


def overview() -> Step:
    """The step that a view of the whole video stands for."""
    name: FunctionName = "get_global_context"
    return Step(function=name, arguments=GetGlobalContext(), save_as="found")
