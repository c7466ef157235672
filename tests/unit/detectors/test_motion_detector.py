from __future__ import annotations

import cv2
import numpy as np
import pytest

from ravu_kg.errors import ConfigurationError
from ravu_kg.plugins import load_detector
from ravu_kg.providers.motion import MotionDetector, create
from ravu_kg.types import Box, Detection, Image, VideoFrame

WIDTH_PX, HEIGHT_PX = 640, 480


def _background(seed: int = 0) -> Image:
    random = np.random.default_rng(seed)
    coarse = random.integers(40, 200, (12, 16, 3), np.uint8)
    return np.asarray(coarse.repeat(40, axis=0).repeat(40, axis=1), dtype=np.uint8)


def _with(picture: Image, *boxes: Box) -> Image:
    picture = picture.copy()
    for box in boxes:
        picture[int(box.y_min) : int(box.y_max), int(box.x_min) : int(box.x_max)] = (250, 20, 230)
    return picture


def _found(pictures: list[Image]) -> list[list[Detection]]:
    return MotionDetector().detect([VideoFrame(n * 6, n * 0.2, picture) for n, picture in enumerate(pictures)])


def test_what_moves_is_boxed_and_what_does_not_is_not() -> None:
    still = _background()
    boxes = [Box(30 + 40 * n, 200, 110 + 40 * n, 360) for n in range(8)]

    found = _found([still] * 5 + [_with(still, box) for box in boxes] + [still])

    assert found[:5] == [[]] * 5
    for detections, box in zip(found[5:13], boxes, strict=True):
        (detection,) = detections
        assert detection.label == "moving object"
        assert detection.box.iou(box) > 0.8
        assert 0.5 <= detection.confidence <= 1
    assert found[13] == []


def test_it_tells_that_it_remembers_and_is_found_by_name() -> None:
    detector = load_detector("motion", {})

    assert detector.stateful
    assert detector.name == "motion"


def test_parts_close_together_are_one_object_and_far_apart_two() -> None:
    still = _background()
    near = _with(still, Box(200, 100, 260, 200), Box(200, 206, 260, 300))
    far = _with(still, Box(100, 100, 160, 200), Box(400, 206, 460, 300))

    found = _found([still] * 5 + [near, still, far])

    assert [len(boxes) for boxes in found[5:]] == [1, 0, 2]
    assert found[5][0].box.iou(Box(200, 100, 260, 300)) > 0.9


def test_specks_and_noise_are_ignored() -> None:
    still = _background()
    random = np.random.default_rng(1)

    def noisy(picture: Image) -> Image:
        return np.clip(picture + random.normal(0, 3, picture.shape), 0, 255).astype(np.uint8)

    found = _found([noisy(still) for _ in range(8)] + [noisy(_with(still, Box(300, 300, 312, 312)))])

    assert not any(found)


def test_a_cut_gives_no_boxes_and_the_new_background_is_learned() -> None:
    first, second = _background(1), _background(2)
    box = Box(300, 100, 400, 300)

    found = _found([first] * 5 + [second] * 3 + [_with(second, box)])

    assert found[5:8] == [[], [], []]
    assert [one.box.iou(box) > 0.8 for one in found[8]] == [True]


@pytest.mark.parametrize("gain", [0.85, 1.2])
def test_a_camera_that_adapts_its_exposure_moves_nothing(gain: float) -> None:
    still = _background()
    changed = np.clip(still * gain, 0, 255).astype(np.uint8)
    box = Box(300, 100, 400, 300)

    found = _found([still] * 5 + [changed] * 2 + [_with(changed, box)])

    assert found[5:7] == [[], []]
    assert [one.box.iou(box) > 0.8 for one in found[7]] == [True]


def test_somebody_who_waits_a_few_seconds_still_stands_out() -> None:
    still = _background()

    found = _found([still] * 20 + [_with(still, Box(300, 100, 400, 300))] * 25)

    assert all(len(boxes) == 1 for boxes in found[20:])


def test_the_same_frames_give_the_same_boxes() -> None:
    still = _background()
    pictures = [still] * 3 + [_with(still, Box(20 * n, 200, 20 * n + 80, 360)) for n in range(20)]

    assert _found(pictures) == _found(pictures)


def test_a_model_or_an_option_is_refused() -> None:
    with pytest.raises(ConfigurationError, match="takes no model"):
        create("mog2", {})
    with pytest.raises(ConfigurationError, match="history"):
        create("", {"history": 5})


def test_a_slowly_panning_camera_gives_no_boxes_and_one_that_stops_does_again() -> None:
    scene = np.random.default_rng(3).integers(0, 255, (240, 600, 3), dtype=np.uint8)
    scene = np.asarray(cv2.GaussianBlur(scene, (0, 0), 2), dtype=np.uint8)
    detector = MotionDetector()
    for number in range(20):
        image = scene[:, 2 * number : 2 * number + 320].copy()
        found = detector.detect([VideoFrame(number, number * 0.2, image)])[0]
        assert number < 3 or found == [], f"picture {number}"
    for number in range(20, 26):
        image = scene[:, 40:360].copy()
        if number > 22:
            image[80:160, 30 * number - 600 : 30 * number - 550] = 255
        found = detector.detect([VideoFrame(number, number * 0.2, image)])[0]
    assert len(found) == 1


def test_one_thing_that_crosses_a_plain_still_picture_is_no_pan() -> None:
    detector = create("", {})
    frames: list[VideoFrame] = []
    for number in range(12):
        image = np.full((120, 160, 3), 60, np.uint8)
        image[40:80, 10 + number * 5 : 40 + number * 5] = (220, 40, 40)
        frames.append(VideoFrame(number, number / 10, image))
    assert all(detector.detect(frames)[1:])
