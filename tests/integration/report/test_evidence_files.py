"""The evidence of an answer as pictures and as a clip."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import av
import numpy as np
import pytest
from PIL import Image

from ravu_kg.errors import UsageError, VideoError
from tests.integration.report.conftest import Filmed, MakeFilmed

pytestmark = pytest.mark.neo4j
COLOR = np.array([0xE6, 0x19, 0x4B])


def is_color(pixels: np.ndarray, tolerance: int = 12) -> np.ndarray:
    return (np.abs(pixels.astype(int) - COLOR) <= tolerance).all(axis=-1)


def test_frames_are_saved_in_full_size_with_boxes_and_in_order(film_on_disk: Filmed, tmp_path: Path):
    film = film_on_disk
    saved = film.memory.reports.save_frames(film.answer(4, 0, 1.4), tmp_path / "made" / "frames")

    assert [path.name for path in saved] == [
        "01_a_film_00000.00s.png",
        "02_a_film_00001.40s.png",
        "03_a_film_00004.00s.png",
    ]
    picture = np.asarray(Image.open(saved[2]).convert("RGB"))
    assert picture.shape == (180, 320, 3)
    assert is_color(picture[40:80, 14]).all()
    assert not is_color(picture[40:80, 100:]).any()


def test_titles_cannot_lead_out_of_the_folder(filmed: MakeFilmed, tmp_path: Path):
    film = filmed(title="../../../etc/x\0y")
    saved = film.memory.reports.save_frames(film.answer(0), tmp_path / "frames")

    assert [path.parent for path in saved] == [tmp_path / "frames"]
    assert saved[0].is_file()


def test_a_clip_shows_the_evidence_with_its_boxes_and_holds_still_at_it(film_on_disk: Filmed, tmp_path: Path):
    film = film_on_disk
    told: list[float] = []
    length_s = film.memory.reports.save_clip(
        film.answer(2), tmp_path / "clip.mp4", progress=lambda _, share: told.append(share)
    )
    assert told == sorted(told)
    assert told[-1] == pytest.approx(1.0, abs=0.05)

    with av.open(str(tmp_path / "clip.mp4")) as container:
        stream = container.streams.video[0]
        frames = [(float(frame.time or 0), frame.to_ndarray(format="rgb24")) for frame in container.decode(stream)]
    assert length_s == pytest.approx(2.5 + 0.7)  # from 1.0 to 3.5 s, one of 25 pictures for 0.8 s
    assert len(frames) == 25
    assert max(later[0] - sooner[0] for sooner, later in pairwise(frames)) == pytest.approx(0.8)
    height, width = frames[0][1].shape[:2]
    assert (width, height % 2) == (320, 0)
    assert height > 180 + 40  # the caption
    assert is_color(frames[10][1][40:80, 12:18], 60).any(axis=1).all()
    assert not is_color(frames[10][1][40:80, 100:], 60).any()
    caption = frames[0][1][190:]
    assert caption.max() > 180  # letters
    assert list(tmp_path.glob(".*")) == []


def test_a_clip_of_much_evidence_ends_in_time(film_on_disk: Filmed, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("ravu_kg.report.exports.LONGEST_CLIP_S", 2.0)
    film = film_on_disk

    assert film.memory.reports.save_clip(film.answer(0, 1, 2, 3, 4, 5), tmp_path / "clip.mp4") <= 2.8


def test_without_evidence_nothing_is_written(film_on_disk: Filmed, tmp_path: Path):
    film = film_on_disk
    target = tmp_path / "made"

    with pytest.raises(UsageError, match="No evidence"):
        film.memory.reports.save_clip(film.answer(), target / "clip.mp4")
    with pytest.raises(UsageError, match="No evidence"):
        film.memory.reports.save_frames(film.answer(), target)
    assert not target.exists()


def test_pictures_and_clips_of_a_film_that_was_moved_are_an_error_that_names_it(filmed: MakeFilmed, tmp_path: Path):
    film = filmed()
    film.file.rename(film.file.with_name("elsewhere.mp4"))
    target = tmp_path / "made"

    with pytest.raises(VideoError, match=r"film\.mp4 is not there any more"):
        film.memory.reports.save_frames(film.answer(0), target)
    with pytest.raises(VideoError, match=r"film\.mp4 is not there any more"):
        film.memory.reports.save_clip(film.answer(0), target / "clip.mp4")
    assert not target.exists()


def test_a_clip_that_cannot_be_written_leaves_what_was_there(film_on_disk: Filmed, tmp_path: Path):
    film = film_on_disk
    (tmp_path / "clip.mp4").write_bytes(b"before")
    (tmp_path / ".clip.mp4.part").mkdir()  # where the clip is made

    with pytest.raises(UsageError, match="cannot be written"):
        film.memory.reports.save_clip(film.answer(0), tmp_path / "clip.mp4")
    assert (tmp_path / "clip.mp4").read_bytes() == b"before"
