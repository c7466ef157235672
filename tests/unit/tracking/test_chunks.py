from __future__ import annotations

from itertools import pairwise

import pytest

from ravu_kg.perception.chunks import chunks_of
from ravu_kg.perception.detecting import STRETCH_S


@pytest.mark.parametrize(
    ("duration_s", "least_s", "most"), [(139.4, 60, 8), (7200, 60, 8), (20.0, 20, 8), (3.0, 60, 2)]
)
def test_chunks_cover_a_video_without_gap_and_end_where_stretches_do(duration_s: float, least_s: float, most: int):
    chunks = chunks_of(duration_s, least_s, most)
    assert chunks[0][0] == 0.0
    assert chunks[-1][1] == duration_s
    assert all(before[1] == after[0] and after[0] % STRETCH_S == 0 for before, after in pairwise(chunks))
    assert len(chunks) <= most
    assert all(end_s - start_s >= least_s for start_s, end_s in chunks[:-1])


@pytest.mark.parametrize("duration_s", [60.0, 61.0, 99.0])
def test_a_video_that_is_too_short_for_two_chunks_is_one(duration_s: float):
    assert chunks_of(duration_s, 60.0, 8) == ((0.0, duration_s),)


@pytest.mark.parametrize("duration_s", [120.0, 139.4, 301.0, 7201.0])
def test_no_chunk_is_much_longer_than_another(duration_s: float):
    lengths = [end_s - start_s for start_s, end_s in chunks_of(duration_s, 60.0, 8)]
    assert len(lengths) > 1
    assert max(lengths) - min(lengths) <= 2 * STRETCH_S
