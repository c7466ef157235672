"""Decisions about identities on the real server: they can be undone, outlive re-indexing and leave with their video."""

from __future__ import annotations

import secrets
from collections.abc import Callable

import pytest

from ravu_kg.errors import NotFoundError, RavuError, UsageError
from ravu_kg.graph.reader import GraphReader
from ravu_kg.graph.writer import GraphWriter
from ravu_kg.memory.identities import Identities
from ravu_kg.memory.library import summaries
from ravu_kg.memory.staleness import GivenAnswer, Version, freshness
from ravu_kg.types import IdentityLink
from tests.builders import a_link, a_scene, write_scene
from tests.integration.identities.conftest import Library

pytestmark = pytest.mark.neo4j


@pytest.fixture
def monday(library: Library, unique_video: str) -> str:
    return library.write(unique_video + "a", {1: 0, 2: 2, 3: 4})


@pytest.fixture
def tuesday(library: Library, unique_video: str) -> str:
    return library.write(unique_video + "b", {1: 1, 2: 3})


def a_look() -> list[int]:
    """Colours that no other entity of the shared server has, so that nobody else looks like it."""
    places = secrets.SystemRandom().sample(range(735), 12)
    return [100 if place in places else 0 for place in range(735)]


def records(library: Library, video: str) -> int:
    return library.count(
        "MATCH (d:Decision) WHERE d.firstVideoId = $v OR d.secondVideoId = $v RETURN count(d) AS n", video
    )


def test_an_accepted_pair_is_one_over_videos_until_it_is_undone(library: Library, monday: str, tuesday: str) -> None:
    one, other = f"{monday}#2", f"{tuesday}#1"
    before = library.revision(monday), library.revision(tuesday)
    done = library.identities.accept(one, other, by="Eva", why="same coat")
    assert library.groups(monday, tuesday) == {frozenset({one, other})}
    (told,) = library.identities.history(monday)
    assert (told.kind, told.decided_by, told.why, told.status) == ("accept", "Eva", "same coat", "holds")
    assert told.decided_at > "2020"
    # Who is in the other video has another identity now; in the first nothing was changed.
    assert (library.revision(monday), library.revision(tuesday)) == (before[0], before[1] + 1)

    undone = library.identities.undo(done.operation, by="Ada", why="another coat")
    assert library.groups(monday, tuesday) == set()
    assert (undone.status, undone.undone_by, undone.undone_why) == ("undone", "Ada", "another coat")
    links = "MATCH (:Entity {videoId: $v})-[s:SAME_AS]-(:Entity) RETURN count(s) AS n"
    assert library.count(links, monday) == 0, "what only the decision made is gone"


def test_over_the_library_who_is_in_two_videos_counts_once(library: Library, monday: str, tuesday: str) -> None:
    def people() -> int:
        rows = GraphReader(library.store).library_entities(["person"], 1000)
        return len({one for row in rows if row.video_id in (monday, tuesday) for one in row.identity_ids})

    assert people() == 5
    library.identities.accept(f"{monday}#2", f"{tuesday}#1")
    assert people() == 4
    library.identities.reject(f"{monday}#2", f"{tuesday}#1")
    assert people() == 5


def test_a_rejected_pair_is_never_one_whoever_joins_them(library: Library, monday: str) -> None:
    one, two, three = (f"{monday}#{track}" for track in (1, 2, 3))
    library.identities.accept(one, two)
    library.identities.reject(one, three)
    with pytest.raises(UsageError, match="contradicts other decisions"):
        library.identities.accept(two, three)
    assert library.groups(monday) == {frozenset({one, two})}
    assert len(library.identities.history(monday)) == 2, "what is refused leaves no record"


