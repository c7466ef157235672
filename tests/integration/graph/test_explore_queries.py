"""The rows of each query of ``explore/`` on a small graph that is known to the last relation.

Ten seconds, one frame a second. Person 1 walks from left to right and stays until 6 s; dog 2 sits at the right until
4 s; person 3 comes at 6.5 s and is person 1 again; car 4 is tracked between two samples only. Frames 8 and 9 failed.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from itertools import pairwise

import pytest
from builders import (
    Scene,
    a_frame,
    a_link,
    a_node,
    a_relation,
    a_same_as,
    a_scene,
    a_video,
    an_entity,
    an_event,
    vectors,
)

from ravu_kg.errors import NotFoundError
from ravu_kg.graph.store import Store
from ravu_kg.graph.templates import TemplateLibrary
from ravu_kg.graph.writer import GraphWriter
from ravu_kg.types import Box, SceneWindow

pytestmark = pytest.mark.neo4j

V, W = "3a90000000000001", "3a90000000000002"
PERSON, DOG, AGAIN, CAR = (f"{V}#{track}" for track in (1, 2, 3, 4))


def a_known_scene() -> Scene:
    def box(x: float, y: float = 100.0, width: float = 40.0, height: float = 80.0) -> Box:
        return Box(x, y, x + width, y + height)

    walk = [
        a_node(V, i, 1, box=box(40.0 + 100 * i), attributes=("standing",) if i < 3 else ("walking",)) for i in range(6)
    ]
    sit = [a_node(V, i, 2, label="dog", box=box(500.0, 200.0, 40.0, 40.0), confidence=0.4) for i in range(4)]
    back = [a_node(V, 7, 3, box=box(300.0))]
    relations = [a_relation(walk[i], sit[i], confidence=0.5) for i in (0, 1, 3)] + [
        a_relation(walk[0], sit[0], "holding", source="model"),
        a_relation(walk[1], sit[1], "right_of", source="model"),
        a_relation(walk[2], sit[2], "left_of", source="model"),
    ]
    chains = [a_same_as(a, b) for nodes in (walk, sit) for a, b in pairwise(nodes)]
    frames = tuple(a_frame(V, i, coverage="failed" if i > 7 else "ok") for i in range(10))
    corners = tuple(number for n in walk for number in (n.box.x_min, n.box.y_min, n.box.x_max, n.box.y_max) if n.box)
    still = (500.0, 200.0, 540.0, 240.0)
    entities = (
        an_entity(V, 1, start_s=0.0, end_s=6.0, track_timestamps_s=tuple(map(float, range(6))), track_boxes=corners),
        an_entity(V, 2, label="dog", start_s=0.0, end_s=4.0, track_boxes=still * 2),
        an_entity(V, 3, start_s=6.5, end_s=8.0, track_timestamps_s=(7.0,), track_boxes=(300.0, 100.0, 340.0, 180.0)),
        an_entity(V, 4, label="car", start_s=2.125, end_s=2.375, track_timestamps_s=(), track_boxes=()),
    )
    events = (
        an_event(V, 1, 0, start_s=0.0, end_s=3.0, description="The person stands."),
        an_event(V, 1, 1, start_s=3.0, end_s=6.0, description="The person walks away."),
        an_event(V, 2, 0, start_s=0.0, end_s=4.0, description="The dog sits."),
        an_event(V, 2, 0, "model", start_s=1.0, end_s=2.0, description="The dog barks."),
        an_event(V, 3, 0, start_s=6.5, end_s=8.0, description="A person comes back."),
    )
    return Scene(
        a_video(V, duration_s=10.0, frame_count=10, title="known"),
        entities,
        (a_link(V, 1, 3),),
        (SceneWindow(0, frames, (*walk, *sit, *back), tuple(relations), tuple(chains)),),
        events,
    )


def write(store: Store, scene: Scene) -> None:
    writer = GraphWriter(store)
    writer.begin(scene.video, scene.entities, scene.links)
    for window in scene.windows:
        writer.write_window(scene.video.id, window, vectors(len(window.nodes)))
    writer.write_events(scene.video.id, scene.events, scene.event_embeddings)
    writer.finish(scene.video.id)


@pytest.fixture(scope="module", autouse=True)
def known(store: Store) -> Iterator[None]:
    elsewhere = a_scene(W, frame_count=2, tracks=(1,), title="other")
    link = replace(a_link(V), later_id=f"{W}#1", scope="video", status="accepted", score=0.7)
    for video in (V, W):
        with suppress(NotFoundError):  # left by a broken run on a kept server
            GraphWriter(store).delete(video)
    write(store, a_known_scene())
    write(store, replace(elsewhere, links=(link,)))
    yield
    for video in (V, W):
        GraphWriter(store).delete(video)


@pytest.fixture
def ask(store: Store):  # type: ignore[no-untyped-def]
    """Rows of a query as tuples."""

    def rows(name: str, *columns: str, **parameters: object) -> list[tuple[object, ...]]:
        found = store.read(f"explore/{name}", **parameters)
        return [tuple(row[column] for column in columns or found.columns) for row in found.rows]

    return rows


def ids(value: object) -> object:
    """Ids of what a picture draws."""
    if isinstance(value, list):
        return [ids(one) for one in value]
    return value["properties"]["id"] if isinstance(value, dict) and "labels" in value else value  # type: ignore[index]


def test_near_each_other_counts_seconds_together_and_apart(ask) -> None:  # type: ignore[no-untyped-def]
    columns = ("entity_id", "other_id", "together_s", "apart_s")
    assert ask("near_each_other", *columns, video_id=V, within_s=3.0, limit=9) == [
        (PERSON, DOG, 4.0, 0.0),
        (PERSON, CAR, 0.25, 0.0),
        (DOG, CAR, 0.25, 0.0),
        (PERSON, AGAIN, 0.0, 0.5),
        (DOG, AGAIN, 0.0, 2.5),
    ]
    assert len(ask("near_each_other", video_id=V, within_s=0.0, limit=9)) == 3


def test_meetings_share_frames_and_tell_the_nearest_moment(ask) -> None:  # type: ignore[no-untyped-def]
    (row,) = ask("meetings", video_id=V, limit=9)
    # At 3 s the person's box ends at 380, 180; the dog's starts at 500, 200.
    assert row[:8] == (PERSON, "person", DOG, "dog", 4, 0.0, 3.0, pytest.approx((120.0**2 + 20.0**2) ** 0.5))
    assert row[8] == 3.0


def test_those_who_never_meet_are_identities(ask) -> None:  # type: ignore[no-untyped-def]
    # Person 3 alone shares no frame with the dog, but is person 1, who does.
    assert ask("never_meet", video_id=V, limit=9) == []
    assert ask("never_meet", video_id=W, limit=9) == []


def test_those_who_never_meet_are_told_with_the_seconds_between(store: Store, unique_video: str, ask) -> None:  # type: ignore[no-untyped-def]
    first, second = a_node(unique_video, 0, 1), a_node(unique_video, 3, 2, label="dog")
    frames = tuple(a_frame(unique_video, i) for i in range(4))
    entities = (an_entity(unique_video, 1), an_entity(unique_video, 2, label="dog"))
    window = SceneWindow(0, frames, (first, second), (), ())
    write(store, Scene(a_video(unique_video, frame_count=4), entities, (), (window,), ()))
    assert ask("never_meet", video_id=unique_video, limit=9) == [
        (f"{unique_video}#1", "person", f"{unique_video}#2", "dog", 3.0)
    ]


def test_changes_between_two_moments(ask) -> None:  # type: ignore[no-untyped-def]
    assert ask("changes_between", video_id=V, from_s=2.9, to_s=4.0) == [
        ("moved", PERSON, "person", 200.0, ["walking"], ["standing"]),
        ("went", DOG, "dog", None, [], ["red", "left"]),
    ]
    assert ask("changes_between", "change", "entity_id", video_id=V, from_s=6.0, to_s=7.0) == [("came", AGAIN)]
    assert [row[0] for row in ask("changes_between", video_id=V, from_s=1.0, to_s=2.0)] == ["moved", "stayed"]


def test_the_most_and_the_least_active(ask) -> None:  # type: ignore[no-untyped-def]
    most = ask("activity", video_id=V, most=True, limit=9)
    assert most[0] == (PERSON, "person", 6.0, 500.0, 2, 6, pytest.approx(500 / 6))
    assert [row[0] for row in most] == [PERSON, DOG, AGAIN, CAR]
    assert [row[0] for row in ask("activity", video_id=V, most=False, limit=2)] == [DOG, AGAIN]


def test_predicates_by_source(ask) -> None:  # type: ignore[no-untyped-def]
    assert ask("predicates", video_id=V) == [
        ("left_of", "geometry", 3, 1, 0.5),
        ("holding", "model", 1, 1, 1.0),
        ("left_of", "model", 1, 1, 1.0),
        ("right_of", "model", 1, 1, 1.0),
    ]


def test_a_spell_ends_where_a_frame_lacks_the_relation(ask) -> None:  # type: ignore[no-untyped-def]
    columns = ("predicate", "from_s", "to_s", "frames")
    assert ask("relation_spells", *columns, video_id=V, predicate="left_of", limit=9) == [("left_of", 0.0, 3.0, 4)]
    assert ask("relation_spells", *columns, video_id=V, predicate=None, limit=9) == [
        ("holding", 0.0, 0.0, 1),
        ("left_of", 0.0, 3.0, 4),
        ("right_of", 1.0, 1.0, 1),
    ]


def test_spells_of_one_relation_are_apart(store: Store, unique_video: str, ask) -> None:  # type: ignore[no-untyped-def]
    nodes = [(a_node(unique_video, i, 1), a_node(unique_video, i, 2)) for i in range(5)]
    relations = tuple(a_relation(*nodes[i]) for i in (0, 1, 4))
    frames = tuple(a_frame(unique_video, i) for i in range(5))
    window = SceneWindow(0, frames, tuple(n for pair in nodes for n in pair), relations, ())
    write(
        store,
        Scene(
            a_video(unique_video, frame_count=5), tuple(an_entity(unique_video, t) for t in (1, 2)), (), (window,), ()
        ),
    )
    spells = ask("relation_spells", "from_s", "to_s", "frames", video_id=unique_video, predicate="left_of", limit=9)
    assert spells == [(0.0, 1.0, 2), (4.0, 4.0, 1)]


def test_one_event_then_another_within_some_seconds(ask) -> None:  # type: ignore[no-untyped-def]
    found = {"video_id": V, "first": "STANDS", "then": "walks", "within_s": 3.0, "same_entity": True, "limit": 9}
    ends = [f"{V}/1/geometry/0", f"{V}/1/geometry/1"]
    assert ask("event_sequences", "first_s", "after_s", "event_ids", **found) == [(0.0, 3.0, ends)]
    assert ask("event_sequences", **{**found, "within_s": 2.9}) == []
    barks = {**found, "first": "person", "then": "barks"}
    assert ask("event_sequences", **barks) == []
    assert ask("event_sequences", "first_event", "second_entity_id", **{**barks, "same_entity": False}) == [
        ("The person stands.", DOG)
    ]


def test_dwell_time_by_part_of_the_picture(ask) -> None:  # type: ignore[no-untyped-def]
    # Of 640 pixels in 2 columns the person's middle is in the left one at 60, 160 and 260.
    assert ask("dwell_by_area", video_id=V, columns=2, rows=1) == [
        (PERSON, "person", 1, 1, 3.0, 0.5),
        (PERSON, "person", 2, 1, 3.0, 0.5),
        (DOG, "dog", 2, 1, 4.0, 1.0),
        (AGAIN, "person", 2, 1, 1.0, 1.0),
    ]
    assert ask("dwell_by_area", "column", "row", video_id=V, columns=3, rows=3)[-1] == (2, 2)


@pytest.mark.parametrize(("y1", "y2", "direction"), [(0.0, 360.0, "left"), (360.0, 0.0, "right")])
def test_a_line_is_crossed_on_the_way_over_it(ask, y1: float, y2: float, direction: str) -> None:  # type: ignore[no-untyped-def]
    # The middle of the person is at 260 at 2 s and at 360 at 3 s. Seen from above downwards it goes to the left hand.
    crossed = ask("line_crossings", video_id=V, x1=300.0, y1=y1, x2=300.0, y2=y2)
    assert crossed == [(pytest.approx(2.4), PERSON, "person", direction)]


def test_a_line_that_ends_before_the_way_is_not_crossed(ask) -> None:  # type: ignore[no-untyped-def]
    assert ask("line_crossings", video_id=V, x1=300.0, y1=0.0, x2=300.0, y2=100.0) == []
    assert ask("line_crossings", video_id=V, x1=0.0, y1=300.0, x2=640.0, y2=300.0) == []


def test_crowding_in_stretches(ask) -> None:  # type: ignore[no-untyped-def]
    assert ask("crowding_by_window", video_id=V, window_s=4.0) == [
        (0.0, 4, 2.0, 2, 2),
        (4.0, 4, 0.75, 1, 2),
        (8.0, 2, 0.0, 0, 0),
    ]


def test_uncovered_and_empty_stretches_differ(ask) -> None:  # type: ignore[no-untyped-def]
    assert ask("uncovered", video_id=V) == [(8.0, 9.0, 2, "failed")]
    assert ask("empty_stretches", video_id=V) == [(6.0, 6.0, 1)]
    assert ask("uncovered", video_id=W) == ask("empty_stretches", video_id=W) == []


def test_one_identity_over_several_videos(ask) -> None:  # type: ignore[no-untyped-def]
    assert ask("identity_over_videos", "title", "entity_id", "from_s", "events", identity_id=PERSON) == [
        ("known", PERSON, 0.0, 2),
        ("known", AGAIN, 6.5, 1),
        ("other", f"{W}#1", 0.0, 2),
    ]
    assert ask("returning_identities", video_id=V) == [(PERSON, "person", 2, [W], 0.7)]
    assert ask("returning_identities", video_id=W) == [(PERSON, "person", 1, [V], 0.7)]


def test_links_of_one_video_or_of_all(ask) -> None:  # type: ignore[no-untyped-def]
    for video in (V, W):
        found = {(ids(a), ids(b), status) for a, _, b, _, status in ask("identities", video_id=video, limit=9)}
        assert (PERSON, f"{W}#1", "accepted") in found
        assert ((PERSON, AGAIN, "auto") in found) == (video == V)
    assert len(ask("identities", video_id=None, limit=10_000)) >= 2


def test_contradictions_between_model_and_geometry(ask) -> None:  # type: ignore[no-untyped-def]
    found = ask("contradictions", video_id=V, touching=["holding"], farther_px=50.0, limit=9)
    gap = pytest.approx((420.0**2 + 20.0**2) ** 0.5)
    assert found == [
        (0.0, PERSON, "holding", DOG, "far apart", gap),
        (1.0, PERSON, "right_of", DOG, "left_of", pytest.approx((320.0**2 + 20.0**2) ** 0.5)),
    ]
    assert [row[2] for row in ask("contradictions", video_id=V, touching=[], farther_px=0.0, limit=9)] == ["right_of"]


def test_what_a_video_costs(store: Store, ask) -> None:  # type: ignore[no-untyped-def]
    (cost,) = ask("memory_cost", video_id=V)
    # Relationships: 9 + 2 chains of frames and events, 5 + 3 of appearances, 2 links.
    assert cost[:5] == (10, 11, 4, 5, 6)
    assert cost[6:] == ((11 + 5) * 768 * 4, (6 + 24 + 2 + 8 + 1 + 4) * 8, (1 + 10 + 11 + 4 + 5) * 6.0)
    counted = store.query_readonly(
        "MATCH (n)-[r]->() WHERE n.videoId = $v OR n.id = $v RETURN count(r) AS n", {"v": V}
    ).rows
    assert counted == [{"n": cost[5]}]


def test_the_path_of_an_entity_and_its_speed(ask) -> None:  # type: ignore[no-untyped-def]
    path = ask("path_of_entity", "t", "x_px", "y_px", "area_px", "px_per_s", entity_id=PERSON)
    assert path[0] == (0.0, 60.0, 140.0, 3200.0, None)
    assert path[1:] == [(float(i), 60.0 + 100 * i, 140.0, 3200.0, 100.0) for i in range(1, 6)]


def test_the_chain_of_an_entity_can_be_drawn(ask) -> None:  # type: ignore[no-untyped-def]
    rows = ask("chain_of_entity", "entity", "node", "frame", "next", entity_id=PERSON, from_s=4.0, limit=9)
    assert [(ids(e), ids(n), ids(f), len(after)) for e, n, f, after in rows] == [
        (PERSON, f"{V}/4/1", f"{V}/4", 1),
        (PERSON, f"{V}/5/1", f"{V}/5", 0),
    ]
    assert len(ask("chain_of_entity", entity_id=PERSON, from_s=0.0, limit=2)) == 2


def test_arrivals_and_departures_count_who_is_left(ask) -> None:  # type: ignore[no-untyped-def]
    assert ask("arrivals_and_departures", "t", "what", "entity_id", "in_picture", video_id=V) == [
        (0.0, "comes", PERSON, 2),
        (0.0, "comes", DOG, 2),
        (2.125, "comes", CAR, 3),
        (2.375, "leaves", CAR, 2),
        (4.0, "leaves", DOG, 1),
        (6.0, "leaves", PERSON, 0),
        (6.5, "comes", AGAIN, 1),
        (8.0, "leaves", AGAIN, 0),
    ]


def test_labels_count_identities(ask) -> None:  # type: ignore[no-untyped-def]
    assert ask("labels", video_id=V) == [
        ("person", 1, 2, 7.5, 0.0, 8.0),
        ("dog", 1, 1, 4.0, 0.0, 4.0),
        ("car", 1, 1, 0.25, 2.125, 2.375),
    ]


def test_what_happens_meanwhile(ask) -> None:  # type: ignore[no-untyped-def]
    found = ask("meanwhile", "overlap_s", "event", event_id=f"{V}/1/geometry/0", limit=9)
    assert found == [(3.0, "The dog sits."), (1.0, "The dog barks.")]


def test_events_over_time_and_the_longest(ask) -> None:  # type: ignore[no-untyped-def]
    assert ask("event_rate", video_id=V, window_s=3.0) == [
        (0.0, 3, 2, ["geometry", "model"]),
        (3.0, 1, 1, ["geometry"]),
        (6.0, 1, 1, ["geometry"]),
    ]
    longest = ask("longest_events", "lasts_s", "event", video_id=V, limit=3)
    assert longest == [(4.0, "The dog sits."), (3.0, "The person stands."), (3.0, "The person walks away.")]


def test_attributes_change_where_they_differ(ask) -> None:  # type: ignore[no-untyped-def]
    assert ask("attribute_changes", "t", "gained", "lost", entity_id=PERSON) == [(3.0, ["walking"], ["standing"])]
    assert ask("attribute_changes", entity_id=DOG) == []


def test_doubtful_entities_are_short_or_unsure(ask) -> None:  # type: ignore[no-untyped-def]
    columns = ("entity_id", "frames")
    found = ask("doubtful_entities", *columns, video_id=V, fewer_frames=2, below_confidence=0.5)
    assert found == [(CAR, 0), (AGAIN, 1), (DOG, 4)]
    assert ask("doubtful_entities", *columns, video_id=V, fewer_frames=1, below_confidence=0.0) == [(CAR, 0)]


def test_bystanders_of_an_event(ask) -> None:  # type: ignore[no-untyped-def]
    gap = pytest.approx((120.0**2 + 20.0**2) ** 0.5)
    assert ask("bystanders", event_id=f"{V}/2/geometry/0") == [(PERSON, "person", 4, gap)]
    assert ask("bystanders", event_id=f"{V}/3/geometry/0") == []


def test_who_covers_a_point(ask) -> None:  # type: ignore[no-untyped-def]
    assert ask("at_point", video_id=V, x=520.0, y=220.0) == [(DOG, "dog", 0.0, 3.0, 4)]
    assert ask("at_point", "entity_id", video_id=V, x=310.0, y=110.0) == [(AGAIN,)]
    assert ask("at_point", video_id=V, x=540.0, y=220.0) == []  # the right edge is outside


def test_who_grows(ask) -> None:  # type: ignore[no-untyped-def]
    assert ask("size_changes", video_id=V) == [
        (PERSON, "person", 0.0, 5.0, 1.0),
        (DOG, "dog", 0.0, 3.0, 1.0),
    ]


def test_facts_by_source(ask) -> None:  # type: ignore[no-untyped-def]
    assert ask("provenance", video_id=V) == [
        ("event", "geometry", 4),
        ("event", "model", 1),
        ("frame node", "geometry", 11),
        ("relation", "geometry", 3),
        ("relation", "model", 3),
    ]


PARAMETERS: dict[str, object] = {
    "video_id": V, "entity_id": PERSON, "other_id": DOG, "identity_id": PERSON, "frame_id": f"{V}/1",
    "frame_ids": [f"{V}/1"], "node_ids": [f"{V}/1/1"], "event_ids": [f"{V}/1/geometry/0"],
    "event_id": f"{V}/1/geometry/0", "label": None, "words": "barks", "predicate": "left_of", "limit": 50,
    "within_s": 5.0, "longer_than_s": 0.0, "from_s": 0.0, "to_s": 9.0, "window_s": 2.0, "most": True, "first": "stands",
    "then": "walks", "same_entity": False, "columns": 3, "rows": 3, "x1": 300.0, "y1": 0.0, "x2": 300.0, "y2": 360.0,
    "x": 520.0, "y": 220.0, "touching": ["holding"], "farther_px": 50.0, "fewer_frames": 2, "below_confidence": 0.5,
}  # fmt: skip
OF_THE_WHOLE_LIBRARY = {"overview", "events_about"}
EXPLORE = [t.name.removeprefix("explore/") for t in TemplateLibrary.load() if t.name.startswith("explore/")]


def bound(store: Store, name: str) -> dict[str, object]:
    return {p.name: PARAMETERS[p.name] for p in store.template(f"explore/{name}").parameters}


def test_there_are_many_queries() -> None:
    assert len(EXPLORE) >= 40


@pytest.mark.parametrize("name", EXPLORE)
def test_each_query_is_ad_hoc_cypher_too_and_its_tables_hold_no_vector(store: Store, name: str) -> None:
    template = store.template(f"explore/{name}")
    parameters = bound(store, name)
    result = store.read(template.name, **parameters)
    asked = store.query_readonly(template.text, parameters)
    assert (asked.rows, asked.notes) == (result.rows, ())
    kinds = {column.name: column.type for column in template.columns}
    for row in result.rows:
        for column, value in row.items():
            if not any(word in kinds[column] for word in ("NODE", "RELATIONSHIP", "PATH")):
                assert "floats>" not in str(value)
                assert "'labels': [" not in str(value)
