from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from ravu_kg.errors import ConfigurationError
from ravu_kg.plugins import load_detector
from ravu_kg.providers.people import create
from ravu_kg.providers.yolox import create as create_yolox
from ravu_kg.types import Detection, VideoFrame
from ravu_kg.video.reader import probe, read_frames


@pytest.fixture(scope="module")
def street(data_dir: Path) -> list[VideoFrame]:
    """People who walk past at eye level."""
    return list(read_frames(probe(data_dir / "mot" / "TUD-Stadtmitte" / "TUD-Stadtmitte.mp4"), 1))


def test_most_people_in_a_street_are_found_and_nothing_else(data_dir: Path, street: list[VideoFrame]) -> None:
    found = load_detector("people", {}).detect(street)
    true = [
        [one for one in boxes if one.label == "person" and one.confidence > 0.4]
        for boxes in create_yolox(str(data_dir / "detectors" / "yolox_nano_416.onnx"), {}).detect(street)
    ]

    def seen(one: Detection, others: list[Detection], iou: float) -> bool:
        return any(one.box.iou(other.box) > iou for other in others)

    people = [seen(one, boxes, 0.4) for boxes, others in zip(found, true, strict=True) for one in others]
    finds = [seen(one, others, 0.3) for boxes, others in zip(found, true, strict=True) for one in boxes]
    assert sum(people) > 0.6 * len(people)
    assert sum(finds) > 0.9 * len(finds)
    assert all(one.label == "person" and 0.5 <= one.confidence <= 1 for boxes in found for one in boxes)


def test_a_frame_gives_the_same_boxes_whatever_came_before(street: list[VideoFrame]) -> None:
    detector = create("", {})

    together = detector.detect(street[:3])

    assert not detector.stateful
    assert [create("", {}).detect([frame])[0] for frame in street[:3]] == together


def test_boxes_are_in_displayed_pixels_of_a_larger_picture(street: list[VideoFrame]) -> None:
    frame = street[0]
    larger = VideoFrame(0, 0.0, np.asarray(frame.image.repeat(2, axis=0).repeat(2, axis=1), dtype=np.uint8))

    (small,), (large,) = create("", {}).detect([frame]), create("", {}).detect([larger])

    assert small
    assert any(abs(2 * small[0].box.x_min - one.box.x_min) < 40 for one in large)
    assert max(one.box.x_max for one in large) > frame.image.shape[1]


@pytest.mark.parametrize("shape", [(1, 1, 3), (100, 60, 3), (20, 2000, 3)])
def test_pictures_too_small_for_a_person_give_none(shape: tuple[int, int, int]) -> None:
    assert create("", {}).detect([VideoFrame(0, 0.0, np.zeros(shape, np.uint8))]) == [[]]


def test_a_model_or_an_option_is_refused() -> None:
    with pytest.raises(ConfigurationError, match="takes no model"):
        create("hog", {})
    with pytest.raises(ConfigurationError, match="scale"):
        create("", {"scale": 1.2})
