"""Relations between entities of one frame."""

from __future__ import annotations

from collections import Counter

import pytest
from hand_made import a_box, a_perception, a_track
from hypothesis import given, settings
from hypothesis import strategies as st

from ravu_kg.perception.describing.relations import NEIGHBOURS, predicates, relations_among
from ravu_kg.perception.describing.scene import Placed
from ravu_kg.perception.geometry import describe
from ravu_kg.types import Box, GivenRelation, Relation

OPPOSITE = {"left_of": "right_of", "right_of": "left_of", "above": "below", "below": "above"}
SYMMETRIC = {"overlapping", "near", "far_from", "moving_with"}


def placed(
    track_id: int, box: Box, velocity: tuple[float, float] = (0, 0), *, size_px: float = 60, label: str = "person"
) -> Placed:
    return Placed(track_id, label, box, size_px, velocity, moving=velocity != (0, 0))


def at(x: float, y: float, width: float = 40, height: float = 90) -> Box:
    return Box(*a_box(x, y, width, height))


@pytest.mark.parametrize(
    ("subject", "other", "expected"),
    [
        (at(100, 180), at(300, 180), ["far_from", "left_of"]),
        (at(300, 180), at(100, 180), ["far_from", "right_of"]),
        (at(300, 40, 90, 40), at(300, 250, 90, 40), ["far_from", "above"]),
        (at(300, 250, 90, 40), at(300, 40, 90, 40), ["far_from", "below"]),
        (at(100, 180), at(160, 180), ["near", "left_of"]),
        (at(100, 180), at(200, 180), ["left_of"]),
        (at(100, 180), at(130, 180), ["overlapping", "near", "left_of"]),
        (at(100, 180), at(105, 180), ["overlapping", "near"]),
        (at(100, 180, 20, 20), at(100, 180, 200, 200), ["inside", "near"]),
        (at(100, 180, 200, 200), at(100, 180, 20, 20), ["overlapping", "near"]),
    ],
)
def test_two_still_boxes_have_a_distance_and_a_side(subject: Box, other: Box, expected: list[str]) -> None:
    assert predicates(placed(1, subject), placed(2, other)) == expected


@pytest.mark.parametrize(
    ("velocity", "other_velocity", "expected"),
    [
        ((60, 0), (0, 0), {"approaching"}),
        ((-60, 0), (0, 0), {"moving_away_from"}),
        ((0, 60), (0, 0), set()),
        ((60, 0), (60, 0), {"moving_with"}),
        ((60, 0), (55, 10), {"moving_with"}),
        ((60, 0), (120, 0), set()),
        ((5, 0), (0, 0), set()),
        ((0, 0), (-60, 0), set()),
    ],
)
def test_motion_relative_to_another(
    velocity: tuple[float, float], other_velocity: tuple[float, float], expected: set[str]
) -> None:
    found = predicates(placed(1, at(200, 180), velocity), placed(2, at(260, 180), other_velocity))
    assert set(found) & {"approaching", "moving_away_from", "moving_with"} == expected


def test_near_is_measured_by_the_usual_size_not_by_the_present_box() -> None:
    big, beside = Box(0, 0, 200, 200), Box(240, 0, 440, 200)
    assert "near" not in predicates(placed(1, big, size_px=60), placed(2, beside, size_px=60))
    assert "near" in predicates(placed(1, big, size_px=90), placed(2, beside, size_px=90))


def test_nobody_approaches_from_across_the_picture() -> None:
    found = predicates(placed(1, at(20, 180), (60, 0)), placed(2, at(600, 180)))
    assert "approaching" not in found


coordinates = st.floats(0, 600, allow_nan=False)
extents = st.floats(2, 300, allow_nan=False)
speeds = st.tuples(st.floats(-300, 300), st.floats(-300, 300))


@st.composite
def crowds(draw: st.DrawFn) -> list[Placed]:
    count = draw(st.integers(2, 9))
    people: list[Placed] = []
    for track_id in range(1, count + 1):
        x, y, width, height = draw(coordinates), draw(coordinates), draw(extents), draw(extents)
        size_px = draw(st.floats(5, 300))
        people.append(placed(track_id, Box(x, y, x + width, y + height), draw(speeds), size_px=size_px))
    return people


@settings(deadline=None)
@given(crowds())
def test_relations_agree_from_both_sides_and_with_the_boxes(crowd: list[Placed]) -> None:
    boxes = {one.track_id: one.box for one in crowd}
    found = relations_among(crowd)
    said = {(one.subject, one.object, one.predicate) for one in found}
    assert len(said) == len(found)
    assert all(count <= 4 for count in Counter((one.subject, one.object) for one in found).values())
    assert len({frozenset((one.subject, one.object)) for one in found}) <= NEIGHBOURS * len(crowd)
    for subject, other, predicate in said:
        (x, y), (other_x, other_y) = boxes[subject].center, boxes[other].center
        assert subject != other
        if predicate in OPPOSITE:
            assert (other, subject, OPPOSITE[predicate]) in said
            assert (other, subject, predicate) not in said
            ordered = {"left_of": x < other_x, "right_of": x > other_x, "above": y < other_y, "below": y > other_y}
            assert ordered[predicate]
        if predicate == "overlapping":
            assert {(other, subject, "overlapping"), (other, subject, "inside")} & said
        elif predicate in SYMMETRIC:
            assert (other, subject, predicate) in said
        if predicate == "inside":
            assert boxes[subject].area < boxes[other].area
            assert (other, subject, "inside") not in said
        if predicate == "near":
            assert (subject, other, "far_from") not in said


