from __future__ import annotations

import numpy as np
import pytest

from ravu_kg.types import Image, VideoFrame
from ravu_kg.video.shots import ShotDetector


def _scene(colors: tuple[tuple[int, int, int], ...], seed: int) -> Image:
    """Patches of a few colours with some noise."""
    random = np.random.default_rng(seed)
    patches = np.array(colors)[random.integers(0, len(colors), (9, 16))]
    noise = random.integers(-8, 8, (180, 320, 3))
    return np.clip(patches.repeat(20, axis=0).repeat(20, axis=1) + noise, 0, 255).astype(np.uint8)


STREET = _scene(((90, 90, 95), (60, 70, 60), (130, 120, 110)), 1)
MEADOW = _scene(((40, 160, 50), (60, 190, 80), (120, 180, 230)), 2)


def _starts(pictures: list[Image]) -> list[int]:
    shots = ShotDetector()
    return [n for n, picture in enumerate(pictures) if shots.starts_shot(VideoFrame(n * 6, n * 0.2, picture))]


def test_a_cut_starts_a_shot_with_its_first_frame() -> None:
    assert _starts([STREET] * 5 + [MEADOW] * 5 + [STREET] * 5) == [5, 10]


def test_the_last_frame_can_start_a_shot() -> None:
    assert _starts([STREET] * 5 + [MEADOW]) == [5]


def test_motion_is_no_cut_however_fast() -> None:
    assert _starts([np.roll(STREET, 40 * n, axis=1) for n in range(12)]) == []


def test_something_that_comes_to_fill_the_picture_is_no_cut() -> None:
    pictures: list[Image] = []
    for width_px in range(0, 321, 40):
        picture = STREET.copy()
        picture[:, :width_px] = MEADOW[:, :width_px]
        pictures.append(picture)

    assert _starts(pictures) == []


def test_a_change_of_brightness_alone_within_reason_is_no_cut() -> None:
    darker = (STREET * 0.9).astype(np.uint8)

    assert _starts([STREET] * 4 + [darker] * 4) == []


@pytest.mark.parametrize("shape", [(1, 1, 3), (2, 500, 3), (2160, 3840, 3)])
def test_pictures_of_any_size_are_taken(shape: tuple[int, int, int]) -> None:
    dark, bright = np.zeros(shape, np.uint8), np.full(shape, (240, 40, 40), np.uint8)

    assert _starts([dark, dark, dark, bright, bright]) == [3]
