"""Questions about a memory of captions, which has words but no boxes."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from ravu_kg.graph.reader import GraphReader
from ravu_kg.graph.store import Store
from ravu_kg.importers import captions
from ravu_kg.importers.loading import load
from ravu_kg.reasoning.answering import ExtractiveAnswerer
from ravu_kg.reasoning.asking import answer_question
from ravu_kg.reasoning.context import Phrases
from ravu_kg.reasoning.judging import RuleJudge
from ravu_kg.reasoning.planner import RulePlanner
from ravu_kg.reasoning.records import Answer
from tests.integration.reasoning.park import BagOfWords

pytestmark = pytest.mark.neo4j

DAY = [
    *["A man sits on a bench."] * 8,
    *["A man throws a red ball."] * 2,
    *["A dog runs over the grass."] * 4,
    *["A man sits on a bench."] * 8,
    *["A dog runs over the grass."] * 4,
    *["A man sits on a bench."] * 4,
]


@pytest.fixture(scope="module")
def told(store: Store, tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("captions") / "day.json"
    path.write_text(json.dumps({"the day of the grounding tests": DAY}))
    [video] = captions.read([path], skip_bad=False, on_problem=print)
    [result] = load(store, BagOfWords(), None, [video])
    return result.video_id


@pytest.fixture
def ask(store: Store, told: str) -> Callable[[str], Answer]:
    def ask_day(question: str) -> Answer:
        return answer_question(
            question,
            told,
            reader=GraphReader(store),
            phrases=Phrases(BagOfWords()),
            planner=RulePlanner(),
            judge=RuleJudge(),
            answerer=ExtractiveAnswerer(),
        )

    return ask_day


def best(answer: Answer, count: int) -> list[int]:
    ranked = sorted(answer.evidence, key=lambda one: (-one.score, one.timestamp_s))
    return [one.frame_index for one in ranked[:count]]


def test_the_best_seconds_lie_on_the_asked_side_of_the_moment(ask: Callable[[str], Answer]) -> None:
    answer = ask("What does the dog do after the man throws the ball?")

    assert best(answer, 1)[0] in range(10, 14)
    assert set(best(answer, 4)) <= set(range(9, 15))


def test_evidence_is_distinct_seconds_in_time_order_with_scores(ask: Callable[[str], Answer]) -> None:
    answer = ask("Why does the man throw the ball?")

    indices = [one.frame_index for one in answer.evidence]
    assert indices == sorted(set(indices))
    assert len(indices) == 10
    assert max(one.score for one in answer.evidence) == 1.0
    assert all(one.text == DAY[one.frame_index] for one in answer.evidence)


def test_a_state_is_searched_for_in_words_where_no_box_was_tracked(ask: Callable[[str], Answer]) -> None:
    answer = ask("What does the man do when the dog is in the picture?")

    assert answer.evidence
    assert any("No box was tracked" in note for note in answer.notes)


def test_seconds_that_are_named_are_kept_to(ask: Callable[[str], Answer]) -> None:
    answer = ask("What does the dog do between second 20 and second 28?")

    assert answer.evidence
    assert all(20 <= one.timestamp_s <= 28 for one in answer.evidence)


def test_every_second_of_the_evidence_was_read_from_the_graph(ask: Callable[[str], Answer]) -> None:
    answer = ask("What does the dog do after the man throws the ball?")

    assert "reasoning/grounded_nodes" in [one.template for one in answer.trace]


@pytest.mark.parametrize(
    "question",
    [
        "How many dogs are there at once?",
        "How long is the dog in the picture?",
        "When does the dog come back?",
        "From which side does the dog enter?",
        "Where is the dog?",
        "Is the dog near the man?",
        "Who comes after the man leaves?",
        "What happens in the video?",
        "How many times does the man throw the ball?",
        "What color is the ball?",
        "What does the dog do in the first 5 seconds?",
    ],
)
def test_questions_of_every_kind_are_answered_without_tracks(ask: Callable[[str], Answer], question: str) -> None:
    answer = ask(question)

    assert answer.answer
    assert all(0 <= one.timestamp_s < len(DAY) for one in answer.evidence)
