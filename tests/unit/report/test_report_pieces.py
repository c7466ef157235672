"""Pieces of a report: relations said once, boxes between observations, lanes, runs."""

from __future__ import annotations

from dataclasses import replace

import pytest

from ravu_kg.graph.reader import TrackRow
from ravu_kg.reasoning.records import Evidence
from ravu_kg.report.footage import box_at, with_evidence
from ravu_kg.report.formatting import clock, readable_on
from ravu_kg.report.pictures import PagePictures, spread
from ravu_kg.report.records import Moment, ShownEntity, ShownEvent, ShownNode, ShownRelation, VideoGraph
from ravu_kg.report.relations import said_once
from ravu_kg.report.script_data import script_data
from ravu_kg.report.timeline import timeline
from ravu_kg.types import Box

TRACK = TrackRow("v#1", (1.0, 1.2, 5.0), (Box(0, 0, 10, 10), Box(20, 0, 30, 10), Box(100, 0, 110, 10)))


def graph(**changes: object) -> VideoGraph:
    made = VideoGraph(
        video_id="v",
        title="clip",
        uri=None,
        duration_s=10.0,
        width_px=640,
        height_px=360,
        sample_interval_s=1.0,
        entities=(
            ShownEntity("v#1", "v#1", "person", "a person", "#ff0000", 1.0, 5.0),
            ShownEntity("v#2", "v#1", "dog", "a dog", "#0000ff", 2.0, 9.0),
        ),
        moments=tuple(
            Moment(index, float(index), f"Frame {index}.", "ok", (ShownNode("v#2", Box(0, 0, 9, 9), "A dog."),))
            for index in range(5)
        ),
        relations=(),
        events=(),
    )
    return replace(made, **changes)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("time_s", "left"),
    [(0.84, None), (0.9, 0), (1.0, 0), (1.1, 10), (1.2, 20), (1.3, 20), (3.0, None), (4.9, 100), (5.2, None)],
)
def test_a_box_moves_straight_between_observations_and_is_not_guessed_over_a_gap(time_s: float, left: float | None):
    box = box_at(TRACK, time_s)

    assert (None if box is None else round(box.x_min, 6)) == left


def _relation(subject: str, object_: str, predicate: str, *frames: int) -> ShownRelation:
    return ShownRelation(subject, object_, predicate, "geometry", frames)


def test_what_is_said_from_both_sides_is_said_once():
    said = said_once([
        _relation("v#1", "v#2", "near", 0, 1, 2),
        _relation("v#2", "v#1", "near", 1, 2, 3),
        _relation("v#1", "v#2", "left_of", 0, 1),
        _relation("v#2", "v#1", "right_of", 0, 1, 2),
        _relation("v#2", "v#1", "approaching", 4),
    ])  # fmt: skip

    assert {(one.subject_id, one.predicate, one.mutual, one.frames) for one in said} == {
        ("v#1", "near", True, (1, 2)),
        ("v#1", "near", False, (0,)),
        ("v#2", "near", False, (3,)),
        ("v#1", "left_of", False, (0, 1)),
        ("v#2", "right_of", False, (2,)),
        ("v#2", "approaching", False, (4,)),
    }


def test_relations_of_different_sources_are_not_joined():
    said = said_once([_relation("v#1", "v#2", "near", 0), ShownRelation("v#2", "v#1", "near", "model", (0,))])

    assert [(one.source, one.mutual) for one in said] == [("geometry", False), ("model", False)]


def test_evidence_between_two_sampled_frames_has_a_moment_of_its_own():
    entering = Evidence(1.2, 1, ("v#1",), "count", 1.0, "person 1 is seen.")
    sampled = Evidence(3.0, 3, ("v#2",), "count", 1.0, "A dog.")

    changed, by_moment = with_evidence(graph(), [entering, sampled], {"v#1": TRACK})

    assert [moment.timestamp_s for moment in changed.moments] == [0.0, 1.0, 1.2, 2.0, 3.0, 4.0]
    between = changed.moments[2]
    assert [(node.entity_id, node.box) for node in between.nodes] == [("v#1", TRACK.boxes[1])]
    assert by_moment == {between.frame_index: [entering], 3: [sampled]}


