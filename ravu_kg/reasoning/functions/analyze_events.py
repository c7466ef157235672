"""analyze_events: the events that matter for a question."""

from __future__ import annotations

from ravu_kg.reasoning.context import Context
from ravu_kg.reasoning.functions import showing
from ravu_kg.reasoning.plan import AnalyzeEvents
from ravu_kg.reasoning.records import Evidence, Found, Interval

CANDIDATES = 30
SHOWN = 6


def analyze_events(context: Context, step: str, arguments: AnalyzeEvents, leaf: bool) -> Found:
    """The video's events by relevance; the judge picks."""
    events = context.reader.relevant_events(
        context.video.video_id, context.phrases.vector(arguments.query), context.span, CANDIDATES
    )
    picked = [events[position] for position, _ in context.judge.analyze(arguments.query, events)][:SHOWN]
    evidence: list[Evidence] = []
    for event in picked:
        evidence += showing.of_event(context, step, event, context.span)
    return Found(
        step,
        "analyze_events",
        evidence=tuple(evidence),
        intervals=tuple(Interval(one.start_s, one.end_s, entity_ids=(one.entity_id,)) for one in picked),
        note="" if picked else "The memory has no event there.",
    )
