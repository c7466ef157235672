"""Writing, resuming, exporting and deleting a video's graph on a real server."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from builders import a_link, a_node, a_relation, a_scene, an_entity, an_event, vectors, write_scene

from ravu_kg.errors import ConfigurationError, GraphError, NotFoundError
from ravu_kg.graph.decisions import Verdict, decide
from ravu_kg.graph.export import canonical
from ravu_kg.graph.export import vectors as stored_vectors
from ravu_kg.graph.store import Store
from ravu_kg.graph.writer import GraphWriter
from ravu_kg.types import FrameNode, SceneWindow, entity_id, event_id

pytestmark = pytest.mark.neo4j


def counts(store: Store, video: str) -> dict[str, int]:
    nodes = store.query_readonly("MATCH (n {videoId: $v}) RETURN labels(n)[0] AS k, count(*) AS n", {"v": video}).rows
    ties = store.query_readonly(
        "MATCH (n)-[r]->() WHERE n.videoId = $v OR n.id = $v RETURN type(r) + ' ' + labels(n)[0] AS k, count(*) AS n",
        {"v": video},
    ).rows
    return {str(row["k"]): int(str(row["n"])) for row in [*nodes, *ties]}


def without_ids(exported: dict[str, object], video: str) -> str:
    return str(exported).replace(video, "VIDEO")


def test_a_scene_becomes_the_graph_of_the_design(store: Store, unique_video: str) -> None:
    scene = a_scene(unique_video)
    assert write_scene(store, scene) == 0
    assert counts(store, unique_video) == {
        "Frame": 6,
        "Entity": 3,
        "FrameNode": 18,
        "Event": 6,
        "HAS_FRAME Video": 6,
        "HAS_ENTITY Video": 3,
        "NEXT Frame": 5,
        "CONTAINS Frame": 18,
        "APPEARS_AS Entity": 18,
        "HAS_EVENT Entity": 6,
        "NEXT Event": 3,
        "REL FrameNode": 12,
        "SAME_AS FrameNode": 15,
        "SAME_AS Entity": 1,
    }
    row = store.query_readonly(
        "MATCH (v:Video {id: $v}) RETURN v.status AS s, v.frameNodeCount AS n, v.revision AS r, v.createdAt AS c",
        {"v": unique_video},
    ).rows[0]
    assert (row["s"], row["n"], row["r"]) == ("ready", 18, 1)
    assert row["c"]


def test_properties_are_those_of_the_design(store: Store, unique_video: str) -> None:
    write_scene(store, a_scene(unique_video))

    def keys(label: str) -> set[str]:
        text = f"MATCH (n:{label}) WHERE n.videoId = $v OR n.id = $v UNWIND keys(n) AS k RETURN DISTINCT k"
        return {str(row["k"]) for row in store.query_readonly(text, {"v": unique_video}).rows}

    assert keys("Frame") == {"id", "videoId", "index", "sourceFrame", "t", "description", "coverage"}
    assert keys("Entity") == {
        "id", "videoId", "trackId", "label", "description", "coverage", "color", "tStart", "tEnd",
        "trackT", "trackBoxes", "identityId",
    }  # fmt: skip
    assert keys("FrameNode") == {
        "id", "videoId", "entityId", "frameIndex", "t", "label", "xMin", "yMin", "xMax", "yMax", "confidence",
        "attributes", "description", "geometryAttributes", "geometryDescription", "source", "embedding",
    }  # fmt: skip
    assert keys("Event") == {
        "id", "videoId", "entityId", "source", "seq", "tStart", "tEnd", "description", "embedding",
    }  # fmt: skip
    assert {
        "contentHash", "uri", "title", "frameCount", "frameNodeCount", "sampleInterval", "trackingRate", "detector",
    } <= keys("Video")  # fmt: skip


def test_indexing_twice_adds_and_removes_nothing(store: Store, unique_video: str) -> None:
    scene = a_scene(unique_video)
    write_scene(store, scene)
    first, first_counts = canonical(store, unique_video), counts(store, unique_video)
    assert write_scene(store, scene) == len(scene.windows)
    assert canonical(store, unique_video) == first
    assert counts(store, unique_video) == first_counts
    revision = store.query_readonly("MATCH (v:Video {id: $v}) RETURN v.revision AS r", {"v": unique_video}).rows
    assert revision == [{"r": 1}]


def test_writing_every_window_again_changes_nothing(store: Store, unique_video: str) -> None:
    scene = a_scene(unique_video)
    write_scene(store, scene)
    first = canonical(store, unique_video)
    ids, before = stored_vectors(store, unique_video)
    writer = GraphWriter(store)
    for window in scene.windows:
        writer.write_window(unique_video, window, scene.embeddings(window))
    writer.write_events(unique_video, scene.events, scene.event_embeddings)
    assert canonical(store, unique_video) == first
    assert stored_vectors(store, unique_video)[0] == ids
    assert np.allclose(stored_vectors(store, unique_video)[1], before, atol=1e-6)


@pytest.mark.parametrize("windows", [0, 1, 2])
def test_a_crash_between_windows_resumes_to_the_same_graph(store: Store, unique_video: str, windows: int) -> None:
    undisturbed = a_scene(unique_video + "a")
    write_scene(store, undisturbed)
    scene = a_scene(unique_video + "b")
    write_scene(store, scene, windows=windows)
    assert write_scene(store, scene) == windows
    assert without_ids(canonical(store, scene.video.id), scene.video.id) == without_ids(
        canonical(store, undisturbed.video.id), undisturbed.video.id
    )
    assert np.allclose(stored_vectors(store, scene.video.id)[1], stored_vectors(store, undisturbed.video.id)[1])


def test_a_crash_inside_a_window_leaves_nothing_of_it(store: Store, unique_video: str) -> None:
    scene = a_scene(unique_video)
    write_scene(store, scene, windows=1)
    before = counts(store, unique_video)
    broken = scene.windows[1]
    stranger = a_relation(broken.nodes[0], a_node(unique_video, 99, 99))
    broken = replace(broken, relations=(*broken.relations, stranger))
    with pytest.raises(GraphError, match="ingest/relations wrote 4 of 5 rows"):
        GraphWriter(store).write_window(unique_video, broken, scene.embeddings(broken))
    assert counts(store, unique_video) == before
    assert write_scene(store, scene) == 1


def test_an_unfinished_run_that_saw_other_entities_is_done_anew(store: Store, unique_video: str) -> None:
    write_scene(store, a_scene(unique_video, tracks=(1, 2, 3, 4)), windows=1)
    assert write_scene(store, a_scene(unique_video)) == 0
    assert counts(store, unique_video)["Entity"] == 3


def test_a_ready_video_with_other_entities_is_refused(store: Store, unique_video: str) -> None:
    write_scene(store, a_scene(unique_video, tracks=(1, 2, 3, 4)))
    with pytest.raises(ConfigurationError, match=r"--build .* --replace"):
        write_scene(store, a_scene(unique_video))


def test_another_pipeline_is_refused_and_says_what_differs(store: Store, unique_video: str) -> None:
    write_scene(store, a_scene(unique_video), windows=1)
    with pytest.raises(ConfigurationError, match=r"detector motion then, yolox:nano now.*--build .*--replace"):
        write_scene(store, a_scene(unique_video, detector="yolox:nano"))


def test_other_windows_are_refused(store: Store, unique_video: str) -> None:
    write_scene(store, a_scene(unique_video))
    other = a_scene(unique_video, window_frames=3)
    with pytest.raises(ConfigurationError, match="in other windows before"):
        GraphWriter(store).write_window(unique_video, other.windows[0], other.embeddings(other.windows[0]))


def test_an_earlier_window_written_again_takes_no_later_one_back(store: Store, unique_video: str) -> None:
    scene = a_scene(unique_video)
    write_scene(store, scene, windows=2)
    GraphWriter(store).write_window(unique_video, scene.windows[0], scene.embeddings(scene.windows[0]))
    assert write_scene(store, scene) == 2


def test_one_relation_from_two_sources_is_kept_twice(store: Store, unique_video: str) -> None:
    scene = a_scene(unique_video, frame_count=1, window_frames=1, tracks=(1, 2))
    window = scene.windows[0]
    given = a_relation(window.nodes[0], window.nodes[1], source="annotation", text="to the left of")
    write_scene(store, replace(scene, windows=(replace(window, relations=(*window.relations, given)),)))
    found = canonical(store, unique_video)["relations"]
    assert [(one["predicate"], one["source"], one["text"]) for one in found] == [  # type: ignore[attr-defined]
        ("left_of", "annotation", "to the left of"),
        ("left_of", "geometry", "left of"),
    ]


def test_the_same_content_under_another_name_keeps_its_first_name(store: Store, unique_video: str) -> None:
    write_scene(store, a_scene(unique_video, title="first"))
    before = canonical(store, unique_video)
    write_scene(store, a_scene(unique_video, title="second", uri="/elsewhere.mp4"))
    assert canonical(store, unique_video) == before


def test_a_name_that_is_no_text_can_be_written(store: Store, unique_video: str) -> None:
    write_scene(store, a_scene(unique_video, title="caf\udce9", uri="/caf\udce9.mp4"))
    assert store.query_readonly("MATCH (v:Video {id: $v}) RETURN v.title AS t", {"v": unique_video}).rows == [
        {"t": "caf?"}
    ]


def test_another_embedder_is_refused_and_reembed_is_named(store: Store, unique_video: str) -> None:
    with pytest.raises(ConfigurationError, match="ravu-kg reembed"):
        write_scene(store, a_scene(unique_video, embedder="other"))


@pytest.mark.parametrize("shape", [(6, 384), (5, 768), (6,)])
def test_vectors_of_another_shape_are_refused(store: Store, unique_video: str, shape: tuple[int, ...]) -> None:
    scene = a_scene(unique_video)
    write_scene(store, scene, windows=0)
    with pytest.raises(GraphError, match="6 vectors of 768 numbers"):
        GraphWriter(store).write_window(unique_video, scene.windows[0], np.ones(shape, dtype=np.float32))


@pytest.mark.parametrize("value", [0.0, np.nan])
def test_vectors_that_cannot_be_searched_are_refused(store: Store, unique_video: str, value: float) -> None:
    scene = a_scene(unique_video)
    write_scene(store, scene, windows=0)
    embeddings = vectors(6)
    embeddings[3] = value
    with pytest.raises(GraphError, match="zero or no number"):
        GraphWriter(store).write_window(unique_video, scene.windows[0], embeddings)


def test_windows_must_come_in_order_and_after_their_video(store: Store, unique_video: str) -> None:
    scene = a_scene(unique_video)
    writer = GraphWriter(store)
    with pytest.raises(NotFoundError):
        writer.write_window(unique_video, scene.windows[0], scene.embeddings(scene.windows[0]))
    writer.begin(scene.video, scene.entities, scene.links)
    with pytest.raises(GraphError, match="too early"):
        writer.write_window(unique_video, scene.windows[1], scene.embeddings(scene.windows[1]))


def test_an_incomplete_video_cannot_be_finished(store: Store, unique_video: str) -> None:
    write_scene(store, a_scene(unique_video), windows=2)
    with pytest.raises(GraphError, match="4 of 6 frames"):
        GraphWriter(store).finish(unique_video)
    with pytest.raises(NotFoundError):
        GraphWriter(store).finish("no such video")


def test_events_of_another_video_are_refused(store: Store, unique_video: str) -> None:
    with pytest.raises(GraphError, match="does not belong"):
        GraphWriter(store).write_events(unique_video, [an_event("elsewhere")], vectors(1))


def test_a_video_without_entities_is_written_too(store: Store, unique_video: str) -> None:
    scene = a_scene(unique_video, tracks=())
    write_scene(store, scene)
    assert counts(store, unique_video) == {"Frame": 6, "HAS_FRAME Video": 6, "NEXT Frame": 5}
    assert stored_vectors(store, unique_video)[0] == []


def test_a_window_larger_than_a_batch_is_written_whole(store: Store, unique_video: str) -> None:
    scene = a_scene(unique_video, frame_count=12, window_frames=12, tracks=tuple(range(1, 101)))
    write_scene(store, scene)
    assert counts(store, unique_video)["FrameNode"] == 1200
    assert canonical(store, unique_video)["video"]["frameNodeCount"] == 1200  # type: ignore[index]


def test_nodes_without_a_box_are_written_without_box(store: Store, unique_video: str) -> None:
    scene = a_scene(unique_video, frame_count=1, window_frames=1, tracks=(1,))
    nodes: tuple[FrameNode, ...] = (a_node(unique_video, 0, 1, box=None),)
    write_scene(store, replace(scene, windows=(replace(scene.windows[0], nodes=nodes),)))
    assert canonical(store, unique_video)["frame_nodes"][0]["xMin"] is None  # type: ignore[index]


def test_numbers_in_an_export_have_four_digits(store: Store, unique_video: str) -> None:
    scene = a_scene(unique_video)
    write_scene(store, replace(scene, links=(a_link(unique_video, score=2 / 3),)))
    assert canonical(store, unique_video)["identity_links"] == [
        {
            "decidedBy": None,
            "earlier": entity_id(unique_video, 1),
            "later": entity_id(unique_video, 2),
            "method": "appearance",
            "scope": "reentry",
            "score": 0.6667,
            "status": "auto",
        }
    ]


def test_the_export_of_an_unknown_video_is_not_found(store: Store) -> None:
    with pytest.raises(NotFoundError):
        canonical(store, "no such video")


def identities(store: Store, video: str) -> dict[str, str]:
    rows = store.read("ingest/entity_identities", video_id=video).rows
    return {str(row["entity_id"])[len(video) :]: str(row["identity_id"])[len(video) :] for row in rows}


def test_linked_entities_share_an_identity_until_the_link_is_rejected(store: Store, unique_video: str) -> None:
    scene = a_scene(unique_video)
    write_scene(store, scene)
    assert identities(store, unique_video) == {"#1": "#1", "#2": "#1", "#3": "#3"}
    two_and_one = entity_id(unique_video, 2), entity_id(unique_video, 1)
    decide(store, "reject", [Verdict(*two_and_one, "rejected")], "tester", "")
    assert identities(store, unique_video) == {"#1": "#1", "#2": "#2", "#3": "#3"}
    write_scene(store, scene)
    assert identities(store, unique_video) == {"#1": "#1", "#2": "#2", "#3": "#3"}, "a decision outlives re-indexing"
    decide(store, "accept", [Verdict(*two_and_one, "accepted")], "tester", "")
    assert identities(store, unique_video) == {"#1": "#1", "#2": "#1", "#3": "#3"}


def test_identities_reach_across_videos_and_come_back_when_one_goes(store: Store, unique_video: str) -> None:
    first, second = unique_video + "a", unique_video + "b"
    write_scene(store, a_scene(first, tracks=(1,)))
    link = a_link(first, scope="video", earlier_id=entity_id(second, 2), later_id=entity_id(first, 1))
    write_scene(store, replace(a_scene(second, tracks=(2,)), links=(link,)))
    assert store.read("ingest/entity_identities", video_id=second).rows[0]["identity_id"] == entity_id(first, 1)
    GraphWriter(store).delete(first)
    assert store.read("ingest/entity_identities", video_id=second).rows[0]["identity_id"] == entity_id(second, 2)


def test_a_link_across_videos_is_stored_once_whichever_video_finds_it(store: Store, unique_video: str) -> None:
    ends = entity_id(unique_video + "a", 1), entity_id(unique_video + "b", 1)
    write_scene(store, a_scene(unique_video + "a", tracks=(1,)))
    for earlier, later in (ends, ends[::-1]):
        link = a_link(unique_video, scope="video", earlier_id=earlier, later_id=later)
        write_scene(store, replace(a_scene(unique_video + "b", tracks=(1,)), links=(link,)))
    links = canonical(store, unique_video + "b")["identity_links"]
    assert [(one["earlier"], one["later"]) for one in links] == [ends]  # type: ignore[attr-defined]


def test_events_of_one_source_follow_each_other(store: Store, unique_video: str) -> None:
    scene = a_scene(unique_video, tracks=(1,))
    given = tuple(an_event(unique_video, 1, seq, "annotation") for seq in (0, 1))
    write_scene(store, replace(scene, events=(*given, *scene.events)))
    order = {one["id"]: one["next"] for one in canonical(store, unique_video)["events"]}  # type: ignore[attr-defined]
    assert order == {
        event_id(unique_video, 1, source, seq): [event_id(unique_video, 1, source, 1)][seq:]
        for source in ("annotation", "geometry")
        for seq in (0, 1)
    }


def test_delete_removes_all_of_one_video_and_nothing_of_another(store: Store, unique_video: str) -> None:
    kept, gone = a_scene(unique_video + "a"), a_scene(unique_video + "b")
    write_scene(store, kept)
    write_scene(store, gone)
    before = canonical(store, kept.video.id)
    removed = GraphWriter(store).delete(gone.video.id)
    assert removed.nodes_deleted == 1 + 6 + 3 + 18 + 6
    assert counts(store, gone.video.id) == {}
    assert store.read("ingest/video_state", video_id=gone.video.id).rows == []
    assert canonical(store, kept.video.id) == before
    with pytest.raises(NotFoundError):
        GraphWriter(store).delete(gone.video.id)


def test_an_interrupted_delete_is_finished_before_indexing_anew(store: Store, unique_video: str) -> None:
    scene = a_scene(unique_video)
    write_scene(store, scene)
    store.write("ingest/start_delete", video_id=unique_video)
    store.write("ingest/delete_frame_nodes", video_id=unique_video, limit=5)
    assert write_scene(store, scene) == 0
    assert counts(store, unique_video)["FrameNode"] == 18


def test_an_entity_with_a_long_track_is_written(store: Store, unique_video: str) -> None:
    times = [index / 5 for index in range(20_000)]
    entity = an_entity(unique_video, 1, track_timestamps_s=times, track_boxes=[1.0] * (4 * len(times)))
    scene = a_scene(unique_video, tracks=(1,))
    write_scene(store, replace(scene, entities=(entity,)))
    text = "MATCH (e:Entity {videoId: $v}) RETURN size(e.trackT) AS t, size(e.trackBoxes) AS b"
    assert store.query_readonly(text, {"v": unique_video}).rows == [{"t": 20_000, "b": 80_000}]


@pytest.mark.parametrize("changes", [{"label": "\ud800"}, {"start_s": 2**70}])
def test_a_value_that_cannot_be_stored_is_a_graph_error(
    store: Store, unique_video: str, changes: dict[str, object]
) -> None:
    scene = a_scene(unique_video, tracks=(1,))
    with pytest.raises(GraphError, match="cannot be stored"):
        write_scene(store, replace(scene, entities=(an_entity(unique_video, 1, **changes),)))


def test_an_empty_window_is_written(store: Store, unique_video: str) -> None:
    scene = a_scene(unique_video)
    writer = GraphWriter(store)
    writer.begin(scene.video, scene.entities, scene.links)
    writer.write_window(
        unique_video, SceneWindow(0, scene.windows[0].frames, (), (), ()), np.zeros((0, 768), np.float32)
    )
    assert counts(store, unique_video)["Frame"] == 2
