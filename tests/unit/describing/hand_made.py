"""Tracks drawn by hand for the measured describer: linear between key boxes, at the tracking rate."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from ravu_kg.types import (
    GivenEvent,
    GivenRelation,
    Perception,
    SampledFrame,
    Source,
    Track,
    TrackEnd,
    TrackLink,
    VideoInfo,
)

WIDTH_PX, HEIGHT_PX = 640, 360
Corners = tuple[float, float, float, float]


def a_box(x: float, y: float, width: float = 60, height: float = 150) -> Corners:
    """A box by its centre."""
    return (x - width / 2, y - height / 2, x + width / 2, y + height / 2)


def a_track(
    keys: Mapping[float, Corners],
    track_id: int = 1,
    label: str = "person",
    *,
    rate_hz: float = 5.0,
    ended_by: TrackEnd = "end",
    jitter_px: float = 0.0,
    colors: Mapping[int, tuple[str, ...]] | None = None,
    without: tuple[float, float] | None = None,
    source: Source = "geometry",
) -> Track:
    """A track from the first key time to the last; ``without`` cuts out the observations of an interval."""
    key_times = np.array(list(keys), dtype=np.float64)
    corners = np.array(list(keys.values()), dtype=np.float64)
    times = np.arange(round(key_times[0] * rate_hz), round(key_times[-1] * rate_hz) + 1) / rate_hz
    if without:
        times = times[(times < without[0]) | (times >= without[1])]
    boxes = np.stack([np.interp(times, key_times, corners[:, column]) for column in range(4)], axis=1)
    if jitter_px:
        boxes += np.random.default_rng(7).uniform(-jitter_px, jitter_px, boxes.shape)
    return Track(
        track_id=track_id,
        label=label,
        timestamps_s=times,
        boxes=boxes.astype(np.float32),
        confidences=np.full(len(times), 0.9, dtype=np.float32),
        ended_by=ended_by,
        colors=dict(colors or {}),
        source=source,
    )


def a_perception(
    *tracks: Track,
    duration_s: float = 10.0,
    interval_s: float = 1.0,
    cuts_s: tuple[float, ...] = (),
    links: Sequence[TrackLink] = (),
    relations: Sequence[GivenRelation] = (),
    events: Sequence[GivenEvent] = (),
) -> Perception:
    count = int(np.ceil(duration_s / interval_s))
    return Perception(
        video=VideoInfo(Path("hand_made.mp4"), "0" * 64, WIDTH_PX, HEIGHT_PX, duration_s, 25.0),
        frames=tuple(SampledFrame(k, round(k * interval_s * 25), k * interval_s) for k in range(count)),
        tracks=tracks,
        links=tuple(links),
        cuts_s=cuts_s,
        detector="hand",
        tracker="by-eye",
        sample_interval_s=interval_s,
        relations=tuple(relations),
        events=tuple(events),
    )
