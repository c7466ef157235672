"""extract_temporal_part: the beginning, middle or end, a half or a quarter."""

from __future__ import annotations

from ravu_kg.reasoning.context import Context
from ravu_kg.reasoning.functions import showing
from ravu_kg.reasoning.plan import ExtractTemporalPart
from ravu_kg.reasoning.records import Found, Interval, Span

FRAMES = 8


def extract_temporal_part(context: Context, step: str, arguments: ExtractTemporalPart, leaf: bool) -> Found:
    """Frames of one part of the duration, or of the seconds given; the executor keeps later steps to it."""
    if arguments.target_part is not None:
        name = arguments.target_part
        part, frames = context.reader.temporal_part(context.video.video_id, arguments.target_part, FRAMES)
    else:
        part = _seconds(context, arguments)
        name = f"seconds {part[0]:g} to {part[1]:g}"
        frames = context.reader.global_context(context.video.video_id, [part], FRAMES) if part[0] < part[1] else []
    if not frames:
        # Later steps still keep to it: a stretch shorter than the sampling may have tracks all the same.
        note = f"The video has no sampled frame in its {name}."
        return Found(step, "extract_temporal_part", note=note, part=part if arguments.target_part is None else None)
    return Found(
        step,
        "extract_temporal_part",
        evidence=tuple(showing.of_frame(context, step, frame) for frame in frames) if leaf else (),
        intervals=(Interval(*part),),
        part=part,
    )


def _seconds(context: Context, arguments: ExtractTemporalPart) -> Span:
    """The stretch within the video; one beyond its end is empty."""
    length_s = context.video.duration_s
    start_s = arguments.start_s or 0.0
    if start_s < 0:
        start_s = max(0.0, length_s + start_s)
    end_s = length_s + 1.0 if arguments.end_s is None else arguments.end_s
    return min(start_s, length_s + 1.0), min(end_s, length_s + 1.0)
