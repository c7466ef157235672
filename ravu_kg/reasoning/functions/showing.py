"""From rows of the graph to evidence; shared by the functions."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ravu_kg.graph.reader import EventRow, FrameRow, NodeRow
from ravu_kg.reasoning.context import Context
from ravu_kg.reasoning.plan import FunctionName
from ravu_kg.reasoning.presence import looks_within
from ravu_kg.reasoning.records import Evidence, Found, Span
from ravu_kg.reasoning.vocabulary import matching_labels, read_phrase

KEY_FRAMES = 10
"""An answer shows at most so many."""
_WITHOUT_KINDS = ("people", "motion", "people+motion")
"""Detectors that cannot tell a dog from a car."""


def nothing(context: Context, step: str, function: FunctionName, phrase: str) -> Found:
    """Nothing matches a phrase: because nothing is there, or because the detector could not have seen it."""
    note, video = f"The memory has nothing that matches {phrase!r}.", context.video
    noun = read_phrase(phrase).noun
    measured = video.detector in _WITHOUT_KINDS and video.describer in ("", "geometry")
    if not measured or matching_labels(noun, ["person"]):
        return Found(step, function, note=note)
    note += (
        f" The video was indexed with the detector {video.detector}, which finds people and what moves, but not of "
        "what kind it is. To know, index it again: --replace --detector yolox:nano"
    )
    return Found(step, function, note=note, unknown=True)


def of_node(context: Context, step: str, node: NodeRow, text: str = "") -> Evidence:
    """A frame node as evidence, with its own sentence unless another text says more."""
    return Evidence(
        timestamp_s=node.timestamp_s,
        frame_index=node.frame_index,
        entity_ids=(node.entity_id,),
        step=step,
        score=node.score,
        text=text or node.description,
        node_id=node.node_id,
        video_id=context.video.video_id,
        attributes=node.attributes,
    )


def of_frame(context: Context, step: str, frame: FrameRow, text: str = "", score: float = 1.0) -> Evidence:
    """A whole frame as evidence."""
    return Evidence(
        timestamp_s=frame.timestamp_s,
        frame_index=frame.frame_index,
        entity_ids=frame.entity_ids,
        step=step,
        score=score,
        text=" ".join(part for part in (text, frame.description) if part),
        video_id=context.video.video_id,
    )


def of_time(
    context: Context, step: str, time_s: float, entity_ids: tuple[str, ...], text: str, frame_index: int | None = None
) -> Evidence:
    """A time at the tracking rate as evidence; its frame is the nearest sampled one unless another is given."""
    return Evidence(
        timestamp_s=time_s,
        frame_index=context.frame_index(time_s) if frame_index is None else frame_index,
        entity_ids=entity_ids,
        step=step,
        score=1.0,
        text=text,
        video_id=context.video.video_id,
    )


def of_event(context: Context, step: str, event: EventRow, span: Span | None = None) -> list[Evidence]:
    """An event as evidence: its frame nodes, or its own start, held within a span, when no sampled frame shows it."""
    if event.nodes:
        return [
            Evidence(
                timestamp_s=node.timestamp_s,
                frame_index=node.frame_index,
                entity_ids=(event.entity_id,),
                step=step,
                score=event.score,
                text=event.description,
                node_id=node.node_id,
                event_id=event.event_id,
                video_id=context.video.video_id,
                attributes=node.attributes,
                start_s=event.start_s,
                end_s=event.end_s,
            )
            for node in event.nodes
        ]
    time_s = event.start_s if span is None else max(event.start_s, span[0])
    return [
        Evidence(
            timestamp_s=time_s,
            frame_index=context.frame_index(time_s),
            entity_ids=(event.entity_id,),
            step=step,
            score=event.score,
            text=event.description,
            event_id=event.event_id,
            video_id=context.video.video_id,
            start_s=event.start_s,
            end_s=event.end_s,
        )
    ]


def with_looks(
    context: Context,
    evidence: Sequence[Evidence],
    spans: Iterable[Span],
    entity_ids: Sequence[str],
    step: str,
    text: str = "",
) -> list[Evidence]:
    """Evidence for short spans, filled up with times at the tracking rate.

    What lasts less than a second or two may have no sampled frame, or only one. ``text`` is said of the added
    times; without it the sentence of the nearest evidence is.
    """
    filled = list(evidence)
    short = [span for span in spans if span[1] - span[0] < 3 * context.video.sample_interval_s]
    if not short or not entity_ids:
        return filled
    tracks = list(context.tracks(entity_ids).values())
    for span in short:
        looks = looks_within(tracks, span)
        inside = [one for one in filled if span[0] <= one.timestamp_s < span[1]]
        for time_s in dict.fromkeys([*looks[:1], *looks[len(looks) // 2 : len(looks) // 2 + 1], *looks[-1:]]):
            if any(abs(one.timestamp_s - time_s) < 1e-3 for one in inside):
                continue
            near = min(inside or filled, key=lambda one: abs(one.timestamp_s - time_s), default=None)
            said = text or (near.text if near else "")
            if said:
                filled.append(of_time(context, step, time_s, tuple(near.entity_ids) if near and not text else (), said))
    return filled


def spread(spans: Sequence[Span]) -> int:
    """Key frames of each span so that together they are few."""
    return max(1, KEY_FRAMES // max(1, len(spans)))


def chosen(spans: Sequence[Span]) -> list[Span]:
    """At most as many spans as key frames: the longest, in time order."""
    longest = sorted(spans, key=lambda span: (span[0] - span[1], span[0]))[:KEY_FRAMES]
    return sorted(longest)
