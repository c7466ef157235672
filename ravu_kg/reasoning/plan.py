"""The plan: which reasoning functions answer a question, as data (section 3.3, Table 7).

A plan is JSON that can be printed, edited, saved and run again without any model. A step names one of the seven
functions, its arguments and the name its result is kept under. An argument that takes an earlier result is
written ``$name`` (the whole result) or ``$name.start_s``, ``$name.end_s``, ``$name.timestamp_s`` (a time of it), the
latter also with seconds added: ``$name.end_s+3``.
Text that comes from a question is never read as a reference.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Literal, cast

from pydantic import AfterValidator, AliasChoices, BaseModel, ConfigDict, Field, ValidationError, model_validator

from ravu_kg.errors import PlanError

FunctionName = Literal[
    "localize_node",
    "identify_node",
    "sample_entity_events",
    "extract_temporal_part",
    "count_nodes",
    "get_global_context",
    "analyze_events",
]
TargetPart = Literal["beginning", "middle", "end", "first half", "second half", "first quarter", "last quarter"]
"""The first three are thirds."""
Direction = Literal["before", "after", "around"]
StateName = Literal["present", "absent", "enters", "returns", "leaves", "near", "far"]
Which = Literal["first", "last", "all", "longest", "shortest"]
TimeField = Literal["start_s", "end_s", "timestamp_s"]

TIME_FIELDS: tuple[TimeField, ...] = ("start_s", "end_s", "timestamp_s")
_HOW_TO_WRITE = "Write one with: ravu-kg plan QUESTION --json > plan.json"
_REFERENCE = re.compile(r"\$([A-Za-z_]\w*)(?:\.(\w+)([+-]\d{1,6}(?:\.\d{1,6})?)?)?\Z")


def _reference(text: str) -> str:
    if not _REFERENCE.match(text):
        raise ValueError(f"{text!r} is not a reference; write $name, $name.start_s or $name.start_s+3")
    return text


def _node(text: str) -> str:
    return _reference(text) if text.startswith("$") else text


Reference = Annotated[str, AfterValidator(_reference)]
NodeArgument = Annotated[str, AfterValidator(_node), Field(min_length=1)]
"""``$name`` of an earlier step, or a noun phrase such as ``the dog``."""
TimeArgument = Annotated[float, Field(ge=0)] | Reference
"""Seconds, ``$name.start_s``, ``$name.end_s+3`` and the like, or ``$name`` for the intervals of an earlier step."""


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True)


class State(_Strict):
    """A condition that can be read off the tracks: presence, coming and going, distance."""

    subject: str = Field(min_length=1, description="noun phrase, such as 'the dog'")
    name: StateName = Field(validation_alias=AliasChoices("is", "name"), serialization_alias="is")
    object: str | None = Field(default=None, description="noun phrase; only for near and far")
    which: Which = "all"


class EventsToSample(_Strict):
    """How many events, on which side of a time."""

    direction: Direction
    count: int = Field(default=3, ge=1, le=50)


class LocalizeNode(_Strict):
    """Find the moment that a phrase describes."""

    query: str = Field(min_length=1)
    state: State | None = None
    after: TimeArgument | None = None
    before: TimeArgument | None = None


class IdentifyNode(_Strict):
    """Find the entity that a phrase describes."""

    query: str = Field(min_length=1)


class SampleEntityEvents(_Strict):
    """Events of an entity before, after or around a time; without a node, of every entity."""

    node: NodeArgument | None = None
    sample_start_time: TimeArgument | None = None
    events_to_sample: EventsToSample


class ExtractTemporalPart(_Strict):
    """Frames of a part of the video, or of the seconds given; later steps keep to that part."""

    target_part: TargetPart | None = None
    start_s: float | None = Field(default=None, description="a negative one counts from the end")
    end_s: float | None = Field(default=None, gt=0)

    @model_validator(mode="after")
    def _one_way(self) -> ExtractTemporalPart:
        seconds = self.start_s is not None or self.end_s is not None
        if seconds == (self.target_part is not None):
            raise ValueError("give target_part, or start_s and end_s")
        if self.start_s is not None and self.end_s is not None and self.start_s >= self.end_s:
            raise ValueError("start_s is not before end_s")
        return self


class CountNodes(_Strict):
    """Count the identities that match a noun and, when given, a condition; or how often it happens."""

    node: NodeArgument
    event_condition: str | None = None
    count_of: Literal["identities", "events", "at_once"] = "identities"
    """``at_once``: the most of them that are in the picture together."""
    during: TimeArgument | None = None
    after: TimeArgument | None = None
    before: TimeArgument | None = None


class GetGlobalContext(_Strict):
    """Frames spread evenly over the video; with a query, of each event the moments that say most about it."""

    query: str | None = Field(default=None, min_length=1)


class AnalyzeEvents(_Strict):
    """The events that matter for a question."""

    query: str = Field(min_length=1)


Arguments = (
    LocalizeNode
    | IdentifyNode
    | SampleEntityEvents
    | ExtractTemporalPart
    | CountNodes
    | GetGlobalContext
    | AnalyzeEvents
)

FUNCTIONS: dict[FunctionName, type[Arguments]] = {
    "localize_node": LocalizeNode,
    "identify_node": IdentifyNode,
    "sample_entity_events": SampleEntityEvents,
    "extract_temporal_part": ExtractTemporalPart,
    "count_nodes": CountNodes,
    "get_global_context": GetGlobalContext,
    "analyze_events": AnalyzeEvents,
}


class Step(_Strict):
    """One call of a reasoning function."""

    function: FunctionName
    arguments: Arguments
    save_as: str = Field(pattern=r"^[A-Za-z_][A-Za-z0-9_]*$")

    def references(self) -> Iterator[tuple[str, str]]:
        """``(argument, reference)`` for each argument that points to an earlier step."""
        given = vars(self.arguments)
        for name in ("node", "during", "after", "before", "sample_start_time"):
            value: object = given.get(name)
            if isinstance(value, str) and value.startswith("$"):
                yield name, value


class Plan(_Strict):
    """The steps that answer one question, in order."""

    question: str = ""
    planner: str = "file"
    steps: tuple[Step, ...] = Field(min_length=1)

    def to_json(self) -> str:
        """Readable JSON; :func:`load_plan` reads it back to an equal plan."""
        return json.dumps(self.to_dict(), indent=2, ensure_ascii=False)

    def to_dict(self) -> dict[str, object]:
        """Plain values, without arguments left at their default."""
        return {
            "question": self.question,
            "planner": self.planner,
            "steps": [
                {
                    "function": step.function,
                    "arguments": step.arguments.model_dump(mode="json", by_alias=True, exclude_defaults=True),
                    "save_as": step.save_as,
                }
                for step in self.steps
            ],
        }


def split_reference(reference: str) -> tuple[str, str | None]:
    """Step name and field of a reference: ``$anchor.end_s`` gives ``("anchor", "end_s")``."""
    match = _matched(reference)
    return match.group(1), match.group(2)


def offset_s(reference: str) -> float:
    """Seconds that a reference adds to the time of its step: 3 for ``$anchor.end_s+3``."""
    return float(_matched(reference).group(3) or 0.0)


def load_plan(text: str) -> Plan:
    """Read and check a plan.

    Raises:
        PlanError: not JSON, unknown function or argument, or a reference that no earlier step answers.
    """
    try:
        data: object = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise PlanError(f"The plan is not valid JSON: {error}. {_HOW_TO_WRITE}") from None
    if isinstance(data, dict) and "plan" in data and "steps" not in data:  # the object printed by `ask --json`
        data = data["plan"]  # pyright: ignore[reportUnknownVariableType] -- checked right below
    return parse_plan(data)  # pyright: ignore[reportUnknownArgumentType]


def read_plan(path: Path) -> Plan:
    """Load a plan file.

    Raises:
        PlanError: the file cannot be read, or :func:`load_plan` refuses it.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")  # some editors put a mark at the start
    except OSError as error:
        raise PlanError(f"The plan file {path} cannot be read: {error.strerror}. {_HOW_TO_WRITE}") from error
    except UnicodeDecodeError as error:
        raise PlanError(f"The plan file {path} is not text, so it holds no plan. {_HOW_TO_WRITE}") from error
    try:
        return load_plan(text)
    except PlanError as error:
        raise PlanError(f"{path}: {error}") from None


