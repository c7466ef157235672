from __future__ import annotations

import pytest

from ravu_kg.graph.reader import EntityRow, TrackRow, VideoRow
from ravu_kg.reasoning.context import Identity, group, lasting
from ravu_kg.reasoning.presence import absences, looks_within, presences, tick_s
from ravu_kg.types import Box

VIDEO = VideoRow("v", "v", None, 10.0, 10, 40, 1.0, 640, 360, "ready")
MIDDLE, BORDER = Box(300, 100, 340, 140), Box(600, 100, 640, 140)


def a_row(track: int, start_s: float, end_s: float, identity: str = "v#1", label: str = "dog") -> EntityRow:
    return EntityRow(f"v#{track}", identity, track, label, "", start_s, end_s, round(end_s - start_s))


def a_track(track: int, times_s: list[float], box: Box = MIDDLE) -> TrackRow:
    return TrackRow(f"v#{track}", tuple(times_s), tuple(box for _ in times_s))


def ticks(start_s: float, end_s: float) -> list[float]:
    return [round(start_s + 0.2 * tick, 3) for tick in range(round((end_s - start_s) / 0.2))]


def spans(intervals: object) -> list[tuple[float, float]]:
    return [(round(one.start_s, 2), round(one.end_s, 2)) for one in intervals]  # type: ignore[attr-defined]


def an_identity(*rows: EntityRow) -> Identity:
    return Identity("v#1", "dog 1", "dog", rows)


def test_two_stays_of_one_identity_leave_an_absence_between() -> None:
    dog = an_identity(a_row(1, 0, 2.4), a_row(2, 3.8, 10))
    tracks = [a_track(1, ticks(0, 2.4), BORDER), a_track(2, ticks(3.8, 10))]
    stays = presences(dog, tracks, VIDEO)
    assert spans(stays) == [(0, 2.4), (3.8, 10)]
    assert spans(absences(stays, dog, VIDEO, 0.2)) == [(2.4, 3.8)]


def test_a_short_gap_counts_only_at_the_border() -> None:
    dog = an_identity(a_row(1, 0, 10))
    for box, expected in ((BORDER, [(2.4, 3.2)]), (MIDDLE, [])):
        stays = presences(dog, [a_track(1, [*ticks(0, 2.4), *ticks(3.2, 10)], box)], VIDEO)
        assert spans(absences(stays, dog, VIDEO, 0.2)) == expected


def test_a_missed_look_is_no_absence() -> None:
    dog = an_identity(a_row(1, 0, 10))
    stays = presences(dog, [a_track(1, [*ticks(0, 2.4), *ticks(2.6, 10)], BORDER)], VIDEO)
    assert spans(stays) == [(0, 10)]


def test_before_the_first_and_after_the_last_look() -> None:
    dog = an_identity(a_row(1, 3, 6))
    stays = presences(dog, [a_track(1, ticks(3, 6))], VIDEO)
    assert spans(absences(stays, dog, VIDEO, 0.2)) == [(0, 3), (6, 10)]


def test_without_tracks_the_entities_tell() -> None:
    assert spans(presences(an_identity(a_row(1, 1, 4)), [], VIDEO)) == [(1, 4)]


def test_looks_and_their_distance() -> None:
    track = a_track(1, ticks(0, 2))
    assert tick_s([track], 1.0) == pytest.approx(0.2)
    assert tick_s([], 1.0) == 1.0
    assert looks_within([track], (0.5, 1.0)) == [0.6, 0.8]


def test_entities_are_grouped_and_named_by_order() -> None:
    rows = [a_row(1, 0, 2, "v#1"), a_row(2, 0, 9, "v#2", "person"), a_row(3, 4, 8, "v#1"), a_row(4, 5, 9, "v#4")]
    assert [(one.name, one.entity_ids) for one in group(rows)] == [
        ("dog 1", ("v#1", "v#3")),
        ("person 1", ("v#2",)),
        ("dog 3", ("v#4",)),
    ]


def test_fragments_are_what_is_seen_far_shorter_than_its_kind() -> None:
    long = [Identity(f"v#{n}", f"person {n}", "person", (a_row(n, 0, 8, f"v#{n}"),)) for n in (1, 2, 3)]
    slip = Identity("v#4", "person 4", "person", (a_row(4, 2, 2.4, "v#4"),))
    assert lasting([*long, slip]) == long
    assert lasting([long[0], slip]) == [long[0], slip]


def test_who_comes_in_through_a_border_is_there_before_the_detector_sees_it() -> None:
    """Going left 100 px a look, 140 px are inside at the first look: it crossed the border 1.4 looks earlier."""
    boxes = [Box(500 - 100 * look, 100, min(640, 700 - 100 * look), 140) for look in range(4)]
    dog = an_identity(a_row(1, 4, 4.8))
    (stay,) = presences(dog, [TrackRow("v#1", (4.0, 4.2, 4.4, 4.6), tuple(boxes))], VIDEO)
    assert (stay.start_s, stay.end_s) == pytest.approx((3.72, 4.8))
    (stay,) = presences(dog, [TrackRow("v#1", (4.0, 4.2, 4.4, 4.6), tuple(boxes[::-1]))], VIDEO)
    assert (stay.start_s, stay.end_s) == pytest.approx((4.0, 4.88))


def test_who_stands_at_the_border_does_not_come_in() -> None:
    dog = an_identity(a_row(1, 4, 4.8))
    (stay,) = presences(dog, [a_track(1, ticks(4, 4.8), BORDER)], VIDEO)
    assert (stay.start_s, stay.end_s) == pytest.approx((4.0, 4.8))
