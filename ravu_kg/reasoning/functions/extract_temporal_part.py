"""extract_temporal_part: the beginning, middle or end."""

from __future__ import annotations

from ravu_kg.reasoning.context import Context
from ravu_kg.reasoning.functions import showing
from ravu_kg.reasoning.plan import ExtractTemporalPart
from ravu_kg.reasoning.records import Found, Interval

FRAMES = 8


def extract_temporal_part(context: Context, step: str, arguments: ExtractTemporalPart, leaf: bool) -> Found:
    """Frames of one third of the duration; the executor keeps later steps to it."""
    part, frames = context.reader.temporal_part(context.video.video_id, arguments.target_part, FRAMES)
    if not frames:
        return Found(
            step, "extract_temporal_part", note=f"The video has no sampled frame in its {arguments.target_part}."
        )
    return Found(
        step,
        "extract_temporal_part",
        evidence=tuple(showing.of_frame(context, step, frame) for frame in frames) if leaf else (),
        intervals=(Interval(*part),),
        part=part,
    )
