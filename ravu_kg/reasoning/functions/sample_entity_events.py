"""sample_entity_events: what an entity does before, after or around a time."""

from __future__ import annotations

from ravu_kg.reasoning.context import Context
from ravu_kg.reasoning.functions import showing
from ravu_kg.reasoning.plan import SampleEntityEvents
from ravu_kg.reasoning.records import Evidence, Found, Interval, Span

FRAMES_PER_EVENT = 3
FRAMES_OF_ONE_EVENT = 6


def sample_entity_events(context: Context, step: str, arguments: SampleEntityEvents, leaf: bool) -> Found:
    """Events with their frames; times of the evidence lie on the asked side, or inside the asked intervals."""
    wanted = arguments.events_to_sample
    if arguments.node is None:
        name, entity_ids = "", tuple(entity for one in context.identities() for entity in one.entity_ids)
    else:
        entity_ids, name = context.node(arguments.node)
    if not entity_ids:
        return Found(step, "sample_entity_events", note="The entity that the question is about was not found.")
    if arguments.sample_start_time is None and wanted.direction == "around":
        nodes = context.reader.entity_nodes(entity_ids, [context.span], wanted.count)
        portraits = tuple(showing.of_node(context, step, node) for node in nodes)
        return Found(step, "sample_entity_events", portraits, entity_ids=entity_ids, name=name)
    spans = _spans(context, arguments)
    if not spans:
        return Found(step, "sample_entity_events", entity_ids=entity_ids, name=name,
                     note="The time that the question refers to was not found.")  # fmt: skip
    frames = FRAMES_OF_ONE_EVENT if wanted.count == 1 else FRAMES_PER_EVENT
    events = context.reader.events(entity_ids, wanted.direction, spans, context.span, wanted.count, frames)
    if wanted.direction == "before":
        # Nearest to the moment last: the events before it are told in order, the last ones kept.
        events = events[-wanted.count :]
    evidence: list[Evidence] = []
    for event in events:
        span = spans[event.span]
        limits = _limits(wanted.direction, span, context.span)
        for one in showing.of_event(context, step, event, limits):
            if limits[0] - 1e-6 <= one.timestamp_s <= limits[1] + 1e-6:
                evidence.append(one)
    if wanted.direction == "around":
        lasting = [span for span in spans if span[1] > span[0]]
        evidence = showing.with_looks(context, evidence, lasting, entity_ids, step)
    unique = {(one.frame_index, one.timestamp_s, one.entity_ids): one for one in evidence}
    return Found(
        step,
        "sample_entity_events",
        evidence=tuple(sorted(unique.values(), key=lambda one: one.timestamp_s)),
        intervals=tuple(Interval(*span) for span in spans) if wanted.direction == "around" else (),
        entity_ids=entity_ids,
        name=name,
        note="" if unique else "The memory has no event of it there.",
    )


def _spans(context: Context, arguments: SampleEntityEvents) -> list[Span]:
    direction = arguments.events_to_sample.direction
    start_s, end_s = context.span
    if arguments.sample_start_time is None:
        return [(start_s, start_s)] if direction == "after" else [(end_s, end_s)]
    spans = context.spans(arguments.sample_start_time, "end_s" if direction == "after" else "start_s")
    if direction == "around":
        return showing.chosen(context.clip(spans))
    return spans[:1]


def _limits(direction: str, span: Span, part: Span) -> Span:
    """Where evidence may lie."""
    if direction == "after":
        return max(span[1], part[0]), part[1]
    if direction == "before":
        return part[0], min(span[0], part[1])
    return span if span[0] < span[1] else part