def parse_plan(data: object) -> Plan:
    """Check plain values and make a plan of them.

    Raises:
        PlanError: see :func:`load_plan`; the message names the step and what is allowed.
    """
    if not isinstance(data, dict):
        raise PlanError('A plan is a JSON object {"steps": [...]}.')
    record: dict[str, object] = {str(key): value for key, value in data.items()}  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]
    unknown = sorted(set(record) - {"question", "planner", "steps"})
    if unknown:
        raise PlanError(f"Unknown field {unknown[0]!r} in the plan. Allowed: question, planner, steps.")
    raw_steps = record.get("steps")
    if not isinstance(raw_steps, list) or not raw_steps:
        raise PlanError("A plan needs at least one step in its list `steps`.")
    steps = tuple(
        _step(position, raw)
        for position, raw in enumerate(cast("list[object]", raw_steps), start=1)  # JSON, checked step by step
    )
    question, planner = record.get("question", ""), record.get("planner", "file")
    if not isinstance(question, str) or not isinstance(planner, str):
        raise PlanError("`question` and `planner` of a plan are texts.")
    return check_references(Plan(question=question, planner=planner, steps=steps))


def check_references(plan: Plan) -> Plan:
    """The plan itself when every reference points to an earlier step.

    Raises:
        PlanError: a forward or unknown reference, an unknown field, or a name used twice.
    """
    known: list[str] = []
    for position, step in enumerate(plan.steps, start=1):
        label = f"Step {position} ({step.function}, saved as {step.save_as!r})"
        for argument, reference in step.references():
            name, field = split_reference(reference)
            if name not in known:
                later = any(name == other.save_as for other in plan.steps[position - 1 :])
                problem = "which is not an earlier step" if later else "which no step has"
                allowed = ", ".join(f"${one}" for one in known) or "none, it is the first step"
                raise PlanError(f"{label}: `{argument}` refers to ${name}, {problem}. Allowed here: {allowed}.")
            if field is not None and (argument == "node" or field not in TIME_FIELDS):
                allowed = f"${name}" if argument == "node" else ", ".join(f"${name}.{one}" for one in TIME_FIELDS)
                raise PlanError(f"{label}: `{argument}` cannot be {reference}. Allowed: {allowed}.")
        if step.save_as in known:
            raise PlanError(f"{label}: the name {step.save_as!r} is already taken by an earlier step.")
        known.append(step.save_as)
    return plan


