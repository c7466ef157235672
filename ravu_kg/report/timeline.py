"""The timeline of a page: a lane for each entity, its events as bars, all placed in shares of the video's length.

Shares, not pixels: to zoom, the page's script makes the lanes wider and nothing is drawn anew, and without a script
the whole video is there to be read and scrolled.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from xml.etree.ElementTree import Element

from ravu_kg.report.elements import add, e
from ravu_kg.report.formatting import clock, readable_on
from ravu_kg.report.records import Moment, ShownEntity, ShownEvent, VideoGraph

MOST_LANES = 120
MOST_BARS = 4000
_TICKS = 8
_STEPS_S = (0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600)


def timeline(
    graph: VideoGraph,
    key_frames: Mapping[int, str],
    event_rows: Mapping[str, str],
    spans: Sequence[tuple[float, float]] = (),
    is_evidence: bool = False,
) -> Element:
    """The timeline of a video.

    Args:
        graph: the video.
        key_frames: address in the page of each sampled frame that is shown large, by its index.
        event_rows: address in the page of what is said of each event, by its id.
        spans: the stretches of time that an answer names, in seconds.
        is_evidence: whether the key frames are those of an answer.
    """
    length_s = max(graph.duration_s, 0.001)
    shown = _lanes(graph)
    inner = e("div", {"class": "tl-inner"})
    add(inner, _axis(length_s), _marks(graph, key_frames, spans, length_s, is_evidence))
    events = _events_by_entity(graph)
    room = MOST_BARS
    for entity in shown:
        own = events.get(entity.entity_id, [])[: max(0, room)]
        room -= len(own)
        add(inner, _lane(entity, own, event_rows, length_s))
    add(inner, e("div", {"class": "tl-over"}, e("div", {"class": "tl-cursor", "hidden": True})))
    left_out = len(graph.entities) - len(shown)
    return e(
        "section",
        {"class": "timeline", "aria-label": "Timeline"},
        e(
            "div",
            {"class": "tl-head"},
            e("h3", None, "Timeline"),
            e(
                "div",
                {"class": "tl-tools js"},
                e(
                    "button",
                    {"type": "button", "data-do": "zoom-out", "title": "Zoom out (−)", "aria-label": "Zoom out"},
                    "−",
                ),
                e(
                    "button",
                    {"type": "button", "data-do": "zoom-in", "title": "Zoom in (+)", "aria-label": "Zoom in"},
                    "+",
                ),
                e("button", {"type": "button", "data-do": "zoom-all", "title": "Whole video (0)"}, "Whole video"),
            ),
        ),
        e(
            "div",
            {"class": "tl-scroll", "tabindex": "0", "role": "group", "aria-label": "Timeline of entities and events"},
            inner,
        ),
        e("p", {"class": "quiet"}, f"{left_out} more entities, seen for less time, are left out here.")
        if left_out
        else None,
    )


def tick_step_s(length_s: float, ticks: int = _TICKS) -> float:
    """The smallest round number of seconds that needs at most so many ticks."""
    return next((float(step) for step in _STEPS_S if length_s / step <= ticks), float(_STEPS_S[-1]))


def _lanes(graph: VideoGraph) -> list[ShownEntity]:
    """Those seen longest, in order of appearance."""
    if len(graph.entities) <= MOST_LANES:
        return list(graph.entities)
    longest = sorted(graph.entities, key=lambda one: one.start_s - one.end_s)[:MOST_LANES]
    kept = {one.entity_id for one in longest}
    return [one for one in graph.entities if one.entity_id in kept]


def _events_by_entity(graph: VideoGraph) -> Mapping[str, list[ShownEvent]]:
    found = defaultdict[str, list[ShownEvent]](list)
    for event in graph.events:
        found[event.entity_id].append(event)
    return found


def _axis(length_s: float) -> Element:
    step_s = tick_step_s(length_s)
    count = int(length_s / step_s)
    digits = 1 if step_s < 1 else 0
    ticks = [
        e(
            "span",
            {"class": "tick", "style": f"left:{_share(number * step_s, length_s)}"},
            clock(number * step_s, digits),
        )
        for number in range(count + 1)
        if number * step_s <= length_s * 0.985 or number == 0
    ]
    return e(
        "div",
        {"class": "tl-row tl-axis"},
        e("div", {"class": "tl-name"}, ""),
        e("div", {"class": "tl-track"}, *ticks),
    )


def _marks(
    graph: VideoGraph,
    key_frames: Mapping[int, str],
    spans: Sequence[tuple[float, float]],
    length_s: float,
    is_evidence: bool,
) -> Element:
    """Key frames, the answer's times, cuts and stretches that nothing is known of."""
    track = e("div", {"class": "tl-track"})
    for start_s, end_s in _unknown(graph.moments, graph.sample_interval_s):
        title = f"Nothing is known of {clock(start_s)} to {clock(end_s)}"
        add(track, _bar("tl-unknown", start_s, end_s, length_s, title))
    for start_s, end_s in spans:
        add(track, _bar("tl-span", start_s, end_s, length_s, f"{clock(start_s)} to {clock(end_s)}, of the answer"))
    for cut_s in graph.cuts_s:
        style = f"left:{_share(cut_s, length_s)}"
        add(track, e("i", {"class": "tl-cut", "style": style, "title": f"Cut at {clock(cut_s)}"}))
    times_s = {moment.frame_index: moment.timestamp_s for moment in graph.moments}
    for index, address in key_frames.items():
        if index in times_s:
            time_s = times_s[index]
            attributes = {
                "class": "tl-key",
                "href": f"#{address}",
                "data-t": f"{time_s:.3f}",
                "style": f"left:{_share(time_s, length_s)}",
                "title": f"Key frame at {clock(time_s)}",
                "tabindex": "-1",
                "aria-label": f"Key frame at {clock(time_s)}",
            }
            add(track, e("a", attributes))
    return e(
        "div",
        {"class": "tl-row tl-marks"},
        e("div", {"class": "tl-name"}, "evidence" if is_evidence else "key frames"),
        track,
    )


