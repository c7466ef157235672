from __future__ import annotations

import numpy as np
import pytest

from ravu_kg.types import Box, Image
from ravu_kg.video.faces import FaceBlur, head, is_person


def _checked() -> Image:
    """Squares of 8 pixels: fine detail everywhere, and no face."""
    rows, columns = np.indices((400, 300)) // 8
    return np.repeat((((rows + columns) % 2) * 255).astype(np.uint8)[..., None], 3, axis=2)


def test_the_head_of_a_person_is_blurred_and_the_rest_is_left_alone():
    picture = _checked()

    blurred = FaceBlur().blurred(picture, [Box(100, 100, 200, 380)])

    region = blurred[100:170, 100:200].astype(int)
    assert np.abs(np.diff(region, axis=1)).max() < 60  # no edge is left
    assert (picture == _checked()).all()
    assert (blurred[200:] == picture[200:]).all()
    assert (blurred[:, :80] == picture[:, :80]).all()


@pytest.mark.parametrize(
    "box", [Box(-50, -50, 20, 90), Box(290, 390, 500, 900), Box(10, 10, 10, 10), Box(900, 900, 950, 990)]
)
def test_people_at_and_beyond_the_edge_are_no_error(box: Box):
    assert FaceBlur().blurred(_checked(), [box]).shape == (400, 300, 3)


def test_more_of_a_close_up_is_taken_for_the_head_than_of_a_whole_figure():
    assert head(Box(0, 0, 100, 300)).y_max == pytest.approx(84)
    assert head(Box(0, 0, 100, 100)).y_max == pytest.approx(60)


@pytest.mark.parametrize(("label", "is_one"), [("person", True), ("old Man", True), ("dog", False), ("womanly", False)])
def test_labels_of_people(label: str, is_one: bool):
    assert is_person(label) is is_one
