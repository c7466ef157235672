from __future__ import annotations

import cv2
import numpy as np
import pytest

from ravu_kg.types import Box, Image
from ravu_kg.video.overlay import draw, palette

RED, BLUE = "#ff0000", "#0000ff"


def _rgb(color: str) -> tuple[int, ...]:
    return tuple(int(color[at : at + 2], 16) for at in (1, 3, 5))


@pytest.mark.parametrize(("count", "least_difference"), [(8, 60), (24, 30), (40, 20)])
def test_colours_of_a_palette_are_far_apart_to_the_eye(count: int, least_difference: float) -> None:
    colors = np.array([[_rgb(color) for color in palette(count)]], np.float32) / 255
    lab = cv2.cvtColor(colors, cv2.COLOR_RGB2Lab)[0]

    distances = np.linalg.norm(lab[:, None] - lab[None], axis=-1) + 1e3 * np.eye(count)

    assert distances.min() > least_difference


def test_a_longer_palette_keeps_the_colours_of_a_shorter_one() -> None:
    assert palette(12)[:5] == palette(5)
    assert palette(0) == ()
    assert len(palette(5000)) == 5000


def _black(width_px: int = 320, height_px: int = 240) -> Image:
    return np.zeros((height_px, width_px, 3), np.uint8)


def test_boxes_are_outlined_in_their_colours_and_the_picture_is_left_alone() -> None:
    picture = _black()

    drawn = draw(picture, [Box(50, 60, 150, 160), Box(200, 60, 300, 160)], [RED, BLUE], ["", ""])

    assert not picture.any()
    assert tuple(drawn[110, 50]) == _rgb(RED)
    assert tuple(drawn[110, 300]) == _rgb(BLUE)
    assert not drawn[110, 100].any()


@pytest.mark.parametrize("size", [(64, 48), (320, 240), (1920, 1080), (240, 1000)])
@pytest.mark.parametrize("box", [(0.1, 0.5, 0.4, 0.9), (0, 0, 1, 1), (0.8, 0, 1, 0.1), (-0.5, -0.5, 0.2, 0.2)])
def test_labels_are_whole_and_readable_at_any_size(size: tuple[int, int], box: tuple[float, ...]) -> None:
    width_px, height_px = size
    place = Box(box[0] * width_px, box[1] * height_px, box[2] * width_px, box[3] * height_px)

    plain = draw(_black(*size), [place], [BLUE], [""])
    drawn = draw(_black(*size), [place], [BLUE], ["12"])

    rows, columns = np.nonzero((drawn != plain).any(axis=-1))
    letters = (drawn > 200).all(axis=-1)
    assert np.ptp(rows) + 1 >= 8  # pixels that the letters are high
    assert letters.sum() >= 10
    rows, columns = np.nonzero(letters)
    assert rows.min() > 0
    assert columns.min() > 0
    assert rows.max() < height_px - 1
    assert columns.max() < width_px - 1


def test_labels_of_boxes_on_one_spot_do_not_cover_each_other() -> None:
    box = Box(100, 100, 200, 200)

    both = draw(_black(), [box, box], [RED, BLUE], ["1", "2"])
    first, second = draw(_black(), [box], [RED], ["1"]), draw(_black(), [box], [BLUE], ["2"])

    letters = [(picture > 200).all(axis=-1).sum() for picture in (both, first, second)]
    assert letters[0] == letters[1] + letters[2]


def test_letters_stand_out_from_their_patch() -> None:
    for color in palette(24):
        drawn = draw(_black(), [Box(100, 100, 200, 200)], [color], ["8"])
        patch = drawn[84:99, 101:108].astype(float) @ (0.299, 0.587, 0.114)
        assert np.ptp(patch) > 75


def test_unequal_lists_are_refused() -> None:
    with pytest.raises(ValueError, match="argument"):
        draw(_black(), [Box(0, 0, 9, 9)], [], [""])
