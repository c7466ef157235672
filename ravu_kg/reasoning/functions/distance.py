"""Near and far: boxes of two identities in one frame, compared with their own size."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from itertools import pairwise
from math import sqrt

from ravu_kg.graph.reader import PairRow, TrackRow, VideoRow
from ravu_kg.nearness import FAR_SIZES, NEAR_SIZES
from ravu_kg.reasoning.context import Context, Identity, as_interval
from ravu_kg.reasoning.functions import showing
from ravu_kg.reasoning.plan import State
from ravu_kg.reasoning.records import Evidence, Found, Interval, Span
from ravu_kg.types import Box


def apart(
    context: Context,
    step: str,
    state: State,
    subjects: Sequence[Identity],
    others: Sequence[Identity],
    bounds: Span,
) -> Found:
    """When some subject is near (or far from) some other.

    Intervals are at the tracking rate, evidence is from sampled frames.
    """
    other_ids = tuple(entity for identity in others for entity in identity.entity_ids)
    subject_ids = tuple(entity for identity in subjects for entity in identity.entity_ids)
    tracks = context.tracks([*subject_ids, *other_ids])
    sizes = {entity: _size_px(track) for entity, track in tracks.items()}
    rows = [
        (row.subject_box.distance(row.object_box) / max(1.0, _scale(sizes, row)), row)
        for row in context.reader.pairs(subject_ids, other_ids, bounds)
    ]
    wanted = sorted(
        ((gap, row) for gap, row in rows if _holds(gap, state.name)),
        key=lambda one: (one[0] if state.name == "near" else -one[0], one[1].timestamp_s),
    )
    intervals = _intervals(tracks, subjects, others, sizes, state.name, bounds, context)
    shown: dict[int, Evidence] = {}
    for gap, row in wanted:
        if len(shown) < showing.KEY_FRAMES and row.frame_index not in shown:
            shown[row.frame_index] = _evidence(context, step, row, gap, state)
    if state.which != "all" and intervals:
        intervals = intervals[:1] if state.which == "first" else intervals[-1:]
        shown = {
            index: one for index, one in shown.items() if intervals[0].start_s <= one.timestamp_s < intervals[0].end_s
        }
    return Found(
        step,
        "localize_node",
        evidence=tuple(sorted(shown.values(), key=lambda one: one.timestamp_s)),
        intervals=tuple(intervals),
        entity_ids=_ids_of(subjects, intervals),
        name=subjects[0].name if len(subjects) == 1 else (intervals[0].name if intervals else ""),
        note="" if intervals or shown else _never(state, rows),
    )


def _holds(gap: float, name: str) -> bool:
    return gap <= NEAR_SIZES if name == "near" else gap >= FAR_SIZES


def _ids_of(subjects: Sequence[Identity], intervals: Sequence[Interval]) -> tuple[str, ...]:
    if len(subjects) == 1 or not intervals:
        return subjects[0].entity_ids
    return intervals[0].entity_ids


def _never(state: State, rows: Sequence[tuple[float, PairRow]]) -> str:
    if not rows:
        return f"No frame shows {state.subject} and {state.object} together."
    best = (min if state.name == "near" else max)(rows, key=lambda one: one[0])
    word = "near" if state.name == "near" else "far from"
    kind = "nearest" if state.name == "near" else "farthest apart"
    return f"{state.subject} is never {word} {state.object}; they are {kind} at {best[1].timestamp_s:.1f} s."


def _evidence(context: Context, step: str, row: PairRow, gap: float, state: State) -> Evidence:
    pixels = row.subject_box.distance(row.object_box)
    said = "touching boxes" if pixels == 0 else f"{pixels:.0f} px between the boxes"
    return Evidence(
        timestamp_s=row.timestamp_s,
        frame_index=row.frame_index,
        entity_ids=(row.subject_entity, row.object_entity),
        step=step,
        score=_confidence(gap, state.name),
        text=f"{row.subject_text.rstrip('.')} ({said}).",
        node_id=row.subject_id,
        video_id=context.video.video_id,
    )


def _confidence(gap: float, name: str) -> float:
    """1 at a gap of none (or of twice the far threshold), 0.5 at the threshold."""
    if name == "near":
        return 1.0 - 0.5 * gap / NEAR_SIZES
    return min(1.0, 0.5 * gap / FAR_SIZES)


def _intervals(
    tracks: dict[str, TrackRow],
    subjects: Sequence[Identity],
    others: Sequence[Identity],
    sizes: dict[str, float],
    name: str,
    bounds: Span,
    context: Context,
) -> list[Interval]:
    """Stretches at the tracking rate in which it holds for the nearest (or, for far, every) other in the picture."""
    found: list[Interval] = []
    paths = {entity: dict(zip(track.timestamps_s, track.boxes, strict=True)) for entity, track in tracks.items()}
    for identity in subjects:
        owners = [entity for other in others if other is not identity for entity in other.entity_ids]
        looks: list[tuple[float, bool]] = []
        for entity in identity.entity_ids:
            for time_s, box in paths.get(entity, dict[float, Box]()).items():
                gaps = [
                    box.distance(paths[other][time_s]) / max(1.0, (sizes[entity] + sizes[other]) / 2)
                    for other in owners
                    if time_s in paths.get(other, {})
                ]
                if gaps and bounds[0] <= time_s < bounds[1]:
                    looks.append((time_s, _holds(min(gaps), name)))
        found += _runs(sorted(looks), identity, context.video)
    return sorted(found, key=lambda one: (one.start_s, one.identity_id))


def _runs(looks: Sequence[tuple[float, bool]], identity: Identity, video: VideoRow) -> list[Interval]:
    steps = [later[0] - earlier[0] for earlier, later in pairwise(looks)]
    step_s = statistics.median(steps) if steps else video.sample_interval_s
    runs: list[list[float]] = []
    for time_s, holds in looks:
        if not holds:
            continue
        if runs and time_s - runs[-1][1] <= 2.5 * step_s:
            runs[-1][1] = time_s
        else:
            runs.append([time_s, time_s])
    end_s = max(video.duration_s, looks[-1][0]) if looks else video.duration_s
    return [as_interval(identity, first_s, min(last_s + step_s, end_s)) for first_s, last_s in runs]


def _size_px(track: TrackRow) -> float:
    return statistics.median([sqrt(box.area) for box in track.boxes]) if track.boxes else 0.0


def _scale(sizes: dict[str, float], row: PairRow) -> float:
    return (sizes.get(row.subject_entity, 0.0) + sizes.get(row.object_entity, 0.0)) / 2
