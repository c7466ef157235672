"""count_nodes: how many identities there are, or how often something happens."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from ravu_kg.graph.reader import SentenceRow
from ravu_kg.reasoning.context import Context, Identity, lasting
from ravu_kg.reasoning.functions import showing
from ravu_kg.reasoning.functions.shots import count_shots
from ravu_kg.reasoning.noun_phrases import shots_or_cuts
from ravu_kg.reasoning.plan import CountNodes
from ravu_kg.reasoning.presence import presences
from ravu_kg.reasoning.protocols import Candidate
from ravu_kg.reasoning.records import Counted, Evidence, Found, Interval, Span

PER_ENTITY = 10
PER_ENTITY_EVENTS = 50
"""More when happenings are counted."""


def count_nodes(context: Context, step: str, arguments: CountNodes, leaf: bool) -> Found:
    """Count distinct identities, never boxes: who left and came back counts once.

    Fragments (see :func:`ravu_kg.reasoning.context.lasting`) are left out and named as such. The nodes ``shots`` and
    ``cuts`` are those of the video itself.
    """
    spans = _spans(context, arguments)
    if not spans:
        return Found(step, "count_nodes", note="The time that the question refers to was not found.")
    if arguments.event_condition is None and (word := shots_or_cuts(arguments.node)):
        return count_shots(context, step, word, spans)
    candidates = _candidates(context, arguments.node)
    within = [one for one in candidates if any(_overlaps(one, span) for span in spans)]
    kept = lasting(within)
    dropped = [
        Counted(one.identity_id, one.name, False, f"seen for only {one.seen_s:.1f} s")
        for one in within
        if one not in kept
    ]
    if not kept:
        found = showing.nothing(context, step, "count_nodes", arguments.node)
        return replace(found, count=None if found.unknown else 0, counted=tuple(dropped))
    if arguments.count_of == "at_once":
        return _at_once(context, step, kept, spans)
    if arguments.event_condition is None:
        return _all(context, step, kept, dropped, spans)
    return _conditional(context, step, arguments, kept, dropped, spans)


def _spans(context: Context, arguments: CountNodes) -> list[Span]:
    """When who is counted has to be there."""
    if arguments.during is not None:
        return context.clip(context.spans(arguments.during, "start_s"))
    after_s, before_s = context.moment(arguments.after, "end_s"), context.moment(arguments.before, "start_s")
    if (arguments.after is not None and after_s is None) or (arguments.before is not None and before_s is None):
        return []
    start_s, end_s = context.span
    return context.clip([(start_s if after_s is None else after_s, end_s if before_s is None else before_s)])


def _overlaps(identity: Identity, span: Span) -> bool:
    return any(one.start_s < span[1] and one.end_s > span[0] for one in identity.entities) or any(
        one.start_s <= span[0] == span[1] < one.end_s for one in identity.entities
    )


def _candidates(context: Context, node: str) -> list[Identity]:
    if not node.startswith("$"):
        return context.matching(node, fragments=True)
    entity_ids, _ = context.node(node)
    return [one for one in context.identities() if set(one.entity_ids) & set(entity_ids)]


def _all(
    context: Context, step: str, kept: Sequence[Identity], dropped: Sequence[Counted], spans: Sequence[Span]
) -> Found:
    counted = [Counted(one.identity_id, one.name, True, _seen(one)) for one in kept]
    return Found(
        step,
        "count_nodes",
        evidence=tuple(_portraits(context, step, kept, spans)),
        intervals=tuple(Interval(one.start_s, one.end_s, one.identity_id, one.entity_ids, one.name) for one in kept),
        entity_ids=tuple(entity for one in kept for entity in one.entity_ids),
        count=len(kept),
        counted=(*counted, *dropped),
    )


def _at_once(context: Context, step: str, kept: Sequence[Identity], spans: Sequence[Span]) -> Found:
    """The most that are in the picture together, and the longest stretch in which they are."""
    context.tracks([entity for one in kept for entity in one.entity_ids])  # one round trip for all
    stays = [
        (max(stay.start_s, a), min(stay.end_s, b), one)
        for one in kept
        for stay in presences(one, list(context.tracks(one.entity_ids).values()), context.video)
        for a, b in spans
        if stay.start_s < b and stay.end_s > a
    ]
    times = sorted({time_s for start_s, end_s, _ in stays for time_s in (start_s, end_s)})
    best: tuple[int, float, Span] = (0, 0.0, (0.0, 0.0))
    for start_s, end_s in pairwise(times):
        together = sum(a <= start_s and b >= end_s for a, b, _ in stays)
        best = max(best, (together, end_s - start_s, (start_s, end_s)), key=lambda one: one[:2])
    count, _, span = best
    there = [one for one in kept if any(who is one and a <= span[0] and b >= span[1] for a, b, who in stays)]
    return Found(
        step,
        "count_nodes",
        evidence=tuple(_portraits(context, step, there, [span])) if there else (),
        intervals=(Interval(*span),),
        entity_ids=tuple(entity for one in there for entity in one.entity_ids),
        count=count,
        counted=tuple(Counted(one.identity_id, one.name, one in there, _seen(one)) for one in kept),
    )


def _conditional(
    context: Context,
    step: str,
    arguments: CountNodes,
    kept: Sequence[Identity],
    dropped: Sequence[Counted],
    spans: Sequence[Span],
) -> Found:
    condition = arguments.event_condition or ""
    owner = {entity: one.identity_id for one in kept for entity in one.entity_ids}
    sentences = context.reader.sentences(
        list(owner), context.phrases.vector(condition), context.span,
        PER_ENTITY if arguments.count_of == "identities" else PER_ENTITY_EVENTS,
    )  # fmt: skip
    sentences = [one for one in sentences if any(one.start_s < b and one.end_s >= a for a, b in spans)]
    by_identity: dict[str, list[SentenceRow]] = {one.identity_id: [] for one in kept}
    for sentence in sentences:
        by_identity[owner[sentence.entity_id]].append(sentence)
    happening = arguments.count_of == "events"
    candidates = [
        Candidate(one.identity_id, one.name, one.label, tuple(by_identity[one.identity_id]), happening) for one in kept
    ]
    verdicts = context.judge.count(condition, candidates)
    if all(verdict.met is None for verdict in verdicts) and arguments.count_of == "identities":
        note = f"The memory cannot tell who meets {condition!r}; all are counted."
        return replace(_all(context, step, kept, dropped, spans), note=note)
    evidence: list[Evidence] = []
    counted: list[Counted] = list(dropped)
    happenings = 0
    for one, verdict in zip(kept, verdicts, strict=True):
        met = bool(verdict.met)
        counted.append(Counted(one.identity_id, one.name, met, verdict.reason))
        events = [match for match in verdict.matches if match.kind == "event"]
        happenings += len(events)
        shown = verdict.matches[:1] if arguments.count_of == "identities" else events
        if met:
            evidence += [_of_sentence(context, step, match) for match in shown]
    members = [one for one, verdict in zip(kept, verdicts, strict=True) if verdict.met]
    return Found(
        step,
        "count_nodes",
        evidence=tuple(evidence),
        intervals=tuple(Interval(one.start_s, one.end_s or one.start_s) for one in evidence if one.start_s is not None),
        entity_ids=tuple(entity for one in members for entity in one.entity_ids),
        count=len(members) if arguments.count_of == "identities" else happenings,
        counted=tuple(counted),
    )


def _portraits(context: Context, step: str, kept: Sequence[Identity], spans: Sequence[Span]) -> list[Evidence]:
    """One frame of each identity: the one in the middle of its longest stay within the spans."""
    stays = [
        max(
            ((entity, max(entity.start_s, a), min(entity.end_s, b)) for entity in one.entities for a, b in spans),
            key=lambda stay: stay[2] - stay[1],
        )
        for one in kept[: showing.KEY_FRAMES]
    ]
    entity_ids = [entity.entity_id for entity, _, _ in stays]
    nodes = context.reader.entity_nodes(entity_ids, [(a, b) for _, a, b in stays], 50)
    portraits: list[Evidence] = []
    for position, (entity, start_s, _) in enumerate(stays):
        own = [node for node in nodes if node.span == position and node.entity_id == entity.entity_id]
        if own:
            portraits.append(showing.of_node(context, step, own[len(own) // 2]))
        else:
            said = f"{kept[position].name} is seen."
            portraits.append(showing.of_time(context, step, start_s, (entity.entity_id,), said))
    return portraits


def _of_sentence(context: Context, step: str, sentence: SentenceRow) -> Evidence:
    time_s = max(sentence.start_s, context.span[0])
    return Evidence(
        timestamp_s=time_s,
        frame_index=context.frame_index(time_s),
        entity_ids=(sentence.entity_id,),
        step=step,
        score=sentence.score,
        text=sentence.description,
        node_id=sentence.id if sentence.kind == "node" else "",
        event_id=sentence.id if sentence.kind == "event" else "",
        video_id=context.video.video_id,
        start_s=sentence.start_s,
        end_s=sentence.end_s,
    )


def _seen(identity: Identity) -> str:
    return f"seen from {identity.start_s:.1f} s to {identity.end_s:.1f} s"
