"""Who answers questions: the models of the settings, loaded once, or rules; and plans, which need no server."""

from __future__ import annotations

from ravu_kg.graph.reader import GraphReader
from ravu_kg.models.calls import ModelCalls
from ravu_kg.models.prices import PriceTable
from ravu_kg.models.replies import LIBRARY
from ravu_kg.models.roles import ASK_ROLES, has_model, uses_models
from ravu_kg.reasoning.models.choosing import Reasoners, by_models, by_rules
from ravu_kg.reasoning.models.pictures import EvidencePictures, Pictured
from ravu_kg.reasoning.plan import Plan
from ravu_kg.reasoning.records import Execution, ModelStep
from ravu_kg.settings import Settings, load


class Asking:
    """What a session of questions shares. Close it when it ends."""

    def __init__(self, settings: Settings, reader: GraphReader) -> None:
        self._settings = settings
        self._pictures = EvidencePictures(reader)
        self._calls: ModelCalls | None = None

    def reasoners(self, video_id: str = LIBRARY) -> Reasoners:
        """Planner, judge and answerer for one question.

        Args:
            video_id: the video that it is about; all of them by default.

        Raises:
            ConfigurationError: a model needs a key or an extra, or is not known.
        """
        if not uses_models(self._settings, ASK_ROLES):
            return by_rules()
        if self._calls is None:
            self._calls = ModelCalls.open(self._settings, ASK_ROLES)
        return by_models(self._calls.about(video_id), PriceTable.today(self._settings.prices), self._pictures.of)

    def close(self) -> None:
        """Give up what waits for a model."""
        if self._calls is not None:
            self._calls.close()


def make_plan(question: str, settings: Settings | None = None) -> Plan:
    """The steps that a question becomes; needs no video and no server.

    Args:
        question: in English.
        settings: whose planner; by default those of the environment and the nearest ``ravu-kg.toml``.

    Raises:
        ReasoningError: the question is empty.
        ProviderError: the planner's model cannot be had.
    """
    return plan_and_cost(question, settings or load())[0]


def plan_and_cost(question: str, settings: Settings) -> tuple[Plan, tuple[ModelStep, ...]]:
    """The steps that a question becomes, and what a model cost for it; raises as :func:`make_plan`."""
    if not has_model(settings, "plan"):
        return by_rules().planner.plan(question), ()
    with ModelCalls.open(settings, ["plan"]) as calls:
        reasoners = by_models(calls, PriceTable.today(settings.prices), _no_pictures)
        plan = reasoners.planner.plan(question)
        assert reasoners.session is not None  # by_models makes one
        return plan, reasoners.session.steps()


def _no_pictures(_execution: Execution) -> Pictured:
    """A plan is made without evidence."""
    return Pictured()
