"""A planner without a model: rules over the question's words."""

from __future__ import annotations

import re
from dataclasses import replace

from ravu_kg.errors import ReasoningError
from ravu_kg.models.structured import encodable
from ravu_kg.reasoning.language import MAX_QUERY_CHARS, Clause, Reading, normalize, read_question
from ravu_kg.reasoning.noun_phrases import shots_or_cuts
from ravu_kg.reasoning.patterns import VIDEO
from ravu_kg.reasoning.plan import (
    AnalyzeEvents,
    CountNodes,
    Direction,
    EventsToSample,
    ExtractTemporalPart,
    GetGlobalContext,
    IdentifyNode,
    LocalizeNode,
    Plan,
    SampleEntityEvents,
    State,
    Step,
    TimeArgument,
    TimeField,
    check_references,
)
from ravu_kg.reasoning.times import Stretch
from ravu_kg.reasoning.vocabulary import read_phrase

MOMENT_S = 1.0
"""A second that is named stands for the half second on both sides of it when a state is asked for."""
_START: Step = Step(function="get_global_context", arguments=GetGlobalContext(), save_as="context")


class RulePlanner:
    """Turns a question into a plan by temporal connectives, counting words, places, presence and the like."""

    @property
    def name(self) -> str:
        """As the answer names it."""
        return "rules"

    def plan(self, question: str) -> Plan:
        """A valid plan for any text that is not blank, in any language.

        Raises:
            ReasoningError: the question is empty.
        """
        question = encodable(question)  # a command line may hold any bytes
        if not normalize(question):
            raise ReasoningError("The question is empty. Ask something, for example: How many people are there?")
        reading = read_question(question)
        steps: list[Step] = []
        if reading.part is not None and reading.stretch is None:
            steps.append(
                Step(
                    function="extract_temporal_part",
                    arguments=ExtractTemporalPart(target_part=reading.part),
                    save_as="part",
                )
            )
        stretch = reading.stretch
        if stretch is None and reading.at_s is not None and _is_about_a_state(reading):
            stretch = Stretch(max(0.0, reading.at_s - MOMENT_S / 2), reading.at_s + MOMENT_S / 2)
        if stretch is not None:
            arguments = ExtractTemporalPart(start_s=stretch.start_s, end_s=stretch.end_s)
            steps.append(Step(function="extract_temporal_part", arguments=arguments, save_as="part"))
        steps.extend(_steps(reading))
        return check_references(Plan(question=question.strip(), planner=self.name, steps=tuple(steps)))


def _is_about_a_state(reading: Reading) -> bool:
    return reading.state is not None and reading.kind in ("yes_no", "who", "side", "which_video") and not reading.clause


def _steps(reading: Reading) -> list[Step]:
    if reading.kind == "side" and reading.clause is None:
        return _side(reading)
    if reading.kind in ("count", "count_events"):
        return _count(reading)
    if reading.kind == "summary" and reading.clause is None and reading.at_s is None:
        return [_START, _analyze(reading.text)]
    if reading.kind == "inventory":
        return _count(reading)
    if reading.kind == "setting":
        return [_START, _analyze(reading.text)]
    if reading.kind == "length":
        return [_START]
    if reading.clause is not None:
        return _temporal(reading)
    if reading.at_s is not None and reading.kind not in ("when", "how_long") and not _is_about_a_state(reading):
        if reading.subject is None:
            return [_sample(None, reading.at_s, "around", 5)]
        return [_identify(reading.subject, "target"), _sample("$target", reading.at_s, "around", 3)]
    if reading.kind == "which_video":
        return [_localize(reading.main, "moment", reading.state)]
    if reading.state is not None:
        return _state(reading)
    if reading.kind in ("where", "color") and reading.subject:
        return [_identify(reading.subject, "target"), _sample("$target", None, "around", 5)]
    if reading.kind == "when":
        return [_localize(reading.main, "moment", None)]
    if reading.order is not None or _asks_what_is_done(reading):
        return _events_of(reading)
    if reading.kind == "why":
        return [
            _localize(reading.main, "moment", None),
            _sample("$moment", "$moment", "around", 3),
            _analyze(reading.main),
        ]
    said_of_subject = reading.subject is not None and reading.main.startswith(reading.subject)
    if reading.kind in ("how", "how_long", "yes_no", "who") or (reading.kind == "what" and said_of_subject):
        return [_localize(reading.main, "moment", None), _sample("$moment", "$moment", "around", 3)]
    return [_localize(reading.main, "moment", None), _START]