def _lane(entity: ShownEntity, events: Sequence[ShownEvent], event_rows: Mapping[str, str], length_s: float) -> Element:
    levels = _levels(events)
    depth = max(levels, default=0) + 1
    track = e("div", {"class": "tl-track", "style": f"--rows:{depth}"})
    seen = f"{entity.name}: seen from {clock(entity.start_s)} to {clock(entity.end_s)}"
    add(track, _bar("tl-seen", entity.start_s, entity.end_s, length_s, seen))
    for event, level in zip(events, levels, strict=True):
        title = f"{entity.name}, {clock(event.start_s)} to {clock(event.end_s)}: {event.description} ({event.source})"
        attributes = {
            "class": "tl-event",
            "href": f"#{event_rows[event.event_id]}",
            "data-t": f"{event.start_s:.3f}",
            "data-e": f"{event.end_s:.3f}",
            "tabindex": "-1",
            "title": title,
            "style": f"{_place(event.start_s, event.end_s, length_s)};--row:{level}",
        }
        add(track, e("a", attributes, e("span", None, event.description)))
    name = e(
        "div",
        {"class": "tl-name", "title": entity.name},
        e("i", {"class": "dot"}),
        e("span", {"class": "tl-label"}, entity.called),
        e("b", None, entity.tag),
    )
    style = f"--c:{entity.color};--on:{readable_on(entity.color)}"
    return e("div", {"class": "tl-row tl-lane", "style": style, "data-entity": entity.tag}, name, track)


def _levels(events: Sequence[ShownEvent]) -> list[int]:
    """The row of each event within its lane: the first where it does not cover another."""
    ends: list[float] = []
    levels: list[int] = []
    for event in events:
        level = next((row for row, end_s in enumerate(ends) if end_s <= event.start_s + 1e-6), len(ends))
        if level == len(ends):
            ends.append(event.end_s)
        ends[level] = event.end_s
        levels.append(level)
    return levels


def _unknown(moments: Sequence[Moment], interval_s: float) -> list[tuple[float, float]]:
    spans: list[tuple[float, float]] = []
    for moment in moments:
        if moment.coverage != "ok":
            if spans and moment.timestamp_s - spans[-1][1] < interval_s / 2:
                spans[-1] = (spans[-1][0], moment.timestamp_s + interval_s)
            else:
                spans.append((moment.timestamp_s, moment.timestamp_s + interval_s))
    return spans


def _bar(kind: str, start_s: float, end_s: float, length_s: float, title: str) -> Element:
    return e("i", {"class": kind, "style": _place(start_s, end_s, length_s), "title": title})


def _place(start_s: float, end_s: float, length_s: float) -> str:
    return f"left:{_share(start_s, length_s)};width:{_share(max(0.0, min(end_s, length_s) - start_s), length_s)}"


def _share(value_s: float, length_s: float) -> str:
    return f"{100 * min(1.0, max(0.0, value_s / length_s)):.3f}%"
