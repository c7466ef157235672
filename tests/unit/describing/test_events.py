"""Events of one entity: change points of its motion, place and company."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hand_made import HEIGHT_PX, WIDTH_PX, Corners, a_box, a_perception, a_track
from hypothesis import given, settings
from hypothesis import strategies as st

from ravu_kg.perception.geometry import describe
from ravu_kg.types import Event, GivenEvent, Perception, Track, TrackEnd, TrackLink


def events(perception: Perception, track_id: int = 1) -> list[Event]:
    return [event for event in describe(perception, "v").events if event.entity_id == f"v#{track_id}"]


def told(*tracks: Track, cuts_s: tuple[float, ...] = (), duration_s: float = 10.0) -> list[str]:
    """The predicates of the first track's events."""
    perception = a_perception(*tracks, cuts_s=cuts_s, duration_s=duration_s)
    return [event.description.removeprefix("A person ").rstrip(".") for event in events(perception)]


LEFT, RIGHT, TOP, BOTTOM = (0, 100, 8, 250), (632, 100, 640, 250), (290, 0, 350, 10), (290, 350, 350, 360)
MIDDLE = a_box(320, 180)


@pytest.mark.parametrize(
    ("border", "side"), [(LEFT, "left"), (RIGHT, "right"), (TOP, "top"), (BOTTOM, "bottom")], ids=lambda side: str(side)
)
def test_who_comes_over_a_border_enters_from_there(border: Corners, side: str) -> None:
    assert told(a_track({3: border, 5: MIDDLE, 9.8: MIDDLE}))[0] == f"enters from the {side}"


@pytest.mark.parametrize(
    ("border", "way"),
    [(LEFT, "to the left"), (RIGHT, "to the right"), (TOP, "at the top"), (BOTTOM, "at the bottom")],
    ids=lambda side: str(side),
)
def test_who_goes_over_a_border_leaves_there(border: Corners, way: str) -> None:
    assert told(a_track({0: MIDDLE, 3: MIDDLE, 5: border}, ended_by="left"))[-1] == f"leaves {way}"


def test_who_is_found_shortly_after_the_border_still_enters_from_there() -> None:
    found_late = a_track({3: a_box(560, 180), 5: a_box(320, 180), 9.8: a_box(320, 180)})
    assert told(found_late)[0] == "enters from the right"


def test_who_turns_up_inside_the_picture_appears() -> None:
    assert told(a_track({3: MIDDLE, 9.8: MIDDLE})) == [
        "appears in the middle of the picture",
        "stands still in the middle of the picture",
    ]


def test_who_is_there_from_the_start_does_not_enter() -> None:
    assert told(a_track({0.2: LEFT, 4: MIDDLE, 9.8: MIDDLE}))[0].startswith("walks to the right")


def test_who_is_there_when_a_shot_begins_does_not_enter() -> None:
    track = a_track({4.2: LEFT, 7: MIDDLE, 9.8: MIDDLE})
    assert told(track, cuts_s=(4.0,))[0].startswith("walks to the right")
    assert told(track)[0] == "enters from the left"


@pytest.mark.parametrize("ended_by", ["lost", "cut", "end"])
def test_who_did_not_leave_through_a_border_does_not_leave(ended_by: TrackEnd) -> None:
    track = a_track({0: MIDDLE, 3: MIDDLE, 7: RIGHT}, ended_by=ended_by)
    assert told(track)[-1] == "walks to the right, from the middle to the right of the picture"


def test_a_visit_is_entering_walking_stopping_staying_and_leaving() -> None:
    track = a_track({2: LEFT, 8: MIDDLE, 20: MIDDLE, 24: RIGHT}, ended_by="left")
    assert told(track, duration_s=30) == [
        "enters from the left",
        "walks to the right, from the left to the middle of the picture",
        "stops in the middle of the picture",
        "stands still in the middle of the picture",
        "walks to the right, from the middle to the right of the picture",
        "leaves to the right",
    ]
    times_s = [(event.start_s, event.end_s) for event in events(a_perception(track, duration_s=30))]
    assert times_s[0] == (2.0, 3.0)
    assert times_s[2][0] == pytest.approx(8.0, abs=0.6)
    assert times_s[3][1] == pytest.approx(20.0, abs=0.6)
    assert times_s[-1][1] == pytest.approx(24.2)


def test_being_out_of_sight_is_no_event() -> None:
    away_a_while = a_track({0: MIDDLE, 9.8: MIDDLE}, without=(4.0, 5.0))
    assert told(away_a_while) == ["stands still in the middle of the picture"]


def test_where_somebody_stops_is_told_by_what_is_near() -> None:
    table = a_track({0: a_box(390, 220, 60, 70), 9.8: a_box(390, 220, 60, 70)}, 2, "dining table")
    assert told(a_track({0: a_box(60, 180), 4: MIDDLE, 9.8: MIDDLE}), table) == [
        "walks to the right, from the left to the middle of the picture, towards the dining table",
        "stops in the middle of the picture, near the dining table",
        "stands still in the middle of the picture, near the dining table",
    ]


