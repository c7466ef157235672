from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import fields
from pathlib import Path

import numpy as np
import pytest

from ravu_kg.errors import ProviderError
from ravu_kg.perception.detecting import DetectionCache
from ravu_kg.perception.pipeline import perceive
from ravu_kg.providers import steady
from ravu_kg.types import Box, Detection, Perception, VideoFrame, VideoInfo


class RedDetector:
    """Finds what is red; may give up after some frames."""

    def __init__(self, *, stateful: bool = False, frames: float = float("inf")) -> None:
        self.name, self.stateful = "red", stateful
        self.seen = 0
        self._frames = frames

    def detect(self, frames: Sequence[VideoFrame]) -> list[list[Detection]]:
        self.seen += len(frames)
        if self.seen > self._frames:
            raise ProviderError("the model failed")
        return [self._boxes(frame) for frame in frames]

    def _boxes(self, frame: VideoFrame) -> list[Detection]:
        image = frame.image.astype(int)
        rows, columns = np.nonzero((image[..., 0] > 150) & (image[..., 1] < 90) & (image[..., 2] < 90))
        if not rows.size:
            return []
        box = Box(float(columns.min()), float(rows.min()), float(columns.max() + 1), float(rows.max() + 1))
        return [Detection(box, "person", 0.9)]


def look_at(video: VideoInfo, detector: RedDetector, cache_dir: Path | None, rate_hz: float = 5.0) -> Perception:
    return perceive(
        video, detector, steady.create("", {}), tracking_rate_hz=rate_hz, sample_interval_s=1.0, cache_dir=cache_dir
    )


def assert_same(first: Perception, second: Perception) -> None:
    for field in fields(Perception):
        if field.name != "tracks":
            assert getattr(first, field.name) == getattr(second, field.name)
    assert len(first.tracks) == len(second.tracks)
    for a, b in zip(first.tracks, second.tracks, strict=True):
        assert (a.track_id, a.label, a.ended_by, a.colors) == (b.track_id, b.label, b.ended_by, b.colors)
        for name in ("timestamps_s", "boxes", "confidences", "appearance"):
            np.testing.assert_array_equal(getattr(a, name), getattr(b, name))


def test_frames_tracks_and_cuts_of_a_video(walk: VideoInfo) -> None:
    seen = look_at(walk, RedDetector(), None)

    assert [frame.index for frame in seen.frames] == list(range(45))
    assert [frame.timestamp_s for frame in seen.frames] == pytest.approx(range(45))
    assert [frame.source_frame for frame in seen.frames] == list(range(0, 225, 5))
    assert seen.cuts_s == pytest.approx((30.0,))
    assert [track.ended_by for track in seen.tracks] == ["cut", "end"]
    assert [len(track.timestamps_s) for track in seen.tracks] == [150, 75]
    assert set(seen.tracks[0].timestamps_s) >= {frame.timestamp_s for frame in seen.frames[:30]}
    assert all(names[0] == "red" for track in seen.tracks for names in track.colors.values())
    assert sorted(seen.tracks[1].colors) == list(range(30, 45))
    assert (seen.detector, seen.tracker, seen.sample_interval_s) == ("red", "steady", 1.0)


def test_a_rate_above_the_videos_own_means_every_frame(walk: VideoInfo) -> None:
    detector = RedDetector()

    look_at(walk, detector, None, rate_hz=1000)

    assert detector.seen == 225


def test_progress_rises_to_the_end(walk: VideoInfo) -> None:
    told: list[float] = []

    perceive(
        walk,
        RedDetector(),
        steady.create("", {}),
        tracking_rate_hz=1.0,
        sample_interval_s=1.0,
        cache_dir=None,
        progress=told.append,
    )

    assert told == sorted(told)
    assert told[-1] == pytest.approx(1, abs=0.05)


def test_an_interrupted_run_goes_on_and_ends_the_same(walk: VideoInfo, tmp_path: Path) -> None:
    undisturbed = look_at(walk, RedDetector(), None)
    with pytest.raises(ProviderError):
        look_at(walk, RedDetector(frames=150), tmp_path)

    again = RedDetector()
    resumed = look_at(walk, again, tmp_path)

    # The first 20 s were complete and are not looked at again.
    assert again.seen == 125
    assert_same(resumed, undisturbed)


def test_a_second_run_detects_nothing_anew(walk: VideoInfo, tmp_path: Path) -> None:
    first = look_at(walk, RedDetector(), tmp_path)
    idle = RedDetector()

    assert_same(look_at(walk, idle, tmp_path), first)
    assert idle.seen == 0


def test_another_rate_uses_the_frames_that_are_known(walk: VideoInfo, tmp_path: Path) -> None:
    look_at(walk, RedDetector(), tmp_path, rate_hz=1.0)
    detector = RedDetector()

    look_at(walk, detector, tmp_path, rate_hz=5.0)

    assert detector.seen == 180


def test_a_detector_with_memory_sees_every_frame_again(walk: VideoInfo, tmp_path: Path) -> None:
    look_at(walk, RedDetector(stateful=True), tmp_path)
    detector = RedDetector(stateful=True)

    look_at(walk, detector, tmp_path)

    assert detector.seen == 225
    assert not list(tmp_path.iterdir())


def cut(content: bytes) -> bytes:
    return content[:100]


def of_a_later_zip(content: bytes) -> bytes:
    at = content.index(b"PK\x01\x02") + 6  # the version that is needed to read the first file
    return content[:at] + b"T" + content[at + 1 :]


def zeroed(content: bytes) -> bytes:
    return content[:80] + bytes(40) + content[120:]


@pytest.mark.parametrize("damage", [cut, of_a_later_zip, zeroed])
def test_a_damaged_cache_file_counts_as_missing(
    walk: VideoInfo, tmp_path: Path, damage: Callable[[bytes], bytes]
) -> None:
    look_at(walk, RedDetector(), tmp_path)
    damaged = sorted(tmp_path.rglob("*.npz"))[1]
    damaged.write_bytes(damage(damaged.read_bytes()))
    detector = RedDetector()

    look_at(walk, detector, tmp_path)

    assert detector.seen == 100


def test_a_cache_that_cannot_be_written_stops_nothing(walk: VideoInfo, tmp_path: Path) -> None:
    in_the_way = tmp_path / "file"
    in_the_way.write_text("")

    assert look_at(walk, RedDetector(), in_the_way).tracks


def test_caches_of_two_detectors_are_apart(tmp_path: Path) -> None:
    found = {0.0: [Detection(Box(1, 2, 3, 4), "dog", 0.5)], 0.2: []}
    DetectionCache(tmp_path, "ab" * 32, "one").save(0, found)

    assert DetectionCache(tmp_path, "ab" * 32, "one").load(0) == found
    assert DetectionCache(tmp_path, "ab" * 32, "two").load(0) == {}
    assert DetectionCache(tmp_path, "cd" * 32, "one").load(0) == {}
