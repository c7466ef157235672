"""Who is in the picture when: every track measured once, looked up by time or by sampled frame."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ravu_kg.perception.describing.path import Path, trace
from ravu_kg.perception.describing.wording import Wording
from ravu_kg.types import Box, Perception, Track

BUCKET_S = 10.0
_EPSILON_S = 1e-6


@dataclass(frozen=True, slots=True)
class Placed:
    """One entity at one time."""

    track_id: int
    label: str
    box: Box
    size_px: float
    """Its scale over the whole track, so that near and far mean the same number of pixels in every frame."""
    velocity: tuple[float, float]
    """Pixels a second."""
    moving: bool


@dataclass(frozen=True, slots=True, eq=False)
class Scene:
    """A perception, measured."""

    perception: Perception
    wording: Wording
    tracks: dict[int, Track]
    paths: dict[int, Path]
    frames_of: dict[int, NDArray[np.int64]]
    """Track id -> indexes of the sampled frames that hold a node of it, ascending; empty for a track-only entity."""
    ticks_s: dict[int, float]
    """Track id -> time between two observations."""
    buckets: dict[int, tuple[int, ...]]
    """``time // BUCKET_S`` -> tracks that overlap it."""

    def present_until_s(self, track: Track) -> float:
        """End of the half-open presence: one tracking step after the last observation, within the video."""
        end_s, duration_s = track.end_s + self.ticks_s[track.track_id], self.perception.video.duration_s
        return min(end_s, duration_s) if duration_s > track.end_s else end_s

    def placed(self, track_id: int, time_s: float) -> Placed:
        """An entity at a time of its track; outside of it the first or last box counts."""
        track, path = self.tracks[track_id], self.paths[track_id]
        position = path.position(time_s)
        motion, _ = path.motion(position)
        return Placed(
            track_id=track_id,
            label=track.label,
            box=box_at(track, time_s),
            size_px=path.size_px,
            velocity=(float(path.velocities[position, 0]), float(path.velocities[position, 1])),
            moving=motion != "still",
        )

    def others_at(self, time_s: float, track_id: int) -> list[Placed]:
        """Every other entity that is in the picture at a time, by track id."""
        half_interval_s = self.perception.sample_interval_s / 2
        return [
            self.placed(other, time_s)
            for other in self.buckets.get(int(time_s // BUCKET_S), ())
            if other != track_id and _seen(self.tracks[other], time_s, self.ticks_s[other], half_interval_s)
        ]


def survey(perception: Perception) -> Scene:
    """Measure every track and find the frames it is in."""
    frame_times_s = np.array([frame.timestamp_s for frame in perception.frames], dtype=np.float64)
    tracks = {track.track_id: track for track in perception.tracks}
    ticks_s = {track.track_id: _tick_s(track, perception.sample_interval_s) for track in perception.tracks}
    buckets: defaultdict[int, list[int]] = defaultdict(list)
    for track in perception.tracks:
        for bucket in range(int(track.start_s // BUCKET_S), int(track.end_s // BUCKET_S) + 1):
            buckets[bucket].append(track.track_id)
    return Scene(
        perception=perception,
        wording=Wording.of(perception),
        tracks=tracks,
        paths={track.track_id: trace(track, perception.video) for track in perception.tracks},
        frames_of={
            track.track_id: frames_with(
                track,
                frame_times_s,
                tick_s=ticks_s[track.track_id],
                half_interval_s=perception.sample_interval_s / 2,
                cuts_s=perception.cuts_s,
            )
            for track in perception.tracks
        },
        ticks_s=ticks_s,
        buckets={bucket: tuple(sorted(members)) for bucket, members in buckets.items()},
    )


def frames_with(
    track: Track,
    frame_times_s: NDArray[np.float64],
    *,
    tick_s: float,
    half_interval_s: float,
    cuts_s: Sequence[float] = (),
) -> NDArray[np.int64]:
    """Indexes of the sampled frames that show a track.

    A frame within the track (or half a tracking step outside of it) shows it when an observation lies within half a
    sample interval: a gap that the tracker bridged is presence only as far as the observations around it reach. An
    entity seen only between two samples is given to the nearest frame when that is within half an interval and in
    the same shot.
    """
    if not len(frame_times_s):
        return np.zeros(0, dtype=np.int64)
    margin_s = tick_s / 2 + _EPSILON_S
    shots = np.searchsorted(cuts_s, frame_times_s, side="right")
    same_shot = (shots >= np.searchsorted(cuts_s, track.start_s, side="right")) & (
        shots <= np.searchsorted(cuts_s, track.end_s, side="right")
    )
    first, stop = np.searchsorted(frame_times_s, [track.start_s - margin_s, track.end_s + margin_s])
    inside = np.flatnonzero(same_shot[first:stop]) + int(first)
    if not len(inside):
        off_s = np.maximum(track.start_s - frame_times_s, frame_times_s - track.end_s)
        off_s[~same_shot] = np.inf
        nearest = int(np.argmin(off_s))
        close = off_s[nearest] <= half_interval_s + _EPSILON_S
        return np.array([nearest] if close else [], dtype=np.int64)
    return inside[_observed_within(track, frame_times_s[inside], half_interval_s)]


def box_at(track: Track, time_s: float) -> Box:
    """The box at a time, interpolated between two observations; the first or last one outside the track."""
    times_s = track.timestamps_s
    after = int(np.searchsorted(times_s, time_s))
    if after == 0 or after == len(times_s):
        return track.box_at(0 if after == 0 else len(times_s) - 1)
    share = (time_s - times_s[after - 1]) / (times_s[after] - times_s[after - 1])
    x_min, y_min, x_max, y_max = (
        float(value) for value in track.boxes[after - 1] * (1 - share) + track.boxes[after] * share
    )
    return Box(x_min, y_min, x_max, y_max)


def _tick_s(track: Track, sample_interval_s: float) -> float:
    gaps_s = np.diff(track.timestamps_s)
    return min(float(np.median(gaps_s)), sample_interval_s) if len(gaps_s) else min(0.2, sample_interval_s)


def _seen(track: Track, time_s: float, tick_s: float, half_interval_s: float) -> bool:
    margin_s = tick_s / 2 + _EPSILON_S
    if not track.start_s - margin_s <= time_s <= track.end_s + margin_s:
        return False
    return bool(_observed_within(track, np.array([time_s]), half_interval_s)[0])


def _observed_within(track: Track, times_s: NDArray[np.float64], reach_s: float) -> NDArray[np.bool_]:
    after = np.clip(np.searchsorted(track.timestamps_s, times_s), 0, len(track.timestamps_s) - 1)
    before = np.maximum(after - 1, 0)
    off_s = np.minimum(np.abs(track.timestamps_s[after] - times_s), np.abs(track.timestamps_s[before] - times_s))
    return off_s <= reach_s + _EPSILON_S
