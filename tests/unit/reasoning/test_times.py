from __future__ import annotations

import pytest

from ravu_kg.reasoning.spelling import corrected
from ravu_kg.reasoning.times import Stretch, seconds_in, take_moment, take_stretch


@pytest.mark.parametrize(
    ("text", "stretch", "rest"),
    [
        ("who comes between 20 and 40 seconds", Stretch(20, 40), "who comes"),
        ("who comes between second 20 and second 40", Stretch(20, 40), "who comes"),
        ("from 0:20 to 1:05 who comes", Stretch(20, 65), "who comes"),
        ("who comes in the interval 20-40 s", Stretch(20, 40), "who comes"),
        ("between 1 and 2 minutes, who comes", Stretch(60, 120), "who comes"),
        ("who comes in the first minute", Stretch(0, 60), "who comes"),
        ("who comes during the last ten seconds", Stretch(-10, None), "who comes"),
        ("who comes after 80 s", Stretch(80, None), "who comes"),
        ("who comes from second 80 on", Stretch(80, None), "who comes"),
        ("who comes before the 30 second mark", Stretch(0, 30), "who comes"),
    ],
)
def test_a_stretch_is_taken_out(text: str, stretch: Stretch, rest: str) -> None:
    assert take_stretch(text) == (stretch, rest)


@pytest.mark.parametrize(
    "text",
    [
        "who stands between the two men",
        "who walks from one side to the other",
        "what happens after a second",
        "who comes after the second person",
        "what does the dog do after 2 men leave",
        "between 40 and 20 seconds",
    ],
)
def test_other_numbers_are_no_stretch(text: str) -> None:
    assert take_stretch(text) == (None, text)


@pytest.mark.parametrize(
    ("text", "time_s"),
    [("who is there at 30", 30), ("at 0:30 who is there", 30), ("who is there at the 30 second mark", 30),
     ("who is there around 2.5 s", 2.5), ("who is there 5 seconds in", 5), ("who is there at minute 2", 120)],
)  # fmt: skip
def test_a_moment_is_taken_out(text: str, time_s: float) -> None:
    assert take_moment(text) == (time_s, "who is there")


@pytest.mark.parametrize("text", ["who looks at two men", "what is about 30 years old", "at one point"])
def test_other_numbers_are_no_moment(text: str) -> None:
    assert take_moment(text) == (None, text)


def test_times_in_a_text() -> None:
    assert seconds_in("2.5-3.3 s, then 1:10") == [2.5, 3.3, 70]
    assert seconds_in("two dogs and 3 cats") == []


def test_slips_of_the_keyboard_and_words_that_look_like_one() -> None:
    assert corrected("how many poeple arive afetr the beginning") == "how many people arive after the beginning"
    right = "there are three theme songs, then her friends went where the others were"
    assert corrected(right) == right
