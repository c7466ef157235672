from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scenes import BLUE, GREEN, HEIGHT_PX, RED, STEP_S, WIDTH_PX, Thing, found, frame_of, observe, person

from ravu_kg.perception.identity import identities, link_tracks
from ravu_kg.perception.observing import Observer, is_strong, leaves
from ravu_kg.perception.tracking import make_tracks
from ravu_kg.providers import steady
from ravu_kg.types import Box, SampledFrame, TrackedDetection

Scene = list[dict[str, Thing]]


def walks_out(color: tuple[int, int, int] = RED) -> Scene:
    """Walks out of the picture to the right."""
    return [{"a": (person(400 + 20 * step), color)} for step in range(12)]


def comes_back(color: tuple[int, int, int] = RED) -> Scene:
    return list(reversed(walks_out(color)))


def nothing(seconds: float) -> Scene:
    return [{}] * round(seconds / STEP_S)


def run(scene: Scene, cut_at: int | None = None):
    return observe(steady.create("", {}), scene, cut_at=cut_at)


def test_an_occlusion_inside_the_picture_stays_one_entity() -> None:
    seen: Scene = [{"a": (person(200), RED)}] * 10

    tracks, links = run(seen + nothing(0.8) + seen)

    assert len(tracks) == 1
    assert links == ()
    assert tracks[0].ended_by == "end"


@pytest.mark.parametrize("away_s", [0.6, 3.0])
def test_who_leaves_and_comes_back_is_two_entities_and_one_identity(away_s: float) -> None:
    tracks, links = run(walks_out() + nothing(away_s) + comes_back())

    assert [track.ended_by for track in tracks] == ["left", "end"]
    assert [(link.earlier_track, link.later_track, link.scope, link.status) for link in links] == [
        (1, 2, "reentry", "auto")
    ]
    assert 0.4 <= links[0].score <= 1
    assert identities(tracks, links) == {1: 1, 2: 1}


def test_somebody_else_at_the_same_place_is_not_linked() -> None:
    tracks, links = run(walks_out(RED) + nothing(2) + comes_back(BLUE))

    assert len(tracks) == 2
    assert links == ()


def test_who_comes_in_at_the_other_side_is_not_linked() -> None:
    other_side: Scene = [{"a": (person(-40 + 20 * step), RED)} for step in range(12)]

    tracks, links = run(walks_out() + nothing(2) + other_side)

    assert len(tracks) == 2
    assert links == ()


def test_who_comes_back_fast_and_is_seen_late_is_linked() -> None:
    back: Scene = [{"a": (person(400 - 40 * step), RED)} for step in range(8)]

    _, links = run(walks_out() + nothing(1.8) + back)

    assert [(link.earlier_track, link.later_track) for link in links] == [(1, 2)]


def test_two_who_are_there_at_once_are_never_linked() -> None:
    scene: Scene = [{"a": (person(100), RED), "b": (person(300), RED)} for _ in range(10)]
    tracks, _ = run(scene)
    overlapping = replace(tracks[1], timestamps_s=tracks[1].timestamps_s + tracks[0].end_s - 0.1)

    assert link_tracks([tracks[0], overlapping], (), WIDTH_PX, HEIGHT_PX) == ()


def test_who_reappears_after_a_long_occlusion_is_linked() -> None:
    seen: Scene = [{"a": (person(200), RED)}] * 10

    tracks, links = run(seen + nothing(3) + seen)

    assert [track.ended_by for track in tracks] == ["lost", "end"]
    assert len(links) == 1


def test_a_cut_ends_all_tracks_and_links_nothing_across_it() -> None:
    seen: Scene = [{"a": (person(200), RED)}] * 10

    tracks, links = run(seen + seen, cut_at=10)

    assert [track.ended_by for track in tracks] == ["cut", "end"]
    assert links == ()


def test_each_return_has_one_link_back() -> None:
    there_and_back = walks_out() + nothing(1.6) + comes_back()

    tracks, links = run(there_and_back + walks_out() + nothing(1.6) + comes_back())

    assert len(tracks) == 3
    assert {(link.earlier_track, link.later_track) for link in links} == {(1, 2), (2, 3)}
    assert set(identities(tracks, links).values()) == {1}


def test_a_rejected_link_joins_no_identity() -> None:
    tracks, links = run(walks_out() + nothing(1.6) + comes_back())

    rejected = [replace(link, status="rejected") for link in links]

    assert identities(tracks, rejected) == {1: 1, 2: 2}


