"""In a memory in which all fits nothing is found; of a planted fault nothing else than it."""

from __future__ import annotations

from dataclasses import replace
from itertools import chain

import numpy as np
import pytest

from ravu_kg.memory.library import VideoSummary
from ravu_kg.memory.linting import CHECKS, boxes, relations, words
from ravu_kg.memory.linting.records import Happening, Memory, Node, SeenFrame, Suspicion, Told, Tracked
from ravu_kg.types import Box, entity_id
from tests.builders import Scene
from tests.faulty_scenes import (
    FAULTS,
    TICKS,
    Change,
    box,
    clean,
    event,
    with_all,
    with_entity,
    with_events,
    with_frame,
    with_relation,
    with_sentence,
    without_node,
)

VIDEO = "0123456789abcdef"


def memory_of(scene: Scene) -> Memory:
    """As the graph gives it."""
    video = scene.video
    summary = VideoSummary(
        video_id=video.id, build=None, title=video.title, uri=None, status="ready", revision=1,
        duration_s=video.duration_s, width_px=video.width_px, height_px=video.height_px, frame_rate=25.0,
        sample_interval_s=1.0, tracking_rate_hz=5.0, cuts_s=(), frames=6, frame_nodes=18, entities=3, detector="",
        tracker="", describer="", embedder="", created_at="",
    )  # fmt: skip
    nodes = {one.id: one for window in scene.windows for one in window.nodes}
    told = sorted(
        (
            Told(
                nodes[one.subject_id].entity_id, one.predicate, nodes[one.object_id].entity_id, one.source,
                nodes[one.subject_id].frame_index, nodes[one.subject_id].timestamp_s, a, b,
            )
            for window in scene.windows
            for one in window.relations
            if one.source != "geometry" and (a := nodes[one.subject_id].box) and (b := nodes[one.object_id].box)
        ),
        key=lambda one: one.frame_index,
    )  # fmt: skip
    return Memory(
        video=summary,
        entities={
            one.id: Tracked(
                one.id, one.label, one.description, one.start_s, one.end_s, np.array(one.track_timestamps_s),
                np.array(one.track_boxes).reshape(-1, 4),
            )
            for one in scene.entities
        },
        frames=tuple(
            SeenFrame(one.id, one.index, one.timestamp_s, one.description, one.coverage)
            for window in scene.windows
            for one in window.frames
        ),
        nodes=tuple(
            Node(one.entity_id, one.frame_index, one.timestamp_s, one.label, one.box, one.description)
            for one in nodes.values()
        ),
        relations=tuple(told),
        events=tuple(
            Happening(one.id, one.entity_id, one.source, one.start_s, one.end_s, one.description)
            for one in sorted(scene.events, key=lambda one: (one.entity_id, one.source, one.start_s, one.end_s))
        ),
    )  # fmt: skip


def found_in(scene: Scene) -> list[Suspicion]:
    checks = (words.uncovered, boxes.duplicates, boxes.jumps, boxes.outside, relations.contradictions, words.events,
              words.absent)  # fmt: skip
    return list(chain.from_iterable(check(memory_of(scene)) for check in checks))


def test_where_all_fits_nothing_is_found() -> None:
    assert found_in(clean(VIDEO)) == []


@pytest.mark.parametrize("name", FAULTS)
def test_of_a_planted_fault_nothing_else_is_found(name: str) -> None:
    fault = FAULTS[name]
    found = found_in(fault.change(clean(VIDEO)))
    assert [one.check for one in found] == [fault.check], [one.text for one in found]
    (only,) = found
    assert (only.start_s, only.end_s) == pytest.approx(fault.span)
    assert only.entity_ids == tuple(entity_id(VIDEO, track) for track in fault.tracks)
    assert fault.said in only.text


def test_each_check_has_a_fault() -> None:
    assert {fault.check for fault in FAULTS.values()} == set(CHECKS)


def moved(track: int, from_s: float, by_px: float, **changes: object) -> Change:
    """A track that goes on elsewhere."""

    def change(scene: Scene) -> Scene:
        (one,) = (one for one in scene.entities if one.track_id == track)
        placed = np.array(one.track_boxes).reshape(-1, 4)
        placed[np.array(one.track_timestamps_s) >= from_s - 1e-9] += [by_px, 0, by_px, 0]
        return with_entity(track, track_boxes=tuple(placed.ravel()), **changes)(scene)

    return change


def unseen(scene: Scene) -> Scene:
    """The second person is out of sight from two to four seconds, and nothing is told of that time."""
    video = scene.video.id
    times = [tick for tick in TICKS if not 2 <= tick < 4]
    track = [side for tick in times for side in (lambda b: (b.x_min, b.y_min, b.x_max, b.y_max))(box(2, tick))]
    return with_all(
        with_entity(2, track_timestamps_s=tuple(times), track_boxes=tuple(track)),
        *(without_node(index, 2) for index in (2, 3)),
        *(with_frame(index, description="Person 1 stands.") for index in (2, 3)),
        lambda one: replace(one, events=tuple(event for event in one.events if event.entity_id != entity_id(video, 2))),
        lambda one: replace(one, events=(*one.events, event(video, 2, 0, (0.0, 2.0)), event(video, 2, 1, (4.0, 6.0)))),
    )(scene)


