from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from ravu_kg.perception.gaps import with_gaps
from ravu_kg.types import Perception, SampledFrame, Track, VideoInfo


def seen(times_s: list[float]) -> Perception:
    track = Track(
        1,
        "person",
        np.array(times_s),
        np.zeros((len(times_s), 4), np.float32),
        np.ones(len(times_s), np.float32),
        colors={index: (f"color {time_s:g}",) for index, time_s in enumerate(times_s)},
    )
    return Perception(
        video=VideoInfo(Path("a.ts"), "0" * 64, 8, 8, times_s[-1] + 1, 10.0),
        frames=tuple(SampledFrame(index, 10 * index, time_s) for index, time_s in enumerate(times_s)),
        tracks=(track,),
        links=(),
        cuts_s=(),
        detector="d",
        tracker="t",
        sample_interval_s=1.0,
    )


@pytest.mark.parametrize("times_s", [[0.0, 1.0, 2.0], [0.0, 2.5, 5.0]])
def test_without_a_gap_nothing_changes(times_s: list[float]):
    perception = seen(times_s)
    assert with_gaps(perception) == (perception, ())


def test_a_gap_has_a_frame_for_each_interval_and_what_was_seen_keeps_its_frames():
    filled, missing = with_gaps(seen([0.0, 1.0, 6.2, 7.2]))
    assert [frame.timestamp_s for frame in filled.frames] == [0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.2, 7.2]
    assert [frame.index for frame in filled.frames] == list(range(8))
    assert missing == (2, 3, 4, 5)
    (track,) = filled.tracks
    assert track.colors == {0: ("color 0",), 1: ("color 1",), 6: ("color 6.2",), 7: ("color 7.2",)}
