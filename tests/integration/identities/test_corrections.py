"""Corrections of entities and events on the real server: laid over what was found, and applied again where it lies."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from ravu_kg.errors import NotFoundError, RavuError, UsageError
from ravu_kg.graph.export import canonical, vectors
from ravu_kg.graph.reader import GraphReader
from ravu_kg.graph.writer import GraphWriter
from ravu_kg.memory.edits import Edits
from ravu_kg.memory.lasting import prepare, settle
from ravu_kg.reasoning.context import group
from ravu_kg.types import replacement_id
from tests.builders import write_scene
from tests.integration.identities.conftest import Library, embed

pytestmark = pytest.mark.neo4j


@pytest.fixture
def video(library: Library, unique_video: str) -> str:
    return library.write(unique_video, {1: 0, 2: 2, 3: 4})


def names(library: Library, video: str) -> dict[str, str]:
    found = group(GraphReader(library.store).entities(video))
    return {one.entity_ids[0].rpartition("#")[2]: one.name for one in found}


def sentences(library: Library, video: str, track: int) -> set[str]:
    rows = library.store.read("corrections/frame_nodes", entity_ids=[f"{video}#{track}"]).rows
    return {str(row["description"]).split(" stands")[0] for row in rows}


def test_a_name_is_used_and_taken_back(library: Library, video: str) -> None:
    before = canonical(library.store, video)
    number = library.edits.entity(f"{video}#2", name="Anna", by="Eva", why="I know her")
    assert names(library, video) == {"1": "person 1", "2": "Anna", "3": "person 3"}
    assert library.revision(video) == 2
    told = library.edits.history(video)[-1]
    assert (told.id, told.decided_by, told.why, told.changes.given()) == (number, "Eva", "I know her", {"name": "Anna"})
    assert library.edits.show(f"{video}#2").description == "Anna"  # the builder's description is its old name
    library.edits.undo(number)
    assert names(library, video)["2"] == "person 2"
    assert canonical(library.store, video) == before


def test_a_label_changes_its_own_sentences_with_their_vectors_and_no_others(library: Library, video: str) -> None:
    before, (ids, old) = canonical(library.store, video), vectors(library.store, video)
    library.edits.entity(f"{video}#2", label="dog")
    assert names(library, video) == {"1": "person 1", "2": "dog 1", "3": "person 3"}
    assert sentences(library, video, 2) == {"A dog 2 in red"}
    assert sentences(library, video, 1) == {"A person 1 in red"}
    new = vectors(library.store, video)[1]
    changed = {one for one, a, b in zip(ids, old, new, strict=True) if not np.allclose(a, b)}
    assert changed == {one for one in ids if one.split("/")[2 if one.count("/") == 2 else 1] == "2"}
    library.edits.undo()
    assert canonical(library.store, video) == before


def test_an_event_gets_other_words_and_another_time(library: Library, video: str) -> None:
    event = f"{video}/2/geometry/1"
    number = library.edits.event(event, description="Anna waves.", start_s=2.5)
    (now,) = [one for one in library.edits.show(f"{video}#2").events if one.event_id == event]
    assert (now.description, now.start_s, now.end_s) == ("Anna waves.", 2.5, 4.0)
    library.edits.event(event, end_s=3.5)
    library.edits.undo(number)
    (now,) = [one for one in library.edits.show(f"{video}#2").events if one.event_id == event]
    assert (now.description, now.start_s, now.end_s) == ("Person 2 does thing 1.", 2.0, 3.5), "the later one holds"


def test_corrections_outlive_other_numbers_of_the_same_people(library: Library, video: str) -> None:
    library.edits.entity(f"{video}#1", name="Anna")
    library.edits.entity(f"{video}#2", label="dog")
    library.edits.event(f"{video}/3/geometry/0", description="Somebody waves.")
    assert library.write_again(video, {3: 0, 1: 2, 2: 4}) == ()
    assert names(library, video) == {"1": "dog 1", "2": "person 2", "3": "Anna"}
    assert sentences(library, video, 1) == {"A dog 1 in red"}
    assert library.edits.show(f"{video}#2").events[0].description == "Somebody waves."
    assert [one.target_id.removeprefix(video) for one in library.edits.history(video)] == ["#3", "#1", "/2/geometry/0"]
    assert settle(library.store, video, embed) == ()
    library.edits.undo()
    assert library.edits.show(f"{video}#2").events[0].description == "Person 2 does thing 0."


def test_a_correction_that_nothing_fits_waits_is_told_and_comes_back(library: Library, video: str) -> None:
    number = library.edits.entity(f"{video}#1", name="Anna")
    told = library.write_again(video, {1: 2})
    assert told == (f"correction {number}: nothing lies any more where {video}#1 was",)
    assert names(library, video) == {"1": "person 1"}
    assert [one.note for one in library.edits.history(video)] != [None]
    assert library.write_again(video, {5: 0}) == ()
    assert names(library, video) == {"5": "Anna"}
    library.edits.undo(number)
    assert names(library, video) == {"5": "person 1"}


def test_an_event_that_is_not_there_any_more_lets_its_correction_wait(library: Library, video: str) -> None:
    library.edits.event(f"{video}/1/geometry/1", description="Anna waves.")
    scene = library.scene(replacement_id(video), {1: 0})
    writer = GraphWriter(library.store)
    writer.begin(scene.video, scene.entities, ())
    for window in scene.windows:
        writer.write_window(scene.video.id, window, scene.embeddings(window))
    writer.write_events(scene.video.id, scene.events[:1], scene.event_embeddings[:1])  # from 0 s to 2 s
    prepare(library.store, scene.video.id, embed)
    writer.finish(scene.video.id)
    writer.take_place(video)
    (told,) = settle(library.store, video, embed)
    assert f"{video}#1 has no such event any more at 2.0 s" in told


def test_the_new_graph_is_never_without_its_corrections(library: Library, video: str) -> None:
    library.edits.entity(f"{video}#1", name="Anna")
    new_id = replacement_id(video)
    write_scene(library.store, library.scene(new_id, {4: 0}), windows=2)  # interrupted
    scene = library.scene(new_id, {4: 0})
    writer = GraphWriter(library.store)
    for window in scene.windows[writer.begin(scene.video, scene.entities, ()) :]:
        writer.write_window(new_id, window, scene.embeddings(window))
    writer.write_events(new_id, scene.events, scene.event_embeddings)
    prepare(library.store, new_id, embed)
    writer.finish(new_id)
    writer.take_place(video)  # interrupted before settle
    assert names(library, video) == {"4": "Anna"}


def test_with_a_video_go_its_corrections(library: Library, video: str) -> None:
    library.edits.entity(f"{video}#1", name="Anna")
    library.delete(video)
    assert library.count("MATCH (c:Correction {videoId: $v}) RETURN count(c) AS n", video) == 0


def test_the_name_of_one_is_the_name_of_its_whole_identity_in_any_video(
    library: Library, video: str, unique_video: str
) -> None:
    other = library.write(unique_video + "b", {1: 0})
    library.edits.entity(f"{video}#2", name="Anna")
    library.identities.accept(f"{video}#2", f"{other}#1")
    assert names(library, other) == {"1": "Anna"}
    rows = GraphReader(library.store).library_named("Anna", 10)
    assert {row.video_id for row in rows if unique_video in row.video_id} == {video, other}


BAD: list[tuple[Callable[[Edits, str], object], type[RavuError], str]] = [
    (lambda edits, v: edits.entity(f"{v}#1"), UsageError, "Say what to correct .*--name"),
    (lambda edits, v: edits.entity(f"{v}#99", name="Anna"), NotFoundError, "no entity"),
    (lambda edits, _: edits.entity("no such video#1", name="Anna"), NotFoundError, "No video is named"),
    (lambda edits, v: edits.entity(f"{v}#1", name="  "), UsageError, "between 1 and 60"),
    (lambda edits, v: edits.entity(f"{v}#1", name="x" * 61), UsageError, "between 1 and 60"),
    (lambda edits, v: edits.entity(f"{v}#1", name="a\x00b"), UsageError, "between 1 and 60"),
    (lambda edits, v: edits.entity(f"{v}#1", name="Person 2"), UsageError, "#2 is called 'Person 2'"),
    (lambda edits, v: edits.entity(f"{v}#1", name="person"), UsageError, "is a label in this video"),
    (lambda edits, v: edits.entity(f"{v}#1", label="person"), UsageError, "like that already"),
    (lambda edits, v: edits.entity(f"{v}#1", label="x`) DETACH DELETE n //"), UsageError, "no label"),
    (lambda edits, v: edits.event(f"{v}/1/geometry/0"), UsageError, "Say what to correct .*--from"),
    (lambda edits, v: edits.event(f"{v}/1/geometry/9", start_s=1.0), NotFoundError, "no event"),
    (lambda edits, v: edits.event(f"{v}#1", start_s=1.0), UsageError, "names no event"),
    (lambda edits, v: edits.event(f"{v}/1/geometry/0", start_s=9.0), UsageError, "does not lie within"),
    (lambda edits, v: edits.event(f"{v}/1/geometry/0", start_s=float("nan")), UsageError, "does not lie within"),
    (lambda edits, _: edits.undo(999_999), NotFoundError, "No correction has the number"),
]


def test_what_makes_no_sense_is_told_and_changes_nothing(library: Library, video: str) -> None:
    before = canonical(library.store, video)
    for act, error, told in BAD:
        with pytest.raises(error, match=told):
            act(library.edits, video)
    assert canonical(library.store, video) == before
    assert library.edits.history(video) == []


def test_a_correction_is_not_undone_twice(library: Library, video: str) -> None:
    number = library.edits.entity(f"{video}#1", name="Anna", by="Eva")
    library.edits.undo(number, by="Ada")
    with pytest.raises(UsageError, match="undone before, by Ada"):
        library.edits.undo(number)
