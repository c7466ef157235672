"""Files of each kind as videos of the graph, and what is said of rows and files that cannot be used."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from pathlib import Path

import numpy as np
import pytest

from ravu_kg.errors import ConfigurationError
from ravu_kg.importers import coco, cvat, mot, reading, star, video_memory, vidor
from ravu_kg.importers.annotated import AnnotatedVideo, Problem, annotated_id, renamed
from ravu_kg.importers.predicates import is_action, spoken
from ravu_kg.providers.box_matching import BoxMatchingTracker
from ravu_kg.types import replacement_id

Read = Callable[..., Iterable[AnnotatedVideo]]


def one(read: Read, path: Path, **options: object) -> AnnotatedVideo:
    """The one video of a file in which all is well."""
    problems: list[Problem] = []
    (video,) = read([path], skip_bad=True, on_problem=problems.append, **options)
    assert problems == []
    return video


def left_out(read: Read, path: Path, **options: object) -> list[Problem]:
    """What is left out of a file; without leave to do so its first row ends the import."""
    problems: list[Problem] = []
    list(read([path], skip_bad=True, on_problem=problems.append, **options))
    assert problems
    with pytest.raises(ConfigurationError, match="Nothing was imported") as refused:
        list(read([path], skip_bad=False, on_problem=problems.append, **options))
    assert problems[0].message in str(refused.value)
    assert problems[0].field in str(refused.value)
    return problems


def nodes(video: AnnotatedVideo) -> list[str]:
    return [f"{node.id} {node.description}" for window in video.windows for node in window.nodes]


def written(path: Path, value: object) -> Path:
    path.write_text(value if isinstance(value, str) else json.dumps(value), encoding="utf-8")
    return path


# --- VidOR ------------------------------------------------------------------------------------


def a_vidor(frames: int = 30, **changes: object) -> dict[str, object]:
    def box(left: float) -> dict[str, float]:
        return {"xmin": left, "ymin": 50, "xmax": left + 40, "ymax": 150}

    return {
        "version": "VERSION 1.0",
        "video_id": "1234",
        "frame_count": frames,
        "fps": 10.0,
        "width": 320,
        "height": 240,
        "subject/objects": [{"tid": 0, "category": "adult"}, {"tid": 7, "category": "dog"}],
        "trajectories": [
            [
                {"tid": 0, "bbox": box(10), "generated": 0, "tracker": "none"},
                {"tid": 7, "bbox": box(200), "generated": 1, "tracker": "none"},
            ]
            for _ in range(frames)
        ],
        "relation_instances": [
            {"subject_tid": 0, "object_tid": 7, "predicate": "watch", "begin_fid": 10, "end_fid": 20},
            {"subject_tid": 7, "object_tid": 0, "predicate": "in_front_of", "begin_fid": 0, "end_fid": 30},
        ],
        **changes,
    }


def test_tracks_relations_and_actions_of_vidor_are_annotation_and_what_is_measured_is_geometry(tmp_path: Path):
    video = one(vidor.read, written(tmp_path / "1234.json", a_vidor()))
    assert video.record.id == "vidor:1234"
    assert (video.record.duration_s, video.record.frame_count, video.record.content_hash) == (3.0, 3, None)
    assert [(entity.id, entity.label) for entity in video.entities] == [
        ("vidor:1234#0", "adult"),
        ("vidor:1234#7", "dog"),
    ]
    (window,) = video.windows
    assert {node.source for node in window.nodes} == {"annotation"}
    given = [(one.subject_id, one.predicate, one.text) for one in window.relations if one.source == "annotation"]
    assert given == [
        ("vidor:1234/0/7", "in_front_of", "in front of"),
        ("vidor:1234/1/0", "watch", "watches"),
        ("vidor:1234/1/7", "in_front_of", "in front of"),
        ("vidor:1234/2/7", "in_front_of", "in front of"),
    ]
    assert {one.source for one in window.relations} == {"annotation", "geometry"}
    events = [(one.start_s, one.end_s, one.description) for one in video.events if one.source == "annotation"]
    assert events == [(1.0, 2.0, "An adult watches the dog.")]
    assert any(one.source == "geometry" for one in video.events)
    assert [node.confidence for node in window.nodes][:2] == pytest.approx([1.0, 0.9])


def test_the_real_files_of_vidor_are_read_whole(data_dir: Path):
    video = one(vidor.read, data_dir / "vidor" / "3598080384.json")
    assert sum(len(entity.track_timestamps_s) for entity in video.entities) == 519
    assert {one.predicate for window in video.windows for one in window.relations if one.source == "annotation"} == {
        "next_to",
        "in_front_of",
    }


@pytest.mark.parametrize(
    ("change", "field", "message"),
    [
        ({"subject/objects": [{"tid": 0, "category": "adult"}, {"tid": 0, "category": "dog"}]}, "subject/objects.1.tid",
         "used twice"),
        ({"relation_instances": [{"subject_tid": 0, "object_tid": 7, "predicate": "watch", "begin_fid": 5,
                                  "end_fid": 31}]}, "relation_instances.0.end_fid", "no span of a video of 30 frames"),
        ({"relation_instances": [{"subject_tid": 0, "object_tid": 9, "predicate": "watch", "begin_fid": 5,
                                  "end_fid": 9}]}, "relation_instances.0.object_tid", "has no box"),
        ({"relation_instances": [{"subject_tid": 0, "object_tid": 7, "begin_fid": 5, "end_fid": 9}]},
         "relation_instances.0.predicate", "required"),
        ({"frame_count": 20, "relation_instances": []}, "trajectories", "frame_count is 20"),
    ],
)  # fmt: skip
def test_rows_of_vidor_that_cannot_be_used_are_named(
    tmp_path: Path, change: dict[str, object], field: str, message: str
):
    problems = left_out(vidor.read, written(tmp_path / "bad.json", a_vidor(**change)))
    assert (problems[0].file.name, problems[0].field) == ("bad.json", field)
    assert message in problems[0].message


def test_boxes_that_come_twice_or_lie_outside_are_named(tmp_path: Path):
    file = a_vidor()
    frames = file["trajectories"]
    assert isinstance(frames, list)
    frames[4] = [*frames[4], frames[4][0]]
    frames[5] = [{"tid": 0, "bbox": {"xmin": 400, "ymin": 0, "xmax": 420, "ymax": 9}}]
    frames[6] = [{"tid": 0, "bbox": {"xmin": "x", "ymin": 0, "xmax": 420, "ymax": 9}}]
    fields = [problem.field for problem in left_out(vidor.read, written(tmp_path / "bad.json", file))]
    assert fields[:3] == ["trajectories.4.2.tid", "trajectories.5.0.bbox", "trajectories.6.0.bbox.xmin"]


@pytest.mark.parametrize(("field", "value"), [("fps", 0), ("fps", None), ("frame_count", 10**9), ("width", -1)])
def test_a_file_of_vidor_without_sound_facts_is_refused_even_with_leave_to_skip(
    tmp_path: Path, field: str, value: object
):
    path = written(tmp_path / "bad.json", a_vidor(**{field: value}))
    with pytest.raises(ConfigurationError, match=field):
        list(vidor.read([path], skip_bad=True, on_problem=print))


@pytest.mark.parametrize(
    ("predicate", "said", "action"),
    [
        ("watch", "watches", True),
        ("hold_hand_of", "holds the hand of", True),
        ("carry", "carries", True),
        ("in_front_of", "in front of", False),
        ("away", "away from", False),
        ("larger", "larger than", False),
        ("sit_left", "sits to the left of", False),
        ("drinking from", "drinking from", True),
    ],
)
def test_predicates_are_said_as_they_follow_their_subject(predicate: str, said: str, action: bool):
    assert (spoken(predicate), is_action(predicate)) == (said, action)


# --- MOT --------------------------------------------------------------------------------------

GT = (
    "1,3,10,20,30,60,1,-1,-1,-1\n2,3,14,20,30,60,1,-1,-1,-1\n1,8,100,20,30,60,0.5,-1,-1,-1\n30,8,100,20,30,60,0,-1,-1\n"
)
SIZE = {"frame_rate": 10.0, "size_px": (320, 240)}


def test_tracks_of_mot_keep_their_ids_and_confidences(tmp_path: Path):
    (tmp_path / "street").mkdir()
    video = one(mot.read, written(tmp_path / "street" / "gt.txt", GT), **SIZE)
    assert video.record.id == "mot:street"
    assert [(entity.track_id, entity.label, len(entity.track_timestamps_s)) for entity in video.entities] == [
        (3, "person", 2),
        (8, "person", 1),
    ]
    assert [node.confidence for window in video.windows for node in window.nodes] == pytest.approx([1.0, 0.5])


def test_a_sequence_says_its_own_rate_size_length_and_classes(tmp_path: Path):
    (tmp_path / "s" / "gt").mkdir(parents=True)
    written(tmp_path / "s" / "gt" / "gt.txt", "1,1,10,20,30,60,1,3,0.5\n1,2,10,20,30,60,0,1,1\n")
    written(
        tmp_path / "s" / "seqinfo.ini",
        "[Sequence]\nname=MOT17-02\nframeRate=10\nseqLength=40\nimWidth=320\nimHeight=240\n",
    )
    video = one(mot.read, tmp_path / "s")
    assert (video.record.id, video.record.duration_s, video.record.frame_count) == ("mot:MOT17-02", 4.0, 4)
    assert [(entity.track_id, entity.label) for entity in video.entities] == [(1, "car")]  # 0: not to be used


def test_mot_without_rate_or_size_says_what_is_missing(tmp_path: Path):
    path = written(tmp_path / "gt.txt", GT)
    with pytest.raises(ConfigurationError, match=r"frame rate .--fps. and its picture size .--size."):
        list(mot.read([path], skip_bad=True, on_problem=print))


@pytest.mark.parametrize(
    ("text", "line", "field", "message"),
    [
        ("1,3,10,20,30\n", 1, "height", "5 of at least 6 columns"),
        ("1,3,10,20,30,60\n1,3,11,20,30,60\n", 2, "id", "on line 1"),
        ("1,3,10,20,30,60\n2,x,11,20,30,60\n", 2, "id", "'x' is not a number"),
        ("0,3,10,20,30,60\n", 1, "frame", "from 1 on"),
        ("1,3,nan,20,30,60\n", 1, "left", "finite"),
        ("1,3,10,20,0,60\n", 1, "width", "above 0"),
        ("1,3,1000,20,30,60\n", 1, "left", "outside the picture"),
        ("1,3,10,20,30,60\n1,-1,11,20,30,60\n", 2, "id", "-1 is no track"),
        ("1,3,10,20,30,60\n99999999,3,11,20,30,60\n", 2, "frame", "after the last frame"),
    ],
)
def test_lines_of_mot_that_cannot_be_used_are_named(tmp_path: Path, text: str, line: int, field: str, message: str):
    path = written(tmp_path / "gt.txt", text + "3,9,10,20,30,60\n")
    problem = left_out(mot.read, path, **SIZE)[0]
    assert (problem.line, problem.field) == (line, field)
    assert message in problem.message


def test_detections_without_ids_are_joined_by_a_tracker_and_say_so(tmp_path: Path):
    lines = [f"{frame},-1,{10 + frame},20,30,60,80,-1,-1,-1\n" for frame in range(1, 21)]
    path = written(tmp_path / "det.txt", "".join(lines))
    video = one(mot.read, path, make_tracker=BoxMatchingTracker, **SIZE)
    assert (video.record.tracker, len(video.entities), len(video.entities[0].track_timestamps_s)) == (
        "box-matching",
        1,
        20,
    )
    assert {node.source for window in video.windows for node in window.nodes} == {"geometry"}
    with pytest.raises(ConfigurationError, match="detections, not tracks"):
        list(mot.read([path], skip_bad=True, on_problem=print, **SIZE))  # type: ignore[arg-type]


# --- COCO -------------------------------------------------------------------------------------


def a_coco(**changes: object) -> dict[str, object]:
    return {
        "videos": [{"id": 1, "name": "yard", "width": 320, "height": 240, "fps": 10.0, "length": 20}],
        "images": [{"id": 5 + frame, "video_id": 1, "frame_id": frame} for frame in range(20)],
        "categories": [{"id": 2, "name": "traffic_light"}],
        "annotations": [
            {"id": frame, "image_id": 5 + frame, "category_id": 2, "instance_id": 4, "bbox": [10, 20, 30, 40]}
            for frame in range(20)
        ],
        **changes,
    }


def test_tracks_of_coco_video_are_read_by_image_and_by_path(tmp_path: Path):
    video = one(coco.read, written(tmp_path / "a.json", a_coco()))
    assert (video.record.id, video.record.duration_s) == ("coco:yard", 2.0)
    (entity,) = video.entities
    assert (entity.id, entity.label) == ("coco:yard#4", "traffic light")
    assert list(entity.track_boxes[:4]) == [10, 20, 40, 60]
    paths = [{"id": 4, "video_id": 1, "category_id": 2, "bboxes": [[10, 20, 30, 40], None] * 10}]
    by_path = one(coco.read, written(tmp_path / "b.json", a_coco(images=[], annotations=paths)))
    assert list(by_path.entities[0].track_timestamps_s) == pytest.approx([n / 5 for n in range(10)])


@pytest.mark.parametrize(
    ("change", "field", "message"),
    [
        ({"annotations": [{"image_id": 99, "category_id": 2, "track_id": 1, "bbox": [1, 2, 3, 4]}]},
         "annotations.0.image_id", "no image 99"),
        ({"annotations": [{"image_id": 5, "category_id": 3, "track_id": 1, "bbox": [1, 2, 3, 4]}]},
         "annotations.0.category_id", "no category 3"),
        ({"annotations": [{"image_id": 5, "category_id": 2, "bbox": [1, 2, 3, 4]}]}, "annotations.0.track_id",
         "track_id or an instance_id"),
        ({"annotations": [{"image_id": 5, "category_id": 2, "track_id": 1, "bbox": [1, 2, 3, 4]}] * 2},
         "annotations.1.bbox", "already"),
        ({"annotations": [{"image_id": 5, "category_id": 2, "track_id": 1, "bbox": [1, 2, 3]}]},
         "annotations.0.bbox.3", "required"),
        ({"images": [{"id": 5, "video_id": 1, "frame_id": 0}] * 2}, "images.1.id", "used twice"),
        ({"videos": [{"id": 1, "name": "a", "width": 9, "height": 9, "fps": 1}] * 2}, "videos.1.id", "used twice"),
    ],
)  # fmt: skip
def test_rows_of_coco_that_cannot_be_used_are_named(
    tmp_path: Path, change: dict[str, object], field: str, message: str
):
    problem = left_out(coco.read, written(tmp_path / "bad.json", a_coco(**change)))[0]
    assert problem.field == field
    assert message in problem.message


def test_a_coco_video_without_a_rate_is_refused_until_one_is_given(tmp_path: Path):
    path = written(tmp_path / "a.json", a_coco(videos=[{"id": 1, "name": "yard", "width": 320, "height": 240}]))
    with pytest.raises(ConfigurationError, match=r"fps .or the option --fps"):
        list(coco.read([path], skip_bad=True, on_problem=print))
    assert one(coco.read, path, frame_rate=5.0).record.duration_s == 4.0


# --- CVAT -------------------------------------------------------------------------------------

CVAT = """<?xml version="1.0" encoding="utf-8"?>
<annotations>
  <version>1.1</version>
  <meta><task><id>7</id><name>yard cars</name><size>20</size><mode>interpolation</mode>
    <labels><label><name>car</name></label></labels>
    <original_size><width>320</width><height>240</height></original_size><source>yard.mp4</source></task></meta>
  <track id="0" label="car" source="manual">
    {boxes}
  </track>
