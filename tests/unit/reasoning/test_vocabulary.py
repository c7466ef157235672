from __future__ import annotations

import pytest

from ravu_kg.reasoning.vocabulary import is_known, matching_labels, plural, read_phrase, singular

COCO = ["person", "dog", "cat", "dining table", "cell phone", "bicycle", "car", "tv", "sports ball", "teddy bear"]


@pytest.mark.parametrize(
    ("noun", "labels"),
    [
        ("person", ["person"]),
        ("woman", ["person"]),
        ("kid", ["person"]),
        ("puppy", ["dog"]),
        ("bear", []),
        ("table", ["dining table"]),
        ("phone", ["cell phone"]),
        ("bike", ["bicycle"]),
        ("television", ["tv"]),
        ("ball", ["sports ball"]),
        ("animal", ["dog", "cat"]),
        ("vehicle", ["bicycle", "car"]),
        ("thing", COCO),
        ("zebra", []),
        ("spaceship", []),
    ],
)
def test_what_a_noun_means_among_coco_labels(noun: str, labels: list[str]) -> None:
    assert matching_labels(noun, COCO) == labels


def test_an_exact_label_wins_over_its_kind() -> None:
    assert matching_labels("woman", ["woman", "man", "person"]) == ["woman"]
    assert matching_labels("person", ["woman", "man", "dog"]) == ["woman", "man"]


@pytest.mark.parametrize(
    ("text", "noun", "ordinal", "many", "definite", "modified"),
    [
        ("the first person", "person", 1, False, True, False),
        ("the last man", "man", -1, False, True, False),
        ("the man in red", "man", None, False, True, True),
        ("people", "person", None, True, False, False),
        ("dogs", "dog", None, True, False, False),
        ("a dog", "dog", None, False, False, False),
        ("the black dog", "dog", None, False, True, True),
        ("the dining tables", "dining table", None, True, True, False),
        ("her dog owners", "dog", None, True, True, True),
        ("the gizmo", "gizmo", None, False, True, False),
        ("", "", None, False, False, False),
    ],
)
def test_a_phrase_taken_apart(
    text: str, noun: str, ordinal: int | None, many: bool, definite: bool, modified: bool
) -> None:
    read = read_phrase(text)
    found = (read.noun, read.ordinal, read.plural, read.definite, read.modified)
    assert found == (noun, ordinal, many, definite, modified)


@pytest.mark.parametrize(
    ("one", "many"),
    [
        ("person", "people"),
        ("child", "children"),
        ("dog", "dogs"),
        ("bus", "buses"),
        ("baby", "babies"),
        ("taxi", "taxis"),
        ("potato", "potatoes"),
        ("wolf", "wolves"),
        ("sunglasses", "sunglasses"),
    ],
)
def test_plural_and_back(one: str, many: str) -> None:
    assert plural(one) == many
    assert singular(many) == one


def test_words_that_only_look_plural() -> None:
    assert [singular(word) for word in ("grass", "bus", "is", "tennis")] == ["grass", "bus", "is", "tennis"]


def test_known_nouns() -> None:
    assert is_known("dog")
    assert not is_known("gizmo")
