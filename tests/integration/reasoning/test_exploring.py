"""What the analysts' templates tell of the park clip."""

from __future__ import annotations

import pytest

from ravu_kg.graph.store import Store
from ravu_kg.types import entity_id
from tests.integration.reasoning.park import THINGS

pytestmark = pytest.mark.neo4j


def rows(store: Store, name: str, **parameters: object) -> list[dict[str, object]]:
    return store.read(f"explore/{name}", **parameters).rows


@pytest.mark.parametrize(("within_s", "dog_frames"), [(0.0, None), (8.0, 1)])
def test_who_is_seen_with_somebody_depends_on_the_seconds_between(
    store: Store, park: str, within_s: float, dog_frames: int | None
) -> None:
    found = rows(store, "seen_with", entity_id=entity_id(park, 4), within_s=within_s)
    frames = {row["entity_id"]: row["frames"] for row in found}
    assert frames.get(entity_id(park, 2)) == dog_frames
    assert entity_id(park, 4) not in frames
    if within_s == 0.0:
        assert {frames[entity_id(park, track)] for track in (1, 3, 6)} == {7}


def test_the_dog_alone_is_out_of_the_picture_between_two_stays(store: Store, park: str) -> None:
    found = rows(store, "gaps", video_id=park, longer_than_s=0.5)
    assert [(row["identity_id"], row["from_s"], row["to_s"], row["gap_s"]) for row in found] == [
        (entity_id(park, 2), 8.0, 12.0, 4.0)
    ]
    assert rows(store, "gaps", video_id=park, longer_than_s=4.0) == []


def test_each_identity_appears_with_all_of_its_stays(store: Store, park: str) -> None:
    found = {row["identity_id"]: row for row in rows(store, "who_appears_when", video_id=park, label=None)}
    assert len(found) == 5
    dog = found[entity_id(park, 2)]
    assert dog["stays"] == [
        {"entity_id": entity_id(park, 2), "from_s": 0.0, "to_s": 8.0},
        {"entity_id": entity_id(park, 3), "from_s": 12.0, "to_s": 30.0},
    ]
    assert dog["seen_s"] == 26.0


def test_the_nearest_moments_of_two_entities_come_first(store: Store, park: str) -> None:
    found = rows(store, "nearest_in_picture", entity_id=entity_id(park, 1), other_id=entity_id(park, 2), limit=99)
    assert [row["t"] for row in found] == [float(second) for second in range(8)]
    assert [row["gap_px"] for row in found] == [10.0] * 4 + [410.0] * 4


def test_the_first_and_last_sight_are_the_ends_of_a_stay(store: Store, park: str) -> None:
    man = next(r for r in rows(store, "first_and_last_sight", video_id=park) if r["entity_id"] == entity_id(park, 4))
    assert (man["first_s"], man["last_s"]) == (15.0, 21.0)
    assert man["first_sentence"] == "A person in red enters from the bottom."
    assert man["last_sentence"] == "A person in red leaves to the left."


def test_crowding_counts_frame_by_frame(store: Store, clouded: str) -> None:
    found = rows(store, "crowding", video_id=clouded)
    assert [row["entities"] for row in found] == [
        sum(thing.is_seen(second) for thing in THINGS) for second in range(30)
    ]
    assert [row["frame_index"] for row in found if row["coverage"] != "ok"] == [10, 11, 29]


def test_the_timeline_holds_events_that_reach_into_the_span(store: Store, park: str) -> None:
    found = rows(store, "timeline", video_id=park, from_s=8.0, to_s=12.0, limit=99)
    assert [(row["start_s"], row["entity_id"]) for row in found] == [
        (0.0, entity_id(park, 1)),
        (10.0, entity_id(park, 1)),
    ]


def test_the_evidence_of_an_answer_is_its_frames_and_events(store: Store, park: str) -> None:
    event = f"{park}/1/geometry/1"
    (row,) = rows(store, "evidence", node_ids=[f"{park}/12/1"], event_ids=[event, f"{park}/4/geometry/0"])
    seen, events = row["seen"], row["events"]
    assert [node["properties"]["id"] for node in seen["nodes"]] == [  # type: ignore[index]
        f"{park}/12",
        f"{park}/12/1",
        entity_id(park, 1),
    ]
    assert [node["properties"]["id"] for node in events] == [event]  # type: ignore[attr-defined]
    found = rows(store, "frames", frame_ids=[f"{park}/3", f"{park}/2"])
    assert [row["frame"]["properties"]["index"] for row in found] == [2, 3]  # type: ignore[index]