</annotations>
"""
BOX = (
    '<box frame="{0}" outside="{1}" occluded="0" keyframe="1" xtl="10" ytl="20" xbr="110" ybr="80" z_order="0">'
    '<attribute name="parked">true</attribute><attribute name="color">red</attribute></box>'
)


def a_cvat(path: Path, boxes: str = "") -> Path:
    listed = "\n".join(BOX.format(frame, int(frame == 15)) for frame in range(16))
    return written(path, CVAT.replace("{boxes}", boxes or listed))


def test_tracks_and_attributes_of_cvat_are_read(tmp_path: Path):
    video = one(cvat.read, a_cvat(tmp_path / "a.xml"), frame_rate=10.0)
    assert (video.record.id, video.record.title, video.record.duration_s) == (
        annotated_id("cvat", "yard cars"),
        "yard cars",
        2.0,
    )
    (entity,) = video.entities
    assert (entity.label, len(entity.track_timestamps_s)) == ("car", 15)  # outside from frame 15 on
    node = video.windows[0].nodes[0]
    assert node.attributes[-2:] == ("parked", "color red")
    assert node.description.endswith(", parked, color red.")
    assert "parked" not in node.geometry_description


def test_outlines_and_turned_boxes_of_cvat_become_the_boxes_around_them(tmp_path: Path):
    boxes = (
        '<polygon frame="0" outside="0" points="10,20;60,30;30,90"/>'
        '<box frame="1" outside="0" xtl="100" ytl="100" xbr="140" ybr="120" rotation="90"/>'
    )
    (entity,) = one(cvat.read, a_cvat(tmp_path / "a.xml", boxes), frame_rate=10.0).entities
    assert list(entity.track_boxes) == pytest.approx([10, 20, 60, 90, 110, 90, 130, 130])


@pytest.mark.parametrize(
    ("boxes", "line", "field"),
    [
        ('<box frame="x" outside="0" xtl="1" ytl="1" xbr="9" ybr="9"/>', 8, "frame"),
        ('\n<box frame="1" outside="0" xtl="1" ytl="1" xbr="?" ybr="9"/>', 9, "xbr"),
        ('<box frame="99" outside="0" xtl="1" ytl="1" xbr="9" ybr="9"/>', 8, "frame"),
        ('<box frame="1" outside="0" xtl="9" ytl="1" xbr="1" ybr="9"/>', 8, "box"),
        ('<mask frame="1" outside="0" rle="1,2" left="1" top="1"/>', 8, "mask"),
        ('<polygon frame="1" outside="0" points="1,2;3"/>', 8, "points"),
    ],
)
def test_shapes_of_cvat_that_cannot_be_used_are_named(tmp_path: Path, boxes: str, line: int, field: str):
    problem = left_out(cvat.read, a_cvat(tmp_path / "a.xml", boxes + BOX.format(0, 0)), frame_rate=10.0)[0]
    assert (problem.line, problem.field) == (line, field)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('<!DOCTYPE a [<!ENTITY b "bb">]><annotations>&b;</annotations>', "document type or an entity"),
        ('<!DOCTYPE a SYSTEM "file:///etc/passwd"><annotations/>', "document type or an entity"),
        ("<annotations><image id='0'/></annotations>", "CVAT for images"),
        ("<html/>", "begins with <html>"),
        ("<annotations>", "not XML"),
        ("<annotations/>", "no annotations/meta/task"),
        ("<annotations>" + "<a>" * 60, "nested too deeply"),
    ],
)
def test_xml_that_is_not_cvat_for_video_is_refused(tmp_path: Path, text: str, message: str):
    with pytest.raises(ConfigurationError, match=message):
        list(cvat.read([written(tmp_path / "a.xml", text)], skip_bad=True, on_problem=print, frame_rate=10.0))


def test_cvat_needs_a_frame_rate(tmp_path: Path):
    with pytest.raises(ConfigurationError, match="--fps"):
        list(cvat.read([a_cvat(tmp_path / "a.xml")], skip_bad=True, on_problem=print))


# --- STAR -------------------------------------------------------------------------------------


def a_question(**changes: object) -> dict[str, object]:
    situations = {
        "000030": {
            "rel_pairs": [["person", "cup"]],
            "rel_labels": ["holding"],
            "actions": ["Holding a cup"],
            "bbox_labels": [],
        },
        "000060": {"rel_pairs": [["person", "cup"], ["cup", "table"]], "rel_labels": ["touching", "on"], "actions": []},
    }
    return {"question_id": "q1", "video_id": "AB12C", "start": 1.0, "end": 2.5, "situations": situations, **changes}


def test_situations_of_star_become_frames_relations_and_actions(tmp_path: Path):
    video = one(star.read, written(tmp_path / "star.json", {"q1": a_question()}), frame_rate=30.0)
    assert (video.record.id, video.record.duration_s, video.record.frame_count) == ("star:AB12C", 2.5, 2)
    assert [frame.source_frame for frame in video.windows[0].frames] == [30, 60]
    assert nodes(video) == [
        "star:AB12C/0/1 A person is holding a cup and holding the cup.",
        "star:AB12C/0/2 A cup is there; the person is holding it.",
        "star:AB12C/1/1 A person is touching the cup.",
        "star:AB12C/1/2 A cup is on the table; the person is touching it.",
        "star:AB12C/1/3 A table is there; the cup is on it.",
    ]
    assert [(one.predicate, one.source) for one in video.windows[0].relations] == [
        ("holding", "annotation"),
        ("touching", "annotation"),
        ("on", "annotation"),
    ]
    assert [(one.start_s, one.end_s, one.description) for one in video.events] == [
        (1.0, 2.0, "A person is holding a cup.")
    ]


def test_the_rate_of_star_follows_from_the_spans_of_its_questions(data_dir: Path):
    video = one(star.read, data_dir / "star_sample" / "situations_0TXYV.json")
    assert 28.2 < video.record.frame_rate < 30.5


def test_a_rate_that_the_spans_exclude_is_moved(tmp_path: Path):
    # Frame 30 lies at 2 s or later: there are at most 15 frames a second.
    video = one(star.read, written(tmp_path / "star.json", [a_question(start=2.0, end=4.0)]))
    assert video.record.frame_rate == 15.0


@pytest.mark.parametrize(
    ("situation", "field"),
    [
        ({"rel_pairs": [["person", "cup"]], "rel_labels": []}, "q1.situations.000090.rel_labels"),
        ({"rel_pairs": [["person"]], "rel_labels": ["on"]}, "q1.situations.000090"),
        ({"rel_pairs": [["cup", "cup"]], "rel_labels": ["on"]}, "q1.situations.000090.rel_pairs"),
    ],
)
def test_situations_of_star_that_cannot_be_used_are_named(tmp_path: Path, situation: object, field: str):
    asked = a_question()
    known = asked["situations"]
    assert isinstance(known, dict)
    known["000090"] = situation
    problem = left_out(star.read, written(tmp_path / "star.json", {"q1": asked}), frame_rate=30.0)[0]
    assert problem.field.startswith(field)


# --- memories of VideoAgent -------------------------------------------------------------------


def a_memory(folder: Path) -> Path:
    """Two cups: 1 leaves and comes back as 3; both look alike to the model of the vectors, 2 does not."""
    folder.mkdir()
    spans = {1: (0, 20), 2: (0, 60), 3: (30, 60)}
    frames = {
        str(frame): [
            {"id": track, "category": "cup", "bbox": [10.0 + 90 * track, 20.0, 60.0 + 90 * track, 80.0]}
            for track, (start, end) in spans.items()
            if start <= frame < end
        ]
        for frame in range(60)
    }
    written(folder / "tracking.json", {"categories": {}, "frames": frames})
    captions = [
        {"segment": 0, "start_frame": 0, "end_frame": 20, "caption": "#C C picks up the cup"},
        {"segment": 1, "start_frame": 20, "end_frame": 40, "caption": "#C C picks up the cup"},
        {"segment": 2, "start_frame": 40, "end_frame": 60, "caption": "#C C looks around "},
    ]
    written(folder / "captions.json", captions)
    alike = np.array([[1, 0, 0], [0, 1, 0], [0.9, 0, 0.436]], dtype=np.float32)
    np.savez(folder / "embeddings.npz", track_dinov2=alike, track_dinov2_ids=np.array([1, 2, 3]))
    return folder


def test_a_memory_links_who_comes_back_and_tells_its_captions(tmp_path: Path):
    video = one(video_memory.read, a_memory(tmp_path / "kitchen"), size_px=(640, 480))
    assert (video.record.id, video.record.frame_rate, video.record.duration_s) == ("video-memory:kitchen", 10.0, 6.0)
    assert [(link.earlier_id, link.later_id, link.method, link.scope, link.status) for link in video.links] == [
        ("video-memory:kitchen#1", "video-memory:kitchen#3", "given:dinov2", "reentry", "auto")
    ]
    assert video.links[0].score == pytest.approx(0.9, abs=0.01)
    assert [(entity.label, entity.appearance_model) for entity in video.entities] == [
        ("cup", "given:dinov2"),
        ("cup", "given:dinov2"),
        ("cup", "given:dinov2"),
        ("camera wearer", None),
    ]
    told = [(one.start_s, one.end_s, one.description) for one in video.events if one.source == "annotation"]
    assert told == [(0.0, 4.0, "The camera wearer picks up the cup."), (4.0, 6.0, "The camera wearer looks around.")]
    assert "video-memory:kitchen/0/4 The camera wearer picks up the cup." in nodes(video)


def test_the_size_of_a_memory_is_as_far_as_its_boxes_reach(tmp_path: Path):
    video = one(video_memory.read, a_memory(tmp_path / "kitchen"))
    assert (video.record.width_px, video.record.height_px) == (330, 80)


def test_python_objects_in_a_file_of_vectors_are_never_loaded(tmp_path: Path):
    folder = a_memory(tmp_path / "kitchen")
    np.savez(folder / "embeddings.npz", track_clip=np.array([{"a": 1}], dtype=object), track_clip_ids=np.array([1]))
    with pytest.raises(ConfigurationError, match="without Python objects"):
        list(video_memory.read([folder], skip_bad=True, on_problem=print))


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04cut", b"text"])
def test_a_damaged_file_of_vectors_is_refused(tmp_path: Path, content: bytes):
    folder = a_memory(tmp_path / "kitchen")
    (folder / "embeddings.npz").write_bytes(content)
    with pytest.raises(ConfigurationError, match=r"embeddings\.npz"):
        list(video_memory.read([folder], skip_bad=True, on_problem=print))


def test_segments_that_overlap_are_named(tmp_path: Path):
    folder = a_memory(tmp_path / "kitchen")
    segments = json.loads((folder / "captions.json").read_text())
    segments[1]["start_frame"] = 10
    written(folder / "captions.json", segments)
    assert left_out(video_memory.read, folder)[0].field == "1.start_frame"


# --- any file ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b'{"a": 1,\n "b": }', "line 2, column 7: not JSON"),
        (b'{"a": NaN}', "NaN is no number"),
        (b"[" * 100_000, "nested too deeply|not JSON"),
        (b'{"a": ' + b"9" * 5000 + b"}", "too large a number"),
        ("Straße".encode("latin-1"), "line 1 is not UTF-8"),
        ('{"a": "b"}'.encode("utf-16"), "UTF-16"),
        (b"[]", "no JSON object"),
    ],
)
def test_files_that_are_no_json_are_refused_with_the_place(tmp_path: Path, content: bytes, message: str):
    (tmp_path / "a.json").write_bytes(content)
    with pytest.raises(ConfigurationError, match=message):
        list(vidor.read([tmp_path / "a.json"], skip_bad=True, on_problem=print))


def test_a_byte_order_mark_is_no_error(tmp_path: Path):
    (tmp_path / "a.json").write_bytes(b"\xef\xbb\xbf" + json.dumps(a_vidor()).encode())
    assert one(vidor.read, tmp_path / "a.json").record.id == "vidor:1234"


def test_a_file_that_is_too_large_or_missing_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    path = written(tmp_path / "a.json", a_vidor())
    monkeypatch.setattr(reading, "MOST_BYTES", 1000)
    with pytest.raises(ConfigurationError, match="Split it up"):
        list(vidor.read([path], skip_bad=True, on_problem=print))
    with pytest.raises(ConfigurationError, match="cannot be read"):
        list(vidor.read([tmp_path / "none.json"], skip_bad=True, on_problem=print))


def test_names_that_have_a_meaning_in_ids_are_made_harmless_and_stay_apart():
    assert annotated_id("mot", "MOT17-02") == "mot:MOT17-02"
    ids = {annotated_id("mot", name) for name in ("a/b", "a#b", "a~b", "a b", "a_b")}
    assert len(ids) == 5
    assert not any(set("/#~ ") & set(one) for one in ids)


def test_a_video_under_another_id_is_the_same_but_for_its_ids(tmp_path: Path):
    video = one(vidor.read, written(tmp_path / "1234.json", a_vidor()))
    other = renamed(video, replacement_id(video.record.id))
    ids = [node.id for window in other.windows for node in window.nodes]
    assert ids[0] == "vidor:1234~~new/0/0"
    assert {one.subject_id for window in other.windows for one in window.relations} <= set(ids)
    assert {one.earlier_id for window in other.windows for one in window.same_as} <= set(ids)
    assert renamed(other, video.record.id) == video
