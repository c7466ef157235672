"""The product itself: a plan for each question, carried out over the graph."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress

from ravu_kg.errors import ReasoningError
from ravu_kg.evaluation.bench import Bench
from ravu_kg.evaluation.methods.protocol import localizing, own_texts
from ravu_kg.evaluation.questions import Question
from ravu_kg.graph.reader import VideoRow
from ravu_kg.models.roles import has_model
from ravu_kg.reasoning.asking import answer_plan
from ravu_kg.reasoning.executor import phrases_of
from ravu_kg.reasoning.grounding.settings import GROUNDING, Grounding
from ravu_kg.reasoning.plan import GetGlobalContext, Plan, Step
from ravu_kg.reasoning.planner import RulePlanner
from ravu_kg.reasoning.records import Answer
from ravu_kg.reasoning.told import SupportBy


class Ravu:
    """Answers as ``ravu-kg ask`` does."""

    name = "ravu"
    says = "a plan over the graph"
    by: SupportBy = "video"
    """What options are weighed by where words tell of a video."""

    def __init__(self, grounding: Grounding = GROUNDING) -> None:
        self._grounding = grounding
        self._plans: dict[str, Plan] = {}

    def texts(self, bench: Bench, questions: Sequence[Question]) -> Iterator[str]:
        """See :class:`Method`; rules plan now, so that all phrases of the plans are embedded together."""
        yield from own_texts(questions)
        if not has_model(bench.settings, "plan"):
            for one in questions:
                with suppress(ReasoningError):  # told when it is asked
                    plan = self._plans[one.id] = self._plan(one.question) or RulePlanner().plan(one.question)
                    yield from phrases_of(plan)

    def answers(self, bench: Bench, video: VideoRow, questions: Sequence[Question]) -> Iterator[Answer]:
        """See :class:`Method`."""
        phrases, reader = bench.phrases(), bench.one_video()
        known = [self._plans[one.id] for one in questions if one.id in self._plans]
        phrases.prepare([*own_texts(questions), *(text for plan in known for text in phrases_of(plan))])
        for question in questions:
            by = bench.reasoners(video.video_id)
            plan = self._plans.get(question.id) or self._plan(question.question) or by.planner.plan(question.question)
            answer = answer_plan(
                plan,
                video.video_id,
                question.options,
                reader=reader,
                phrases=phrases,
                judge=by.judge,
                answerer=by.answerer,
                by=self.by,
                grounding=self._grounding,
            )
            yield by.completed(answer)

    def _plan(self, question: str) -> Plan | None:
        """None where the planner of the settings makes it."""
        return None


class RavuHierarchical(Ravu):
    """Answers from the moments of each event that say most about the question, as for questions of a whole video."""

    name = "ravu-hierarchical"
    says = "of each event the moments that tell most"
    by: SupportBy = "evidence"

    def _plan(self, question: str) -> Plan | None:
        step = Step(function="get_global_context", arguments=GetGlobalContext(query=question), save_as="found")
        return Plan(question=question, planner=self.name, steps=(step,))


class Rerank(Ravu):
    """Finds the moment that a phrase describes: ``localize_node``, whose judge ranks the nearest sentences anew."""

    name = "rerank"
    says = "localize_node with its judge"

    def _plan(self, question: str) -> Plan | None:
        return Plan(question=question, planner=self.name, steps=(localizing(question),))
