"""What language models reply in reasoning, and what of it is refused: numbers that were not given, plans that fail.

The title of each schema is the name of the stage. Schemas are the same for all calls of a stage, so that providers can
cache them; what depends on one call, such as how many candidates there are, is checked beside them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, cast

from pydantic import BaseModel, ConfigDict, Field, WithJsonSchema, model_validator
from pydantic.config import JsonDict

from ravu_kg.errors import PlanError
from ravu_kg.reasoning.models.catalogue import argument_schema
from ravu_kg.reasoning.plan import FUNCTIONS, Plan, parse_plan

STEPS = 8
"""A plan of a model has at most so many."""


def _lean(schema: JsonDict) -> None:
    """Take out what only costs tokens: the docstring, and titles that repeat the names."""
    schema.pop("description", None)
    fields = schema.get("properties")
    for field in fields.values() if isinstance(fields, dict) else ():
        if isinstance(field, dict):
            field.pop("title", None)


def _listed(fields: Mapping[str, object]) -> WithJsonSchema:
    """The schema of a list of objects, in place: a reference would cost more, and some servers know none."""
    return WithJsonSchema(
        {"type": "array", "items": {"type": "object", "properties": dict(fields), "required": list(fields)}}
    )


_TEXT, _NUMBER = {"type": "string"}, {"type": "integer"}


class _Reply(BaseModel):
    model_config = ConfigDict(json_schema_extra=_lean)


class _PlannedStep(BaseModel):
    function: str
    arguments: dict[str, object] = Field(default_factory=dict[str, object])
    save_as: str


class PlanReply(_Reply):
    """Steps of a plan, which must be one that :func:`ravu_kg.reasoning.plan.parse_plan` takes."""

    model_config = ConfigDict(title="plan")

    steps: Annotated[
        list[_PlannedStep],
        _listed(
            {
                "function": {"type": "string", "enum": list(FUNCTIONS)},
                "arguments": argument_schema(),
                "save_as": _TEXT,
            }
        ),
    ]

    @model_validator(mode="after")
    def _can_be_carried_out(self) -> PlanReply:
        if len(self.steps) > STEPS:
            raise ValueError(f"the plan has {len(self.steps)} steps; at most {STEPS} are allowed")
        try:
            self.plan("", "")
        except PlanError as error:
            raise ValueError(str(error)) from error
        return self

    def plan(self, question: str, planner: str) -> Plan:
        """The plan.

        Args:
            question: that it answers.
            planner: who made it.
        """
        steps = [
            {"function": step.function, "arguments": _given(step.arguments), "save_as": step.save_as}
            for step in self.steps
        ]
        return parse_plan({"question": question, "planner": planner, "steps": steps})


class RerankReply(_Reply):
    """The best sentences, best first."""

    model_config = ConfigDict(title="rerank")

    best: list[int] = Field(min_length=1)


class IdentifyReply(_Reply):
    """The entity that is meant."""

    model_config = ConfigDict(title="identify")

    entity: int


class VerdictReply(BaseModel):
    """Whether one candidate meets the condition."""

    candidate: int
    met: bool | None
    reason: str
    sentences: list[int]


class CountReply(_Reply):
    """One verdict for each candidate."""

    model_config = ConfigDict(title="count")

    verdicts: Annotated[
        list[VerdictReply],
        _listed(
            {
                "candidate": _NUMBER,
                "met": {"anyOf": [{"type": "boolean"}, {"type": "null"}]},
                "reason": _TEXT,
                "sentences": {"type": "array", "items": _NUMBER},
            }
        ),
    ]


class EventReply(BaseModel):
    """An event that matters, and why."""

    event: int
    reason: str


class AnalyzeReply(_Reply):
    """The events that matter, the most telling first."""

    model_config = ConfigDict(title="analyze")

    events: Annotated[list[EventReply], _listed({"event": _NUMBER, "reason": _TEXT})]


class SelectReply(_Reply):
    """The moments that matter, the most telling first."""

    model_config = ConfigDict(title="select")

    moments: list[int] = Field(min_length=1)


class AnswerReply(_Reply):
    """An answer in words."""

    model_config = ConfigDict(title="answer")

    answer: str = Field(min_length=1)
    known: bool
    confidence: float = Field(ge=0, le=1)


class OptionReply(AnswerReply):
    """An answer among options."""

    model_config = ConfigDict(title="answer")

    option: int


def wrong_numbers(what: str, numbers: Sequence[int], count: int) -> str | None:
    """What is wrong with numbers that a model chose among 1 to ``count``; None when all of them were given."""
    unknown = sorted({one for one in numbers if not 1 <= one <= count})
    return f"{what}: {unknown[0]} was not given; the numbers go from 1 to {count}." if unknown else None


def wrong_verdicts(reply: CountReply, sentences: Sequence[int]) -> str | None:
    """What is wrong with verdicts on candidates of which each has so many sentences; None when nothing is."""
    judged = sorted(one.candidate for one in reply.verdicts)
    if judged != list(range(1, len(sentences) + 1)):
        return f"verdicts: give one for each candidate from 1 to {len(sentences)}; there are some for {judged}."
    for one in reply.verdicts:
        known = sentences[one.candidate - 1]
        if wrong := wrong_numbers(f"sentences of candidate {one.candidate}", one.sentences, known):
            return wrong
    return None


def _given(arguments: Mapping[str, object]) -> dict[str, object]:
    """Arguments without those left empty: providers that ask for every field are answered with nulls."""
    given: dict[str, object] = {}
    for name, value in arguments.items():
        if isinstance(value, dict):
            given[name] = _given(cast(dict[str, object], value))  # JSON: its keys are texts
        elif value is not None:
            given[name] = value
    return given
