"""localize_node: the moment that a phrase describes."""

from __future__ import annotations

from collections.abc import Sequence

from ravu_kg.reasoning.context import Context, Identity, as_interval
from ravu_kg.reasoning.functions import showing
from ravu_kg.reasoning.functions.distance import apart
from ravu_kg.reasoning.grounding.grounded import moments, seconds_of
from ravu_kg.reasoning.grounding.seconds import Seconds
from ravu_kg.reasoning.noun_phrases import first_noun_phrase
from ravu_kg.reasoning.plan import LocalizeNode, State
from ravu_kg.reasoning.presence import absences, changes, presences, tick_s
from ravu_kg.reasoning.records import Evidence, Found, Interval, Span
from ravu_kg.reasoning.vocabulary import read_phrase

CANDIDATES = 20
"""Nodes that the judge chooses among."""
MANY_CANDIDATES = 200
"""When only one identity's nodes count."""
SHOWN = 5


def localize_node(context: Context, step: str, arguments: LocalizeNode, leaf: bool) -> Found:
    """Find the moment: from the tracks when the phrase states something they tell, else by meaning."""
    after_s, before_s = context.moment(arguments.after, "end_s"), context.moment(arguments.before, "start_s")
    unknown = (arguments.after is not None and after_s is None) or (arguments.before is not None and before_s is None)
    if unknown:
        return Found(step, "localize_node", note="The moment that the question refers to was not found.")
    part_start_s, part_end_s = context.span
    bounds = (max(part_start_s, after_s or 0.0), min(part_end_s, part_end_s if before_s is None else before_s))
    if arguments.state is not None and context.video.tracked:
        return _by_state(context, step, arguments.state, bounds, leaf)
    seconds = seconds_of(context)
    if seconds is not None:
        return _by_words(context, step, arguments, bounds, seconds)
    narrowed = context.part is not None or after_s is not None or before_s is not None
    return _by_meaning(context, step, arguments.query, bounds if narrowed else None)


def _by_meaning(context: Context, step: str, query: str, span: Span | None) -> Found:
    phrase = first_noun_phrase(query)
    wanted = context.matching(phrase) if phrase and read_phrase(phrase).ordinal is not None else []
    count = MANY_CANDIDATES if wanted else CANDIDATES
    nodes = context.reader.nearest_nodes(context.video, context.phrases.vector(query), count, span)
    if not wanted and (wanted := context.named(query)):
        nodes = context.reader.nearest_nodes(context.video, context.phrases.vector(query), MANY_CANDIDATES, span)
    # "the second person stops": sentences of others do not matter, however near they are.
    owned = {entity for identity in wanted for entity in identity.entity_ids}
    nodes = [node for node in nodes if node.entity_id in owned] or nodes
    if not nodes:
        return Found(step, "localize_node", note="Nothing like it is in the memory.")
    ranked = context.judge.rerank(query, nodes)
    best = ranked[0]
    identity = context.identity_of().get(best.entity_id)
    interval = (
        as_interval(identity, best.timestamp_s, best.timestamp_s + context.video.sample_interval_s)
        if identity
        else Interval(best.timestamp_s, best.timestamp_s + context.video.sample_interval_s)
    )
    shown: list[Evidence] = []
    for node in ranked:
        if len(shown) < SHOWN and all(node.frame_index != one.frame_index for one in shown):
            shown.append(showing.of_node(context, step, node))
    return Found(
        step,
        "localize_node",
        evidence=tuple(shown),
        intervals=(interval,),
        entity_ids=identity.entity_ids if identity else (best.entity_id,),
        name=identity.name if identity else best.label,
    )


def _by_words(context: Context, step: str, arguments: LocalizeNode, bounds: Span, seconds: Seconds) -> Found:
    """Where no box was tracked: the stretch of seconds that the phrase most likely describes."""
    shown, stretch = moments(context, step, arguments.query, seconds, bounds, SHOWN)
    if stretch is None:
        return Found(step, "localize_node", note="Nothing like it is in the memory.")
    identity = context.identity_of().get(shown[0].entity_ids[0])
    interval = as_interval(identity, *stretch) if identity else Interval(*stretch)
    return Found(
        step,
        "localize_node",
        evidence=tuple(sorted(shown, key=lambda one: one.timestamp_s)),
        intervals=(interval,),
        entity_ids=identity.entity_ids if identity else shown[0].entity_ids,
        name=identity.name if identity else "",
        note=_ONLY_WORDS if arguments.state is not None else "",
    )


_ONLY_WORDS = "No box was tracked in this video: the time is that which its captions come nearest to."


def _by_state(context: Context, step: str, state: State, bounds: Span, leaf: bool) -> Found:
    subjects = context.matching(state.subject)
    if not subjects:
        return showing.nothing(context, step, "localize_node", state.subject)
    if state.name in ("near", "far"):
        others = context.matching(state.object or "")
        if not others:
            return showing.nothing(context, step, "localize_node", state.object or "")
        return apart(context, step, state, subjects, others, bounds)
    if state.name in ("enters", "returns", "leaves"):
        return _change(context, step, state, subjects, bounds, leaf)
    return _lasting(context, step, state, subjects, bounds, leaf)