def frames_with(predicate: str, relations: list[Relation]) -> set[int]:
    return {int(one.subject_id.split("/")[1]) for one in relations if one.predicate == predicate}


@settings(max_examples=40, deadline=None)
@given(st.lists(st.tuples(coordinates, extents), min_size=4, max_size=10))
def test_near_frames_of_a_pair_are_strictly_nearer_than_its_far_frames(places: list[tuple[float, float]]) -> None:
    woman = a_track({0: a_box(60, 180), len(places) - 1: a_box(60, 180)})
    dog = a_track({float(k): a_box(x, 180, width, 60) for k, (x, width) in enumerate(places)}, 2, "dog")
    description = describe(a_perception(woman, dog, duration_s=len(places)), "v")
    window = description.windows[0]
    gap_px = {
        index: boxes[0].distance(boxes[1])
        for index in range(len(window.frames))
        if len(boxes := [node.box for node in window.nodes if node.frame_index == index and node.box]) == 2
    }
    near, far = (frames_with(predicate, list(window.relations)) for predicate in ("near", "far_from"))
    assert not near & far
    if near and far:
        assert max(gap_px[index] for index in near) < min(gap_px[index] for index in far)


def test_a_crowded_frame_keeps_only_nearest_neighbours() -> None:
    crowd = [
        placed(row * 10 + column + 1, at(40 + column * 60, 20 + row * 50, 20, 40))
        for row in range(5)
        for column in range(10)
    ]
    pairs = {frozenset((one.subject, one.object)) for one in relations_among(crowd)}
    assert len(crowd) / 2 <= len(pairs) <= NEIGHBOURS * len(crowd)


def test_sentences_tell_the_main_relation() -> None:
    woman = a_track({0: a_box(100, 180), 9: a_box(100, 180)})
    dog = a_track({0: a_box(180, 230, 60, 40), 9: a_box(180, 230, 60, 40)}, 2, "dog")
    nodes = describe(a_perception(woman, dog), "v").windows[0].nodes
    assert nodes[0].description == "A person stands still at the left of the picture, near the dog."
    assert nodes[1].description == "A dog stays still at the left of the picture, near the person."


def test_a_thing_is_not_told_by_who_passes_but_by_its_surroundings() -> None:
    person = a_track({0: a_box(100, 180), 9: a_box(100, 180)})
    table = a_track({0: a_box(180, 200, 60, 60), 9: a_box(180, 200, 60, 60)}, 2, "table")
    lamp = a_track({0: a_box(255, 200, 40, 60), 9: a_box(255, 200, 40, 60)}, 3, "lamp")
    sentences = {
        node.label: node.description for node in describe(a_perception(person, table, lamp), "v").windows[0].nodes
    }
    assert sentences["table"].endswith("near the lamp.")
    assert sentences["person"].endswith("near the table.")


def test_others_of_the_same_kind_are_told_apart_from_the_only_one() -> None:
    people = [a_track({0: a_box(x, 180), 9: a_box(x, 180)}, k) for k, x in enumerate((100, 190), start=1)]
    cars = [a_track({0: a_box(x, 300, 80, 40), 9: a_box(x, 300, 80, 40)}, k, "car") for k, x in ((3, 450), (4, 550))]
    nodes = describe(a_perception(*people, *cars), "v").windows[0].nodes
    assert nodes[0].description.endswith("near another person.")
    assert nodes[2].description.endswith("near another car.")
    person_by_cars = a_track({0: a_box(450, 220), 9: a_box(450, 220)}, 1)
    nodes = describe(a_perception(person_by_cars, *cars), "v").windows[0].nodes
    assert "next to a car" in nodes[0].description


def test_given_relations_keep_their_words_and_their_source() -> None:
    man = a_track({0: a_box(300, 180), 9: a_box(300, 180)}, 1, "man", source="annotation")
    bicycle = a_track({0: a_box(300, 240, 90, 60), 9: a_box(300, 240, 90, 60)}, 2, "bicycle", source="annotation")
    riding = GivenRelation(1, 2, "Riding on", 2.0, 5.0)
    window = describe(a_perception(man, bicycle, relations=[riding]), "v").windows[0]
    given_relations = [one for one in window.relations if one.source == "annotation"]
    assert frames_with("riding_on", given_relations) == {2, 3, 4}
    assert {one.text for one in given_relations} == {"Riding on"}
    node = next(node for node in window.nodes if node.id == "v/3/1")
    assert node.source == "annotation"
    assert node.description == "A man stands still in the middle of the picture, riding on the bicycle."
    assert node.geometry_description == "A man stands still in the middle of the picture, right next to the bicycle."
    assert {one.source for one in window.relations if one.predicate == "overlapping"} == {"geometry"}


def test_a_relation_with_somebody_who_is_not_there_is_not_written() -> None:
    man = a_track({0: a_box(300, 180), 9: a_box(300, 180)})
    late = a_track({5: a_box(300, 240), 9: a_box(300, 240)}, 2, "bicycle")
    window = describe(a_perception(man, late, relations=[GivenRelation(1, 2, "rides", 0.0, 10.0)]), "v").windows[0]
    assert frames_with("rides", list(window.relations)) == {5, 6, 7, 8, 9}
