"""The reader's own ways: vector search by size of the video, the library, finding videos."""

from __future__ import annotations

from dataclasses import replace

import pytest

from ravu_kg.errors import NotFoundError
from ravu_kg.graph.reader import GraphReader, VideoRow
from ravu_kg.graph.store import Store, check_templates
from ravu_kg.reasoning.answering import ExtractiveAnswerer
from ravu_kg.reasoning.context import Phrases
from ravu_kg.reasoning.judging import RuleJudge
from ravu_kg.reasoning.library import answer_library, search
from ravu_kg.reasoning.planner import RulePlanner
from ravu_kg.reasoning.records import Answer
from tests.integration.reasoning.park import THINGS, BagOfWords, Thing, write_park

pytestmark = pytest.mark.neo4j


@pytest.fixture(scope="module")
def other(store: Store) -> str:
    """A second clip: a zebra, seen all the time, and a person."""
    things = (
        Thing(1, "person", "a person in blue", 0.0, 30.0, lambda t: 100.0),
        Thing(7, "zebra", "a striped zebra", 0.0, 30.0, lambda t: 300.0),
    )
    write_park(store, "5eb2a00000000001", things=things, cuts_s=None)
    return "5eb2a00000000001"


def ask_all(reader: GraphReader, question: str, *options: str) -> Answer:
    return answer_library(question, options, reader=reader, phrases=Phrases(BagOfWords()), planner=RulePlanner(),
                          judge=RuleJudge(), answerer=ExtractiveAnswerer())  # fmt: skip


def test_reasoning_templates_keep_their_word_on_this_server(store: Store) -> None:
    assert [one for one in check_templates(store) if one.template.startswith("reasoning/")] == []


def test_a_small_video_is_compared_one_by_one_and_a_large_one_by_the_index(
    store: Store, video: VideoRow, other: str
) -> None:
    seen: list[str] = []
    reader = GraphReader(store, lambda result: seen.append(result.template))
    vector = BagOfWords().embed(["a person in red stands still"], "query")[0]
    exact = reader.nearest_nodes(video, vector, 5)
    # Another version: what is in memory does not count.
    indexed = reader.nearest_nodes(replace(video, frame_node_count=5000, version="another"), vector, 5)
    assert seen[0] == "reasoning/localize_node_kept"
    assert seen[1] == "reasoning/localize_node"
    assert {node.video_id for node in indexed} == {video.video_id}
    assert indexed[0].score == pytest.approx(exact[0].score, abs=1e-3)
    assert indexed[0].description == exact[0].description


def test_an_index_that_keeps_too_few_is_followed_by_the_exact_scan(store: Store, video: VideoRow) -> None:
    seen: list[str] = []
    reader = GraphReader(store, lambda result: seen.append(result.template))
    vector = BagOfWords().embed(["a person"], "query")[0]
    # More are wanted than the video has, so no search can keep enough.
    found = reader.nearest_nodes(replace(video, frame_node_count=2600), vector, 500)
    assert seen[-1] == "reasoning/localize_node_exact"
    assert len(found) == sum(1 for thing in THINGS for second in range(30) if thing.is_seen(second))


def test_a_span_of_time_restricts_the_search(reader: GraphReader, video: VideoRow) -> None:
    vector = BagOfWords().embed(["a brown dog leaves to the right"], "query")[0]
    assert {node.timestamp_s for node in reader.nearest_nodes(video, vector, 10, (14.0, 16.0))} == {14.0, 15.0}


def test_a_video_is_read_by_its_id_and_listed(reader: GraphReader, video: VideoRow) -> None:
    assert video in reader.videos()
    with pytest.raises(NotFoundError, match="videos list"):
        reader.video("no such video")


def test_in_which_video(reader: GraphReader, park: str, other: str) -> None:
    answer = ask_all(reader, "In which video does a zebra appear?")
    assert {one.video_id for one in answer.evidence} == {other}
    assert answer.video_id == other
    assert answer.answer.startswith(reader.video(other).title)


@pytest.mark.parametrize("question", ["Which video shows a giraffe?", "Is there a giraffe?"])
def test_what_no_video_shows(reader: GraphReader, park: str, question: str) -> None:
    answer = ask_all(reader, question)
    assert answer.evidence == ()
    assert "No indexed video shows a giraffe" in answer.answer


def test_counting_over_the_library(reader: GraphReader, park: str, other: str) -> None:
    answer = ask_all(reader, "How many zebras are there?")
    assert answer.count == 1
    assert answer.answer.startswith("1 zebra: 1 in park 5eb2a")


def test_another_question_goes_to_the_video_that_fits(reader: GraphReader, other: str) -> None:
    answer = ask_all(reader, "Where is the striped zebra?")
    assert answer.video_id == other
    assert answer.answer.startswith(f"In {reader.video(other).title}: ")
    assert all(one.video_id == other for one in answer.evidence)


def test_search_lists_moments(reader: GraphReader, park: str, other: str) -> None:
    phrases, judge = Phrases(BagOfWords()), RuleJudge()
    everywhere = search("a striped zebra", reader=reader, phrases=phrases, judge=judge, limit=3)
    assert len(everywhere) == 3
    assert {moment.video_id for moment in everywhere} == {other}
    assert everywhere[0].score >= everywhere[-1].score
    here = search("a person in red", reader=reader, phrases=phrases, judge=judge, video_id=park, limit=5)
    assert {moment.video_id for moment in here} == {park}
    assert all("in red" in moment.text for moment in here)
    assert all(15 <= moment.timestamp_s < 22 for moment in here)


def test_shots_are_counted_over_all_videos_whose_cuts_are_known(reader: GraphReader, park: str, other: str) -> None:
    answer = ask_all(reader, "How many shots are there?")
    assert f"3 in park {park}" in answer.answer
    assert other not in answer.answer
    assert answer.count is not None
    assert answer.count >= 3
