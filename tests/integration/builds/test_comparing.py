"""Two graphs of one video compared on the real server: entities by boxes, relations and events lost and gained."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from dataclasses import replace

import pytest

from ravu_kg.graph.store import Store
from ravu_kg.graph.writer import GraphWriter
from ravu_kg.memory.comparing import Comparison, compare
from ravu_kg.memory.library import summaries
from ravu_kg.types import Box, Entity, SceneWindow
from tests.builders import Scene, a_frame, a_node, a_relation, a_video, an_entity, an_event, write_scene

pytestmark = pytest.mark.neo4j
TICKS = [tick / 5 for tick in range(30)]


def entity(video: str, track: int, label: str, left: float, span: tuple[float, float] = (0.0, 6.0)) -> Entity:
    """Something that stays at a place; without a place nobody knows its box."""
    times = [] if left < 0 else [tick for tick in TICKS if span[0] <= tick < span[1]]
    return an_entity(
        video, track, label=label, start_s=span[0], end_s=span[1], track_timestamps_s=times,
        track_boxes=[left, 100.0, left + 60, 220.0] * len(times),
    )  # fmt: skip


def scene(
    video: str, entities: Sequence[Entity], relations: Sequence[tuple[int, str, int, int, int]], **changes: object
) -> Scene:
    """All entities in each frame; relations are subject, predicate, object, from frame, to frame (with it)."""
    record = a_video(video, content_hash=video.partition("~")[0], title="clip", **changes)
    nodes = {
        (index, one.track_id): a_node(video, index, one.track_id, label=one.label, box=Box(0, 0, 9, 9))
        for index in range(6)
        for one in entities
    }
    told = [
        a_relation(nodes[index, subject], nodes[index, other], predicate)
        for subject, predicate, other, first, last in relations
        for index in range(first, last + 1)
    ]
    frames = tuple(a_frame(video, index) for index in range(6))
    return Scene(record, tuple(entities), (), (SceneWindow(0, frames, tuple(nodes.values()), tuple(told), ()),), ())


def compared(store: Store, first: Scene, second: Scene) -> Comparison:
    for one in (first, second):
        write_scene(store, one)
    known = {one.video_id: one for one in summaries(store)}
    comparison = compare(store, known[first.video.id], known[second.video.id])
    for one in (first, second):
        GraphWriter(store).delete(one.video.id)
    return comparison


@pytest.fixture(scope="module")
def comparison(store: Store) -> Comparison:
    """In the second graph numbers differ, the dog is cut in two and called a cat, a ball is lost and a bird gained."""
    unique_video = secrets.token_hex(8)
    other = f"{unique_video}~other"
    first = scene(
        unique_video,
        [entity(unique_video, 1, "person", 20), entity(unique_video, 2, "dog", 300),
         entity(unique_video, 3, "ball", 500), entity(unique_video, 4, "scarf", -1)],
        [(1, "near", 2, 0, 5), (1, "left_of", 2, 0, 1), (1, "left_of", 2, 4, 4), (1, "near", 3, 0, 5)],
    )  # fmt: skip
    second = scene(
        other,
        [entity(other, 1, "cat", 310, (0.0, 4.0)), entity(other, 2, "person", 22),
         entity(other, 3, "cat", 310, (4.0, 6.0)), entity(other, 4, "scarf", -1, (1.0, 6.0)),
         entity(other, 5, "bird", 400)],
        [(2, "near", 1, 0, 3), (2, "holding", 1, 2, 3), (2, "near", 5, 1, 1)],
    )  # fmt: skip
    first = replace(first, events=(
        an_event(unique_video, 1, 0, start_s=0.0, end_s=3.0, description="A person stands still."),
        an_event(unique_video, 1, 1, start_s=3.0, end_s=6.0, description="A person walks to the left."),
        an_event(unique_video, 3, 0, start_s=0.0, end_s=6.0, description="A ball rolls."),
    ))  # fmt: skip
    second = replace(second, events=(
        an_event(other, 2, 0, start_s=0.0, end_s=3.4, description="A person in blue stands still."),
        an_event(other, 2, 1, start_s=3.4, end_s=6.0, description="She throws something away."),
    ))  # fmt: skip
    return compared(store, first, second)


def test_entities_are_matched_by_their_boxes_whatever_they_are_called(comparison: Comparison) -> None:
    matches = {(one.first.name, one.second.name): one.overlap for one in comparison.matching.matches}
    assert list(matches) == [("person #1", "person #2"), ("dog #2", "cat #1"), ("scarf #4", "scarf #4")]
    assert matches["person #1", "person #2"] == pytest.approx(58 / 62, abs=0.001)
    assert matches["dog #2", "cat #1"] == pytest.approx(50 / 70 * 20 / 30, abs=0.001)
    assert matches["scarf #4", "scarf #4"] is None  # without boxes: by name and time
    assert comparison.entities.to_dict() == {"first": 4, "second": 5, "kept": 3, "lost": 1, "gained": 2}


def test_what_is_left_over_is_lost_or_gained_and_parts_of_a_cut_track_are_told(comparison: Comparison) -> None:
    (ball,) = comparison.matching.lost
    assert (ball.entity.name, ball.part_of) == ("ball #3", "")
    cut, bird = sorted(comparison.matching.gained, key=lambda one: one.entity.track_id)
    assert (cut.entity.name, cut.part_of, cut.overlap) == (
        "cat #3", comparison.matching.matches[1].first.entity_id, pytest.approx(50 / 70, abs=0.001)
    )  # fmt: skip
    assert (bird.entity.name, bird.part_of) == ("bird #5", "")


def test_relations_of_matched_entities_are_compared_frame_by_frame(comparison: Comparison) -> None:
    assert comparison.relations.to_dict() == {"first": 15, "second": 7, "kept": 4, "lost": 11, "gained": 3}
    lost = [
        (one.subject.name, one.predicate, one.object.name, one.frames, one.spans) for one in comparison.relations_lost
    ]
    assert lost == [
        ("person #1", "left_of", "dog #2", 3, ((0.0, 1.0), (4.0, 4.0))),
        ("person #1", "near", "dog #2", 2, ((4.0, 5.0),)),
    ]
    (gained,) = comparison.relations_gained
    assert (gained.subject.name, gained.predicate, gained.object.name, gained.spans) == (
        "person #2", "holding", "cat #1", ((2.0, 3.0),)
    )  # fmt: skip


def test_events_are_the_same_when_they_tell_much_the_same_at_the_same_time(comparison: Comparison) -> None:
    assert comparison.events.to_dict() == {"first": 3, "second": 2, "kept": 1, "lost": 2, "gained": 1}
    assert [(one.entity.name, one.text) for one in comparison.events_lost] == [
        ("person #1", "A person walks to the left.")
    ]
    assert [(one.entity.name, one.span, one.text) for one in comparison.events_gained] == [
        ("person #2", (3.4, 6.0), "She throws something away.")
    ]


def test_equal_graphs_differ_in_nothing(store: Store, unique_video: str) -> None:
    relations = [(1, "near", 2, 0, 5)]
    one, other = (
        scene(video, [entity(video, 1, "person", 20), entity(video, 2, "person", 60)], relations)
        for video in (unique_video, f"{unique_video}~other")
    )
    comparison = compared(store, one, other)
    assert [match.overlap for match in comparison.matching.matches] == [1.0, 1.0]
    for tally in (comparison.entities, comparison.relations, comparison.events):
        assert (tally.kept, tally.lost, tally.gained) == (tally.first, 0, 0)


def test_another_rate_of_sampling_is_no_difference(store: Store, unique_video: str) -> None:
    other = f"{unique_video}~slow"
    first = scene(unique_video, [entity(unique_video, 1, "person", 20), entity(unique_video, 2, "dog", 90)],
                  [(1, "near", 2, 0, 5)])  # fmt: skip
    second = scene(other, [entity(other, 1, "person", 20), entity(other, 2, "dog", 90)], [], sample_interval_s=2.0)
    (window,) = second.windows
    by_place = {(node.frame_index, node.entity_id[-1]): node for node in window.nodes}
    told = tuple(a_relation(by_place[index, "1"], by_place[index, "2"], "near") for index in (0, 2, 4))
    comparison = compared(store, first, replace(second, windows=(replace(window, relations=told),)))
    assert comparison.relations.to_dict() == {"first": 6, "second": 3, "kept": 6, "lost": 0, "gained": 0}