def _lasting(
    context: Context, step: str, state: State, subjects: Sequence[Identity], bounds: Span, leaf: bool
) -> Found:
    """Presence, or absence: when none of the subjects is in the picture."""
    video = context.video
    stays: list[Interval] = []
    steps: list[float] = []
    context.tracks([entity for identity in subjects for entity in identity.entity_ids])  # one round trip for all
    for identity in subjects:
        tracks = list(context.tracks(identity.entity_ids).values())
        stays += presences(identity, tracks, video)
        steps.append(tick_s(tracks, video.sample_interval_s))
    stays.sort(key=lambda one: (one.start_s, one.identity_id))
    if state.name == "absent":
        stays = absences(stays, subjects[0], video, max(steps))
    intervals = _which(_cut(stays, bounds), state)
    found = Found(
        step,
        "localize_node",
        intervals=tuple(intervals),
        entity_ids=_whose(state, subjects, intervals),
        name=subjects[0].name if len(subjects) == 1 else "",
        note="" if intervals else f"The memory shows no time when {state.subject} is {_SAID[state.name]}.",
    )
    if not leaf or not intervals:
        return found
    spans = showing.chosen([(one.start_s, one.end_s) for one in intervals])
    if state.name == "absent":
        said = _away(subjects)
        frames = context.reader.global_context(video.video_id, spans, showing.spread(spans))
        # A frame node may stand for a look shortly beside its frame: such a frame shows no absence.
        evidence = [
            showing.of_frame(context, step, frame, said)
            for frame in frames
            if not set(frame.entity_ids) & set(found.entity_ids)
        ]
        others = tuple(one.entity_id for identity in context.identities() for one in identity.entities
                       if any(one.start_s < end and one.end_s > start for start, end in spans)
                       and one.entity_id not in found.entity_ids)  # fmt: skip
        evidence = showing.with_looks(context, evidence, spans, others, step, said)
    else:
        nodes = context.reader.entity_nodes(found.entity_ids, spans, showing.spread(spans))
        evidence = [showing.of_node(context, step, node) for node in nodes]
        evidence = showing.with_looks(context, evidence, spans, found.entity_ids, step)
    return _with_evidence(found, evidence)


def _change(context: Context, step: str, state: State, subjects: Sequence[Identity], bounds: Span, leaf: bool) -> Found:
    moments = [
        one for one in changes(context, subjects, state.name) if bounds[0] - 1e-6 <= one.start_s < bounds[1] - 1e-6
    ]
    moments = _which(moments, state)
    first = moments[0] if moments else None
    found = Found(
        step,
        "localize_node",
        intervals=tuple(moments),
        entity_ids=first.entity_ids if first else (),
        name=first.name if first else "",
        note="" if moments else f"The memory does not show that {state.subject} {_SAID[state.name]}.",
    )
    if not leaf or not moments:
        return found
    reach_s = 2.5 * context.video.sample_interval_s
    evidence: list[Evidence] = []
    spans = [
        (max(0.0, one.start_s - reach_s), one.start_s)
        if state.name == "leaves"
        else (one.start_s, one.start_s + reach_s)
        for one in moments[: showing.KEY_FRAMES]
    ]
    entity_ids = tuple(dict.fromkeys(entity for one in moments for entity in one.entity_ids))
    nodes = context.reader.entity_nodes(entity_ids, spans, showing.spread(spans))
    for node in nodes:
        if node.entity_id in moments[node.span].entity_ids:
            evidence.append(showing.of_node(context, step, node))
    for one in moments[: showing.KEY_FRAMES]:
        if not any(set(one.entity_ids) & set(shown.entity_ids) for shown in evidence):
            text = f"{_capital(one.name)} {_SAID[state.name]}."
            evidence.append(showing.of_time(context, step, one.start_s, one.entity_ids[:1], text))
    return _with_evidence(found, evidence)


def _cut(intervals: Sequence[Interval], bounds: Span) -> list[Interval]:
    cut = [
        Interval(max(one.start_s, bounds[0]), min(one.end_s, bounds[1]), one.identity_id, one.entity_ids, one.name)
        for one in intervals
    ]
    return [one for one in cut if one.start_s < one.end_s]


def _whose(state: State, subjects: Sequence[Identity], intervals: Sequence[Interval]) -> tuple[str, ...]:
    """Entities that the intervals are about: all subjects for an absence, else who is there in them."""
    there = {one.identity_id for one in intervals}
    return tuple(
        entity
        for identity in subjects
        if state.name == "absent" or not there or identity.identity_id in there
        for entity in identity.entity_ids
    )


def _which(intervals: list[Interval], state: State) -> list[Interval]:
    if state.which == "all":
        return intervals
    if state.which in ("longest", "shortest"):
        lengths_s: dict[str, float] = {}
        for one in intervals:
            lengths_s[one.identity_id] = lengths_s.get(one.identity_id, 0.0) + one.length_s
        chosen = (max if state.which == "longest" else min)(lengths_s, key=lambda one: lengths_s[one], default="")
        return [one for one in intervals if one.identity_id == chosen]
    return intervals[:1] if state.which == "first" else intervals[-1:]


def _with_evidence(found: Found, evidence: Sequence[Evidence]) -> Found:
    ordered = tuple(sorted(evidence, key=lambda one: one.timestamp_s))
    return Found(found.step, found.function, ordered, found.intervals, found.entity_ids, found.name, note=found.note)


def _away(subjects: Sequence[Identity]) -> str:
    if len(subjects) == 1:
        return f"{_capital(subjects[0].name)} is not in the picture."
    return f"No {subjects[0].label} is in the picture."


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


_SAID = {
    "present": "in the picture",
    "absent": "out of the picture",
    "enters": "comes into the picture",
    "returns": "comes back",
    "leaves": "leaves the picture",
    "near": "near",
    "far": "far",
}
