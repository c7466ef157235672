"""Who comes back, by given vectors; and how that agrees with a reference."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from ravu_kg.importers.reentry import Agreement, SeenTrack, agreement, link_reentries
from ravu_kg.importers.reidentified import measure, table
from ravu_kg.types import TrackLink


def seen(track_id: int, start_s: float, end_s: float, angle: float, *, model: str = "dinov2") -> SeenTrack:
    """A track whose vector lies at an angle, in degrees."""
    radians = np.radians(angle)
    return SeenTrack(track_id, start_s, end_s, {model: np.array([np.cos(radians), np.sin(radians)], dtype=np.float32)})


def pairs(links: tuple[TrackLink, ...]) -> list[tuple[int, int]]:
    return [(link.earlier_track, link.later_track) for link in links]


def test_a_track_is_linked_to_the_most_alike_one_before_it():
    tracks = [seen(1, 0, 1, 0), seen(2, 0, 1, 80), seen(3, 2, 3, 10), seen(4, 4, 5, 12), seen(5, 6, 7, 170)]
    links = link_reentries(tracks)
    assert pairs(links) == [(1, 3), (3, 4)]  # 2 and 5 are like nobody
    assert links[0].score == pytest.approx(np.cos(np.radians(10)), abs=1e-3)
    assert {link.method for link in links} == {"given:dinov2"}


def test_things_seen_at_the_same_time_are_two_however_alike():
    assert pairs(link_reentries([seen(1, 0, 5, 0), seen(2, 3, 8, 0)])) == []
    assert pairs(link_reentries([seen(1, 0, 5, 0), seen(2, 6, 8, 0), seen(3, 7, 9, 0)])) == [(1, 2)]


def test_models_count_by_their_weight_and_a_track_that_one_has_not_seen_is_compared_by_the_other():
    both = SeenTrack(1, 0, 1, {**seen(1, 0, 1, 0).vectors, **seen(1, 0, 1, 0, model="clip").vectors})
    other_kind = SeenTrack(2, 2, 3, {**seen(2, 0, 1, 60).vectors, **seen(2, 0, 1, 0, model="clip").vectors})
    assert pairs(link_reentries([both, other_kind])) == []  # 0.3 * 1 + 0.7 * 0.5
    assert pairs(link_reentries([both, seen(3, 2, 3, 30)])) == [(1, 3)]


def test_agreement_counts_pairs_and_what_follows_from_links():
    links = [TrackLink(1, 2, 1.0, ""), TrackLink(2, 3, 1.0, ""), TrackLink(4, 5, 1.0, "")]
    found = agreement(links, {1: 10, 2: 10, 3: 10, 4: 11, 5: 12, 6: 12})
    assert found == Agreement(right=3, linked=4, true=4)
    assert (found.precision, found.recall) == (0.75, 0.75)
    assert agreement([], {1: 1, 2: 2}) == Agreement(0, 0, 0)


def test_links_agree_with_the_reference_of_real_memories(data_dir: Path):
    names = ("kitchen", "boats", "painting")
    found = measure([data_dir / "video_memory" / name for name in names], held_out=False)
    by_name = {one.name: one.agreement for one in found}
    assert (by_name["kitchen"].true, by_name["boats"].true, by_name["painting"].true) == (44, 4, 325)
    for name, precision, recall in (("kitchen", 0.5, 0.6), ("painting", 0.65, 0.6)):
        assert by_name[name].precision >= precision, name
        assert by_name[name].recall >= recall, name
    assert "painting" in table(found)