def _count(reading: Reading) -> list[Step]:
    """Who or what is counted; with a temporal clause, on its side of the moment."""
    subject, clause = reading.subject or "things", reading.clause
    if cuts := _shots_or_cuts(reading):
        arguments = CountNodes(node=cuts, during=reading.at_s)
    else:
        arguments = CountNodes(
            node=_data(subject),
            event_condition=reading.condition or None,
            count_of="events" if reading.kind == "count_events" else "at_once" if reading.at_once else "identities",
            during=reading.at_s,
        )
    if clause is None:
        return [_count_step(arguments)]
    if clause.connective == "around":
        arguments = arguments.model_copy(update={"during": "$anchor"})
    elif clause.gap_s:
        arguments = arguments.model_copy(update={"during": _at(clause)})
    else:
        after, before = _sides(clause)
        arguments = arguments.model_copy(update={"after": after, "before": before})
    return [_localize(clause.text, "anchor", clause.state), _count_step(arguments)]


_MADE_OF = re.compile(rf"(?:{VIDEO} )?(?:(?:made|composed|consists?|used|taken|filmed|be)(?: up)?(?: of)?)?")
_HAPPENING = re.compile(
    r"(?:there (?:a |any )?|the )?(?:(?:camera |video |film |picture )?cuts?|(?:camera |scene )?shot changes?)"
)


def _shots_or_cuts(reading: Reading) -> str | None:
    """``shots`` or ``cuts`` when those of the video are to be counted, whatever they show."""
    condition = reading.condition or ""
    if reading.kind == "count_events":
        return "cuts" if _HAPPENING.fullmatch(condition) else None
    return shots_or_cuts(reading.subject or "") if _MADE_OF.fullmatch(condition) else None


def _count_step(arguments: CountNodes) -> Step:
    return Step(function="count_nodes", arguments=arguments, save_as="count")


def _temporal(reading: Reading) -> list[Step]:
    """An anchor in time, then what is asked for on the right side of it."""
    clause = reading.clause
    assert clause is not None  # called only then
    anchor = _localize(clause.text, "anchor", clause.state)
    if reading.kind == "when":
        return [anchor, _localize(reading.main, "moment", reading.state, *_sides(clause))]
    if reading.state is not None and reading.kind in ("who", "yes_no", "how_long"):
        state = reading.state
        if state.name in ("enters", "leaves", "returns"):
            if clause.connective == "around" and clause.state and clause.state.name in ("enters", "leaves", "returns"):
                # "Who comes when the first one has left": a change has no length, so what follows it is meant.
                clause = replace(clause, connective="after")
            which = "last" if clause.connective == "before" else "first"
            moment = _localize(reading.main, "next", state.model_copy(update={"which": which}), *_sides(clause))
            return [anchor, moment, _sample("$next", "$next.timestamp_s", "after", 3)]
        return [anchor, _localize(reading.main, "moment", state, *_sides(clause))]
    time: TimeArgument = _at(clause) if clause.gap_s else "$anchor"
    direction: Direction = "around" if clause.gap_s else clause.connective
    same = _same_entity(reading.subject, clause.subject)
    if reading.kind in ("who", "summary") or reading.subject is None:
        return [anchor, _sample(None, time, direction, 5)]
    if same:
        return [anchor, _sample("$anchor", time, direction, 3)]
    return [anchor, _identify(reading.subject, "target"), _sample("$target", time, direction, 3)]