def test_the_script_knows_in_which_moments_a_relation_holds():
    known = script_data(graph(relations=(_relation("v#1", "v#2", "is_on", 0, 1, 3),)), PagePictures(), {})

    assert known["relations"] == [[0, 1, "is on", "geometry", False, [0, 1, 3, 3]]]


def test_a_picture_that_the_page_shows_already_is_not_repeated():
    pictures = PagePictures({0: b"large", 1: b"small"})
    moments = script_data(graph(), pictures, {0: "k0-0"})["moments"]

    assert isinstance(moments, list)
    assert moments[0]["key"] == "k0-0"
    assert "jpeg" not in moments[0]
    assert moments[1]["jpeg"] == "c21hbGw="
    assert not {"key", "jpeg"} & set(moments[2])


def test_a_long_video_is_stepped_through_in_longer_steps_and_keeps_its_key_frames():
    many = tuple(Moment(index, float(index), "", "ok", ()) for index in range(8000))
    moments = script_data(graph(moments=many, duration_s=8000.0), PagePictures({4001: b"x"}), {4001: "k0-4001"})[
        "moments"
    ]

    assert isinstance(moments, list)
    assert len(moments) < 3601
    assert any(moment["frame"] == 4001 for moment in moments)


def test_events_of_one_lane_that_overlap_lie_in_rows_and_bars_in_shares_of_the_length():
    events = (
        ShownEvent("a", "v#2", 2.0, 6.0, "runs", "geometry"),
        ShownEvent("b", "v#2", 4.0, 9.0, "plays", "model"),
        ShownEvent("c", "v#2", 6.0, 7.0, "stops", "geometry"),
    )
    drawn = timeline(graph(events=events), {}, {"a": "e0", "b": "e1", "c": "e2"})

    styles = [one.get("style") for one in drawn.iter("a") if one.get("class") == "tl-event"]
    assert styles == [
        "left:20.000%;width:40.000%;--row:0",
        "left:40.000%;width:50.000%;--row:1",
        "left:60.000%;width:10.000%;--row:0",
    ]


def test_unknown_stretches_of_a_video_are_marked_and_joined():
    moments = tuple(Moment(index, float(index), "", "failed" if index in (1, 2, 4) else "ok", ()) for index in range(5))
    drawn = timeline(graph(moments=moments), {}, {})

    assert [one.get("style") for one in drawn.iter("i") if one.get("class") == "tl-unknown"] == [
        "left:10.000%;width:20.000%",
        "left:40.000%;width:10.000%",
    ]


def test_a_crowd_shows_those_who_are_seen_longest():
    crowd = tuple(ShownEntity(f"v#{n}", f"v#{n}", "person", "", "#ff0000", 0.0, 1.0 + n % 7) for n in range(300))
    drawn = timeline(graph(entities=crowd), {}, {})

    lanes = [one for one in drawn.iter("div") if "tl-lane" in (one.get("class") or "")]
    assert len(lanes) == 120
    assert "180 more entities" in "".join(drawn.itertext())


def test_few_of_many_are_spread_evenly():
    assert spread(list(range(10)), 5) == [0, 2, 4, 6, 8]
    assert spread([3, 5], 5) == [3, 5]


@pytest.mark.parametrize(
    ("time_s", "shown"), [(7.44, "0:07.4"), (59.96, "1:00.0"), (139.4, "2:19.4"), (3725.5, "1:02:05.5"), (-1, "0:00.0")]
)
def test_times_read_like_a_clock(time_s: float, shown: str):
    assert clock(time_s) == shown


def test_letters_can_be_read_on_any_colour():
    assert readable_on("#ffff00") == "#000000"
    assert readable_on("#000080") == "#ffffff"
    assert readable_on("no colour") == "#000000"


def test_an_entity_is_called_by_the_name_it_was_given_and_keeps_its_label():
    person, dog = graph().entities
    named = graph(entities=(replace(person, given_name="Anna"), dog))

    assert [one.name for one in named.entities] == ["Anna #1", "dog #2"]
    assert named.entities[0].label == "person"  # whose face is blurred
    known = script_data(named, PagePictures(), {})["entities"]
    assert isinstance(known, list)
    assert [one["label"] for one in known] == ["Anna", "dog"]
