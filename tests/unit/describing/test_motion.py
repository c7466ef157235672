"""Motion, place, posture: what one track alone tells."""

from __future__ import annotations

import numpy as np
import pytest
from hand_made import HEIGHT_PX, WIDTH_PX, a_box, a_perception, a_track

from ravu_kg.perception.describing.path import trace
from ravu_kg.perception.describing.runs import hold_last, runs_of, settle
from ravu_kg.perception.geometry import describe
from ravu_kg.types import FrameNode, Perception, Track


def nodes(perception: Perception) -> list[FrameNode]:
    return [node for window in describe(perception, "v").windows for node in window.nodes]


def motions(track: Track) -> list[tuple[str, bool]]:
    path = trace(track, a_perception().video)
    return [path.motion(run.start) for run in runs_of(path.codes)]


@pytest.mark.parametrize(
    ("end", "motion"),
    [
        (a_box(300, 180), "still"),
        (a_box(100, 180), "left"),
        (a_box(500, 180), "right"),
        (a_box(300, 90), "up"),
        (a_box(300, 270), "down"),
        (a_box(300, 180, 120, 300), "towards"),
        (a_box(300, 180, 30, 75), "away"),
    ],
)
def test_a_straight_motion_has_one_direction(end: tuple[float, float, float, float], motion: str) -> None:
    assert motions(a_track({0: a_box(300, 180), 3: end})) == [(motion, False)]


def test_a_motion_of_many_sizes_a_second_is_fast() -> None:
    dog = a_track({0: a_box(60, 200, 60, 40), 2: a_box(580, 200, 60, 40)}, label="dog")
    assert motions(dog) == [("right", True)]
    assert "runs to the right" in nodes(a_perception(dog, duration_s=2.2))[1].description
    assert {"moving to the right", "fast"} <= set(nodes(a_perception(dog, duration_s=2.2))[1].attributes)


@pytest.mark.parametrize("size", [(16, 40), (60, 150), (300, 340)])
def test_jitter_of_the_detector_is_no_motion(size: tuple[float, float]) -> None:
    jitter_px = 0.05 * (size[0] * size[1]) ** 0.5
    box = a_box(320, 180, *size)
    assert motions(a_track({0: box, 60: box}, jitter_px=jitter_px)) == [("still", False)]


def test_one_wrong_box_is_no_motion() -> None:
    track = a_track({0: a_box(300, 180), 10: a_box(300, 180)})
    track.boxes[25] += 150
    assert motions(track) == [("still", False)]


def test_a_stretched_arm_is_no_motion() -> None:
    resting, stretched = (270, 100, 330, 260), (270, 100, 400, 260)
    track = a_track({0: resting, 3: resting, 4: stretched, 6: stretched, 7: resting, 10: resting})
    assert motions(track) == [("still", False)]


def test_no_state_is_shorter_than_a_state() -> None:
    keys = {k * 1.0: a_box(100 + 15 * k, 60 + 15 * k, 30, 40) for k in range(16)}
    path = trace(a_track(keys, jitter_px=6), a_perception().video)
    runs = runs_of(path.codes)
    assert path.motion(runs[0].start)[0] != "still"
    assert min(len(run) for run in runs) * path.step_s >= 0.79


def test_standing_up_is_no_motion() -> None:
    bent, upright = (250, 140, 380, 300), (210, 60, 420, 300)
    assert motions(a_track({0: bent, 2: bent, 3.2: upright, 6: upright})) == [("still", False)]


def test_an_entity_that_comes_in_over_the_border_moves_though_one_edge_stands() -> None:
    track = a_track({0: (0, 100, 5, 250), 1: (0, 100, 60, 250), 3: (120, 100, 180, 250)})
    assert motions(track) == [("right", False)]


def test_who_stops_is_still_afterwards() -> None:
    track = a_track({0: a_box(100, 180), 3: a_box(400, 180), 9: a_box(400, 180)})
    assert [motion for motion, _ in motions(track)] == ["right", "still"]


def test_the_tracking_rate_does_not_change_the_motion() -> None:
    keys = {0.0: a_box(100, 180), 3.0: a_box(400, 180), 9.0: a_box(400, 180)}
    for rate_hz in (2.0, 5.0, 10.0, 25.0):
        assert [motion for motion, _ in motions(a_track(keys, rate_hz=rate_hz))] == ["right", "still"]


