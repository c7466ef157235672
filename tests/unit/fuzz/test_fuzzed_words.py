"""Words from anywhere, of models, their servers and people: used, or refused with the error that is meant for them."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel

from ravu_kg.errors import ProviderError, ReasoningError, UsageError
from ravu_kg.graph.readonly import missing_parameters, refuse_text
from ravu_kg.models.structured import InvalidReplyError, asking_again, encodable, parse, salvage
from ravu_kg.perception.captioning import replies as captioning
from ravu_kg.providers import gemini_wire, openai_replies
from ravu_kg.providers.model_errors import Endpoint
from ravu_kg.reasoning.models import replies as reasoning
from ravu_kg.reasoning.plan import load_plan
from ravu_kg.reasoning.planner import RulePlanner
from ravu_kg.types import ModelReply, ModelRequest
from tests.unit.fuzz.strategies import CHAT, JSON, RESPONSES, VECTORS, as_json, attempt, fuzz, nearly, nearly_text

KEY = "sk-test-0123456789abcdef"
ENDPOINT = Endpoint("openai:some", "http://127.0.0.1:1/v1", "OPENAI_API_KEY", KEY)
REPLIES: dict[type[BaseModel], Any] = {
    captioning.DetectReply: {"frames": [{"i": 0, "boxes": [{"label": "dog", "box": [1, 2, 3, 4]}]}]},
    captioning.DescribeReply: {
        "frames": [{"i": 0, "text": "A dog #1.", "new": [{"id": "n1", "label": "cat", "look": "", "box": None}]}]
    },
    captioning.GraphReply: {
        "frames": [{"i": 0, "nodes": [{"id": "1", "has": ["red"]}], "edges": [{"s": "1", "p": "near", "o": "2"}]}]
    },
    captioning.SentenceReply: {"sentences": [{"i": 0, "id": "1", "text": "A dog runs."}]},
    captioning.EventsReply: {"events": [{"id": "1", "first": 0, "last": 2, "text": "A dog runs."}]},
    reasoning.PlanReply: {
        "steps": [{"function": "localize_node", "arguments": {"query": "the dog"}, "save_as": "anchor"}]
    },
    reasoning.RerankReply: {"best": [1, 2]},
    reasoning.IdentifyReply: {"entity": 1},
    reasoning.CountReply: {"verdicts": [{"candidate": 1, "met": True, "reason": "seen", "sentences": [1]}]},
    reasoning.AnalyzeReply: {"events": [{"event": 1, "reason": "it matters"}]},
    reasoning.AnswerReply: {"answer": "A dog.", "known": True, "confidence": 0.5, "frames": [1]},
}
ERROR = {
    "error": {
        "code": 429,
        "message": f"No more for {KEY}.",
        "status": "RESOURCE_EXHAUSTED",
        "details": [{"@type": "x", "retryDelay": "3s", "reason": "QUOTA", "violations": [{"quotaId": "PerDay"}]}],
    }
}
QUESTION = "What does the man in red do 3 seconds after the dog leaves, and how often?"
CYPHER = "MATCH (n:FrameNode {videoId: $video}) WHERE n.label = 'dog' RETURN n.id, count(*) AS c ORDER BY c LIMIT 3"


@st.composite
def a_reply(draw: st.DrawFn) -> tuple[type[BaseModel], str]:
    """A kind of reply and what a model says instead."""
    kind = draw(st.sampled_from(list(REPLIES)))
    good = REPLIES[kind]
    text = draw(nearly(good).map(as_json) | nearly_text(as_json(good)) | nearly_text(f"```json\n{as_json(good)}\n```"))
    return kind, text


@given(a_reply())
@fuzz
def test_replies_of_models(said: tuple[type[BaseModel], str]) -> None:
    kind, text = said
    text = encodable(text)
    text.encode()
    try:
        parse(text, kind)
    except InvalidReplyError as error:
        again = asking_again(ModelRequest("Say.", ("what",)), ModelReply(text, "stop", 1, 1), str(error))
        "".join(part for part in again.parts if isinstance(part, str)).encode()
        if (record := salvage(text, kind)) is not None:
            parse(record.model_dump_json(by_alias=True), kind)


def body_of(api: str) -> st.SearchStrategy[tuple[str, str]]:
    """An API of OpenAI and a body instead of one of its own."""
    good = CHAT if api == "chat" else RESPONSES
    return st.tuples(st.just(api), nearly(good).map(as_json) | nearly_text(as_json(good)))


@given(body_of("chat") | body_of("responses"))
@fuzz
def test_bodies_of_openai(said: tuple[Any, str]) -> None:
    api, body = said
    reply, refusal = attempt(ProviderError, lambda: openai_replies.read(ENDPOINT, api, body, 100))
    if reply is None:
        assert refusal
    else:
        assert isinstance(reply.text, str)
        assert min(reply.input_tokens, reply.output_tokens, reply.cached_tokens) >= 0
        assert max(reply.input_tokens, reply.output_tokens, reply.cached_tokens) < 2**63


@given(nearly(VECTORS).map(as_json) | nearly_text(as_json(VECTORS)))
@fuzz
def test_bodies_with_vectors(body: str) -> None:
    rows, _ = attempt(ProviderError, lambda: openai_replies.read_vectors(ENDPOINT, body))
    assert all(isinstance(number, float) for row in rows or () for number in row)


@given(st.integers(400, 599), nearly(ERROR) | JSON, st.sampled_from((gemini_wire, openai_replies)))
@fuzz
def test_errors_of_models(status: int, body: Any, of: Any) -> None:
    text = as_json(body)
    found = of.failure(status, body, None) if of is gemini_wire else of.failure(status, body, text, None)
    error = of.error(ENDPOINT, found, with_images=True)
    assert isinstance(error, ProviderError)
    assert KEY not in str(error)
    openai_replies.disguised_failure(text)


@given(nearly_text(QUESTION))
@fuzz
def test_questions(question: str) -> None:
    plan, _ = attempt(ReasoningError, lambda: RulePlanner().plan(question))
    assert plan is None or load_plan(plan.to_json()) == plan


@given(nearly_text(CYPHER))
@fuzz
def test_statements_of_users(text: str) -> None:
    _, refusal = attempt(UsageError, lambda: refuse_text(text))
    if not refusal:
        missing_parameters(text, {})


@pytest.mark.parametrize("kind", REPLIES)
def test_the_replies_that_are_changed_are_good_ones(kind: type[BaseModel]) -> None:
    parse(as_json(REPLIES[kind]), kind)
