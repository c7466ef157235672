"""A clause that tells what somebody does is looked for by what it means, not taken for somebody who is there."""

from __future__ import annotations

import pytest

from ravu_kg.reasoning.plan import LocalizeNode
from ravu_kg.reasoning.planner import RulePlanner


def anchor(question: str) -> LocalizeNode:
    arguments = RulePlanner().plan(question).steps[0].arguments
    assert isinstance(arguments, LocalizeNode)
    return arguments


@pytest.mark.parametrize(
    ("question", "phrase"),
    [
        ("What did the dog do after the woman threw the toy?", "the woman threw the toy"),
        ("What did the woman do before she threw the toy?", "the woman threw the toy"),
        ("What does the dog do while the woman holds out both hands?", "the woman holds out both hands"),
    ],
)
def test_an_action_is_localized_by_its_meaning(question: str, phrase: str) -> None:
    assert anchor(question).query == phrase
    assert anchor(question).state is None


@pytest.mark.parametrize("who", ["the second person", "the man in the red shirt", "the big brown dog"])
def test_somebody_alone_is_localized_by_presence(who: str) -> None:
    state = anchor(f"What happens after {who}?").state
    assert state is not None
    assert (state.subject, state.name) == (who, "present")
