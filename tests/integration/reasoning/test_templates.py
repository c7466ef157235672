"""What each reasoning template gives about the park clip: within its span, evenly spread, the nearest first."""

from __future__ import annotations

import pytest

from ravu_kg.graph.reader import GraphReader
from ravu_kg.graph.store import Store
from ravu_kg.graph.writer import GraphWriter
from ravu_kg.types import FloatArray, SceneWindow, entity_id, event_id
from tests.builders import a_frame, a_node, a_scene, a_video, an_entity, an_event
from tests.integration.reasoning.park import EVENTS, LENGTH_S, BagOfWords

pytestmark = pytest.mark.neo4j

ALL = (0.0, float(LENGTH_S))


def vector(text: str) -> FloatArray:
    return BagOfWords().embed([text], "query")[0]


def test_frame_nodes_are_spread_evenly_over_each_span(reader: GraphReader, park: str) -> None:
    found = reader.entity_nodes([entity_id(park, 1)], [ALL, (10.0, 12.0)], 3)
    assert [(node.span, node.timestamp_s) for node in found] == [(0, 5.0), (0, 15.0), (0, 25.0), (1, 10.0), (1, 11.0)]


def test_frames_of_the_whole_are_spread_evenly_over_each_span(reader: GraphReader, park: str) -> None:
    found = reader.global_context(park, [(0.0, 10.0), (20.0, 30.0)], 2)
    assert [(frame.span, frame.frame_index) for frame in found] == [(0, 2), (0, 7), (1, 22), (1, 27)]
    assert entity_id(park, 1) in found[0].entity_ids


def test_the_three_parts_hold_each_frame_once(reader: GraphReader, park: str) -> None:
    parts = [reader.temporal_part(park, part, 99)[1] for part in ("beginning", "middle", "end")]
    assert [[frame.frame_index for frame in part] for part in parts] == [
        list(range(10)),
        list(range(10, 20)),
        list(range(20, 30)),
    ]


def test_a_frame_at_the_very_end_belongs_to_the_last_part(store: Store, reader: GraphReader, unique_video: str) -> None:
    scene = a_scene(unique_video, duration_s=5.0)  # its sixth frame is shown at 5 s
    writer = GraphWriter(store)
    writer.begin(scene.video, scene.entities, scene.links)
    for window in scene.windows:
        writer.write_window(unique_video, window, scene.embeddings(window))
    writer.finish(unique_video)
    assert [frame.frame_index for frame in reader.temporal_part(unique_video, "end", 99)[1]] == [4, 5]
    writer.delete(unique_video)


def test_sentences_to_judge_are_within_the_span_and_few_for_each_entity(reader: GraphReader, park: str) -> None:
    entities = [entity_id(park, 1), entity_id(park, 4)]
    throws = vector("a person in blue throws a ball")
    found = reader.sentences(entities, throws, (12.0, 14.0), 99)
    assert {(one.entity_id, one.kind, one.start_s) for one in found} == {
        (entities[0], "event", 10.0),
        (entities[0], "node", 12.0),
        (entities[0], "node", 13.0),
    }
    few = reader.sentences(entities, throws, ALL, 1)
    assert sorted((one.entity_id, one.kind) for one in few) == sorted(
        (entity, kind) for entity in entities for kind in ("event", "node")
    )
    assert few[0].description == "A person in blue throws a ball."


def test_an_option_is_supported_by_nodes_and_by_events(reader: GraphReader, park: str) -> None:
    texts = ["A person in blue throws a ball.", "seven green parrots"]
    options = BagOfWords().embed(texts, "query").tolist()
    by_event = reader.option_support([], [event_id(park, 1, "geometry", 1)], options)
    by_node = reader.option_support([f"{park}/12/1"], [], options)
    for found in (by_event, by_node):
        assert found[0] == pytest.approx(1.0, abs=1e-3)
        assert found[1] < 0.7
    assert reader.option_support([], [], options) == {}


def test_a_library_counts_identities_and_shows_the_entity_seen_most(reader: GraphReader, park: str) -> None:
    row = next(row for row in reader.library_entities(["dog"], 1000) if row.video_id == park)
    assert (row.identities, row.entity_id, row.frame_nodes) == (1, entity_id(park, 3), 8 + 18)
    assert (row.start_s, row.end_s) == (0.0, 30.0)


def test_each_candidate_comes_with_its_best_node_the_best_candidate_first(reader: GraphReader, park: str) -> None:
    candidates = [entity_id(park, track) for track in (1, 2, 3)]
    found = reader.identify(candidates, vector("a brown dog leaves to the right"), ALL, 2)
    assert [node.entity_id for node in found] == [entity_id(park, 2), entity_id(park, 3)]
    assert 4.0 <= found[0].timestamp_s < 8.0


