"""The indefinite article follows how a word is said."""

from __future__ import annotations

import pytest

from ravu_kg.articles import with_article


@pytest.mark.parametrize(
    "said",
    [
        "a dog",
        "an orange car",
        "an Airedale",
        "a uniform",
        "a unicycle",
        "an uninvited guest",
        "an unimportant box",
        "an unidentified man",
        "a unidirectional arrow",
        "an unironed shirt",
        "a usable seat",
        "a ukulele",
        "a UFO",
        "a onesie",
        "an urban street",
        "a urinal",
        "a European flag",
        "a user",
        "an usher",
        "a one-eyed cat",
        "an hour glass",
        "a house",
        "a utensil",
        "an umbrella",
        "an upper shelf",
    ],
)
def test_article(said: str):
    assert with_article(said.split(" ", 1)[1]) == said
