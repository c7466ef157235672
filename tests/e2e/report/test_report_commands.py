"""Reports, pictures and clips from the command line, on a real clip."""

from __future__ import annotations

import shutil
from pathlib import Path

import av
import pytest
from PIL import Image

from ravu_kg.memory import IndexResult, VideoMemory
from ravu_kg.types import VideoInfo
from ravu_kg.video.faces import FaceBlur
from ravu_kg.video.reader import frames_at, probe
from tests.e2e.conftest import Ravu, copied

pytestmark = [pytest.mark.e2e, pytest.mark.neo4j]


def test_an_answer_is_kept_as_report_pictures_and_clip(ravu: Ravu, library: dict[str, IndexResult], tmp_path: Path):
    asked = ("ask", library["two_men_hug"].video_id, "How many people are there?")
    kept = ("--report", "answer.html", "--save-frames", "frames", "--clip", "answer.mp4")
    result = ravu(*asked, *kept)

    assert "Timeline" in result.stdout
    assert "▲" in result.stdout
    for line in ("Report: answer.html", "Frames: ", "Clip of "):
        assert line in result.stderr
    page = (tmp_path / "answer.html").read_text(encoding="utf-8")
    assert "How many people are there?" in page
    assert page.count("data:image/jpeg;base64,") >= 1
    frames = sorted((tmp_path / "frames").iterdir())
    assert f"Frames: {len(frames)} picture" in result.stderr
    for path in frames:
        with Image.open(path) as picture:
            assert picture.size == (1920, 1080)
    with av.open(str(tmp_path / "answer.mp4")) as clip:
        assert clip.streams.video[0].width == 1280
    assert sorted(path.name for path in tmp_path.iterdir()) == ["answer.html", "answer.mp4", "frames"]


def test_a_video_has_a_report_and_json_tells_of_it(ravu: Ravu, library: dict[str, IndexResult], tmp_path: Path):
    video_id = library["two_men_hug"].video_id
    told = ravu.json("videos", "report", video_id, "-o", "video.html", "--blur-faces")

    file = tmp_path / "video.html"
    assert told == {"video_id": video_id, "file": "video.html", "bytes": file.stat().st_size}
    assert "Look at every picture before you pass it on" in file.read_text(encoding="utf-8")


def test_a_video_that_was_moved_still_has_a_report_but_no_pictures_and_clips(
    ravu: Ravu, memory: VideoMemory, data_dir: Path, tmp_path: Path
):
    file = copied(data_dir / "videos" / "two_men_hug.mp4", tmp_path / "elsewhere" / "moved.mp4")
    video_id = memory.index(file).video_id
    shutil.rmtree(file.parent)
    asked = ("ask", video_id, "What happens?")

    result = ravu(*asked, "--report", "answer.html")
    assert "picture missing" in (tmp_path / "answer.html").read_text(encoding="utf-8")
    failed = ravu(*asked, "--clip", "answer.mp4", code=4)

    assert "is not there any more" in failed.stderr
    assert result.stdout  # the answer itself is there in both
    assert failed.stdout == result.stdout
    assert [path.name for path in tmp_path.iterdir()] == ["answer.html"]
    memory.delete(video_id)


def test_a_real_face_is_found_without_any_box(data_dir: Path):
    info: VideoInfo = probe(data_dir / "videos" / "woman_in_room.mp4")
    picture = next(iter(frames_at(info, [20.0]))).image

    changed = (FaceBlur().blurred(picture, []) != picture).any(axis=2)

    assert changed.any()
    rows, columns = changed.nonzero()
    assert (rows.max() - rows.min()) < picture.shape[0] * 0.8
    assert (columns.max() - columns.min()) < picture.shape[1] * 0.8
