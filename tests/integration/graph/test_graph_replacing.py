"""A new graph in the place of an old one: the old one can be asked until the new one is complete."""

from __future__ import annotations

from itertools import count

import numpy as np
import pytest
from builders import Scene, a_link, a_scene, write_scene

from ravu_kg.errors import NotFoundError
from ravu_kg.graph.decisions import Verdict, decide
from ravu_kg.graph.export import canonical
from ravu_kg.graph.export import vectors as stored_vectors
from ravu_kg.graph.results import Counters
from ravu_kg.graph.store import Store
from ravu_kg.graph.writer import GraphWriter
from ravu_kg.types import entity_id, replacement_id

pytestmark = pytest.mark.neo4j


class StopsBefore:
    """The real store, but the process ends before its n-th write."""

    def __init__(self, store: Store, number: int) -> None:
        self._store, self._left = store, number

    def __getattr__(self, name: str) -> object:
        return getattr(self._store, name)

    def write(self, name: str, /, **parameters: object) -> Counters:
        if self._left == 0:
            raise KeyboardInterrupt
        self._left -= 1
        return self._store.write(name, **parameters)


def old_scene(video: str) -> Scene:
    return a_scene(video, tracks=(1, 2, 3, 4, 5), detector="old")


def new_scene(video: str) -> Scene:
    return a_scene(video, tracks=(2, 3, 7), detector="new", frame_count=8, title="clip", content_hash="0123")


def status(store: Store, video: str) -> str | None:
    rows = store.query_readonly("MATCH (v:Video {id: $v}) RETURN v.status AS s", {"v": video}).rows
    return str(rows[0]["s"]) if rows else None


def everything(store: Store, video: str) -> int:
    rows = store.query_readonly("MATCH (n) WHERE n.id STARTS WITH $v RETURN count(n) AS n", {"v": video}).rows
    return int(str(rows[0]["n"]))


def test_the_old_graph_is_whole_until_the_new_one_takes_its_place(store: Store, unique_video: str) -> None:
    write_scene(store, old_scene(unique_video))
    before = canonical(store, unique_video)
    new_id = replacement_id(unique_video)
    write_scene(store, new_scene(new_id), windows=2)
    assert (status(store, unique_video), status(store, new_id)) == ("ready", "indexing")
    assert write_scene(store, new_scene(new_id)) == 2, "goes on where it stopped"
    assert (status(store, unique_video), status(store, new_id)) == ("ready", "replacing")
    assert canonical(store, unique_video) == before

    assert GraphWriter(store).take_place(unique_video)
    assert (status(store, unique_video), status(store, new_id)) == ("ready", None)
    assert not GraphWriter(store).take_place(unique_video), "there is nothing left to do"
    fresh = unique_video + "f"
    write_scene(store, new_scene(fresh))
    replaced, undisturbed = canonical(store, unique_video), canonical(store, fresh)
    assert str(replaced).replace(unique_video, "V") == str(undisturbed).replace(fresh, "V")
    ids, vectors = stored_vectors(store, unique_video)
    assert ids == [one.replace(fresh, unique_video) for one in stored_vectors(store, fresh)[0]]
    assert np.allclose(vectors, stored_vectors(store, fresh)[1])
    revision = "MATCH (v:Video {id: $v}) RETURN v.revision AS r"
    assert store.query_readonly(revision, {"v": unique_video}).rows == [{"r": 2}]


def test_stopped_before_any_of_its_steps_it_ends_in_the_same_graph(store: Store, unique_video: str) -> None:
    expected = ""
    for stop in count():
        video = f"{unique_video}{stop:02d}"
        write_scene(store, old_scene(video))
        write_scene(store, new_scene(replacement_id(video)))
        try:
            GraphWriter(StopsBefore(store, stop)).take_place(video)  # type: ignore[arg-type]
        except KeyboardInterrupt:
            assert GraphWriter(store).take_place(video)
        else:
            assert stop > 10, "deleting, adopting and renaming are many steps"
            break
        text = str(canonical(store, video)).replace(video, "V")
        expected = expected or text
        assert text == expected, f"stopped before write {stop}"
        assert everything(store, video) == 1 + 8 + 3 + 24 + 6


def test_an_unfinished_replacement_by_another_pipeline_is_begun_anew(store: Store, unique_video: str) -> None:
    new_id = replacement_id(unique_video)
    write_scene(store, old_scene(new_id), windows=2)
    assert write_scene(store, new_scene(new_id)) == 0
    assert canonical(store, new_id)["video"]["detector"] == "new"  # type: ignore[index]
    GraphWriter(store).delete(new_id)


def test_deleting_a_video_deletes_its_unfinished_replacement(store: Store, unique_video: str) -> None:
    write_scene(store, old_scene(unique_video))
    write_scene(store, new_scene(replacement_id(unique_video)), windows=1)
    GraphWriter(store).delete(unique_video)
    assert everything(store, unique_video) == 0


@pytest.mark.parametrize("stop", [3, 9, 11])
def test_a_replacement_that_stopped_on_its_way_is_deleted_whole(store: Store, unique_video: str, stop: int) -> None:
    new_id = replacement_id(unique_video)
    write_scene(store, old_scene(unique_video))
    write_scene(store, new_scene(new_id))
    with pytest.raises(KeyboardInterrupt):
        GraphWriter(StopsBefore(store, stop)).take_place(unique_video)  # type: ignore[arg-type]
    GraphWriter(store).delete(new_id)
    assert everything(store, unique_video) == 0
    with pytest.raises(NotFoundError):
        GraphWriter(store).delete(unique_video)


def test_deleting_a_replacement_that_is_not_complete_leaves_the_video(store: Store, unique_video: str) -> None:
    write_scene(store, old_scene(unique_video))
    before = canonical(store, unique_video)
    write_scene(store, new_scene(replacement_id(unique_video)), windows=1)
    GraphWriter(store).delete(replacement_id(unique_video))
    assert canonical(store, unique_video) == before


def test_identities_follow_into_the_new_place(store: Store, unique_video: str) -> None:
    write_scene(store, old_scene(unique_video))
    write_scene(store, new_scene(replacement_id(unique_video)))
    GraphWriter(store).take_place(unique_video)

    def identities() -> dict[str, str]:
        rows = store.read("ingest/entity_identities", video_id=unique_video).rows
        return {str(row["entity_id"]): str(row["identity_id"]) for row in rows}

    two, three, seven = (entity_id(unique_video, track) for track in (2, 3, 7))
    assert identities() == {two: two, three: two, seven: seven}
    decide(store, "reject", [Verdict(two, three, "rejected")], "tester", "")
    assert identities() == {two: two, three: three, seven: seven}


def test_other_videos_lose_their_ties_to_the_old_graph_alone(store: Store, unique_video: str) -> None:
    old, other = unique_video + "a", unique_video + "b"
    write_scene(store, old_scene(old))
    link = a_link(old, scope="video", earlier_id=entity_id(old, 1), later_id=entity_id(other, 2))
    scene = a_scene(other, tracks=(2,))
    writer = GraphWriter(store)
    writer.begin(scene.video, scene.entities, [link])
    for window in scene.windows:
        writer.write_window(other, window, scene.embeddings(window))
    writer.finish(other)
    assert store.read("ingest/entity_identities", video_id=other).rows[0]["identity_id"] == entity_id(old, 1)
    write_scene(store, new_scene(replacement_id(old)))
    writer.take_place(old)
    assert store.read("ingest/entity_identities", video_id=other).rows[0]["identity_id"] == entity_id(other, 2)
