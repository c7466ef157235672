"""Who plans, judges and answers one question: models for the roles that have one, rules and extracts for the others."""

from __future__ import annotations

from dataclasses import dataclass, replace

from ravu_kg.models.prices import PriceTable
from ravu_kg.reasoning.answering import ExtractiveAnswerer
from ravu_kg.reasoning.judging import RuleJudge
from ravu_kg.reasoning.models.answering import ModelAnswerer, TakePictures
from ravu_kg.reasoning.models.judging import JUDGED, ModelJudge
from ravu_kg.reasoning.models.planning import ModelPlanner
from ravu_kg.reasoning.models.session import Calls, Session
from ravu_kg.reasoning.planner import RulePlanner
from ravu_kg.reasoning.protocols import Answerer, Judge, Planner
from ravu_kg.reasoning.records import Answer
from ravu_kg.types import Usage


@dataclass(frozen=True, slots=True)
class Reasoners:
    """The three that a question needs. Of one question: what they cost and say is that question's."""

    planner: Planner
    judge: Judge
    answerer: Answerer
    session: Session | None = None
    """None when no role has a model."""

    def completed(self, answer: Answer) -> Answer:
        """The answer with what models cost for it, and what is to be said of those that failed."""
        if self.session is None:
            return answer
        steps = self.session.steps()
        usage = sum((step.usage for step in steps), Usage())
        notes = tuple(dict.fromkeys((*self.session.notes, *answer.notes)))
        return replace(answer, usage=usage, model_steps=steps, notes=notes)


def by_rules() -> Reasoners:
    """Without any model."""
    return Reasoners(RulePlanner(), RuleJudge(), ExtractiveAnswerer())


def by_models(calls: Calls, prices: PriceTable, pictures: TakePictures) -> Reasoners:
    """With the models that the calls have, for one question.

    Args:
        calls: may be shared by many questions.
        prices: for whether a cost is known.
        pictures: takes the pictures of the evidence for a model that looks at them.
    """
    session = Session(calls, prices)
    return Reasoners(
        ModelPlanner(session) if calls.has("plan") else RulePlanner(),
        ModelJudge(session) if any(calls.has(role) for role in JUDGED) else RuleJudge(),
        ModelAnswerer(session, pictures) if calls.has("answer") else ExtractiveAnswerer(),
        session,
    )
