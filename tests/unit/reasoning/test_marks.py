"""Marks of entities, which models write into descriptions, as names."""

from __future__ import annotations

import pytest

from ravu_kg.reasoning.marks import named

NAMES = {"1": "person 1", "2": "person 2", "3": "dog 1", "4": "lamp 1", "5": "Anna"}


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("The person #1 is busy. A lamp #4 shines.", "Person 1 is busy. Lamp 1 shines."),
        ("Behind the person #1 stands the dog #3.", "Behind person 1 stands dog 1."),
        ("#1 sits near #2.", "Person 1 sits near person 2."),
        ("The brown dog #3 runs.", "The brown dog (dog 1) runs."),
        ("The woman #1 waves to a man in white #2.", "The woman (person 1) waves to a man in white (person 2)."),
        ("The dog (#3) sees [#2], and the dog#3 barks.", "Dog 1 sees person 2, and dog 1 barks."),
        ("The person #5 is there.", "The person (Anna) is there."),
        ("A sign says Room #12, C# and #news.", "A sign says Room #12, C# and #news."),
        ("Nothing is marked.", "Nothing is marked."),
        ("", ""),
    ],
)  # fmt: skip
def test_a_mark_is_the_name_of_whom_it_marks(text: str, told: str) -> None:
    assert named(text, NAMES) == told
