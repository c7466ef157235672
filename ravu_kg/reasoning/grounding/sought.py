"""What a plan looks for, and what it says of its time."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from ravu_kg.reasoning.language import read_question
from ravu_kg.reasoning.plan import (
    AnalyzeEvents,
    CountNodes,
    Direction,
    ExtractTemporalPart,
    GetGlobalContext,
    IdentifyNode,
    LocalizeNode,
    Plan,
    SampleEntityEvents,
    Step,
    offset_s,
    split_reference,
)

Part = Literal["beginning", "middle", "end"]
_PARTS: dict[str, Part] = {
    "beginning": "beginning", "first half": "beginning", "first quarter": "beginning", "middle": "middle",
    "end": "end", "second half": "end", "last quarter": "end",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Sought:
    """What to look for: texts to compare, and where in time it lies."""

    whole: str
    """The question as it was asked."""
    main: str
    """Its main clause, as a statement."""
    subject: str | None = None
    """Whom it is about."""
    anchor: str | None = None
    """The moment that it refers to, as a statement."""
    direction: Direction | None = None
    """The side of that moment; None without one."""
    gap_s: float = 0.0
    """Seconds between that moment and what is asked."""
    part: Part | None = None
    """The part of the video that it names."""

    @property
    def texts(self) -> tuple[str, ...]:
        """What has to be embedded."""
        return tuple(dict.fromkeys(one for one in (self.whole, self.main, self.anchor) if one))


def sought_by(plan: Plan) -> Sought | None:
    """What a plan looks for; None for one that only gives a view of the whole video."""
    queries = list(_queries(plan))
    if not queries:
        return None
    anchor, direction, gap_s = _anchor(plan)
    main, subject = queries[0], None
    if plan.question:
        reading = read_question(plan.question)
        main, subject = reading.main, reading.subject
    else:
        subject = next((step.arguments.query for step in plan.steps if isinstance(step.arguments, IdentifyNode)), None)
    return Sought(plan.question or main, main, subject, anchor, direction, gap_s, _part(plan))


def _queries(plan: Plan) -> Iterator[str]:
    """Texts of the steps that find something, the main ones first."""
    anchors = {name for step in plan.steps if (name := _refers_in_time(step))}
    texts = [(step.save_as in anchors, text) for step in plan.steps if (text := _text(step))]
    yield from (text for _, text in sorted(texts, key=lambda one: one[0]))


def _text(step: Step) -> str | None:
    match step.arguments:
        case LocalizeNode(query=text) | IdentifyNode(query=text) | AnalyzeEvents(query=text):
            return text
        case CountNodes(node=node, event_condition=condition):
            said = "" if node.startswith("$") else node
            return f"{said} {condition or ''}".strip() or None
        case SampleEntityEvents(node=node):
            return node if node and not node.startswith("$") else None
        case GetGlobalContext() | ExtractTemporalPart():
            return None


def _anchor(plan: Plan) -> tuple[str | None, Direction | None, float]:
    """The moment that a later step refers to, on which side of it that looks, and how far from it."""
    found = {step.save_as: step.arguments for step in plan.steps}
    for step in plan.steps:
        name = _refers_in_time(step)
        arguments = found.get(name or "")
        if not isinstance(arguments, LocalizeNode) or _own_moment(step, name):
            continue
        direction, gap_s = _side(step)
        return arguments.query, direction, gap_s
    return None, None, 0.0


def _own_moment(step: Step, name: str | None) -> bool:
    """A look around what was found itself: not another moment."""
    arguments = step.arguments
    return (
        isinstance(arguments, SampleEntityEvents)
        and arguments.events_to_sample.direction == "around"
        and arguments.node == f"${name}"
        and name != "anchor"  # as the planner calls the moment of a temporal clause
    )


def _refers_in_time(step: Step) -> str | None:
    """The name of the step whose time a step takes."""
    for argument, reference in step.references():
        if argument != "node":
            return split_reference(reference)[0]
    return None


def _side(step: Step) -> tuple[Direction, float]:
    arguments = step.arguments
    if isinstance(arguments, SampleEntityEvents):
        time = arguments.sample_start_time
        gap_s = offset_s(time) if isinstance(time, str) else 0.0
        direction = arguments.events_to_sample.direction
        if direction == "around" and gap_s:
            return ("after" if gap_s > 0 else "before"), abs(gap_s)
        return direction, abs(gap_s)
    given = {argument for argument, _ in step.references()}
    if {"after", "before"} <= given or "during" in given:
        return "around", 0.0
    return ("after" if "after" in given else "before"), 0.0


def _part(plan: Plan) -> Part | None:
    for step in plan.steps:
        if isinstance(step.arguments, ExtractTemporalPart) and step.arguments.target_part is not None:
            return _PARTS[step.arguments.target_part]
    return None
