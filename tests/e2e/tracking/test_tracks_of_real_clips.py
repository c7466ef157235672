from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import av
import numpy as np
import pytest
from benchmarks.bench_tracking import Scores, is_better, score

from ravu_kg.perception.identity import identities
from ravu_kg.perception.pipeline import perceive_given
from ravu_kg.types import Perception, Track
from ravu_kg.video.reader import probe, read_frames

pytestmark = pytest.mark.e2e

Perceptions = Callable[..., Perception]
PETS = "mot/PETS09-S2L1/PETS09-S2L1.avi"


def of_label(seen: Perception, label: str) -> list[Track]:
    return [track for track in seen.tracks if track.label == label]


def identity_count(seen: Perception, label: str = "person") -> int:
    identity = identities(seen.tracks, seen.links)
    return len({identity[track.track_id] for track in of_label(seen, label)})


def scores(seen: Perception, truth: Path) -> Scores:
    """trackeval's metrics of the tracks of people in the tracking frames."""
    people = of_label(seen, "person")
    frames: list[tuple[int, list[int], np.ndarray]] = []
    for frame in read_frames(seen.video, 5.0):
        at = [(track, int(np.searchsorted(track.timestamps_s, frame.timestamp_s - 1e-6))) for track in people]
        here = [
            (track.track_id, track.boxes[position])
            for track, position in at
            if position < len(track.timestamps_s) and abs(track.timestamps_s[position] - frame.timestamp_s) < 1e-6
        ]
        boxes = np.array([box for _, box in here], float).reshape(-1, 4)
        frames.append((frame.source_frame + 1, [track_id for track_id, _ in here], boxes))
    return score(np.loadtxt(truth, delimiter=","), frames)


def test_six_people_come_one_after_the_other(perceptions: Perceptions) -> None:
    seen = perceptions("videos/one_by_one_persons.mp4")

    people = of_label(seen, "person")
    assert identity_count(seen) == 6
    assert len(people) <= 7
    stays = [(6, 20), (23, 45), (51, 70), (75, 87), (93, 120), (124, 136)]
    for start_s, end_s in stays:
        (stay,) = [track for track in people if track.start_s < end_s - 2 and track.end_s > start_s + 2]
        assert stay.start_s == pytest.approx(start_s, abs=1.2)
        assert stay.end_s == pytest.approx(end_s, abs=1.2)
        assert stay.ended_by == "left"


@pytest.mark.parametrize(
    ("clip", "count"), [("children_on_bed", 2), ("two_men_hug", 2), ("woman_in_room", 1), ("pouring_coffee", 1)]
)
def test_people_in_a_clip(perceptions: Perceptions, clip: str, count: int) -> None:
    assert identity_count(perceptions(f"videos/{clip}.mp4")) == count


def test_the_dog_leaves_and_comes_back(perceptions: Perceptions) -> None:
    seen = perceptions("videos/dog_and_woman.mp4")

    (woman,) = of_label(seen, "person")
    away, back = of_label(seen, "dog")
    assert (woman.start_s, woman.end_s) == (pytest.approx(0, abs=0.3), pytest.approx(9.6, abs=0.3))
    assert (away.ended_by, away.end_s) == ("left", pytest.approx(2.4, abs=0.3))
    assert back.start_s == pytest.approx(3.4, abs=0.3)
    assert [(link.earlier_track, link.later_track) for link in seen.links] == [(away.track_id, back.track_id)]
    others = [track for track in seen.tracks if track.label not in {"person", "dog"}]
    assert all(track.end_s - track.start_s < 3 for track in others)


def test_people_on_a_campus_are_counted_within_a_quarter(perceptions: Perceptions) -> None:
    assert 15 <= identity_count(perceptions(PETS)) <= 23


def test_the_default_tracker_is_better_than_bytetrack(perceptions: Perceptions, data_dir: Path) -> None:
    truth = data_dir / "mot" / "PETS09-S2L1" / "gt.txt"

    default = scores(perceptions(PETS), truth)

    assert is_better(default, scores(perceptions(PETS, "bytetrack"), truth))
    assert is_better(default, scores(perceptions(PETS, "box-matching"), truth))


def test_given_tracks_of_a_real_clip(data_dir: Path) -> None:
    folder = data_dir / "mot" / "TUD-Stadtmitte"

    seen = perceive_given(
        probe(folder / "TUD-Stadtmitte.mp4"), folder / "gt.txt", tracking_rate_hz=5.0, sample_interval_s=1.0
    )

    assert len(seen.tracks) == 10
    assert scores(seen, folder / "gt.txt").mota > 0.99
    assert all(names for track in seen.tracks for names in track.colors.values())


def test_a_mirrored_clip_has_the_same_people(perceptions: Perceptions, data_dir: Path, tmp_path: Path) -> None:
    mirrored = tmp_path / "mirrored.mp4"
    with av.open(str(data_dir / "videos" / "children_on_bed.mp4")) as source, av.open(str(mirrored), "w") as copy:
        stream = copy.add_stream("libx264", rate=30)
        stream.width, stream.height, stream.pix_fmt = 960, 540, "yuv420p"
        stream.time_base = Fraction(1, 30)
        stream.options = {"preset": "veryfast", "crf": "23"}
        for frame in source.decode(video=0):
            image = np.ascontiguousarray(frame.to_ndarray(format="rgb24")[:, ::-1])
            for packet in stream.encode(av.VideoFrame.from_ndarray(image, format="rgb24")):
                copy.mux(packet)
        for packet in stream.encode():
            copy.mux(packet)

    assert identity_count(perceptions(mirrored)) == 2
