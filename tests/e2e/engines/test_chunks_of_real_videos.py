"""A long video that is detected in chunks, by whoever, has the tracks and identities of one that is not."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from ravu_kg.perception.chunks import chunks_of, detect_chunk
from ravu_kg.perception.detecting import DetectionCache
from ravu_kg.perception.pipeline import perceive
from ravu_kg.plugins import load_detector, load_tracker
from ravu_kg.types import Detection, Perception, VideoFrame
from ravu_kg.video.reader import probe
from tests.e2e.conftest import Perceptions

pytestmark = pytest.mark.e2e


class Absent:
    """A detector that nobody may ask: all is known already."""

    stateful = False

    def __init__(self, name: str) -> None:
        self.name = name

    def detect(self, frames: Sequence[VideoFrame]) -> list[list[Detection]]:
        raise AssertionError(f"frames at {[frame.timestamp_s for frame in frames]} were in no chunk")


def in_chunks(path: Path, data_dir: Path, cache_dir: Path) -> tuple[Perception, tuple[tuple[float, float], ...]]:
    """What is seen when the last chunk is detected first, each by a detector of its own."""
    video = probe(path)
    chunks = chunks_of(video.duration_s, 20.0, 100)
    name = ""
    for start_s, end_s in reversed(chunks):
        detector = load_detector(f"yolox:{data_dir / 'detectors' / 'yolox_nano_416.onnx'}", {})
        name = detector.name
        cache = DetectionCache(cache_dir, video.content_hash, name)
        shares: list[float] = []
        detect_chunk(video, detector, start_s, end_s, tracking_rate_hz=5.0, cache=cache, progress=shares.append)
        assert shares == sorted(shares)
    seen = perceive(
        video,
        Absent(name),
        load_tracker("steady", {}),
        tracking_rate_hz=5.0,
        sample_interval_s=1.0,
        cache_dir=cache_dir,
    )
    return seen, chunks


@pytest.mark.parametrize("clip", ["videos/one_by_one_persons.mp4", "mot/PETS09-S2L1/PETS09-S2L1.avi"])
def test_a_border_in_the_middle_of_a_stay_changes_nothing(
    perceptions: Perceptions, data_dir: Path, tmp_path: Path, clip: str
):
    whole = perceptions(clip)
    seen, chunks = in_chunks(data_dir / clip, data_dir, tmp_path)
    borders = [start_s for start_s, _ in chunks[1:]]
    assert any(track.start_s < border < track.end_s for track in whole.tracks for border in borders)

    assert (seen.frames, seen.cuts_s, seen.links) == (whole.frames, whole.cuts_s, whole.links)
    assert len(seen.tracks) == len(whole.tracks)
    for mine, theirs in zip(seen.tracks, whole.tracks, strict=True):
        assert (mine.track_id, mine.label, mine.ended_by) == (theirs.track_id, theirs.label, theirs.ended_by)
        assert mine.colors == theirs.colors
        np.testing.assert_array_equal(mine.timestamps_s, theirs.timestamps_s)
        np.testing.assert_array_equal(mine.boxes, theirs.boxes)
        np.testing.assert_array_equal(mine.appearance, theirs.appearance)
