"""get_global_context: frames spread over the whole video, or over the part that steps keep to.

With a query it is the paper's hierarchical retrieval: within each event of the video the moments that are nearest to
it, of which the judge picks ten.
"""

from __future__ import annotations

from collections.abc import Sequence

from ravu_kg.graph.reader import MomentRow
from ravu_kg.reasoning.context import Context
from ravu_kg.reasoning.functions import showing
from ravu_kg.reasoning.plan import GetGlobalContext
from ravu_kg.reasoning.protocols import Glimpse
from ravu_kg.reasoning.records import Evidence, Found

FRAMES = 6
PER_EVENT = 2
CANDIDATES = 24
"""Moments that a model reads: the nearest of all events."""
WIDE = 400
"""Moments that are compared without a model: a choice all over a long video needs them all."""
FRAME_CANDIDATES = 8
"""Of them descriptions of whole frames."""


def get_global_context(context: Context, step: str, arguments: GetGlobalContext, leaf: bool) -> Found:
    """Frames by meaning when there is a query, or a judge that reads them; else uniform ones."""
    query = arguments.query or (context.question if context.judge.selects else "")
    if query and (evidence := _by_meaning(context, step, query)):
        return Found(step, "get_global_context", evidence)
    frames = context.reader.global_context(context.video.video_id, [context.span], FRAMES)
    evidence = tuple(showing.of_frame(context, step, frame) for frame in frames)
    return Found(step, "get_global_context", evidence, note="" if frames else "The video has no sampled frame there.")


def _by_meaning(context: Context, step: str, query: str) -> tuple[Evidence, ...]:
    candidates = CANDIDATES if context.judge.selects else WIDE
    moments = context.reader.event_moments(
        context.video.video_id, context.phrases.vector(query), context.span, PER_EVENT, candidates
    )
    shown = [showing.of_node(context, step, moment.node) for moment in moments]
    shown += _frames(context, step, query, moments)
    nearest = sorted(shown, key=lambda one: -one.score)[:candidates]
    evidence = sorted(nearest, key=lambda one: (one.timestamp_s, one.node_id))
    glimpses = [
        Glimpse(one.timestamp_s, one.entity_ids[0] if one.node_id else "", one.text, one.score) for one in evidence
    ]
    if not glimpses:
        return ()
    chosen = context.judge.select(query, glimpses, showing.KEY_FRAMES)
    return tuple(evidence[position] for position in chosen)


def _frames(context: Context, step: str, query: str, moments: Sequence[MomentRow]) -> list[Evidence]:
    """Whole frames that say more than one sentence of theirs, by their own nearness to the question."""
    frames = {
        moment.frame.description: moment.frame
        for moment in moments
        if moment.frame.description and moment.frame.description != moment.node.description
    }
    told = list(frames)[:FRAME_CANDIDATES]
    scores = context.phrases.similarity(query, told) if told else []
    return [
        showing.of_frame(context, step, frames[text], score=score) for text, score in zip(told, scores, strict=True)
    ]
