from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ravu_kg.video.sampling import TICK_TOLERANCE_S, is_due, part_of, sample_positions, third, uniform_indices

times = st.lists(st.floats(0, 1000), min_size=1, max_size=60, unique=True).map(sorted)


@pytest.mark.parametrize(
    ("previous_s", "timestamp_s", "rate_hz", "due"),
    [
        (None, 0.0, 5, True),
        (None, 3.3, 5, True),
        (0.0, 0.04, None, True),
        (0.0, 0.16, 5, False),
        (0.16, 0.2, 5, True),
        (0.16, 0.2002, 5, True),
        (0.2002, 0.24, 5, False),
        (0.16, 0.1996, 5, True),  # a millisecond container rounded it down
        (0.1, 0.9, 5, True),
        (0.3, 0.333, 3, True),
    ],
)
def test_a_frame_is_due_when_it_is_the_first_since_a_tick(
    previous_s: float | None, timestamp_s: float, rate_hz: float | None, due: bool
) -> None:
    assert is_due(previous_s, timestamp_s, rate_hz) is due


@pytest.mark.parametrize(
    ("timestamps_s", "interval_s", "positions"),
    [
        ([], 1.0, []),
        ([0.0], 1.0, [0]),
        ([0.0, 0.5, 1.0, 1.5, 2.0], 1.0, [0, 2, 4]),
        ([0.0, 0.9, 1.1, 4.2, 4.4], 1.0, [0, 2, 3]),
        ([0.0, 0.2, 0.4, 0.6], 0.2, [0, 1, 2, 3]),
    ],
)
def test_sample_positions(timestamps_s: list[float], interval_s: float, positions: list[int]) -> None:
    assert sample_positions(timestamps_s, interval_s) == positions


@given(times, st.sampled_from([0.1, 0.2, 0.5, 1.0, 2.0]))
def test_every_tick_that_has_a_frame_is_served_by_the_first_one(timestamps_s: list[float], interval_s: float) -> None:
    positions = sample_positions(timestamps_s, interval_s)

    served = {0}
    for tick in range(int((timestamps_s[-1] + TICK_TOLERANCE_S) / interval_s) + 1):
        later = [p for p, t in enumerate(timestamps_s) if t + TICK_TOLERANCE_S >= tick * interval_s + 1e-9]
        served.update(later[:1])
    # A tick that lies within rounding of a frame may go either way; all others may not.
    assert set(positions) ^ served <= {
        p
        for p, t in enumerate(timestamps_s)
        if abs((t + TICK_TOLERANCE_S) % interval_s) < 1e-6
        or abs((t + TICK_TOLERANCE_S) % interval_s - interval_s) < 1e-6
    }


@pytest.mark.parametrize(
    ("total", "count", "indices"),
    [
        (0, 5, []),
        (5, 0, []),
        (3, 8, [0, 1, 2]),
        (10, 1, [5]),
        (10, 2, [2, 7]),
        (10, 5, [1, 3, 5, 7, 9]),
        (100, 4, [12, 37, 62, 87]),
    ],
)
def test_uniform_indices(total: int, count: int, indices: list[int]) -> None:
    assert uniform_indices(total, count) == indices


@given(st.integers(1, 500), st.integers(1, 500))
def test_uniform_indices_differ_ascend_and_are_evenly_spread(total: int, count: int) -> None:
    indices = uniform_indices(total, count)

    assert len(indices) == min(total, count)
    assert all(0 <= index < total for index in indices)
    gaps = [later - earlier for earlier, later in pairwise(indices)]
    assert min(gaps, default=1) > 0
    assert max(gaps, default=0) - min(gaps, default=0) <= 1
    assert abs(indices[0] - (total - 1 - indices[-1])) <= 1


def test_thirds_of_nine_seconds() -> None:
    assert [third(9, part) for part in ("beginning", "middle", "end")] == [(0, 3), (3, 6), (6, 9)]


@given(st.floats(0.001, 1e5))
def test_thirds_meet_and_cover_the_video(duration_s: float) -> None:
    beginning, middle, end = third(duration_s, "beginning"), third(duration_s, "middle"), third(duration_s, "end")

    assert beginning[0] == 0
    assert beginning[1] == middle[0]
    assert middle[1] == end[0]
    assert end[1] == duration_s


@given(st.floats(0.001, 1e5), st.floats(0, 1))
def test_a_moment_lies_in_the_interval_of_its_part(duration_s: float, share: float) -> None:
    moment_s = duration_s * share
    start_s, end_s = third(duration_s, part_of(moment_s, duration_s))

    assert start_s <= moment_s < end_s or moment_s == end_s == duration_s
