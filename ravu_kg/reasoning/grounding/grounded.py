"""Evidence from words alone: the seconds that most likely show what a plan asks for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ravu_kg.reasoning.context import Context
from ravu_kg.reasoning.functions import showing
from ravu_kg.reasoning.grounding.likelihood import likelihood, moment_likelihood
from ravu_kg.reasoning.grounding.seconds import Seconds, Values
from ravu_kg.reasoning.grounding.sought import Sought
from ravu_kg.reasoning.records import Evidence, Span

_OF_THE_BEST = 0.5
"""Neighbours of the likeliest second are of the same moment from this share of its likelihood on."""


def seconds_of(context: Context) -> Seconds | None:
    """What is said of the video second by second; None where boxes were tracked, or nothing has a vector."""
    if context.video.tracked:
        return None
    vectors = context.reader.vectors.frame_nodes(context.video, context.phrases.dimensions)
    if vectors is None or not vectors.node_ids:
        return None
    reader, video_id, dimensions = context.reader, context.video.video_id, context.phrases.dimensions
    return Seconds.of(vectors, lambda: (reader.told(video_id), reader.event_vectors(video_id, dimensions)))


def grounded(context: Context, step: str, sought: Sought, seconds: Seconds, count: int) -> list[Evidence]:
    """The likeliest seconds for a question, each once, best first.

    Args:
        context: of the execution.
        step: the evidence is told to come from it.
        sought: what the plan looks for.
        seconds: of the video.
        count: how many.

    Returns:
        Evidence whose score is its likelihood in relation to the best.
    """
    context.phrases.prepare(sought.texts)
    found = likelihood(seconds, sought, context.phrases.vector, context.grounding)
    entity_ids: tuple[str, ...] = ()
    if context.grounding.entities and context.grounding.planner and sought.subject:
        wanted = context.matching(sought.subject, fragments=True)
        entity_ids = tuple(entity for one in wanted for entity in one.entity_ids)
    # A third of the video that is named weighs the seconds; seconds that are named are kept to.
    bounds = None if sought.part else context.part
    return _shown(context, step, seconds, found, sought.main, entity_ids, bounds, count)


def moments(
    context: Context, step: str, query: str, seconds: Seconds, bounds: Span | None, count: int
) -> tuple[list[Evidence], Span | None]:
    """The seconds that a phrase most likely describes, best first, and the stretch around the best of them."""
    found = moment_likelihood(seconds, query, None, context.phrases.vector, context.grounding)
    shown = _shown(context, step, seconds, found, query, (), bounds, count)
    if not shown:
        return [], None
    within = _within(seconds, bounds)
    best = int(np.argmax(np.where(within, found, -1.0)))
    near = (found >= _OF_THE_BEST * found[best]) & within
    start = end = best
    while start > 0 and near[start - 1]:
        start -= 1
    while end + 1 < len(near) and near[end + 1]:
        end += 1
    return shown, (float(seconds.timestamps_s[start]), float(seconds.timestamps_s[end]) + seconds.interval_s)


def _shown(
    context: Context,
    step: str,
    seconds: Seconds,
    found: Values,
    query: str,
    entity_ids: Sequence[str],
    bounds: Span | None,
    count: int,
) -> list[Evidence]:
    within = np.flatnonzero(_within(seconds, bounds))
    ranked = within[np.argsort(-found[within], kind="stable")][:count]
    if not len(ranked):
        return []
    scores = {int(seconds.frame_indices[at]): float(found[at] / found[ranked[0]]) for at in ranked}
    nodes = context.reader.grounded_nodes(
        context.video.video_id, list(scores), context.phrases.vector(query), entity_ids
    )
    evidence = [replace(showing.of_node(context, step, node), score=scores[node.frame_index]) for node in nodes]
    return sorted(evidence, key=lambda one: (-one.score, one.timestamp_s))


def _within(seconds: Seconds, bounds: Span | None) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    if bounds is None:
        return np.ones(len(seconds.timestamps_s), dtype=np.bool_)
    return (seconds.timestamps_s >= bounds[0]) & (seconds.timestamps_s < bounds[1])
