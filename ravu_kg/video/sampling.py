"""Which moments of a video are looked at: pure functions of times and counts."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Literal

Part = Literal["beginning", "middle", "end"]

TICK_TOLERANCE_S = 1e-3
"""Some containers round times to a millisecond: a frame this little before a tick still belongs to it."""


def is_due(previous_s: float | None, timestamp_s: float, rate_hz: float | None) -> bool:
    """Whether a frame is the first one at or after a tick ``k / rate_hz``.

    It depends on two neighbouring frames alone, so that reading a video in stretches picks the same frames as
    reading it in one go. A frame that is the first for several ticks counts once.

    Args:
        previous_s: time of the frame before it, None for the first frame of the video (always due).
        timestamp_s: time of the frame.
        rate_hz: ticks a second; None makes every frame due.
    """
    if previous_s is None or rate_hz is None:
        return True
    return _ticks_until(timestamp_s, rate_hz) > _ticks_until(previous_s, rate_hz)


def sample_positions(timestamps_s: Sequence[float], interval_s: float) -> list[int]:
    """Positions of the frames that are the first at or after a tick ``k * interval_s``, ascending.

    Args:
        timestamps_s: times of all frames, ascending.
        interval_s: seconds between two ticks, above 0.
    """
    rate_hz = 1.0 / interval_s
    return [
        position
        for position, timestamp_s in enumerate(timestamps_s)
        if is_due(timestamps_s[position - 1] if position else None, timestamp_s, rate_hz)
    ]


def uniform_indices(total: int, count: int) -> list[int]:
    """At most ``count`` different indices of ``total`` items, ascending and evenly spread.

    Each index is the middle of one of ``count`` equal stretches, so that neither end is favoured
    (``get_global_context`` of the paper's table 7).
    """
    if total <= 0 or count <= 0:
        return []
    if count >= total:
        return list(range(total))
    return [(2 * stretch + 1) * total // (2 * count) for stretch in range(count)]


def third(duration_s: float, part: Part) -> tuple[float, float]:
    """The half-open interval [start, end) in seconds of one third of a video.

    The thirds meet without gap or overlap and together are [0, duration) (``extract_temporal_part`` of the
    paper's table 7).
    """
    first_s, second_s = duration_s / 3, duration_s * 2 / 3
    return {"beginning": (0.0, first_s), "middle": (first_s, second_s), "end": (second_s, duration_s)}[part]


def part_of(timestamp_s: float, duration_s: float) -> Part:
    """The third that a moment belongs to; the very end of the video belongs to the last one."""
    if timestamp_s < third(duration_s, "beginning")[1]:
        return "beginning"
    return "middle" if timestamp_s < third(duration_s, "middle")[1] else "end"


def _ticks_until(timestamp_s: float, rate_hz: float) -> int:
    return math.floor((timestamp_s + TICK_TOLERANCE_S) * rate_hz)
