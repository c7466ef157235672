"""A video's memory out into files, and in again, as a person does it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import cast

import pytest

from ravu_kg.memory import VideoMemory

pytestmark = [pytest.mark.neo4j, pytest.mark.e2e]

Tracks = list[tuple[list[float], list[float]]]


def tracks_of(memory: VideoMemory, video_id: str) -> Tracks:
    entities = cast("list[dict[str, list[float]]]", memory.canonical(video_id)["entities"])
    return [(one["trackT"], one["trackBoxes"]) for one in entities]


def test_a_memory_and_its_tracks_go_out_and_come_back(ravu, memory: VideoMemory, make_clip, tmp_path: Path) -> None:
    clip = make_clip("square.mp4", seconds=3)
    ravu("index", clip, "--detector", "motion")
    before = memory.canonical(str(clip))
    video_id = memory.resolve(str(clip))

    assert "Wrote square" in ravu("export", "bundle", clip, "-o", "square.ravu").stdout
    ravu("videos", "delete", video_id, "--yes")
    (done,) = cast("list[dict[str, object]]", ravu.json("import", "bundle", "square.ravu", "--video", clip))
    assert (done["status"], done["video_id"]) == ("imported", video_id)
    assert memory.canonical(video_id) == before
    assert memory.details(video_id).summary.uri == str(clip)
    assert "is there already" in ravu("import", "bundle", "square.ravu").stdout

    ravu("export", "mot", clip, "-o", "square.txt")
    ravu("index", clip, "--tracks", "square.txt", "--build", "tracks")
    for (times_s, boxes), (given_s, given) in zip(
        tracks_of(memory, video_id), tracks_of(memory, f"{video_id}~tracks"), strict=True
    ):
        assert given_s == times_s
        assert given == pytest.approx(boxes, abs=0.01)

    ravu("export", "coco", video_id, "-o", "square.json")
    coco = json.loads((tmp_path / "square.json").read_text())
    assert len(coco["annotations"]) == len((tmp_path / "square.txt").read_text().splitlines())


def test_what_cannot_be_read_or_written_is_told_with_the_exit_code_of_its_kind(ravu, tmp_path: Path) -> None:
    (tmp_path / "bad.ravu").write_text("nothing")

    assert "bad.ravu cannot be imported: it is cut" in ravu("import", "bundle", "bad.ravu", code=3).stderr
    assert "There is no bundle none.ravu" in ravu("import", "bundle", "none.ravu", code=3).stderr
    assert "No video is named" in ravu("export", "mot", "nobody", "-o", "x.txt", code=6).stderr
    assert "is no whole dump" in ravu("db", "load", "bad.ravu", "--yes", code=3).stderr
    assert not (tmp_path / "x.txt").exists()