@pytest.mark.parametrize(
    ("x", "y", "place"),
    [
        (60, 60, "at the top left"),
        (320, 60, "at the top"),
        (600, 60, "at the top right"),
        (60, 180, "at the left"),
        (320, 180, "in the middle"),
        (600, 180, "at the right"),
        (60, 320, "at the bottom left"),
        (320, 320, "at the bottom"),
        (600, 320, "at the bottom right"),
    ],
)
def test_the_place_is_one_of_nine(x: float, y: float, place: str) -> None:
    box = a_box(x, y, 30, 40)
    node = nodes(a_perception(a_track({0: box, 3: box}), duration_s=3))[0]
    assert place in node.attributes
    assert node.description == f"A person stays still {place} of the picture."


def test_a_place_does_not_flicker_on_the_line_between_two() -> None:
    line_px = WIDTH_PX / 3
    track = a_track({0: a_box(line_px - 40, 180), 2: a_box(line_px, 180), 9: a_box(line_px, 180)}, jitter_px=8)
    path = trace(track, a_perception().video)
    assert {0} == set(path.columns.tolist())


def test_a_quick_passage_has_the_place_where_it_ends() -> None:
    path = trace(a_track({0: a_box(30, 20), 0.2: a_box(610, 340)}), a_perception().video)
    assert int(path.columns[-1]) == 2


@pytest.mark.parametrize(
    ("side_px", "size"), [(20, "tiny"), (70, "small"), (150, "medium"), (300, "large"), (600, "filling the picture")]
)
def test_the_size_is_the_share_of_the_picture(side_px: float, size: str) -> None:
    box = a_box(WIDTH_PX / 2, HEIGHT_PX / 2, side_px, side_px)
    assert size in nodes(a_perception(a_track({0: box, 3: box}), duration_s=3))[0].attributes


def test_only_an_upright_person_stands_or_walks() -> None:
    standing, sitting, lying_dog = a_box(300, 180, 60, 150), a_box(300, 180, 100, 120), a_box(300, 180, 60, 150)
    assert "A person stands still" in nodes(a_perception(a_track({0: standing, 3: standing})))[0].description
    assert "A person stays still" in nodes(a_perception(a_track({0: sitting, 3: sitting})))[0].description
    assert "A dog stays still" in nodes(a_perception(a_track({0: lying_dog, 3: lying_dog}, label="dog")))[0].description
    walking = a_track({0: a_box(100, 180), 3: a_box(500, 180)})
    assert "A person walks to the right" in nodes(a_perception(walking))[1].description


def test_a_cyclist_neither_stands_nor_walks() -> None:
    track = a_track({0: a_box(100, 180), 3: a_box(500, 180)}, label="cyclist", colors={0: ("black",)})
    assert nodes(a_perception(track))[1].description.startswith("A cyclist in black moves to the right")


def test_a_fixture_does_not_move_when_the_camera_does() -> None:
    track = a_track({0: a_box(100, 180), 3: a_box(500, 180)}, label="dining table")
    assert motions(track) == [("still", False)]


def test_colors_are_said_of_clothes_or_of_the_thing_itself() -> None:
    box, colors = a_box(300, 180), {0: ("blue", "black"), 1: ("blue", "black"), 2: ("orange",)}
    person = nodes(a_perception(a_track({0: box, 2: box}, colors=colors)))
    assert {node.description for node in person} == {
        "A person in blue and black stands still in the middle of the picture."
    }
    assert person[2].attributes[0] == "orange"
    car = a_track({0: box, 2: box}, label="car", colors={0: ("orange",)})
    assert nodes(a_perception(car))[0].description.startswith("An orange car stays still")


def test_a_color_seen_once_is_not_said_of_the_entity() -> None:
    box = a_box(300, 180)
    colors = {index: ("red",) for index in range(9)} | {9: ("green",)}
    assert "A person in red stands" in nodes(a_perception(a_track({0: box, 9: box}, colors=colors)))[0].description


def test_short_runs_go_to_their_longer_neighbour() -> None:
    values = np.array([0, 0, 0, 1, 2, 2, 2, 2, 1, 1, 2, 2])
    assert settle(values, 3).tolist() == [0, 0, 0, 2, 2, 2, 2, 2, 2, 2, 2, 2]
    assert settle(np.array([3, 4]), 5).tolist() in ([3, 3], [4, 4])
    assert runs_of(np.array([], dtype=np.int64)) == []


def test_a_switch_holds_its_last_word() -> None:
    on = np.array([False, True, False, False, False, True])
    off = np.array([False, False, False, True, False, False])
    assert hold_last(on, off).tolist() == [False, True, True, False, False, True]