def test_the_undoing_of_a_rejection_gives_back_what_indexing_found(library: Library, unique_video: str) -> None:
    write_scene(library.store, a_scene(unique_video))  # with an automatic link between 1 and 2
    one, two = f"{unique_video}#1", f"{unique_video}#2"
    assert library.groups(unique_video) == {frozenset({one, two})}
    library.identities.reject(one, two)
    assert library.groups(unique_video) == set()
    library.identities.undo()
    assert library.groups(unique_video) == {frozenset({one, two})}
    status = (
        "MATCH (:Entity {videoId: $v})-[s:SAME_AS {status: 'auto'}]->() WHERE s.decidedBy IS NULL RETURN count(s) AS n"
    )
    assert library.count(status, unique_video) == 1


def test_merge_joins_identities_and_split_takes_one_out_for_good(library: Library, monday: str, tuesday: str) -> None:
    one, two, far = f"{monday}#1", f"{monday}#2", f"{tuesday}#1"
    library.identities.merge([one, two, far], why="the postman")
    assert library.groups(monday, tuesday) == {frozenset({one, two, far})}
    split = library.identities.split([two])
    assert library.groups(monday, tuesday) == {frozenset({one, far})}
    library.delete(tuesday)
    assert library.groups(monday) == set()
    library.identities.undo(split.operation)
    assert library.groups(monday) == {frozenset({one, two})}, "the merge holds again for the two that are left"


def test_decisions_outlive_other_numbers_of_the_same_people(library: Library, monday: str, tuesday: str) -> None:
    library.identities.accept(f"{monday}#1", f"{tuesday}#2", by="Eva")
    library.identities.reject(f"{monday}#2", f"{monday}#3")
    # The one on the left is number 3 now, the one in the middle 1, the one on the right 2.
    assert library.write_again(monday, {3: 0, 1: 2, 2: 4}) == ()
    assert library.groups(monday, tuesday) == {frozenset({f"{monday}#3", f"{tuesday}#2"})}
    with pytest.raises(UsageError, match=r"rejected already: .* by "):
        library.identities.reject(f"{monday}#1", f"{monday}#2")
    link = "MATCH (:Entity {videoId: $v})-[s:SAME_AS {status: 'accepted', decidedBy: 'Eva'}]-() RETURN count(s) AS n"
    assert library.count(link, monday) == 1


def test_a_decision_about_somebody_who_is_not_found_any_more_waits_and_is_told(
    library: Library, monday: str, tuesday: str
) -> None:
    library.identities.accept(f"{monday}#1", f"{tuesday}#2")
    (told,) = library.write_again(monday, {1: 2, 2: 4})
    assert "nothing lies any more" in told
    assert [one.status for one in library.identities.history(monday)] == ["waits"]
    assert library.groups(monday, tuesday) == set()
    assert library.write_again(monday, {1: 2, 2: 0}) == (), "found again"
    assert library.groups(monday, tuesday) == {frozenset({f"{monday}#2", f"{tuesday}#2"})}


def test_a_decision_about_two_that_are_one_entity_now_waits(library: Library, monday: str) -> None:
    library.identities.accept(f"{monday}#1", f"{monday}#2")
    library.write_again(monday, {7: 0, 8: 2})
    assert library.groups(monday) == {frozenset({f"{monday}#7", f"{monday}#8"})}
    assert library.write_again(monday, {7: 0}) != ()


def test_with_a_video_go_all_records_about_it_and_no_others(library: Library, monday: str, tuesday: str) -> None:
    library.identities.accept(f"{monday}#1", f"{tuesday}#1")
    library.identities.reject(f"{monday}#2", f"{monday}#3")
    library.identities.accept(f"{tuesday}#1", f"{tuesday}#2")
    library.delete(monday)
    assert records(library, monday) == 0
    assert records(library, tuesday) == 1
    assert library.groups(tuesday) == {frozenset({f"{tuesday}#1", f"{tuesday}#2"})}


def test_a_deletion_that_was_interrupted_takes_the_records_when_the_video_is_indexed_again(
    library: Library, monday: str
) -> None:
    library.identities.accept(f"{monday}#1", f"{monday}#2")
    library.store.write("ingest/start_delete", video_id=monday)
    library.write(monday, {1: 0, 2: 2})
    assert records(library, monday) == 0
    assert library.groups(monday) == set()