def test_without_a_look_there_is_no_link() -> None:
    tracks, _ = run(walks_out() + nothing(2) + comes_back())

    assert link_tracks([replace(track, appearance=None) for track in tracks], (), WIDTH_PX, HEIGHT_PX) == ()


def test_the_label_is_voted_by_confidence() -> None:
    box = person(200)
    tracks = tracks_of(
        [found(box, 0.95, "dog"), found(box, 0.6, "cat"), found(box, 0.6, "cat"), found(box, 0.9, "dog")]
    )

    assert [track.label for track in tracks] == ["dog"]


def test_tracks_are_numbered_by_first_appearance_and_know_their_colours() -> None:
    scene: Scene = [{"b": (person(400), GREEN)}] * 5 + [
        {"a": (person(100), RED), "b": (person(400), GREEN)} for _ in range(5)
    ]

    tracks, _ = run(scene)

    assert [(track.track_id, track.start_s) for track in tracks] == [(1, 0.0), (2, 1.0)]
    assert tracks[0].colors[0][0] == "green"
    assert tracks[1].colors[5][0] == "red"


@pytest.mark.parametrize(
    ("confidences", "interval_s", "strong"),
    [
        ([0.9] * 3, 0.2, True),
        ([0.9] * 2, 0.2, False),  # 0.4 s
        ([0.9], 1.0, False),  # one frame
        ([0.5] * 100, 0.2, False),  # never sure
        ([0.95] + [0.3] * 6, 0.2, False),  # short and doubtful
        ([0.95] * 4 + [0.3] * 12, 0.2, True),  # long, and sure at times
    ],
)
def test_weak_and_short_tracks_are_errors(confidences: list[float], interval_s: float, strong: bool) -> None:
    assert is_strong(np.array(confidences, np.float32), interval_s) is strong


def test_one_box_is_enough_of_a_detector_that_does_not_flicker() -> None:
    assert is_strong(np.array([0.8], np.float32), 1.0, least_boxes=1)
    assert not is_strong(np.array([0.8], np.float32), 0.2, least_boxes=1)  # it looks often, and saw it once


def test_a_doubtful_double_inside_a_sure_track_is_dropped() -> None:
    body, part = person(100, 50, width=200, height=280), person(150, 100, width=80, height=100)
    observer = Observer(WIDTH_PX, HEIGHT_PX, STEP_S)
    for step in range(12):
        tracked = [TrackedDetection(1, found(body, 0.95)), TrackedDetection(2, found(part, 0.65))]
        observer.observe(frame_of(step, [(body, RED)]), tracked, None)

    tracks = make_tracks(observer.finish(11 * STEP_S), [])

    assert [track.box_at(0) for track in tracks] == [body]


def test_a_stay_between_two_samples_has_its_colours_at_the_nearest() -> None:
    observer = Observer(WIDTH_PX, HEIGHT_PX, STEP_S)
    for step in range(1, 5):
        observer.observe(frame_of(step, [(person(100), BLUE)]), [TrackedDetection(1, found(person(100)))], None)

    (track,) = make_tracks(observer.finish(0.8), [SampledFrame(0, 0, 0.0), SampledFrame(1, 5, 1.0)])

    assert track.colors == {0: ("blue",)}


def test_standing_at_the_border_is_not_leaving() -> None:
    times_s = np.arange(10) * STEP_S
    standing = np.tile(np.array([[600, 100, 640, 250]], np.float32), (10, 1))
    walking = standing + np.linspace(-90, 0, 10, dtype=np.float32)[:, None] * np.array([[1, 0, 0, 0]], np.float32)

    assert not leaves(times_s, standing, WIDTH_PX, HEIGHT_PX)
    assert leaves(times_s, walking, WIDTH_PX, HEIGHT_PX)
    assert not leaves(times_s[:1], standing[:1], WIDTH_PX, HEIGHT_PX)


def tracks_of(detections: list) -> tuple:
    observer = Observer(WIDTH_PX, HEIGHT_PX, STEP_S)
    for step, detection in enumerate(detections):
        observer.observe(frame_of(step, [(detection.box, RED)]), [TrackedDetection(1, detection)], step)
    return make_tracks(observer.finish(len(detections) * STEP_S), [])


def test_boxes_outside_the_picture_have_no_colour() -> None:
    observer = Observer(WIDTH_PX, HEIGHT_PX, STEP_S)
    outside = replace(found(person(100)), box=Box(700, 400, 720, 420))
    for step in range(4):
        observer.observe(frame_of(step, []), [TrackedDetection(1, outside)], step)

    (track,) = make_tracks(observer.finish(1.0), [])

    assert track.appearance is None
    assert set(track.colors.values()) == {()}
