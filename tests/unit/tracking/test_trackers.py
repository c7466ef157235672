from __future__ import annotations

from collections.abc import Callable

import pytest
from scenes import BLUE, RED, Thing, found, frame_of, person, track

from ravu_kg.errors import ConfigurationError
from ravu_kg.protocols import Tracker
from ravu_kg.providers import box_matching, bytetrack, steady
from ravu_kg.types import Box, TrackedDetection

ALL = [steady.create, bytetrack.create, box_matching.create]
Create = Callable[[str, dict[str, object]], Tracker]


def crossing(frames: int) -> list[dict[str, Thing]]:
    """Two people walk towards and past each other; the one in front hides the other for a moment."""
    return [
        {"red": (person(100 + 20 * step), RED), "blue": (person(480 - 20 * step), BLUE)}
        if not 7 <= step <= 10
        else {"red": (person(100 + 20 * step), RED)}
        for step in range(frames)
    ]


@pytest.mark.parametrize("create", ALL)
def test_a_walker_keeps_one_id(create: Create) -> None:
    ids = track(create("", {}), [{"a": (person(20 + 10 * step), RED)} for step in range(20)])

    assert len(set(ids["a"])) == 1
    assert len(ids["a"]) >= 19


def test_the_default_keeps_two_people_apart_who_cross_while_one_is_hidden() -> None:
    ids = track(steady.create("", {}), crossing(20))

    assert len(set(ids["red"])) == 1
    assert len(set(ids["blue"])) == 1
    assert set(ids["red"]) != set(ids["blue"])


def test_looks_decide_where_boxes_alone_would_swap() -> None:
    # Both stop where they meet and turn back: by motion and place each would go on as the other.
    there = [{"red": (person(100 + 20 * s), RED), "blue": (person(400 - 20 * s), BLUE)} for s in range(7)]
    back = [{"red": (person(230 - 20 * s), RED), "blue": (person(270 + 20 * s), BLUE)} for s in range(8)]

    ids = track(steady.create("", {}), there + back)

    assert len(set(ids["red"])) == len(set(ids["blue"])) == 1


@pytest.mark.parametrize("step_s", [0.04, 0.1, 0.2])
def test_an_occlusion_of_under_a_second_is_bridged_at_any_rate(step_s: float) -> None:
    scene: list[dict[str, Thing]] = [
        {} if 3.0 <= step * step_s < 3.7 else {"a": (person(50 + 60 * step * step_s), RED)}
        for step in range(int(5 / step_s))
    ]

    ids = track(steady.create("", {}), scene, step_s=step_s)

    assert len(set(ids["a"])) == 1


@pytest.mark.parametrize("create", ALL)
def test_more_than_a_second_unseen_ends_a_track(create: Create) -> None:
    seen: dict[str, Thing] = {"a": (person(200), RED)}

    ids = track(create("", {}), [seen] * 8 + [{}] * 8 + [seen] * 8)

    assert len(set(ids["a"])) == 2


@pytest.mark.parametrize("create", ALL)
def test_ids_are_not_used_again_after_a_cut(create: Create) -> None:
    tracker = create("", {})
    before = {item.track_id for step in range(4) for item in _one(tracker, step)}
    tracker.reset()

    after = {item.track_id for step in range(4, 8) for item in _one(tracker, step)}

    assert len(before) == len(after) == 1
    assert before.isdisjoint(after)


@pytest.mark.parametrize("create", ALL)
def test_frames_without_boxes_are_no_trouble(create: Create) -> None:
    tracker = create("", {})

    assert all(tracker.update(frame_of(step, []), []) == [] for step in range(5))


def test_what_a_detector_only_half_sees_gets_no_track() -> None:
    tracker = steady.create("", {})
    post = person(300)

    tracked = [tracker.update(frame_of(step, []), [found(post, 0.52 + 0.08 * (step % 2))]) for step in range(50)]

    assert not any(tracked)


def test_one_thing_with_two_labels_is_one_track() -> None:
    tracker = steady.create("", {})
    box = person(300)
    for step in range(5):
        detections = [found(box, 0.9, "dog"), found(Box(301, 101, 361, 251), 0.7, "cat")]
        tracked = tracker.update(frame_of(step, [(box, RED)]), detections)

    assert [item.detection.label for item in tracked] == ["dog"]


def test_box_matching_does_not_mix_labels() -> None:
    tracker = box_matching.create("", {})
    (first,) = tracker.update(frame_of(0, []), [found(person(100), 0.9, "dog")])
    (second,) = tracker.update(frame_of(1, []), [found(person(100), 0.9, "chair")])

    assert first.track_id != second.track_id


@pytest.mark.parametrize("create", ALL)
def test_a_tracker_takes_neither_model_nor_options(create: Create) -> None:
    with pytest.raises(ConfigurationError, match="takes no model"):
        create("x", {})
    with pytest.raises(ConfigurationError, match="buffer"):
        create("", {"buffer": 3})


def _one(tracker: Tracker, step: int) -> list[TrackedDetection]:
    return tracker.update(frame_of(step, [(person(100), RED)]), [found(person(100))])
