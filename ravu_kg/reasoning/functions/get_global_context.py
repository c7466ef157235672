"""get_global_context: frames spread over the whole video, or over the part that steps keep to."""

from __future__ import annotations

from ravu_kg.reasoning.context import Context
from ravu_kg.reasoning.functions import showing
from ravu_kg.reasoning.plan import GetGlobalContext
from ravu_kg.reasoning.records import Found

FRAMES = 6


def get_global_context(context: Context, step: str, arguments: GetGlobalContext, leaf: bool) -> Found:
    """Uniform frames."""
    frames = context.reader.global_context(context.video.video_id, [context.span], FRAMES)
    evidence = tuple(showing.of_frame(context, step, frame) for frame in frames)
    return Found(step, "get_global_context", evidence, note="" if frames else "The video has no sampled frame there.")
