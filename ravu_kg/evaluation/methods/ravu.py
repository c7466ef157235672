"""The product itself: a plan for each question, carried out over the graph."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ravu_kg.evaluation.bench import Bench
from ravu_kg.evaluation.methods.protocol import localizing
from ravu_kg.evaluation.questions import Question
from ravu_kg.graph.reader import VideoRow
from ravu_kg.reasoning.asking import answer_plan
from ravu_kg.reasoning.plan import GetGlobalContext, Plan, Step
from ravu_kg.reasoning.records import Answer


class Ravu:
    """Answers as ``ravu-kg ask`` does."""

    name = "ravu"
    says = "a plan over the graph"

    def answers(self, bench: Bench, video: VideoRow, questions: Sequence[Question]) -> Iterator[Answer]:
        """See :class:`Method`."""
        phrases = bench.phrases()
        phrases.prepare(text for one in questions for text in (one.question, *one.options))
        for question in questions:
            by = bench.reasoners(video.video_id)
            plan = self._plan(question.question, bench)
            answer = answer_plan(
                plan or by.planner.plan(question.question),
                video.video_id,
                question.options,
                reader=bench.reader,
                phrases=phrases,
                judge=by.judge,
                answerer=by.answerer,
            )
            yield by.completed(answer)

    def _plan(self, question: str, bench: Bench) -> Plan | None:
        """None where the planner of the settings makes it."""
        return None


class RavuHierarchical(Ravu):
    """Answers from the moments of each event that say most about the question, as for questions of a whole video."""

    name = "ravu-hierarchical"
    says = "of each event the moments that tell most"

    def _plan(self, question: str, bench: Bench) -> Plan | None:
        step = Step(function="get_global_context", arguments=GetGlobalContext(query=question), save_as="found")
        return Plan(question=question, planner=self.name, steps=(step,))


class Rerank(Ravu):
    """Finds the moment that a phrase describes: ``localize_node``, whose judge ranks the nearest sentences anew."""

    name = "rerank"
    says = "localize_node with its judge"

    def _plan(self, question: str, bench: Bench) -> Plan | None:
        return Plan(question=question, planner=self.name, steps=(localizing(question),))