def test_automatic_links_are_used_from_the_threshold_on(library: Library, unique_video: str) -> None:
    first, second = library.write(unique_video + "a", {1: 0}), library.write(unique_video + "b", {1: 0})
    link = IdentityLink(f"{first}#1", f"{second}#1", 0.6, "looks", "video", "auto")
    writer = GraphWriter(library.store)
    writer.write_entities(second, [], [link])
    writer.finish(second)
    joined = {frozenset({f"{first}#1", f"{second}#1"})}
    try:
        assert library.groups(first, second) == joined
        revision = library.revision(second)
        assert library.identities.set_threshold(0.7, by="Eva") >= 1
        assert library.groups(first, second) == set()
        assert library.revision(second) == revision + 1
        library.identities.accept(f"{first}#1", f"{second}#1")
        assert library.groups(first, second) == joined, "an accepted link is used whatever its score"
    finally:
        library.identities.set_threshold(0.0)
    assert library.identities.threshold() == 0.0


def test_candidates_look_alike_and_are_not_in_one_picture(library: Library, unique_video: str) -> None:
    red, blue = a_look(), a_look()
    first = library.write(unique_video + "a", {1: 0, 2: 2}, look=red)
    second = library.write(unique_video + "b", {1: 0}, look=red)
    third = library.write(unique_video + "c", {1: 0}, look=blue)
    build = library.write(unique_video + "a~other", {1: 0}, look=red)

    def candidates() -> dict[frozenset[str], float]:
        found = library.identities.suggest([first], least_score=0.0, limit=1000)
        return {frozenset(one.ends): one.score for one in found if first in str(one.ends)}

    scores = candidates()
    assert frozenset({f"{first}#1", f"{first}#2"}) not in scores, "they stand side by side"
    assert not any(build in str(ends) and f"{first}#" in str(ends) for ends in scores), "it is the same video"
    alike, other = frozenset({f"{first}#1", f"{second}#1"}), frozenset({f"{first}#1", f"{third}#1"})
    assert scores[alike] > 0.7 > 0.3 > scores[other]
    library.identities.reject(*sorted(alike))
    assert alike not in candidates(), "what is decided is no candidate"
    library.identities.accept(f"{first}#2", f"{second}#1")
    assert frozenset({f"{first}#2", f"{second}#1"}) not in candidates()


def test_what_an_import_gave_is_not_measured_again(library: Library, unique_video: str) -> None:
    """Its vectors serve re-entry linking; those of another model could not be compared with them."""
    given = library.write(unique_video + "a", {1: 0}, appearance=(0.6, 0.8), appearance_model="given:dinov2")
    measured = library.write(unique_video + "b", {1: 0}, appearance=(0.6, 0.8), appearance_model="timm:small")
    never = library.write(unique_video + "c", {1: 0})

    def to_be_seen(video: str, model: str) -> int:
        return len(library.store.read("identities/to_be_seen", video_id=video, model=model).rows)

    assert [to_be_seen(one, "timm:small") for one in (given, measured, never)] == [0, 0, 1]
    assert [to_be_seen(one, "timm:large") for one in (given, measured, never)] == [0, 1, 1]


def test_candidates_above_a_score_are_linked_but_never_two_of_one_picture(library: Library, unique_video: str) -> None:
    look = a_look()
    first = library.write(unique_video + "a", {1: 0, 2: 2}, look=look)
    second = library.write(unique_video + "b", {1: 0}, look=look)
    done = library.identities.link([first], least_score=0.7)
    assert done is not None
    (group,) = library.groups(first, second)
    assert len(group) == 2, "the second of the first video would be one with its neighbour"
    library.identities.undo(done.operation)
    assert library.groups(first, second) == set()


