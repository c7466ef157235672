from __future__ import annotations

import pytest

from ravu_kg.reasoning.states import match_state, take_order


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("the dog is away", "the dog absent"),
        ("is the dog not in the frame", "the dog absent"),
        ("is not the dog in the frame", "the dog absent"),
        ("the dog's absence", "the dog absent"),
        ("can we not see the dog", "the dog absent"),
        ("does the video not show the dog", "the dog absent"),
        ("no dog is visible", "dog absent"),
        ("the dog is visible", "the dog present"),
        ("can the dog be seen", "the dog present"),
        ("the dog walks into the room", "the dog enters"),
        ("the second person shows up", "the second person enters"),
        ("the dog reappears", "the dog returns"),
        ("the dog walks out of the picture", "the dog leaves"),
        ("the dog disappears", "the dog leaves"),
        ("is the dog beside the woman", "the dog near the woman"),
        ("is the dog not near the woman", "the dog far the woman"),
        ("is the dog away from the woman", "the dog far the woman"),
        ("the woman and the dog are together", "the woman near the dog"),
        ("the woman and the dog are apart", "the woman far the dog"),
    ],
)
def test_states(text: str, said: str) -> None:
    state = match_state(text)
    assert state is not None
    assert " ".join(part for part in (state.subject, state.name, state.object) if part) == said


@pytest.mark.parametrize(
    "text",
    ["the man on the left", "the man moves left", "the dog eats", "", "is", "what is the dog doing there now please"],
)
def test_what_is_no_state(text: str) -> None:
    assert match_state(text) is None


def test_gone_is_a_change_or_a_state() -> None:
    assert match_state("the dog is gone", gone="absent").name == "absent"  # type: ignore[union-attr]
    assert match_state("the dog is gone", gone="leaves").name == "leaves"  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("text", "left", "which", "order"),
    [
        ("who comes next", "who comes", "all", "next"),
        ("who comes first", "who comes", "first", "first"),
        ("who leaves last", "who leaves", "last", "last"),
        ("the first person leaves", "the first person leaves", "all", None),
    ],
)
def test_order_words(text: str, left: str, which: str, order: str | None) -> None:
    ordered = take_order(text)
    assert (ordered.text, ordered.which, ordered.order) == (left, which, order)
