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


def test_a_video_of_no_longer_than_a_chunk_is_one():
    assert chunks_of(60.0, 60.0, 8) == ((0.0, 60.0),)
    assert len(chunks_of(61.0, 60.0, 8)) == 2
