"""What a planner, a judge and an answerer have to offer: rules now, language models behind the same doors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from ravu_kg.graph.reader import EventRow, NodeRow, SentenceRow
from ravu_kg.reasoning.plan import Plan
from ravu_kg.reasoning.records import Execution, Outcome

if TYPE_CHECKING:
    from ravu_kg.reasoning.told import Telling


@dataclass(frozen=True, slots=True)
class Candidate:
    """An identity to be judged, with the sentences about it that are nearest to the condition."""

    identity_id: str
    name: str
    label: str
    sentences: tuple[SentenceRow, ...]
    happenings: bool = False
    """Its events that meet the condition are counted, not itself."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether a candidate meets the condition."""

    met: bool | None
    """None when the sentences cannot tell."""
    reason: str
    matches: tuple[SentenceRow, ...] = ()


@dataclass(frozen=True, slots=True)
class Glimpse:
    """One thing said of a moment of the video: the sentence of an entity, or the description of a whole frame."""

    timestamp_s: float
    entity_id: str
    """Empty for a whole frame."""
    text: str
    score: float
    """Similarity to the question, 0..1."""


@dataclass(frozen=True, slots=True)
class Reply:
    """What an answerer says."""

    text: str
    option: int | None
    margin: float
    intervals: tuple[tuple[float, float], ...] = ()
    outcome: Outcome = "answered"
    reason: str = ""
    """Why it is not known."""
    weighed_by: str = ""
    """What the options were weighed by; empty for the evidence's best sentence."""


class Planner(Protocol):
    """Turns a question into a plan."""

    @property
    def name(self) -> str:
        """As the answer names it."""
        ...

    def plan(self, question: str) -> Plan:
        """A valid plan.

        Raises:
            ReasoningError: the question is empty or cannot be planned.
        """
        ...


class Judge(Protocol):
    """The decisions inside the reasoning functions (Table 7)."""

    @property
    def name(self) -> str:
        """As the answer names it."""
        ...

    def rerank(self, query: str, nodes: Sequence[NodeRow]) -> list[NodeRow]:
        """The nodes of localize_node, best first, with their scores."""
        ...

    def identify(self, query: str, nodes: Sequence[NodeRow]) -> int:
        """Position of the node whose entity the phrase means; ``nodes`` is never empty."""
        ...

    def count(self, condition: str, candidates: Sequence[Candidate]) -> list[Verdict]:
        """One verdict for each candidate."""
        ...

    def analyze(self, query: str, events: Sequence[EventRow]) -> list[tuple[int, str]]:
        """Positions of the events that matter, best first, each with the reason."""
        ...

    @property
    def selects(self) -> bool:
        """Whether it reads what is said of many moments; if not, an even spread tells more of a whole video."""
        ...

    def select(self, query: str, glimpses: Sequence[Glimpse], count: int) -> list[int]:
        """Positions of the glimpses that tell most, at most ``count``, best first."""
        ...


class Supporter(Protocol):
    """Compares the evidence with texts, so that an answerer need not know the graph."""

    def support(self, execution: Execution, options: Sequence[str]) -> list[float]:
        """For each option how well the evidence's sentences agree with it, 0..1."""
        ...

    def telling(self, execution: Execution) -> Telling | None:
        """What people or models have said; None for a video whose sentences are measured."""
        ...


class Answerer(Protocol):
    """Says the answer."""

    @property
    def name(self) -> str:
        """As the answer names it."""
        ...

    def answer(self, question: str, options: Sequence[str], execution: Execution, supporter: Supporter) -> Reply:
        """The answer from the evidence; for options the best supported one."""
        ...
