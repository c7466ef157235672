"""The logic of mask tracks, on masks that are given: a script says where each thing is in each frame."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import count

import numpy as np
import pytest
from scenes import HEIGHT_PX, STEP_S, WIDTH_PX, found, frame_of, observe, person

from ravu_kg.providers.mask_tracking import Mask, MaskTracker, box_of
from ravu_kg.types import Box, Detection, Image, TrackedDetection

Scene = Sequence[Mapping[str, Box]]
"""For each frame where the things are that can be seen in it, by name."""


def mask_of(box: Box) -> Mask:
    """A mask at half the picture's resolution."""
    mask = np.zeros((HEIGHT_PX // 2, WIDTH_PX // 2), bool)
    inside = box.clip(WIDTH_PX, HEIGHT_PX)
    mask[int(inside.y_min) // 2 : int(inside.y_max) // 2, int(inside.x_min) // 2 : int(inside.x_max) // 2] = True
    return mask


class Script:
    """A perfect segmenter of a scene: a prompt means the thing that it overlaps most."""

    def __init__(self, scene: Scene) -> None:
        self._scene = scene
        self._at = -1
        self._numbers = count(1)
        self.followed: dict[int, str] = {}
        self.prompts: list[tuple[int, Box | Mask]] = []
        """The frame and the prompt of everything that was started."""

    def advance(self, image: Image) -> Mapping[int, Mask]:
        self._at += 1
        here = self._scene[self._at]
        return {number: mask_of(here[name]) for number, name in self.followed.items() if name in here}

    def start(self, where: Box | Mask) -> tuple[int, Mask] | None:
        self.prompts.append((self._at, where))
        box = where if isinstance(where, Box) else box_of(where, np.zeros((HEIGHT_PX, WIDTH_PX, 3), np.uint8))
        here = self._scene[self._at]
        name = max(here, key=lambda name: here[name].iou(box) if box else 0.0, default=None)
        if box is None or name is None or here[name].iou(box) < 0.2:
            return None
        number = next(self._numbers)
        self.followed[number] = name
        return number, mask_of(here[name])

    def drop(self, number: int) -> None:
        del self.followed[number]

    def clear(self) -> None:
        self.followed.clear()


def run(
    scene: Scene, detections: Mapping[int, Sequence[Detection]] | None = None
) -> tuple[list[list[TrackedDetection]], Script]:
    """The tracks of a scene, frame by frame, and what was asked of the segmenter.

    Args:
        scene: where the things are.
        detections: by frame; a frame that is not named has none. None is a perfect detector.
    """
    script = Script(scene)
    tracker = MaskTracker("masks", script)
    tracked = [
        tracker.update(
            frame_of(step, []),
            [found(box) for box in here.values()] if detections is None else detections.get(step, []),
        )
        for step, here in enumerate(scene)
    ]
    return tracked, script


def ids(tracked: Sequence[Sequence[TrackedDetection]]) -> list[list[int]]:
    return [[item.track_id for item in items] for items in tracked]


def walking(frames: int, name: str = "a", x: float = 20) -> list[dict[str, Box]]:
    return [{name: person(x + 4 * step)} for step in range(frames)]


def test_a_walker_keeps_one_id_and_has_the_box_of_its_mask() -> None:
    scene = walking(20)

    tracked, _ = run(scene)

    assert ids(tracked) == [[1]] * 20
    assert [items[0].detection.box for items in tracked] == [here["a"] for here in scene]


def test_a_mask_goes_on_where_the_detector_says_nothing() -> None:
    scene = walking(25)

    tracked, script = run(scene, {0: [found(scene[0]["a"], 0.8, "dog")], 5: [found(scene[5]["a"], 0.9, "dog")]})

    assert ids(tracked) == [[1]] * 25
    assert tracked[24][0].detection.box == scene[24]["a"]
    assert tracked[24][0].detection.label == "dog"
    assert len(script.prompts) == 1


def test_confidence_is_the_detectors_and_halves_while_nothing_confirms_it() -> None:
    scene = walking(40)

    tracked, _ = run(scene, {0: [found(scene[0]["a"], 0.8)]})
    confidences = [items[0].detection.confidence if items else 0.0 for items in tracked]

    assert confidences[0] == pytest.approx(0.8)
    assert confidences[10] == pytest.approx(0.4)  # 2 s later
    assert confidences == sorted(confidences, reverse=True)
    assert confidences[-1] == 0.0  # no longer believed


def test_what_a_slow_detector_confirmed_is_believed_for_longer() -> None:
    scene = walking(60)

    tracked, _ = run(scene, {step: [found(scene[step]["a"], 0.8)] for step in (0, 10)})

    assert tracked[40][0].detection.confidence == pytest.approx(0.4)  # 6 s after the last one


def test_a_sure_track_outlives_some_frames_in_which_the_detector_sees_others_only() -> None:
    scene = [{"a": person(20 + 4 * step), "b": person(400)} for step in range(25)]
    detections = {
        step: [found(box) for name, box in here.items() if name == "a" or step < 10 or step > 20]
        for step, here in enumerate(scene)
    }

    tracked, _ = run(scene, detections)

    assert ids(tracked) == [[1, 2]] * 25


def test_what_the_detector_denies_is_soon_no_longer_believed() -> None:
    # It sees the walker in every frame, and once something that is not there.
    scene = [{"a": person(20 + 4 * step), "post": person(500)} for step in range(25)]
    detections = {step: [found(here["a"])] for step, here in enumerate(scene)}
    detections[0] = [*detections[0], found(scene[0]["post"], 0.8)]

    tracked, script = run(scene, detections)

    assert ids(tracked[:5]) == [[1, 2]] * 5
    assert ids(tracked[10:]) == [[1]] * 15
    assert set(script.followed.values()) == {"a"}


def test_an_error_of_a_single_frame_becomes_no_entity() -> None:
    scene = [{"a": person(20 + 4 * step), "post": person(500)} for step in range(25)]
    script = Script(scene)
    tracker = MaskTracker("masks", script)
    seen = [
        {"a": (here["a"], (200, 30, 30))} | ({"post": (here["post"], (0, 0, 0))} if step == 3 else {})
        for step, here in enumerate(scene)
    ]

    tracks, _ = observe(tracker, seen)

    assert [track.box_at(0) for track in tracks] == [person(20)]


def test_the_label_is_what_most_detections_said() -> None:
    scene = walking(5)
    said = ["cat", "dog", "dog", "cat", "dog"]

    tracked, script = run(scene, {step: [found(scene[step]["a"], 0.9, label)] for step, label in enumerate(said)})

    assert [items[0].detection.label for items in tracked] == ["cat", "cat", "dog", "cat", "dog"]
    assert ids(tracked) == [[1]] * 5
    assert len(script.prompts) == 1  # none of them had to be segmented to know it


def test_a_detection_that_overlaps_no_mask_starts_a_track() -> None:
    scene = [{"a": person(100)}] * 3 + [{"a": person(100), "b": person(400)}] * 3

    tracked, _ = run(scene)

    assert ids(tracked) == [[1]] * 3 + [[1, 2]] * 3


def test_weak_detections_start_nothing_but_confirm() -> None:
    scene = walking(4)

    tracked, script = run(scene, {step: [found(scene[step]["a"], 0.4)] for step in range(4)})
    assert ids(tracked) == [[]] * 4
    assert script.prompts == []

    tracked, _ = run(
        scene, {0: [found(scene[0]["a"], 0.4)], 1: [found(scene[1]["a"], 0.6)], 3: [found(scene[3]["a"], 0.3)]}
    )
    assert ids(tracked) == [[], [1], [1], [1]]
    assert tracked[3][0].detection.confidence > 0.5  # a weak one takes nothing away


def test_one_thing_that_is_detected_twice_is_one_track() -> None:
    # Two labels, and a box of the upper half only.
    box = person(100)
    detections = [
        found(box, 0.9, "dog"),
        found(Box(101, 101, 161, 251), 0.7, "cat"),
        found(Box(100, 100, 160, 165), 0.8, "dog"),
    ]

    tracked, script = run([{"a": box}] * 3, dict.fromkeys(range(3), detections))

    assert ids(tracked) == [[1]] * 3
    assert len(script.followed) == 1
    assert tracked[2][0].detection.label == "dog"


def test_a_mask_of_a_part_belongs_to_the_whole_of_the_same_label_only() -> None:
    # A box of the head started it; from then on the detector sees all of the person.
    whole, head = person(100), Box(100, 100, 160, 150)
    scene = [{"head": head, "whole": whole}] * 12

    same, script = run(scene, {step: [found(whole if step else head)] for step in range(12)})
    other, _ = run(scene, {step: [found(whole) if step else found(head, 0.9, "hat")] for step in range(12)})

    assert ids(same) == [[1]] * 12
    assert same[11][0].detection.confidence == pytest.approx(0.9)  # confirmed by each
    assert len(script.followed) == 1
    assert ids(other)[1] == [1, 2]


def test_a_rider_is_not_taken_for_the_horse() -> None:
    horse, rider = Box(100, 100, 300, 300), Box(100, 60, 200, 300)
    scene = [{"horse": horse}] * 2 + [{"horse": horse, "rider": rider}] * 3
    detections = {0: [found(horse, 0.9, "horse")], 2: [found(rider, 0.9, "person")]}

    tracked, _ = run(scene, detections)

    assert ids(tracked) == [[1]] * 2 + [[1, 2]] * 3
    assert [item.detection.label for item in tracked[4]] == ["horse", "person"]


def test_a_small_thing_in_front_of_a_large_one_is_a_track_of_its_own() -> None:
    scene = [{"bed": Box(50, 50, 600, 340), "cat": Box(300, 200, 360, 240)}] * 3

    tracked, _ = run(
        scene, {step: [found(box, 0.9, name) for name, box in here.items()] for step, here in enumerate(scene)}
    )

    assert [[(item.track_id, item.detection.label) for item in items] for items in tracked] == [
        [(1, "bed"), (2, "cat")]
    ] * 3


def test_a_detection_without_anything_to_segment_is_no_track() -> None:
    tracked, script = run([{}, {"a": person(100)}], {step: [found(person(400))] for step in range(2)})

    assert ids(tracked) == [[], []]
    assert script.followed == {}


def test_boxes_outside_the_picture_are_no_prompts() -> None:
    outside = Detection(Box(700, 100, 760, 250), "person", 0.9)

    tracked, script = run([{"a": person(100)}], {0: [outside]})

    assert ids(tracked) == [[]]
    assert script.prompts == []


@pytest.mark.parametrize("with_detections", [True, False])
def test_what_is_hidden_for_under_a_second_keeps_its_id(with_detections: bool) -> None:
    scene = [{} if 4 <= step < 8 else {"a": person(100)} for step in range(12)]

    tracked, _ = run(scene, None if with_detections else {0: [found(person(100))]})

    assert ids(tracked) == [[1]] * 4 + [[]] * 4 + [[1]] * 4


def test_a_detection_where_a_mask_was_lost_brings_the_track_back() -> None:
    # The model itself does not find it again.
    scene = [{"a": person(100)}] * 3 + [{}] * 2 + [{"b": person(110)}] * 3

    tracked, script = run(scene)

    assert ids(tracked) == [[1]] * 3 + [[]] * 2 + [[1]] * 3
    assert list(script.followed.values()) == ["b"]


def test_something_else_where_a_mask_was_lost_is_another_track() -> None:
    scene = [{"a": person(100)}] * 3 + [{}] * 2 + [{"b": person(110)}] * 3

    tracked, _ = run(
        scene, {step: [found(box, 0.9, name) for name, box in here.items()] for step, here in enumerate(scene)}
    )

    assert ids(tracked) == [[1]] * 3 + [[]] * 2 + [[2]] * 3


def test_more_than_a_second_unseen_ends_a_track() -> None:
    scene = [{"a": person(100)}] * 4 + [{}] * 6 + [{"a": person(100)}] * 4

    tracked, script = run(scene)

    assert ids(tracked) == [[1]] * 4 + [[]] * 6 + [[2]] * 4
    assert len(script.followed) == 1


@pytest.mark.parametrize(("in_front", "kept"), [("a", 1), ("b", 2)])
def test_of_two_masks_on_one_thing_the_one_that_detections_confirm_stays(in_front: str, kept: int) -> None:
    # One walker disappears behind the other, and the mask goes over to the one in front.
    apart = [{"a": person(100 + 10 * step), "b": person(300 - 10 * step)} for step in range(9)]
    met = {"a": person(194), "b": person(194)} | {in_front: person(190)}
    scene = [*apart, *[met] * 5]
    detections = {
        step: [found(box) for name, box in here.items() if step < 9 or name == in_front]
        for step, here in enumerate(scene)
    }

    tracked, script = run(scene, detections)

    assert ids(tracked[:9]) == [[1, 2]] * 9
    assert ids(tracked[9:]) == [[kept]] * 5
    assert list(script.followed.values()) == [in_front]


def test_a_chunk_hands_its_tracks_over_by_the_boxes_of_detections() -> None:
    scene = [{"a": person(100), "b": person(400)}] * 105

    tracked, script = run(scene)

    assert ids(tracked) == [[1, 2]] * 105
    assert [(step, isinstance(prompt, Box)) for step, prompt in script.prompts] == [
        (step, True) for step in (0, 0, 50, 50, 100, 100)
    ]
    assert len(script.followed) == 2


def test_without_a_detection_a_chunk_hands_over_masks() -> None:
    scene = walking(55)

    tracked, script = run(scene, {step: [found(scene[step]["a"])] for step in range(0, 49, 7)})

    assert ids(tracked) == [[1]] * 55
    assert [step for step, _ in script.prompts] == [0, 50]
    assert np.array_equal(script.prompts[1][1], mask_of(scene[50]["a"]))


def test_at_the_hand_over_a_box_that_shows_something_else_gives_way_to_the_mask() -> None:
    # Where the tracks are handed over the box that agrees with b lies a little nearer to a, who stands in front.
    scene = [{"b": person(100)}] * 50 + [{"a": person(144), "b": person(100)}, {"b": person(100)}]
    detections: dict[int, list[Detection]] = {step: [found(person(100))] for step in range(50)}
    detections[50] = [found(person(124))]

    tracked, script = run(scene, detections)

    assert ids(tracked[49:]) == [[1]] * 3
    assert isinstance(script.prompts[1][1], Box)
    assert list(script.followed.values()) == ["b"]


def test_what_is_hidden_at_the_hand_over_is_handed_over_when_it_is_seen_again() -> None:
    scene = [{} if 49 <= step < 53 else {"a": person(100)} for step in range(60)]

    tracked, script = run(scene, {step: [found(person(100))] for step in range(49)})

    assert ids(tracked[53:]) == [[1]] * 7
    assert [step for step, _ in script.prompts] == [0, 53]


def test_a_cut_ends_all_tracks_and_ids_are_never_used_again() -> None:
    script = Script([{"a": person(100), "b": person(400)}] * 4)
    tracker = MaskTracker("masks", script)
    both = [found(person(100)), found(person(400))]
    before = tracker.update(frame_of(0, []), both)
    tracker.reset()

    assert script.followed == {}
    assert tracker.update(frame_of(1, []), []) == []
    after = tracker.update(frame_of(2, []), both)
    assert [item.track_id for item in before + after] == [1, 2, 3, 4]


def test_a_track_leaves_and_another_comes_without_mixing_them_up() -> None:
    scene = [{"a": person(100 - 15 * step)} for step in range(10)] + [{}] * 8 + [{"b": person(10)}] * 5

    tracked, _ = run([{name: box for name, box in here.items() if found(box).box.area > 0} for here in scene])

    assert {item.track_id for items in tracked[:10] for item in items} == {1}
    assert {item.track_id for items in tracked[18:] for item in items} == {2}
    last = [items for items in tracked[:10] if items][-1][0].detection.box
    assert last.x_min == 0


def test_a_box_leaves_out_the_specks_of_a_mask() -> None:
    mask = mask_of(Box(100, 100, 200, 300))
    mask[2:4, 300:302] = True  # a speck
    mask[50:150, 110:130] = True  # a part of it behind a post
    picture = np.zeros((HEIGHT_PX, WIDTH_PX, 3), np.uint8)

    assert box_of(mask, picture) == Box(100, 100, 260, 300)
    assert box_of(np.zeros((90, 160), bool), picture) is None


def test_times_and_not_frames_count() -> None:
    script = Script([{"a": person(100)}] * 200)
    tracker = MaskTracker("masks", script)

    for step in range(200):
        tracker.update(frame_of(step, [], step_s=STEP_S / 2), [found(person(100))])

    assert [step for step, _ in script.prompts] == [0, 100]
