"""The hand-made tracks of the demo clip: in the format, inside the picture, and never across a cut."""

from __future__ import annotations

from importlib.resources import as_file, files
from itertools import pairwise

from ravu_kg.perception.given_tracks import GivenTracks, read_tracks

WIDTH_PX, HEIGHT_PX, DURATION_S = 640, 272, 10.0
SHOT_STARTS_S = (0.0, 1.2, 3.04, 5.48, 7.48, 9.68)
"""Seen by eye, frame by frame."""


def demo_tracks() -> GivenTracks:
    with as_file(files("ravu_kg") / "demo" / "bikes.tracks.json") as path:
        return read_tracks(path)


def shot(time_s: float) -> int:
    return sum(start_s <= time_s for start_s in SHOT_STARTS_S)


def test_boxes_lie_in_the_picture_and_in_one_shot() -> None:
    for track in demo_tracks().tracks:
        assert len({shot(time_s) for time_s, _ in track.by_time}) == 1, track.track_id
        for time_s, detection in track.by_time:
            box = detection.box
            assert 0 <= time_s <= DURATION_S
            assert 0 <= box.x_min < box.x_max <= WIDTH_PX, (track.track_id, time_s)
            assert 0 <= box.y_min < box.y_max <= HEIGHT_PX, (track.track_id, time_s)


def test_no_box_is_taken_for_the_frame_beyond_a_cut() -> None:
    """A timed box also holds for a tracking frame half a step away: at 5 a second none of those is beyond a cut."""
    ticks_s = [k / 5 for k in range(50)]
    for track in demo_tracks().tracks:
        for time_s, _ in track.by_time:
            assert {shot(tick_s) for tick_s in ticks_s if abs(tick_s - time_s) <= 0.1} <= {shot(time_s)}, track.track_id


def test_boxes_are_close_enough_for_a_straight_line() -> None:
    for track in demo_tracks().tracks:
        times_s = [time_s for time_s, _ in track.by_time]
        assert all(later - earlier <= 1.2 for earlier, later in pairwise(times_s)), track.track_id


def test_events_and_relations_stay_in_the_shot_of_their_tracks() -> None:
    given = demo_tracks()
    shots = {track.track_id: shot(track.by_time[0][0]) for track in given.tracks}
    for event in given.events:
        assert {shot(event.start_s), shot(event.end_s - 0.001)} == {shots[event.track]}, event.description
    for relation in given.relations:
        assert {shots[relation.subject_track], shots[relation.object_track], shot(relation.start_s)} == {
            shot(relation.end_s - 0.001)
        }