def test_an_answer_given_before_a_change_is_stale(library: Library, monday: str, tuesday: str) -> None:
    def answer(*videos: str) -> GivenAnswer:
        now = {one.video_id: Version(revision=one.revision, indexed_at=one.created_at)
               for one in summaries(library.store) if one.video_id in videos}  # fmt: skip
        return GivenAnswer(question="q", answer="a", videos=now)

    about_monday, about_both = answer(monday), answer(monday, tuesday)

    def stale() -> list[bool]:
        return [one.stale for one in freshness([about_monday, about_both], summaries(library.store))]

    assert stale() == [False, False]
    library.identities.accept(f"{monday}#1", f"{tuesday}#1")
    assert stale() == [False, True], "the grouping in the first video is as it was"
    library.write_again(monday, {1: 0})
    assert stale() == [True, True]
    library.delete(monday)
    (told, _) = freshness([about_monday, about_both], summaries(library.store))
    assert told.reasons == (f"video {monday} was deleted",)


BAD: list[tuple[Callable[[Identities, str], object], type[RavuError], str]] = [
    (lambda who, v: who.accept(f"{v}#1", f"{v}#1"), UsageError, "named twice"),
    (lambda who, v: who.accept(f"{v}#1", f"{v}#99"), NotFoundError, "no entity .*#99"),
    (lambda who, v: who.accept(f"{v}#1", "no such video#1"), NotFoundError, "No video is named"),
    (lambda who, v: who.accept(f"{v}#1", "nobody"), UsageError, "names no entity"),
    (lambda who, v: who.reject(f"{v}#1", f"{v}#x"), UsageError, "names no entity"),
    (lambda who, v: who.merge([f"{v}#1"]), UsageError, "between two and 20"),
    (lambda who, v: who.merge([f"{v}#1", f"{v}#2", f"{v}#1"]), UsageError, "named twice"),
    (lambda who, v: who.split([f"{v}#1"]), UsageError, "nothing to split"),
    (lambda who, v: who.split([f"{v}#1", f"{v}#2"]), UsageError, "not one identity but 2"),
    (lambda who, _: who.undo(999_999), NotFoundError, "No decision has the number"),
    (lambda who, _: who.history("no such video"), NotFoundError, "No video is named"),
    (lambda who, _: who.suggest(["no such video"]), NotFoundError, "No video is named"),
    (lambda who, _: who.suggest(least_score=1.5), UsageError, "between 0 and 1"),
    (lambda who, _: who.set_threshold(-0.1), UsageError, "between 0 and 1"),
]


def test_what_makes_no_sense_is_told_and_changes_nothing(library: Library, monday: str) -> None:
    for act, error, told in BAD:
        with pytest.raises(error, match=told):
            act(library.identities, monday)
    assert records(library, monday) == 0
    assert library.revision(monday) == 1


def test_the_same_is_not_decided_or_undone_twice(library: Library, monday: str) -> None:
    one, two = f"{monday}#1", f"{monday}#2"
    done = library.identities.accept(one, two, by="Eva")
    with pytest.raises(UsageError, match=rf"accepted already: decision {done.operation} by Eva on"):
        library.identities.accept(two, one)
    with pytest.raises(UsageError, match="merged already"):
        library.identities.merge([one, two])
    library.identities.undo(done.operation, by="Ada")
    with pytest.raises(UsageError, match="undone before, by Ada"):
        library.identities.undo(done.operation)
    library.delete(monday)
    with pytest.raises(NotFoundError, match="No video is named"):
        library.identities.accept(one, two)


def test_a_video_that_is_not_complete_is_not_decided_about(library: Library, unique_video: str) -> None:
    write_scene(library.store, library.scene(unique_video, {1: 0, 2: 2}), windows=1)
    with pytest.raises(UsageError, match="is indexing; wait"):
        library.identities.accept(f"{unique_video}#1", f"{unique_video}#2")


def test_links_that_indexing_finds_again_keep_the_decision(library: Library, unique_video: str) -> None:
    scene = a_scene(unique_video)
    write_scene(library.store, scene)
    library.identities.reject(f"{unique_video}#1", f"{unique_video}#2")
    GraphWriter(library.store).write_entities(unique_video, [], [a_link(unique_video)])
    GraphWriter(library.store).finish(unique_video)
    assert library.groups(unique_video) == set()
