"""Shots and cuts, which are of the video itself and no entities of it: counted from the cuts that were kept with it."""

from __future__ import annotations

from collections.abc import Sequence

from ravu_kg.graph.reader import ShotRow
from ravu_kg.reasoning.context import Context
from ravu_kg.reasoning.functions import showing
from ravu_kg.reasoning.records import Evidence, Found, Interval, Span

TOLD = 12
"""An answer names at most so many cuts."""


def count_shots(context: Context, step: str, word: str, spans: Sequence[Span]) -> Found:
    """How many shots or cuts there are within the spans, with the seconds of the cuts; ``word`` says which."""
    shots = context.reader.shots([context.video.video_id])
    if not shots:
        note = "The video was indexed before its cuts were kept. Index it again with --replace."
        return Found(step, "count_nodes", note=note)
    within = [one for one in shots if any(_overlaps(one, span) for span in spans)]
    cuts = [one for one in shots if one.shot > 1 and any(a <= one.start_s < b for a, b in spans)]
    counted = within if word == "shots" else cuts
    shown = counted or within  # that there is no cut is proved by the one shot that lasts
    return Found(
        step,
        "count_nodes",
        evidence=tuple(_evidence(context, step, one, len(shots)) for one in shown),
        intervals=tuple(
            Interval(one.start_s, one.end_s if word == "shots" else one.start_s, name=f"shot {one.shot}")
            for one in counted
        ),
        count=len(counted),
        note=_told(cuts),
    )


def _overlaps(shot: ShotRow, span: Span) -> bool:
    return shot.start_s <= span[0] < shot.end_s or span[0] < shot.start_s < span[1]


def _told(cuts: Sequence[ShotRow]) -> str:
    if not cuts:
        return ""
    times = [f"{one.start_s:.1f} s" for one in cuts[:TOLD]]
    more = [f"{len(cuts) - TOLD} more"] if len(cuts) > TOLD else []
    *others, last = times + more
    return f"{'Cut' if len(cuts) == 1 else 'Cuts'} at {', '.join(others)}{' and ' if others else ''}{last}."


def _evidence(context: Context, step: str, shot: ShotRow, shots: int) -> Evidence:
    said = (
        f"Shot {shot.shot} of {shots} begins{' at this cut' if shot.shot > 1 else ''}; it ends at {shot.end_s:.1f} s."
    )
    return showing.of_time(context, step, shot.start_s, (), said, shot.frame_index)