def test_company_that_comes_and_goes_changes_the_state() -> None:
    dog = a_track(
        {
            0: a_box(600, 240, 60, 40),
            3: a_box(390, 240, 60, 40),
            6: a_box(390, 240, 60, 40),
            9.8: a_box(600, 240, 60, 40),
        },
        2,
        "dog",
    )
    assert told(a_track({0: MIDDLE, 9.8: MIDDLE}), dog) == [
        "stands still in the middle of the picture",
        "stands still in the middle of the picture, near the dog",
        "stands still in the middle of the picture",
    ]


def test_a_thing_that_never_moves_has_no_company() -> None:
    table = a_track({0: a_box(390, 220, 60, 70), 9.8: a_box(390, 220, 60, 70)}, 2, "dining table")
    visitor = a_track({0: a_box(60, 180), 4: MIDDLE, 9.8: MIDDLE})
    texts = [event.description for event in events(a_perception(visitor, table), 2)]
    assert texts == ["A dining table stays still at the right of the picture."] or texts == [
        "A dining table stays still in the middle of the picture."
    ]


def test_two_who_walk_side_by_side_walk_together() -> None:
    pair = [a_track({0: a_box(100 + x, 180), 5: a_box(400 + x, 180)}, k) for k, x in ((1, 0), (2, 80))]
    assert told(*pair) == [
        "walks to the right, from the left to the middle of the picture, together with another person"
    ]


def test_jitter_makes_no_events() -> None:
    assert len(told(a_track({0: MIDDLE, 59.8: MIDDLE}, jitter_px=6), duration_s=60)) == 1


def test_given_events_keep_their_words_and_their_order() -> None:
    perception = a_perception(
        a_track({0: MIDDLE, 9.8: MIDDLE}, colors={0: ("red",)}),
        events=[GivenEvent(1, 5.0, 7.0, "The person waves."), GivenEvent(1, 1.0, 2.0, "opens a door")],
    )
    found = events(perception)
    assert [(event.id, event.source, event.description) for event in found] == [
        ("v/1/annotation/0", "annotation", "A person in red opens a door."),
        ("v/1/annotation/1", "annotation", "The person waves."),
        ("v/1/geometry/0", "geometry", "A person in red stands still in the middle of the picture."),
    ]
    assert (found[0].start_s, found[0].end_s) == (1.0, 2.0)


def test_an_entity_is_described_by_name_time_and_deeds() -> None:
    first = a_track({0: MIDDLE, 1.6: RIGHT}, ended_by="left", colors={0: ("red",)})
    again = a_track({5: RIGHT, 7: MIDDLE}, 2, colors={5: ("red",)})
    perception = a_perception(first, again, links=[TrackLink(1, 2, 0.9, "appearance")])
    described = describe(perception, "v")
    assert described.entities[0].description == "Person 1, in red, from 0.0 s to 1.8 s: leaves to the right."
    assert described.entities[1].description.startswith(
        "Person 2, in red, probably person 1 again, from 5.0 s to 7.2 s: enters"
    )
    assert [(link.earlier_id, link.later_id, link.score) for link in described.links] == [("v#1", "v#2", 0.9)]


def test_a_long_life_is_told_by_its_ends() -> None:
    keys = {3.0 * k: a_box(100 if k % 2 else 540, 180) for k in range(20)}
    entity = describe(a_perception(a_track(keys), duration_s=60), "v").entities[0]
    assert entity.description.count(";") == 8
    assert "; ...; " in entity.description


@st.composite
def tracks(draw: st.DrawFn) -> Track:
    count = draw(st.integers(1, 8))
    start_s = draw(st.floats(0, 5))
    gaps_s = draw(st.lists(st.floats(0.2, 4), min_size=count - 1, max_size=count - 1))
    times_s = start_s + np.concatenate([[0.0], np.cumsum(gaps_s)])
    keys: dict[float, Corners] = {}
    for time_s in times_s:
        x, y = draw(st.floats(0, WIDTH_PX - 1)), draw(st.floats(0, HEIGHT_PX - 1))
        keys[float(time_s)] = (x, y, x + draw(st.floats(1, 200)), y + draw(st.floats(1, 200)))
    ended_by = draw(st.sampled_from(["left", "lost", "cut", "end"]))
    return a_track(keys, rate_hz=draw(st.sampled_from([2.0, 5.0, 25.0])), ended_by=ended_by)


@settings(max_examples=60, deadline=None)
@given(tracks(), tracks())
def test_events_cover_the_presence_in_order_without_overlap(track: Track, other: Track) -> None:
    other = a_track({float(t): tuple(map(float, b)) for t, b in zip(other.timestamps_s, other.boxes, strict=True)}, 2)  # type: ignore[misc]
    described = describe(a_perception(track, other, duration_s=60), "v")
    entity = described.entities[0]
    found = [event for event in described.events if event.entity_id == "v#1"]
    assert [event.seq for event in found] == list(range(len(found)))
    assert (found[0].start_s, found[-1].end_s) == (entity.start_s, entity.end_s)
    assert all(event.start_s < event.end_s for event in found)
    assert all(earlier.end_s == later.start_s for earlier, later in pairwise(found))
    assert {event.start_s for event in found} <= set(track.timestamps_s.tolist())
    assert all(event.source == "geometry" and event.description.endswith(".") for event in found)