@pytest.mark.parametrize(
    ("direction", "at_s", "starts", "shown"),
    [
        ("before", 20.0, [10.0], [12.0, 17.0]),
        ("after", 10.0, [10.0], [12.0, 17.0]),
        ("around", 25.0, [20.0], [22.0, 27.0]),
    ],
)
def test_the_events_nearest_to_a_moment_come_with_frames_of_them(
    reader: GraphReader, park: str, direction: str, at_s: float, starts: list[float], shown: list[float]
) -> None:
    found = reader.events([entity_id(park, 1)], direction, [(at_s, at_s)], ALL, 1, 2)
    assert [event.start_s for event in found] == starts
    assert [node.timestamp_s for node in found[0].nodes] == shown


def test_relevant_events_are_within_the_span(reader: GraphReader, park: str) -> None:
    found = reader.relevant_events(park, vector("a brown dog leaves to the right"), (15.0, 18.0), 99)
    wanted = {text for _, start_s, end_s, text in EVENTS if end_s >= 15.0 and start_s < 18.0}
    assert {event.description for event in found} == wanted
    assert [event.score for event in found] == sorted((event.score for event in found), reverse=True)
    assert all(15.0 <= node.timestamp_s < 18.0 for event in found for node in event.nodes)


def test_moments_of_the_whole_video_are_the_nearest_of_each_event_each_once(reader: GraphReader, park: str) -> None:
    wanted = vector("a person in blue throws a ball")
    found = reader.event_moments(park, wanted, ALL, 1, 99)
    nearest = found[0]
    assert nearest.node.description == "A person in blue throws a ball."
    assert nearest.event_id == event_id(park, 1, "geometry", 1)
    assert nearest.frame.description == f"Second {nearest.node.frame_index}."
    assert entity_id(park, 6) in nearest.frame.entity_ids
    # One of each event; nothing happens to the table, which is thus in none.
    assert len({moment.event_id for moment in found}) == len(found) == len(EVENTS)
    assert [moment.node.score for moment in found] == sorted((moment.node.score for moment in found), reverse=True)
    several = reader.event_moments(park, wanted, ALL, 3, 99)
    assert max(sum(one.event_id == event for one in several) for event in {one.event_id for one in several}) == 3
    assert reader.event_moments(park, wanted, ALL, 3, 4) == several[:4]


def test_the_moment_of_an_event_is_the_one_nearest_to_the_question(
    store: Store, reader: GraphReader, unique_video: str
) -> None:
    texts = ("a person sits", "a person throws a ball", "a person waits")
    writer = GraphWriter(store)
    writer.begin(a_video(unique_video, frame_count=3, duration_s=3.0), [an_entity(unique_video)], [])
    nodes = [a_node(unique_video, index, 1, description=text) for index, text in enumerate(texts)]
    frames = tuple(a_frame(unique_video, index) for index in range(3))
    window = SceneWindow(0, frames, tuple(nodes), (), ())
    writer.write_window(unique_video, window, BagOfWords().embed(texts, "document"))
    event = an_event(unique_video, 1, 0, start_s=0.0, end_s=3.0)
    writer.write_events(unique_video, [event], BagOfWords().embed([event.description], "document"))
    writer.finish(unique_video)
    (moment,) = reader.event_moments(unique_video, vector("who throws the ball"), (0.0, 3.0), 1, 9)
    assert moment.node.description == texts[1]
    writer.delete(unique_video)


def test_moments_of_the_whole_video_are_within_the_span(reader: GraphReader, park: str) -> None:
    found = reader.event_moments(park, vector("a person in blue throws a ball"), (10.0, 12.0), 9, 99)
    assert {moment.node.timestamp_s for moment in found} == {10.0, 11.0}


def test_tracks_are_at_the_tracking_rate(reader: GraphReader, park: str) -> None:
    (track,) = reader.tracks([entity_id(park, 5)])
    assert track.timestamps_s == (25.0, 25.2)
    assert [box.x_min for box in track.boxes] == [480.0, 480.0]


def test_pairs_are_of_one_frame_and_of_the_two_groups(reader: GraphReader, park: str) -> None:
    found = reader.pairs([entity_id(park, 1)], [entity_id(park, 2), entity_id(park, 3)], (6.0, 14.0))
    assert [(row.timestamp_s, row.object_entity) for row in found] == [
        *((second, entity_id(park, 2)) for second in (6.0, 7.0)),
        *((second, entity_id(park, 3)) for second in (12.0, 13.0)),
    ]
