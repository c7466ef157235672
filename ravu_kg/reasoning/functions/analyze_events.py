"""analyze_events: the events that matter for a question."""

from __future__ import annotations

from dataclasses import replace

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
    chosen = context.judge.analyze(arguments.query, events)[:SHOWN]
    picked = [events[position] for position, _ in chosen]
    evidence: list[Evidence] = []
    for position, reason in chosen:
        shown = showing.of_event(context, step, events[position], context.span)
        evidence += [replace(one, reason=reason) for one in shown] if context.judge.selects else shown
    return Found(
        step,
        "analyze_events",
        evidence=tuple(evidence),
        intervals=tuple(Interval(one.start_s, one.end_s, entity_ids=(one.entity_id,)) for one in picked),
        note="" if picked else "The memory has no event there.",
    )
