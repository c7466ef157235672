from __future__ import annotations

import hashlib
from collections.abc import Callable

import pytest

from ravu_kg.graph.reader import GraphReader, VideoRow
from ravu_kg.graph.store import Store
from ravu_kg.reasoning.answering import ExtractiveAnswerer
from ravu_kg.reasoning.asking import answer_question
from ravu_kg.reasoning.context import Phrases
from ravu_kg.reasoning.judging import RuleJudge
from ravu_kg.reasoning.planner import RulePlanner
from ravu_kg.reasoning.records import Answer
from tests.integration.reasoning.park import BagOfWords, write_park


@pytest.fixture(scope="session")
def park(store: Store) -> str:
    """Id of the park clip, of which every frame is known."""
    video_id = hashlib.sha256(b"the park of the reasoning tests").hexdigest()[:16]
    write_park(store, video_id, cuts_s=(12.4, 24.0))
    return video_id


@pytest.fixture(scope="session")
def clouded(store: Store) -> str:
    """The park, of which frames 10, 11 and the last one are not known; the video ends half a second after that one."""
    video_id = hashlib.sha256(b"the park in clouds").hexdigest()[:16]
    write_park(store, video_id, blocked=(10, 11, 29), duration_s=29.5)
    return video_id


@pytest.fixture(scope="session")
def reader(store: Store) -> GraphReader:
    return GraphReader(store)


@pytest.fixture
def video(reader: GraphReader, park: str) -> VideoRow:
    return reader.video(park)


@pytest.fixture
def embedder() -> BagOfWords:
    return BagOfWords()


@pytest.fixture
def ask(reader: GraphReader, park: str, embedder: BagOfWords) -> Callable[..., Answer]:
    def ask_park(question: str, *options: str) -> Answer:
        return answer_question(
            question,
            park,
            options,
            reader=reader,
            phrases=Phrases(embedder),
            planner=RulePlanner(),
            judge=RuleJudge(),
            answerer=ExtractiveAnswerer(),
        )

    return ask_park
