"""Frames, nodes and windows: who is in which sampled frame, and how frames are put together."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hand_made import a_box, a_perception, a_track
from hypothesis import given, settings
from hypothesis import strategies as st

from ravu_kg.perception.geometry import Description, describe
from ravu_kg.types import FrameNode, TrackLink
from ravu_kg.video.overlay import palette

BOX = a_box(320, 180)


def nodes(description: Description) -> list[FrameNode]:
    return [node for window in description.windows for node in window.nodes]


def frame_indexes(description: Description, track_id: int = 1) -> list[int]:
    return [node.frame_index for node in nodes(description) if node.entity_id == f"v#{track_id}"]


def test_an_entity_has_a_node_in_each_sampled_frame_of_its_track() -> None:
    assert frame_indexes(describe(a_perception(a_track({2: BOX, 6.4: BOX})), "v")) == [2, 3, 4, 5, 6]


def test_a_node_has_the_box_seen_in_its_frame() -> None:
    track = a_track({0: a_box(100, 180), 9: a_box(400, 180)}, rate_hz=4)
    node = nodes(describe(a_perception(track), "v"))[3]
    assert node.box
    assert node.box.center[0] == pytest.approx(200, abs=0.1)
    assert (node.id, node.entity_id, node.timestamp_s, node.confidence) == ("v/3/1", "v#1", 3.0, pytest.approx(0.9))


def test_a_frame_between_two_observations_has_the_box_in_between() -> None:
    track = a_track({0.4: a_box(100, 180), 1.6: a_box(420, 180)}, rate_hz=2.5)
    node = nodes(describe(a_perception(track, duration_s=2), "v"))[0]
    assert node.frame_index == 1
    assert node.box
    assert node.box.center[0] == pytest.approx(260, abs=0.5)


def test_in_a_bridged_gap_it_is_there_only_as_far_as_observations_reach() -> None:
    track = a_track({0: BOX, 9: BOX}, without=(3.6, 6.4))
    described = describe(a_perception(track, interval_s=0.5), "v")
    missing = {8, 9, 10, 11, 12} - set(frame_indexes(described))
    assert missing == {8, 9, 10, 11, 12}
    link = next(one for window in described.windows for one in window.same_as if one.later_id == "v/13/1")
    assert (link.earlier_id, link.gap_s) == ("v/7/1", pytest.approx(3.0))
    assert link.score < 0.2


def test_one_seen_only_between_two_samples_gets_the_nearest_frame() -> None:
    seen_shortly = a_track({3.2: BOX, 3.4: BOX})
    described = describe(a_perception(seen_shortly), "v")
    assert frame_indexes(described) == [3]
    assert described.track_only == ()


def test_one_too_far_from_any_sample_is_track_only_and_counted() -> None:
    seen_shortly = a_track({9.6: BOX, 9.8: BOX})
    described = describe(a_perception(seen_shortly), "v")
    assert frame_indexes(described) == []
    assert described.track_only == (1,)
    assert len(described.entities) == 1
    assert described.events


def test_nobody_is_put_into_a_frame_of_another_shot() -> None:
    begins_with_the_shot = a_track({3.2: BOX, 3.4: BOX})
    assert describe(a_perception(begins_with_the_shot, cuts_s=(3.1,)), "v").track_only == (1,)
    on_the_last_frame = a_track({2.2: BOX, 3.0: BOX})
    assert frame_indexes(describe(a_perception(on_the_last_frame, cuts_s=(3.0,)), "v")) == [3]
    until_the_cut = a_track({2.0: BOX, 2.96: BOX}, rate_hz=25)
    assert frame_indexes(describe(a_perception(until_the_cut, cuts_s=(3.0,)), "v")) == [2]


def test_appearances_form_a_chain_across_windows() -> None:
    described = describe(a_perception(a_track({0: BOX, 9: BOX})), "v", window_s=3)
    assert [len(window.frames) for window in described.windows] == [3, 3, 3, 1]
    chain = [(one.earlier_id, one.later_id) for window in described.windows for one in window.same_as]
    assert chain == [(f"v/{k}/1", f"v/{k + 1}/1") for k in range(9)]
    assert {one.score for window in described.windows for one in window.same_as} == {1.0}
    assert {one.method for window in described.windows for one in window.same_as} == {"by-eye"}


def test_a_link_belongs_to_the_window_of_its_later_node() -> None:
    described = describe(a_perception(a_track({0: BOX, 9: BOX})), "v", window_s=3)
    second = described.windows[1]
    assert second.same_as[0].earlier_id == "v/2/1"
    assert {one.later_id for one in second.same_as} <= {node.id for node in second.nodes}


def test_windows_are_the_same_each_time_they_are_asked_for() -> None:
    described = describe(a_perception(a_track({0: BOX, 9: BOX}), a_track({2: BOX, 5: BOX}, 2, "dog")), "v", window_s=4)
    assert list(described.windows) == list(described.windows)
    assert described.windows[-1] == list(described.windows)[2]
    assert described.windows[1:] == list(described.windows)[1:]
    with pytest.raises(IndexError):
        described.windows[3]


@settings(max_examples=25, deadline=None)
@given(st.floats(0.5, 20))
def test_the_length_of_a_window_changes_nothing_but_the_cut(window_s: float) -> None:
    perception = a_perception(a_track({0: BOX, 9: a_box(100, 100)}), a_track({2: BOX, 5: BOX}, 2, "dog"))
    whole, cut = describe(perception, "v"), describe(perception, "v", window_s=window_s)
    for part in ("frames", "nodes", "relations", "same_as"):
        assert [one for window in whole.windows for one in getattr(window, part)] == [
            one for window in cut.windows for one in getattr(window, part)
        ]
    assert whole.events == cut.events


def test_a_frame_tells_its_entities_by_name() -> None:
    people = [a_track({0: a_box(x, 180), 9: a_box(x, 180)}, k) for k, x in ((1, 100), (2, 190))]
    frame = describe(a_perception(*people), "v").windows[0].frames[4]
    assert frame.description == (
        "Person 1 stands still at the left of the picture, near person 2; "
        "person 2 stands still at the left of the picture, near person 1."
    )
    assert (frame.id, frame.index, frame.timestamp_s, frame.coverage) == ("v/4", 4, 4.0, "ok")


def test_a_frame_without_entities_says_so() -> None:
    described = describe(a_perception(), "v")
    assert {frame.description for frame in described.windows[0].frames} == {"No entity is seen."}
    assert described.entities == ()


def test_a_frame_tells_its_shot_when_there_are_several() -> None:
    frames = describe(a_perception(cuts_s=(3.0, 6.5)), "v").windows[0].frames
    assert [frame.description[:13] for frame in frames] == (
        ["Shot 1 of 3. "] * 3 + ["Shot 2 of 3. "] * 4 + ["Shot 3 of 3. "] * 3
    )


def test_a_crowd_is_told_up_to_a_dozen() -> None:
    crowd = [a_track({0: a_box(20 + 30 * k, 180, 20, 60), 9: a_box(20 + 30 * k, 180, 20, 60)}, k) for k in range(1, 16)]
    assert describe(a_perception(*crowd), "v").windows[0].frames[0].description.endswith("; and 3 more.")


def test_each_entity_has_its_own_overlay_color() -> None:
    tracks = [a_track({0: BOX, 3: BOX}, k) for k in range(1, 9)]
    colors = [entity.color for entity in describe(a_perception(*tracks), "v").entities]
    assert colors == list(palette(8))
    assert len(set(colors)) == 8


def test_an_entity_keeps_its_whole_track() -> None:
    track = a_track({2: BOX, 6.4: a_box(100, 100)})
    entity = describe(a_perception(track), "v").entities[0]
    assert (entity.start_s, entity.end_s) == (2.0, pytest.approx(6.6))
    assert np.array_equal(entity.track_timestamps_s, track.timestamps_s)
    assert np.array_equal(np.array(entity.track_boxes, dtype=np.float32).reshape(-1, 4), track.boxes)


def test_presence_ends_with_the_video_at_the_latest() -> None:
    entity = describe(a_perception(a_track({2: BOX, 9.8: BOX}), duration_s=9.9), "v").entities[0]
    assert entity.end_s == 9.9


def test_the_last_node_lies_within_the_presence() -> None:
    described = describe(a_perception(a_track({2: BOX, 6: BOX})), "v")
    assert nodes(described)[-1].timestamp_s < described.entities[0].end_s
    assert any(event.start_s <= 6 < event.end_s for event in described.events)


def test_one_who_comes_back_is_named_apart_but_counts_once() -> None:
    woman = a_track({0: a_box(300, 180), 9: a_box(300, 180)})
    dogs = [
        a_track({start: a_box(390, 240, 60, 40), start + 3: a_box(390, 240, 60, 40)}, k, "dog")
        for k, start in ((2, 0), (3, 6))
    ]
    link = TrackLink(2, 3, 0.9, "appearance")
    linked = describe(a_perception(woman, *dogs, links=[link]), "v")
    assert nodes(linked)[0].description.endswith("near the dog.")
    assert "dog 2" in linked.windows[0].frames[7].description
    rejected = describe(a_perception(woman, *dogs, links=[replace(link, status="rejected")]), "v")
    assert nodes(rejected)[0].description.endswith("near a dog.")


def test_a_day_is_described_window_by_window() -> None:
    long_s = 7200.0
    described = describe(a_perception(a_track({0: BOX, long_s - 1: BOX}, rate_hz=1), duration_s=long_s), "v")
    assert len(described.windows) == 120
    assert described.windows[119].frames[-1].index == 7199


def test_equal_looks_give_equal_sentences() -> None:
    described = describe(a_perception(a_track({0: BOX, 299: BOX}, jitter_px=5), duration_s=300), "v")
    assert len({node.description for node in nodes(described)}) == 1
