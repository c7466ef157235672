"""What a run keeps of each question: one line of JSON, read back as it was written."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Literal

from pydantic import TypeAdapter

from ravu_kg.evaluation.questions import Question
from ravu_kg.reasoning.records import Answer
from ravu_kg.types import Span, Usage

Outcome = Literal["answered", "unknown", "refused", "failed", "missing"]
"""``refused``: a model's filter blocked it; ``failed``: it could not be carried out; ``missing``: its video is not in
the graph."""


@dataclass(frozen=True, slots=True)
class Shown:
    """A piece of evidence."""

    timestamp_s: float
    score: float
    text: str
    node_id: str = ""
    event_id: str = ""


@dataclass(frozen=True, slots=True)
class Result:
    """One question answered by one method."""

    id: str
    video: str
    type: str
    group: str
    question: str
    options: tuple[str, ...]
    truth: int | None
    outcome: Outcome
    option: int | None = None
    answer: str = ""
    margin: float = 0.0
    seconds: tuple[int, ...] = ()
    """Distinct seconds of the evidence, best first: second s stands for [s, s + 1)."""
    spans: tuple[Span, ...] = ()
    """The true ones."""
    duration_s: float | None = None
    evidence: tuple[Shown, ...] = ()
    plan: Mapping[str, object] = field(default_factory=dict[str, object])
    method: Mapping[str, str] = field(default_factory=dict[str, str])
    notes: tuple[str, ...] = ()
    video_id: str = ""
    calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cost_usd: float | None = 0.0
    """None where a model's price is not known."""
    elapsed_s: float = 0.0

    @property
    def right(self) -> bool:
        """Whether the right option was chosen."""
        return self.truth is not None and self.option == self.truth

    @property
    def scored(self) -> bool:
        """Whether it counts in an accuracy."""
        return self.truth is not None and self.outcome != "missing"

    def to_line(self) -> str:
        """One line of JSON."""
        return json.dumps(asdict(self), ensure_ascii=False, allow_nan=False)


_RESULT = TypeAdapter(Result)


def from_line(line: str) -> Result:
    """The result that a line holds.

    Raises:
        ValueError: it is not such a line.
    """
    return _RESULT.validate_json(line)


def unanswered(question: Question, outcome: Outcome, note: str) -> Result:
    """A question without an answer, and why."""
    return replace(_of(question), outcome=outcome, notes=(note,))


def answered(question: Question, answer: Answer, ranked: Sequence[int], elapsed_s: float) -> Result:
    """A question with its answer.

    Args:
        question: of the data set.
        answer: by a method.
        ranked: distinct seconds of its evidence, best first.
        elapsed_s: what it took.
    """
    usage: Usage = answer.usage
    priced = all(step.has_price for step in answer.model_steps)
    return replace(
        _of(question),
        outcome=answer.outcome,
        option=answer.option,
        answer=answer.answer,
        margin=round(answer.margin, 4),
        seconds=tuple(ranked),
        evidence=tuple(
            Shown(round(one.timestamp_s, 3), round(one.score, 4), one.text, one.node_id, one.event_id)
            for one in answer.evidence
        ),
        plan=answer.plan.to_dict(),
        method=dict(answer.method),
        notes=answer.notes,
        video_id=answer.video_id,
        calls=usage.calls,
        input_tokens=usage.input_tokens,
        output_tokens=usage.output_tokens,
        cost_usd=usage.cost_usd if priced else None,
        elapsed_s=round(elapsed_s, 4),
    )


def ranked_seconds(times_and_scores: Sequence[tuple[float, float]]) -> list[int]:
    """Distinct seconds, each by its best score, best first; the earlier of two that are equal."""
    best: dict[int, float] = {}
    for time_s, score in times_and_scores:
        second = int(time_s)
        best[second] = max(score, best.get(second, score))
    return sorted(best, key=lambda second: (-best[second], second))


def _of(question: Question) -> Result:
    return Result(
        id=question.id,
        video=question.video,
        type=question.type,
        group=question.group,
        question=question.question,
        options=question.options,
        truth=question.answer,
        outcome="unknown",
        spans=question.spans,
        duration_s=question.duration_s,
    )