def _at(clause: Clause) -> TimeArgument:
    """The time that lies the seconds named behind or before the moment."""
    return _moved("start_s", -clause.gap_s) if clause.connective == "before" else _moved("end_s", clause.gap_s)


def _sides(clause: Clause) -> tuple[TimeArgument | None, TimeArgument | None]:
    """The ``after`` and ``before`` arguments that a temporal clause stands for."""
    if clause.connective == "around":
        return "$anchor.start_s", "$anchor.end_s"
    field: TimeField = "end_s" if clause.connective == "after" else "start_s"
    sign = 1 if clause.connective == "after" else -1
    if clause.gap_s:
        near, far = clause.gap_s - MOMENT_S / 2, clause.gap_s + MOMENT_S / 2
    else:
        near, far = 0.0, clause.reach_s
    sides = _moved(field, sign * near), None if far is None else _moved(field, sign * far)
    return sides if clause.connective == "after" else (sides[1], sides[0])


def _moved(field: TimeField, seconds: float) -> str:
    return f"$anchor.{field}" + (f"{seconds:+.6g}" if seconds else "")


def _same_entity(subject: str | None, other: str | None) -> bool:
    if subject is None or other is None:
        return False
    one, two = read_phrase(subject), read_phrase(other)
    if one.modified and two.modified and one.text != two.text:  # the man in black, the man in green
        return False
    return one.noun == two.noun and one.ordinal == two.ordinal and one.modified == two.modified


def _state(reading: Reading) -> list[Step]:
    state = reading.state
    assert state is not None  # called only then
    moment = _localize(reading.main, "moment", state)
    if reading.kind == "who" and state.name in ("enters", "leaves", "returns"):
        side: Direction = "before" if state.name == "leaves" else "after"
        return [moment, _sample("$moment", "$moment.timestamp_s", side, 3)]
    return [moment]


def _side(reading: Reading) -> list[Step]:
    """Events that tell the border: of the first who comes or goes, or of all of them."""
    state = reading.state
    assert state is not None  # called only then
    side: Direction = "before" if state.name == "leaves" else "after"
    if state.which == "all":
        return [_sample(_data(state.subject), None, "after", 50)]
    return [_localize(reading.main, "moment", state), _sample("$moment", "$moment.timestamp_s", side, 1)]


def _asks_what_is_done(reading: Reading) -> bool:
    return reading.kind == "what" and reading.subject is not None and reading.main.strip() == reading.subject


def _events_of(reading: Reading) -> list[Step]:
    direction: Direction = "before" if reading.order == "last" else "after"
    count = {None: 5, "next": 3}.get(reading.order, 1)
    if reading.subject is None:
        return [_sample(None, None, direction, count)]
    return [_identify(reading.subject, "target"), _sample("$target", None, direction, count)]


def _localize(
    query: str, save_as: str, state: State | None, after: TimeArgument | None = None, before: TimeArgument | None = None
) -> Step:
    arguments = LocalizeNode(query=query[:MAX_QUERY_CHARS], state=state, after=after, before=before)
    return Step(function="localize_node", arguments=arguments, save_as=save_as)


def _identify(query: str, save_as: str) -> Step:
    return Step(function="identify_node", arguments=IdentifyNode(query=query[:MAX_QUERY_CHARS]), save_as=save_as)


def _sample(node: str | None, time: TimeArgument | None, direction: Direction, count: int) -> Step:
    arguments = SampleEntityEvents(
        node=node, sample_start_time=time, events_to_sample=EventsToSample(direction=direction, count=count)
    )
    return Step(function="sample_entity_events", arguments=arguments, save_as="events")


def _analyze(query: str) -> Step:
    return Step(function="analyze_events", arguments=AnalyzeEvents(query=query[:MAX_QUERY_CHARS]), save_as="relevant")


def _data(text: str) -> str:
    """Words of the question are data: a leading ``$`` would read as a reference."""
    return text.lstrip("$ ") or "things"