def swapped_sides(scene: Scene) -> Scene:
    """A relation that holds in flat pictures one way and in space the other."""
    return with_relation(1, "behind", 2, (1,))(scene)


@pytest.mark.parametrize(
    "change",
    [
        pytest.param(moved(1, 3.0, 80.0), id="a fast start is no jump"),
        pytest.param(with_events(1, (0.0, 2.4), (2.5, 6.0)), id="a tenth of a second is no gap"),
        pytest.param(with_events(1, (0.0, 2.5), (2.4, 6.0)), id="a tenth of a second is no overlap"),
        pytest.param(
            with_events(1, (1.0, 3.0), (1.5, 2.0), source="annotation"), id="people annotate what they like, and when"
        ),
        pytest.param(with_relation(1, "left_of", 2, (1,)), id="it is on that side"),
        pytest.param(with_relation(1, "looking_at", 2, (1,)), id="one can look from afar"),
        pytest.param(with_relation(1, "holding_leash_of", 2, (1,)), id="a leash reaches far"),
        pytest.param(with_relation(1, "holding", 3, (1,), source="geometry"), id="what is measured is not doubted"),
        pytest.param(unseen, id="nothing is told while nobody is seen"),
        pytest.param(swapped_sides, id="depth cannot be seen"),
        pytest.param(with_sentence(2, 1, "A person looks for a cat."), id="a cat is no entity of the video"),
        pytest.param(with_sentence(2, 1, "A person sits on a dog bed."), id="a dog bed is no dog"),
    ],
)
def test_what_may_be_is_no_finding(change: Change) -> None:
    assert [one.text for one in found_in(change(clean(VIDEO)))] == []


def test_each_event_is_compared_with_the_longest_before_it() -> None:
    found = found_in(with_events(1, (0.0, 6.0), (1.0, 2.0), (3.0, 4.0))(clean(VIDEO)))
    assert [(one.start_s, one.end_s) for one in found] == [(1.0, 2.0), (3.0, 4.0)]


@pytest.mark.parametrize(
    ("sentence", "found"),
    [
        ("A person feeds the dog.", True),
        ("A person and a small brown dog play.", False),
        ("A person walks with another dog, slowly.", True),
        ("A person sits on the dog bed.", False),
        ("A person does not look at the dog.", False),
        ("A person stands where the dogs were.", False),
    ],
)
def test_a_noun_counts_with_its_article_and_not_as_a_part_of_another(sentence: str, found: bool) -> None:
    fault = FAULTS["sentence"].change(clean(VIDEO))  # where the dog is not in the second frame
    assert bool(found_in(with_sentence(2, 1, sentence)(fault))) is found


@pytest.mark.parametrize(("gone", "word"), [(2, "woman"), (1, "person")])
def test_who_is_there_by_another_name_is_named_rightly(gone: int, word: str) -> None:
    """A woman is a person, and a person may be the woman that another sentence told of."""
    scene = with_all(
        with_entity(2, label="woman", description=""),
        without_node(2, gone),
        with_frame(2, description="Somebody stands."),
        *(with_sentence(2, track, f"Somebody is near the {word}.") for track in (1, 2, 3)),
    )(clean(VIDEO))
    assert [one.text for one in found_in(scene)] == []


def test_a_gap_ends_with_the_entity() -> None:
    found = found_in(with_events(1, (0.0, 2.0), (8.0, 9.0))(clean(VIDEO)))
    assert [(one.start_s, one.end_s) for one in found] == [(8.0, 9.0), (2.0, 6.0)]


@pytest.mark.parametrize(
    ("predicate", "gap_px", "doubted"),
    [
        ("holding", 0.0, False), ("holding", 60.0, False), ("holding", 160.0, True), ("holds", 160.0, True),
        ("is_riding", 160.0, True), ("sitting_on", 160.0, True), ("shaking_hands_with", 160.0, True),
        ("near", 160.0, False), ("near", 290.0, True), ("watching", 500.0, False), ("reaching_for", 500.0, False),
        ("about_to_hold", 500.0, False), ("throwing", 500.0, False),
    ],
)  # fmt: skip
def test_what_touches_is_doubted_from_afar(predicate: str, gap_px: float, doubted: bool) -> None:
    told = Told("v#1", predicate, "v#2", "model", 0, 0.0, Box(0, 0, 60, 120), Box(60 + gap_px, 0, 120 + gap_px, 120))
    assert bool(relations.doubt(told, diagonal_px=734.0)) is doubted


def test_a_box_between_two_sights_is_known_for_a_second() -> None:
    track = Tracked(
        "v#1", "dog", "", 0.0, 4.0, np.array([0.0, 1.0, 4.0]), np.array([[0, 0, 2, 2], [2, 0, 4, 2], [8, 0, 10, 2.0]])
    )
    placed, known = boxes.boxes_at(track, np.array([-0.1, 0.0, 0.5, 1.0, 2.0, 4.0, 4.1]))
    assert known.tolist() == [False, True, True, True, False, True, False]
    assert placed[2].tolist() == [1, 0, 3, 2]
