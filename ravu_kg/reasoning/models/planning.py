"""A planner that asks a language model (section 3.3), with examples near to the question."""

from __future__ import annotations

from ravu_kg.errors import ProviderError
from ravu_kg.models.structured import encodable
from ravu_kg.reasoning.language import MAX_QUERY_CHARS, normalize
from ravu_kg.reasoning.models.catalogue import function_catalogue
from ravu_kg.reasoning.models.examples import nearest_examples
from ravu_kg.reasoning.models.replies import PlanReply
from ravu_kg.reasoning.models.requests import request
from ravu_kg.reasoning.models.session import Session, passes, why
from ravu_kg.reasoning.plan import Plan
from ravu_kg.reasoning.planner import RulePlanner
from ravu_kg.types import ModelRequest


class ModelPlanner:
    """Plans by a model; by rules where it fails, which the plan's ``planner`` then says."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._rules = RulePlanner()

    @property
    def name(self) -> str:
        """Reference of the model."""
        return self._session.calls.name("plan")

    def plan(self, question: str) -> Plan:
        """A valid plan; the model is told once what is wrong with its first.

        Raises:
            ReasoningError: the question is empty.
            ProviderError: the model cannot be had at all: a wrong key, an unknown model, a spent budget.
        """
        question = encodable(question)
        if not normalize(question):
            return self._rules.plan(question)  # which says so
        with self._session.timed("plan"):
            try:
                reply = self._session.calls.ask("plan", plan_request(question), PlanReply)
            except ProviderError as error:
                if not passes(error):
                    raise
                failure = f"{self.name} {why(error)}"
            else:
                return reply.plan(question.strip(), self.name)
        self._session.say(f"{failure}; rules made the plan.")
        return self._rules.plan(question).model_copy(update={"planner": f"{self._rules.name} (after {failure})"})


def plan_request(question: str) -> ModelRequest:
    """The request for a plan: instructions and functions, always the same; then a few examples and the question."""
    examples = [one.to_dict() for one in nearest_examples(question)]
    return request(
        "plan",
        {"examples": examples},
        {"question": question.strip()[:MAX_QUERY_CHARS]},
        more_instructions=function_catalogue(),
    )
