"""From stays to tracks: which are real, what they are called, in which order they are numbered."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ravu_kg.looks import look
from ravu_kg.perception.observing import Stay
from ravu_kg.types import SampledFrame, Source, Track

_DOUBTFUL = 0.7
_INSIDE_SHARE = 0.85
_INSIDE_TIMES = 0.8


def make_tracks(stays: Sequence[Stay], frames: Sequence[SampledFrame]) -> tuple[Track, ...]:
    """The tracks of a video, numbered from 1 in order of first appearance.

    Left out as an error of the detector is a doubtful double: mean confidence under 0.7 and in 80 % of its frames at
    least 85 % inside the box of a surer track of the same label.

    Args:
        stays: in order of first appearance; weak ones are left out already.
        frames: the sampled frames; a stay between two of them has its colours at the nearest one.
    """
    return number_tracks([stay for stay in stays if not _is_double(stay, stays)], frames, "geometry")


def number_tracks(stays: Sequence[Stay], frames: Sequence[SampledFrame], source: Source) -> tuple[Track, ...]:
    """A track for each stay, numbered from 1 in the order given, which is that of first appearance."""
    return tuple(_track(number, stay, frames, source) for number, stay in enumerate(stays, start=1))


def _is_double(stay: Stay, others: Sequence[Stay]) -> bool:
    confidence = float(stay.confidence_array().mean())
    if confidence >= _DOUBTFUL:
        return False
    return any(
        other is not stay
        and other.label == stay.label
        and other.times_s[0] <= stay.times_s[-1]
        and other.times_s[-1] >= stay.times_s[0]
        and float(other.confidence_array().mean()) > confidence
        and _share_inside(stay, other) >= _INSIDE_TIMES
        for other in others
    )


def _share_inside(stay: Stay, other: Stay) -> float:
    """In which share of a stay's frames its box lies inside the other's."""
    _, mine, theirs = np.intersect1d(stay.time_array(), other.time_array(), assume_unique=True, return_indices=True)
    if not mine.size:
        return 0.0
    inner, outer = stay.box_array()[mine], other.box_array()[theirs]
    size = np.clip(np.minimum(inner[:, 2:], outer[:, 2:]) - np.maximum(inner[:, :2], outer[:, :2]), 0, None)
    area = np.prod(np.clip(inner[:, 2:] - inner[:, :2], 1e-6, None), axis=1)
    return float(np.sum(np.prod(size, axis=1) >= _INSIDE_SHARE * area)) / len(stay.times_s)


def _track(number: int, stay: Stay, frames: Sequence[SampledFrame], source: Source) -> Track:
    colors = dict(stay.colors)
    if not colors and frames:
        colors[min(frames, key=lambda frame: abs(frame.timestamp_s - stay.times_s[0])).index] = stay.first_colors
    return Track(
        track_id=number,
        label=stay.label,
        timestamps_s=stay.time_array(),
        boxes=stay.box_array(),
        confidences=stay.confidence_array(),
        ended_by=stay.ended_by,
        appearance=None if stay.histograms is None else look(stay.histograms),
        colors=colors,
        source=source,
    )
