"""Seconds that people name against frames that lie a little beside them, and names for the marks of models."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import replace

import pytest

from ravu_kg.graph.reader import GraphReader
from ravu_kg.graph.store import Store
from ravu_kg.graph.writer import GraphWriter
from ravu_kg.reasoning.answering import ExtractiveAnswerer
from ravu_kg.reasoning.asking import answer_question
from ravu_kg.reasoning.context import Phrases
from ravu_kg.reasoning.judging import RuleJudge
from ravu_kg.reasoning.planner import RulePlanner
from ravu_kg.reasoning.records import Answer
from tests.builders import Scene, a_scene, an_event, write_scene
from tests.integration.reasoning.park import BagOfWords

pytestmark = pytest.mark.neo4j

LATE_S = 0.007
"""How much later than the even second each frame was taken, as with 29.97 pictures a second."""


def _late(video_id: str) -> Scene:
    """Twelve seconds, one person, who does another thing in each of them."""
    scene = a_scene(video_id, frame_count=12, tracks=(1,), window_frames=12, duration_s=12.0)
    (window,) = scene.windows
    window = replace(
        window,
        frames=tuple(
            replace(one, timestamp_s=one.index + LATE_S, description=f"The person #1 counts to {one.index}.")
            for one in window.frames
        ),
        nodes=tuple(replace(one, timestamp_s=one.frame_index + LATE_S) for one in window.nodes),
    )
    events = tuple(
        an_event(video_id, 1, second, "model", start_s=second + LATE_S if second else 0.0,
                 end_s=min(second + 1 + LATE_S, 12.0), description=f"The person says {second}.")
        for second in range(12)
    )  # fmt: skip
    return replace(scene, windows=(window,), events=events)


@pytest.fixture(scope="module")
def late(store: Store) -> Iterator[str]:
    video_id = hashlib.sha256(b"frames that are late").hexdigest()[:16]
    write_scene(store, _late(video_id))
    yield video_id
    GraphWriter(store).delete(video_id)


def ask(store: Store, video_id: str, question: str) -> Answer:
    return answer_question(
        question,
        video_id,
        reader=GraphReader(store),
        phrases=Phrases(BagOfWords()),
        planner=RulePlanner(),
        judge=RuleJudge(),
        answerer=ExtractiveAnswerer(),
    )


@pytest.mark.parametrize(
    ("question", "second"),
    [
        ("What happens at 7 seconds?", 7),
        ("What happens at seven seconds?", 7),
        ("What does the person do at 0:07?", 7),
        ("What happens at 7.5 seconds?", 7),
        ("What happens at 0 seconds?", 0),
        ("What happens at 11.95 seconds?", 11),
    ],
)
def test_at_a_second_is_what_goes_on_then_and_not_what_just_ended(
    store: Store, late: str, question: str, second: int
) -> None:
    answer = ask(store, late, question)
    assert {one.text for one in answer.evidence} == {f"The person says {second}."}


@pytest.mark.parametrize(
    ("question", "first", "last"),
    [
        ("What does the person do in the first half of the video?", 0, 5),
        ("What does the person do in the second half?", 6, 11),
        ("What does the person do in the last quarter?", 9, 11),
    ],
)
def test_halves_and_quarters(store: Store, late: str, question: str, first: int, last: int) -> None:
    frames = [one.frame_index for one in ask(store, late, question).evidence]
    assert frames
    assert first <= min(frames) <= max(frames) <= last


def test_the_length_of_the_video(store: Store, late: str) -> None:
    answer = ask(store, late, "How long is the video?")
    assert (answer.answer, answer.intervals) == ("The video is 12.0 s long.", ((0.0, 12.0),))


def test_answer_and_evidence_name_whom_a_description_marks(store: Store, late: str) -> None:
    answer = ask(store, late, "What is shown?")
    assert "Person 1 counts to " in answer.answer
    assert "#" not in answer.answer
    told = [one.text for one in answer.evidence if "counts" in one.text]
    assert told
    assert all(text.startswith("Person 1 counts to ") for text in told)
