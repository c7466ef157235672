"""What a question and an option claim together."""

from __future__ import annotations

import pytest

from ravu_kg.reasoning.claims import are_sentences, claim, parts


@pytest.mark.parametrize(
    ("question", "option", "claimed"),
    [
        ("what did the white dog do after going to the cushion?", "shake its body", "the white dog shake its body"),
        (
            "why did the baby hold on to the chair at the end",
            "to stand up",
            "the baby hold on to the chair to stand up",
        ),
        ("why did the boy wear a hat", "shade the sun", "the boy wear a hat to shade the sun"),
        ("why does the boy sway his head", "talking", "the boy sway his head for talking"),
        ("why is the girl sad", "she lost her ball", "the girl sad because she lost her ball"),
        ("how did the children fill the bucket", "using a tap", "the children fill the bucket by using a tap"),
        ("how many dogs are there in the video", "two", "two dogs"),
        ("where are the people performing", "room", "the people performing in room"),
        ("where are the people performing", "on a stage", "the people performing on a stage"),
        ("what is the color of the bib", "red", "the color of the bib is red"),
        ("what is the boy holding", "a kite", "the boy holding a kite"),
        ("Who is  singing?", "The lady.", "the lady is singing"),
        ("does it rain", "heavily", "does it rain heavily"),
    ],
)
def test_question_and_option_become_a_statement_without_its_time(question: str, option: str, claimed: str) -> None:
    assert claim(question, option) == claimed


def test_a_sentence_has_parts_and_a_phrase_is_one() -> None:
    assert parts("C cleans the mold, then scoops clay and drops the brick.") == [
        "c cleans the mold",
        "scoops clay",
        "drops the brick",
    ]
    assert parts("Red") == ["red"]
    assert parts("") == [""]


def test_long_options_are_sentences() -> None:
    long = "c mixes cement with water in a bucket and then lays one brick after the other"
    assert are_sentences([long, long])
    assert not are_sentences([long, "sings", "dances"])
