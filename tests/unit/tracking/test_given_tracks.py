from __future__ import annotations

import json
from pathlib import Path

import pytest

from ravu_kg.errors import ConfigurationError
from ravu_kg.perception.given_tracks import read_tracks
from ravu_kg.perception.pipeline import perceive_given
from ravu_kg.types import Box, GivenEvent, GivenRelation, Perception, VideoInfo

BOX = [100, 100, 160, 250]


def a_track(track_id: int = 7, **changes: object) -> dict[str, object]:
    boxes = [{"t": 0.0, "box": BOX}, {"t": 1.0, "box": [200, 100, 260, 250]}]
    return {"id": track_id, "label": "cyclist", "boxes": boxes, **changes}


def given(tmp_path: Path, content: object, name: str = "tracks.json") -> Path:
    path = tmp_path / name
    path.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
    return path


def look_at(video: VideoInfo, tracks: Path) -> Perception:
    return perceive_given(video, tracks, tracking_rate_hz=5.0, sample_interval_s=1.0)


def test_json_boxes_are_interpolated_and_everything_is_renumbered(walk: VideoInfo, tmp_path: Path) -> None:
    file = {
        "tracks": [a_track(7, boxes=[{"t": 2.0, "box": BOX}]), a_track(3)],
        "relations": [{"subject": 3, "predicate": "follows", "object": 7, "start": 0.5, "end": 2}],
        "events": [{"track": 7, "start": 2.0, "end": 2.5, "description": "appears"}],
    }

    seen = look_at(walk, given(tmp_path, file))

    first, second = seen.tracks
    assert (first.track_id, first.label, first.source) == (1, "cyclist", "annotation")
    assert list(first.timestamps_s) == pytest.approx([0, 0.2, 0.4, 0.6, 0.8, 1.0])
    assert first.box_at(1).x_min == pytest.approx(120)
    assert list(second.timestamps_s) == pytest.approx([2.0])
    assert seen.relations == (GivenRelation(1, 2, "follows", 0.5, 2.0),)
    assert seen.events == (GivenEvent(2, 2.0, 2.5, "appears"),)
    assert seen.cuts_s == pytest.approx((30.0,))
    assert (seen.detector, seen.tracker, seen.links) == ("given", "given", ())


def test_over_a_long_gap_between_two_boxes_the_thing_is_unseen(walk: VideoInfo, tmp_path: Path) -> None:
    boxes = [{"t": 0.0, "box": BOX}, {"t": 3.0, "box": BOX}]

    seen = look_at(walk, given(tmp_path, {"tracks": [a_track(boxes=boxes)]}))

    assert list(seen.tracks[0].timestamps_s) == pytest.approx([0.0, 3.0])


def test_mot_rows_belong_to_source_frames(walk: VideoInfo, tmp_path: Path) -> None:
    rows = "# made by hand\n\n" + "".join(f"{frame},4,100,100,60,150,1,-1,-1,-1\n" for frame in range(2, 8))

    seen = look_at(walk, given(tmp_path, rows, "gt.txt"))

    assert list(seen.tracks[0].timestamps_s) == pytest.approx([0.2, 0.4, 0.6, 0.8, 1.0, 1.2])
    assert seen.tracks[0].label == "person"
    assert seen.tracks[0].box_at(0) == Box(100, 100, 160, 250)
    assert seen.tracks[0].colors.keys() == {1}
    assert seen.tracks[0].ended_by == "lost"


def test_mot_confidence_0_is_not_used_and_below_0_is_unknown(tmp_path: Path) -> None:
    rows = "1,1,0,0,10,10,0\n1,2,0,0,10,10,-1\n1,3,0,0,10,10,0.4\n1,4,0,0,10,10\n"

    tracks = read_tracks(given(tmp_path, rows, "det.txt")).tracks

    assert {track.track_id: track.by_frame[0].confidence for track in tracks} == {2: 1.0, 3: 0.4, 4: 1.0}


def test_boxes_are_cut_off_at_the_border(walk: VideoInfo, tmp_path: Path) -> None:
    seen = look_at(walk, given(tmp_path, "1,1,-20,300,60,150\n2,1,-20,300,60,150\n", "gt.txt"))

    assert seen.tracks[0].box_at(0) == Box(0, 300, 40, 360)


