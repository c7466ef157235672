"""Times of which a recording has no picture: the source was away. The memory has frames there that say so."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from ravu_kg.types import Perception, SampledFrame

_LEAST_INTERVALS = 3.0
"""A shorter time between two sampled frames is a slow camera and no gap."""


def with_gaps(perception: Perception) -> tuple[Perception, tuple[int, ...]]:
    """The same with a sampled frame for each interval without pictures, and the indexes of those.

    A frame in a gap shows nothing; its ``source_frame`` is that of the last picture before.
    """
    frames: list[SampledFrame] = []
    missing: list[int] = []
    moved: dict[int, int] = {}
    for frame in perception.frames:
        for time_s in _ticks(frames[-1], frame, perception.sample_interval_s) if frames else ():
            missing.append(len(frames))
            frames.append(SampledFrame(len(frames), frames[-1].source_frame, time_s))
        moved[frame.index] = len(frames)
        frames.append(replace(frame, index=len(frames)))
    if not missing:
        return perception, ()
    tracks = tuple(
        replace(track, colors={moved[index]: names for index, names in track.colors.items()})
        for track in perception.tracks
    )
    return replace(perception, frames=tuple(frames), tracks=tracks), tuple(missing)


def _ticks(before: SampledFrame, after: SampledFrame, interval_s: float) -> Iterator[float]:
    """Times in a gap, an interval apart, the last one at least half an interval before the next picture."""
    apart_s = after.timestamp_s - before.timestamp_s
    if apart_s < _LEAST_INTERVALS * interval_s:
        return
    for step in range(1, int(apart_s / interval_s + 0.5)):
        yield before.timestamp_s + step * interval_s
