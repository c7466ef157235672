"""Tracks for other programs."""

from __future__ import annotations

import json
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import av
import numpy as np
import pytest
from builders import Scene, a_scene, an_entity, write_scene

from ravu_kg.errors import UsageError
from ravu_kg.graph.store import Store
from ravu_kg.memory import VideoMemory
from ravu_kg.memory.exporting import export_coco, export_mot
from ravu_kg.memory.naming import content_hash
from ravu_kg.perception.given_tracks import read_tracks

pytestmark = pytest.mark.neo4j

BOXES = (10.5, 10.0, 50.0, 90.25, 20.0, 10.0, 60.0, 90.0)


def tracked(video_id: str, **changes: object) -> Scene:
    """Two entities, each seen at a sampled frame and between two."""
    scene = a_scene(video_id, tracks=(1, 2), **changes)
    entities = [
        an_entity(video_id, 1, track_timestamps_s=(0.0, 0.52), track_boxes=BOXES),
        an_entity(video_id, 2, label="dog", track_timestamps_s=(0.52, 2.0), track_boxes=BOXES),
    ]
    return replace(scene, entities=tuple(entities))


def test_mot_text_is_read_back_as_the_same_tracks(memory: VideoMemory, unique_video: str, tmp_path: Path) -> None:
    write_scene(memory.store, tracked(unique_video))

    assert export_mot(memory, unique_video, tmp_path / "t.txt") == 4

    lines = (tmp_path / "t.txt").read_text().splitlines()
    assert lines[0] == "1,1,10.500,10.000,39.500,80.250,0.9,-1,-1,-1"
    assert [line.split(",")[:2] for line in lines] == [["1", "1"], ["14", "1"], ["14", "2"], ["51", "2"]]
    assert lines[1].split(",")[6] == "-1"  # between two sampled frames nobody knows
    first, second = read_tracks(tmp_path / "t.txt").tracks
    assert sorted(first.by_frame) == [0, 13]
    assert sorted(second.by_frame) == [13, 50]
    assert first.by_frame[0].box.x_min == 10.5
    assert first.by_frame[0].box.y_max == 90.25


def test_coco_video_json_refers_to_what_is_in_it(memory: VideoMemory, unique_video: str, tmp_path: Path) -> None:
    write_scene(memory.store, tracked(unique_video))

    assert export_coco(memory, unique_video, tmp_path / "t.json") == 4

    coco = json.loads((tmp_path / "t.json").read_text())
    assert {one["name"]: one["id"] for one in coco["categories"]} == {"dog": 1, "person": 2}
    assert [(image["source_frame"], image["frame_id"], image["timestamp"]) for image in coco["images"]] == [
        (0, 0, 0.0),
        (13, 1, 0.52),
        (50, 2, 2.0),
    ]
    ids = {name: {one["id"] for one in coco[name]} for name in ("videos", "images", "categories", "tracks")}
    for one in coco["annotations"]:
        assert one["image_id"] in ids["images"]
        assert one["category_id"] in ids["categories"]
        assert one["track_id"] in ids["tracks"]
        assert one["video_id"] in ids["videos"]
        width, height = one["bbox"][2:]
        assert one["area"] == pytest.approx(width * height)
    assert coco["annotations"][0]["bbox"] == [10.5, 10.0, 39.5, 80.25]
    assert [one.get("score") for one in coco["annotations"]] == [0.9, None, None, 0.9]
    assert len({one["id"] for one in coco["annotations"]}) == 4


def uneven(scene: Scene) -> Scene:
    """Of a video whose frames come quicker in its second half."""
    windows = [
        replace(
            window,
            frames=tuple(replace(one, source_frame=(0, 25, 50, 100, 150, 200)[one.index]) for one in window.frames),
        )
        for window in scene.windows
    ]
    return replace(scene, windows=tuple(windows))


def frames_of_first_track(path: Path) -> list[str]:
    rows = [line.split(",") for line in path.read_text().splitlines()]
    return [row[0] for row in rows if row[1] == "1"]


def test_without_its_file_an_uneven_video_counts_frames_between_the_sampled_ones(
    memory: VideoMemory, unique_video: str, tmp_path: Path
) -> None:
    scene = uneven(tracked(unique_video))
    entity = an_entity(unique_video, 1, track_timestamps_s=(1.0, 3.5), track_boxes=BOXES)
    write_scene(memory.store, replace(scene, entities=(entity, scene.entities[1])))

    export_mot(memory, unique_video, tmp_path / "t.txt")

    assert frames_of_first_track(tmp_path / "t.txt") == ["26", "126"]  # 25 and 125, counted from 1


def test_with_its_file_an_uneven_video_counts_the_frames_of_the_file(memory: VideoMemory, tmp_path: Path) -> None:
    times_s = [0.0, 0.1, 0.2, 1.0, 1.1, 2.0, 2.05, 2.1, 3.0]
    with av.open(str(tmp_path / "v.mkv"), "w") as container:
        stream = container.add_stream("mpeg4", rate=20)
        stream.width = stream.height = 64
        stream.codec_context.time_base = Fraction(1, 1000)
        for time_s in times_s:
            frame = av.VideoFrame.from_ndarray(np.zeros((64, 64, 3), np.uint8))
            frame.pts, frame.time_base = round(time_s * 1000), Fraction(1, 1000)
            container.mux(stream.encode(frame))
        container.mux(stream.encode())
    digest = content_hash(tmp_path / "v.mkv")
    scene = uneven(tracked(digest[:16], content_hash=digest, uri=str(tmp_path / "v.mkv")))
    entity = an_entity(digest[:16], 1, track_timestamps_s=(1.1, 2.05), track_boxes=BOXES)
    write_scene(memory.store, replace(scene, entities=(entity, scene.entities[1])))

    export_mot(memory, digest[:16], tmp_path / "t.txt")

    assert frames_of_first_track(tmp_path / "t.txt") == ["5", "7"]


def test_a_video_without_tracks_gives_no_file(store: Store, memory: VideoMemory, unique_video: str, tmp_path: Path):
    scene = a_scene(unique_video, tracks=())
    write_scene(store, scene)

    with pytest.raises(UsageError, match="has no track"):
        export_mot(memory, unique_video, tmp_path / "t.txt")
    assert not list(tmp_path.glob("*t.txt*"))