def test_a_given_track_over_a_cut_stays_one_and_knows_how_it_ended(walk: VideoInfo, tmp_path: Path) -> None:
    def boxes(start_s: int, end_s: int) -> list[dict[str, object]]:
        return [{"t": float(t), "box": BOX} for t in range(start_s, end_s + 1)]

    file = {
        "tracks": [
            a_track(1, boxes=boxes(0, 44)),
            a_track(2, boxes=[*boxes(25, 29), {"t": 29.8, "box": BOX}]),
        ]
    }

    seen = look_at(walk, given(tmp_path, file))

    assert [track.ended_by for track in seen.tracks] == ["lost", "cut"]
    assert seen.tracks[0].end_s == pytest.approx(44)


@pytest.mark.parametrize(
    ("text", "line", "field"),
    [
        ("frame,id,left,top,width,height\n", 1, "frame"),
        ("1,1,0,0,10,10\n0,1,0,0,10,10\n", 2, "frame"),
        ("1.5,1,0,0,10,10\n", 1, "frame"),
        ("1,x,0,0,10,10\n", 1, "id"),
        ("1,1,0,0,10\n", 1, "height"),
        ("1,1,nan,0,10,10\n", 1, "left"),
        ("1,1,0,0,0,10\n", 1, "width"),
        ("1,1,0,0,10,10\n\n1,1,5,5,10,10\n", 3, "id"),
        ("1,1,0,0,10,10,sure\n", 1, "confidence"),
    ],
)
def test_a_wrong_mot_row_is_named(tmp_path: Path, text: str, line: int, field: str) -> None:
    path = given(tmp_path, text, "gt.txt")

    with pytest.raises(ConfigurationError, match=rf"gt\.txt, line {line}, field {field}: "):
        read_tracks(path)


@pytest.mark.parametrize(
    ("content", "named"),
    [
        ('{"tracks": [\n  {"id": 1,}\n]}', "line 2, column"),
        ({"tracks": [a_track(id="x")]}, "tracks.0.id"),
        ({"tracks": [a_track(label=" ")]}, "tracks.0.label"),
        ({"tracks": [a_track(boxes=[])]}, "tracks.0.boxes"),
        ({"tracks": [a_track(boxes=[{"t": 0, "box": [5, 5, 5, 9]}])]}, "tracks.0.boxes.0.*x_max > x_min"),
        ({"tracks": [a_track(boxes=[{"t": 1, "box": BOX}, {"t": 1, "box": BOX}])]}, "tracks.0.*must ascend"),
        ({"tracks": [a_track(), a_track()]}, "id 7 is used twice"),
        ({"tracks": [a_track()], "trakcs": []}, "trakcs"),
        ({"tracks": [a_track()], "events": [{"track": 9, "start": 0, "end": 1, "description": "x"}]}, "events.0.track"),
        (
            {"tracks": [a_track()], "events": [{"track": 7, "start": 1, "end": 1, "description": "x"}]},
            "events.0.*after start",
        ),
        (
            {
                "tracks": [a_track()],
                "relations": [{"subject": 7, "object": 8, "predicate": "holds", "start": 0, "end": 1}],
            },
            "relations.0.object: there is no track 8",
        ),
        (
            {
                "tracks": [a_track()],
                "relations": [{"subject": 7, "object": 7, "predicate": "holds", "start": 0, "end": 1}],
            },
            "no relation to itself",
        ),
        ({"tracks": []}, "no track"),
    ],
)
def test_a_wrong_json_file_is_named_with_its_field(tmp_path: Path, content: object, named: str) -> None:
    with pytest.raises(ConfigurationError, match=rf"(?s)tracks\.json.*{named}"):
        read_tracks(given(tmp_path, content))


def test_a_missing_or_binary_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match=r"nowhere\.txt: the tracks cannot be read"):
        read_tracks(tmp_path / "nowhere.txt")
    binary = tmp_path / "binary.txt"
    binary.write_bytes(b"\xff\xfe\x00\x81")
    with pytest.raises(ConfigurationError, match="not a text file"):
        read_tracks(binary)


def test_tracks_of_another_video_are_refused(walk: VideoInfo, tmp_path: Path) -> None:
    late = a_track(boxes=[{"t": 500.0, "box": BOX}])

    with pytest.raises(ConfigurationError, match="track 7 has no box inside the pictures"):
        look_at(walk, given(tmp_path, {"tracks": [late]}))


def test_the_example_of_the_documentation_is_valid(tmp_path: Path) -> None:
    import ravu_kg.perception

    text = (Path(ravu_kg.perception.__file__).parent / "TRACKS.md").read_text()
    example = text.partition("```json\n")[2].partition("```")[0]

    tracks = read_tracks(given(tmp_path, example))

    assert len(tracks.tracks) == 2
    assert len(tracks.relations) == len(tracks.events) == 1
