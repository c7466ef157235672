"""Answers that hold only as far as the memory reaches say where it does not, on the real server."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from ravu_kg.graph.reader import GraphReader
from ravu_kg.graph.store import Store
from ravu_kg.graph.writer import GraphWriter
from ravu_kg.reasoning.answering import ExtractiveAnswerer
from ravu_kg.reasoning.asking import answer_question
from ravu_kg.reasoning.context import Phrases
from ravu_kg.reasoning.judging import RuleJudge
from ravu_kg.reasoning.library import answer_library
from ravu_kg.reasoning.planner import RulePlanner
from ravu_kg.reasoning.records import Answer
from tests.builders import a_scene, write_scene
from tests.integration.reasoning.park import THINGS, BagOfWords, write_park

pytestmark = pytest.mark.neo4j
Ask = Callable[..., Answer]
GAPS = "The memory does not cover 10.0-12.0 s and 29.0-29.5 s."


def ask_about(video_id: str, reader: GraphReader, question: str, *options: str) -> Answer:
    return answer_question(
        question, video_id, options, reader=reader, phrases=Phrases(BagOfWords()), planner=RulePlanner(),
        judge=RuleJudge(), answerer=ExtractiveAnswerer(),
    )  # fmt: skip


@pytest.fixture
def ask(reader: GraphReader, clouded: str) -> Ask:
    return lambda question, *options: ask_about(clouded, reader, question, *options)


@pytest.mark.parametrize(
    ("detector", "describer", "question", "start"),
    [
        ("people+motion", "geometry", "Is there a cat?", "Not known. The memory has nothing that matches 'cat'."),
        ("people+motion", "geometry", "How many cats are there?", "The memory has nothing that matches 'cats'."),
        ("people+motion", "geometry", "Is there a man?", "Yes"),
        ("people+motion", "gemini:x", "Is there a cat?", "No. The memory has nothing that matches 'cat'."),
        ("yolox:nano", "geometry", "Is there a cat?", "No. The memory has nothing that matches 'cat'."),
    ],
)
def test_no_needs_a_detector_that_could_have_seen_it(
    store: Store, reader: GraphReader, unique_video: str, detector: str, describer: str, question: str, start: str
) -> None:
    write_scene(store, a_scene(unique_video, detector=detector, describer=describer))
    answer = ask_about(unique_video, reader, question)
    assert answer.answer.startswith(start)
    assert ("--detector yolox:nano" in answer.answer) == (not start.startswith(("No.", "Yes")))
    assert answer.count is None


def ask_all(reader: GraphReader, question: str) -> Answer:
    return answer_library(
        question, reader=reader, phrases=Phrases(BagOfWords()), planner=RulePlanner(), judge=RuleJudge(),
        answerer=ExtractiveAnswerer(),
    )  # fmt: skip


def test_stretches_that_are_not_known_end_with_the_video(ask: Ask) -> None:
    coverage = ask("How many people are there?").coverage
    assert (coverage.frames, coverage.known, coverage.blocked, coverage.failed) == (30, 27, 3, 0)
    assert coverage.unknown_intervals == ((10.0, 12.0), (29.0, 29.5))


@pytest.mark.parametrize(
    ("question", "start"),
    [
        ("How many people are there?", "2 people."),
        ("How many cats are there?", "No cats found."),
        ("How many people throw a ball?", "1 person."),
        ("How many times does the dog enter?", "1 time."),
        ("Is there a cat?", "No. "),
        ("Does the dog never leave the picture?", ""),
        ("Is the woman always in the picture?", ""),
        ("How long is the dog in the picture?", ""),
        ("What can be seen?", ""),
        ("What does the cat do?", ""),
    ],
)
def test_counts_and_what_is_not_there_hold_only_where_the_memory_reaches(ask: Ask, question: str, start: str) -> None:
    answer = ask(question)
    assert answer.answer.startswith(start)
    assert answer.answer.endswith(f" {GAPS}")
    assert answer.notes[-1] == GAPS


@pytest.mark.parametrize(
    "question",
    ["Is there a dog?", "When does the dog leave?", "What does the person in red do?", "How many cuts are there?"],
)
def test_what_was_found_holds_whatever_is_not_covered(ask: Ask, question: str) -> None:
    answer = ask(question)
    assert "not cover" not in answer.answer
    assert not any("not cover" in note for note in answer.notes)
    assert answer.coverage.unknown_intervals


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("How many people are there at the beginning?", ""),
        ("How many people are there between 11 and 20 seconds?", " 11.0-12.0 s."),
        ("How many people are there at the end?", " 29.0-29.5 s."),
    ],
)
def test_of_a_part_only_its_own_gaps_are_told(ask: Ask, question: str, told: str) -> None:
    assert ask(question).answer.partition(" The memory does not cover")[2] == told


def test_an_option_stays_as_it_is_and_the_gap_is_a_note(ask: Ask) -> None:
    answer = ask("How many people are there?", "two", "five")
    assert answer.answer == "two"
    assert answer.notes[-1] == GAPS


def test_many_gaps_are_counted(store: Store, reader: GraphReader, unique_video: str) -> None:
    write_park(store, unique_video, things=THINGS[:1], blocked=range(0, 30, 5))
    answer = ask_about(unique_video, reader, "Is there a cat?")
    assert answer.answer.endswith("not cover 0.0-1.0 s, 5.0-6.0 s, 10.0-11.0 s, 15.0-16.0 s and 2 more stretches.")
    GraphWriter(store).delete(unique_video)


def test_of_all_videos_those_are_named_that_are_not_covered(
    store: Store, reader: GraphReader, clouded: str, unique_video: str
) -> None:
    write_scene(store, a_scene(unique_video, title=f"half {unique_video}"), windows=1)
    rows = {row.video_id: row for row in reader.library_coverage()}
    assert rows[clouded].unknown_times_s == (10.0, 11.0, 29.0)
    assert (rows[clouded].blocked, rows[clouded].status, rows[unique_video].status) == (3, "ready", "indexing")
    for question in ("In which video does a giraffe appear?", "How many giraffes are there in all videos?"):
        answer = ask_all(reader, question)
        assert "The memory does not cover all of " in answer.answer
        assert answer.notes[-1] in answer.answer
        assert answer.coverage.blocked >= 3
        assert answer.coverage.frames == sum(row.frames for row in reader.library_coverage())
    assert "cover" not in ask_all(reader, "In which video does a dog appear?").answer
    GraphWriter(store).delete(unique_video)


def test_of_several_builds_of_one_video_the_library_asks_the_first(
    store: Store, reader: GraphReader, unique_video: str
) -> None:
    label = f"okapi{unique_video}"
    scenes = [
        replace(a_scene(f"{unique_video}{build}", tracks=(1,), content_hash=unique_video), seed=7)  # no other's vectors
        for build in ("", "~b", "~c")
    ]

    def of_label() -> list[str]:
        return [row.video_id for row in reader.library_entities([label], 20)]

    for scene in scenes:
        entities = tuple(replace(entity, label=label) for entity in scene.entities)
        write_scene(store, replace(scene, entities=entities))
    names = [scene.video.id for scene in scenes]
    for position, name in enumerate(names):
        assert of_label() == [name]
        assert label in reader.library_labels()
        assert [row.video_id for row in reader.library_coverage() if row.video_id in names] == [name]
        vector = scenes[position].embeddings(scenes[position].windows[0])[0]
        found = {node.video_id for node in reader.nearest_nodes_in_library(vector, 20)} & set(names)
        assert found == {name}
        GraphWriter(store).delete(name)
    assert of_label() == []
