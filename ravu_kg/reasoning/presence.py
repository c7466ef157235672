"""When an identity is in the picture, from the times it was tracked at."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from itertools import pairwise

from ravu_kg.graph.reader import TrackRow, VideoRow
from ravu_kg.reasoning.context import Context, Identity, as_interval
from ravu_kg.reasoning.plan import StateName
from ravu_kg.reasoning.records import Interval, Span
from ravu_kg.types import Box

SHORTEST_ABSENCE_S = 0.35
"""A shorter gap is a missed detection."""
BORDER_SHARE = 0.03
"""A box this near to the picture's edge, in picture widths, may have gone out through it."""
CROSSING_S = 0.5
"""At most so long a thing is taken to be on its way across the border before it is first detected, or after."""
PACE_S = 0.5
"""How fast a thing crosses the border is measured over so long."""
BRIDGED_S = 1.0
"""Up to so long a gap in the middle of the picture is taken for a missed detection, not for an absence."""


def tick_s(tracks: Sequence[TrackRow], fallback_s: float) -> float:
    """Seconds between two looks of the tracker."""
    steps = [later - earlier for track in tracks for earlier, later in pairwise(track.timestamps_s)]
    return statistics.median(steps) if steps else fallback_s


def presences(identity: Identity, tracks: Sequence[TrackRow], video: VideoRow) -> list[Interval]:
    """Stretches in which the identity is in the picture, in order; each ends at the first look that misses it.

    A detector needs to see a good part of a thing. Who comes in through a border is there from when its inner edge
    crossed it, going by its pace, at most half a second earlier; who goes out, as much later.
    """
    step_s = tick_s(tracks, video.sample_interval_s)
    seen = sorted(
        (time_s, box) for track in tracks for time_s, box in zip(track.timestamps_s, track.boxes, strict=True)
    ) if tracks else []  # fmt: skip
    if not seen:
        return [as_interval(identity, entity.start_s, entity.end_s) for entity in identity.entities]
    runs = [[seen[0]]]
    for (time_s, box), (next_s, next_box) in pairwise(seen):
        if _is_absence(time_s + step_s, next_s, (box, next_box), video):
            runs.append([])
        runs[-1].append((next_s, next_box))
    stays: list[Interval] = []
    for run in runs:
        start_s = max(run[0][0] - _crossing_s(run, video), stays[-1].end_s if stays else 0.0)
        end_s = max(run[-1][0] + step_s, run[-1][0] + _crossing_s(run[::-1], video))
        stays.append(as_interval(identity, start_s, min(end_s, max(video.duration_s, start_s))))
    return stays


def absences(present: Sequence[Interval], identity: Identity, video: VideoRow, step_s: float) -> list[Interval]:
    """Stretches in which nobody of the given presences is in the picture, the video's start and end included."""
    found: list[Interval] = []
    free_from_s = 0.0
    for one in sorted(present, key=lambda interval: interval.start_s):
        if one.start_s - free_from_s >= max(SHORTEST_ABSENCE_S, 1.5 * step_s if free_from_s == 0.0 else 0.0):
            found.append(as_interval(identity, free_from_s, one.start_s))
        free_from_s = max(free_from_s, one.end_s)
    if video.duration_s - free_from_s >= max(SHORTEST_ABSENCE_S, 1.5 * step_s):
        found.append(as_interval(identity, free_from_s, video.duration_s))
    return found


def changes(context: Context, identities: Sequence[Identity], name: StateName) -> list[Interval]:
    """Moments of entering, returning or leaving, in time order.

    Who is there when the video starts does not enter, and who is there when it ends does not leave; but when nobody
    enters otherwise, the first seen counts as entering.
    """
    found: list[Interval] = []
    from_start: list[Interval] = []
    context.tracks([entity for identity in identities for entity in identity.entity_ids])  # one round trip for all
    for identity in identities:
        tracks = list(context.tracks(identity.entity_ids).values())
        step_s = tick_s(tracks, context.video.sample_interval_s)
        stays = presences(identity, tracks, context.video)
        for position, stay in enumerate(stays):
            if name == "leaves":
                if context.video.duration_s - stay.end_s >= 1.5 * step_s:
                    found.append(as_interval(identity, stay.end_s, stay.end_s))
            elif name == "returns":
                if position:
                    found.append(as_interval(identity, stay.start_s, stay.start_s))
            elif stay.start_s < 1.5 * step_s:
                from_start.append(as_interval(identity, stay.start_s, stay.start_s))
            else:
                found.append(as_interval(identity, stay.start_s, stay.start_s))
    return sorted(found or from_start, key=lambda one: (one.start_s, one.identity_id))


def looks_within(tracks: Sequence[TrackRow], span: Span) -> list[float]:
    """Times within a span at which the tracker looked, as far as these tracks tell."""
    start_s, end_s = span
    return sorted({time_s for track in tracks for time_s in track.timestamps_s if start_s - 1e-6 <= time_s < end_s})


def _crossing_s(run: Sequence[tuple[float, Box]], video: VideoRow) -> float:
    """How long before the first of these boxes its inner edge was at the border, going by the pace right after it.

    The boxes may be given backwards: then it is how long after.
    """
    first_s, first = run[0]
    later = [(time_s, box) for time_s, box in run[1:] if abs(time_s - first_s) <= PACE_S + 1e-6]
    if not later:
        return 0.0
    next_s, next_box = later[-1]
    elapsed_s = abs(next_s - first_s)
    width, height, margin = video.width_px, video.height_px, 0.5 * BORDER_SHARE * video.width_px
    # For each border that the box reaches: what is inside already, and how fast the inner edge moves inwards.
    inward = (
        (first.x_min <= margin, first.x_max, next_box.x_max - first.x_max),
        (first.x_max >= width - margin, width - first.x_min, first.x_min - next_box.x_min),
        (first.y_min <= margin, first.y_max, next_box.y_max - first.y_max),
        (first.y_max >= height - margin, height - first.y_min, first.y_min - next_box.y_min),
    )
    crossing = [inside * elapsed_s / moved for touches, inside, moved in inward if touches and moved > 0]
    # Slower than that it stands at the border, or comes from elsewhere.
    return min((time_s for time_s in crossing if time_s <= CROSSING_S), default=0.0)


def _is_absence(gap_start_s: float, gap_end_s: float, boxes: tuple[Box, Box], video: VideoRow) -> bool:
    length_s = gap_end_s - gap_start_s
    if length_s < SHORTEST_ABSENCE_S:
        return False
    return length_s > BRIDGED_S or any(_at_border(box, video) for box in boxes)


def _at_border(box: Box, video: VideoRow) -> bool:
    margin_px = BORDER_SHARE * video.width_px
    return (
        box.x_min <= margin_px
        or box.y_min <= margin_px
        or box.x_max >= video.width_px - margin_px
        or box.y_max >= video.height_px - margin_px
    )