def _matched(reference: str) -> re.Match[str]:
    match = _REFERENCE.match(reference)
    if match is None:
        raise PlanError(f"{reference!r} is not a reference; write $name or $name.start_s")
    return match


def _step(position: int, raw: object) -> Step:
    if not isinstance(raw, dict):
        raise PlanError(f"Step {position} is not a JSON object with function, arguments and save_as.")
    record: dict[str, object] = {str(key): value for key, value in raw.items()}  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]
    unknown = sorted(set(record) - {"function", "arguments", "save_as"})
    if unknown:
        raise PlanError(f"Step {position}: unknown field {unknown[0]!r}. Allowed: function, arguments, save_as.")
    function = record.get("function")
    model = next((model for name, model in FUNCTIONS.items() if name == function), None)
    if model is None:
        raise PlanError(f"Step {position}: unknown function {function!r}. Allowed: {', '.join(FUNCTIONS)}.")
    try:
        arguments = model.model_validate(record.get("arguments", {}))
        save_as = record.get("save_as", f"step_{position}")
        return Step.model_validate({"function": function, "arguments": arguments, "save_as": save_as})
    except ValidationError as error:
        errors = error.errors()
        # A time is a number or a reference: of a text that is neither, the latter is what was meant.
        first = next((one for one in errors if "is not a reference" in one["msg"]), errors[0])
        parts = first["loc"][:1] if first is not errors[0] else first["loc"]
        where = ".".join(str(part) for part in parts) or "arguments"
        raise PlanError(
            f"Step {position} ({function}): {where}: {first['msg']}. "
            f"Arguments of {function}: {', '.join(model.model_fields) or 'none'}."
        ) from None
