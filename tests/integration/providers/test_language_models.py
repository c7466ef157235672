from __future__ import annotations

import json
import threading
import time
import traceback
from concurrent.futures import ThreadPoolExecutor

import pytest

from ravu_kg.errors import ProviderError, RefusalError
from ravu_kg.models import tokens
from ravu_kg.types import ModelRequest
from tests.integration.providers.conftest import KEY, PLAN, SCHEMA, WIRES, Wire, ask, picture, says
from tests.model_server import Fault, ModelServer, Received, Reply


def test_texts_and_pictures_arrive_in_order_after_the_instructions(wire: Wire) -> None:
    first, second = picture(10), picture(200)
    with ModelServer(says("A dog.")) as server:
        reply = wire.model(server).complete(ask("Frame 1:", first, "Frame 2:", second, "Compare."), 5)
    (received,) = server.received
    assert reply.text == "A dog."
    assert reply.finish == "stop"
    assert received.protocol == wire.protocol
    assert received.model == wire.plain
    assert received.instructions == "You plan."
    assert received.parts == ["Frame 1:", first.data, "Frame 2:", second.data, "Compare."]
    assert received.schema is None
    assert received.max_output_tokens == 200
    assert received.key == KEY


def test_a_schema_is_sent_as_such_and_names_the_stage(wire: Wire) -> None:
    with ModelServer(says(PLAN)) as server:
        reply = wire.model(server).complete(ask(schema=SCHEMA), 5)
    (received,) = server.received
    assert json.loads(reply.text) == PLAN
    assert received.stage == "plan"
    assert received.format == "json_schema"
    assert received.instructions == "You plan."  # nothing is added to what providers cache


def test_a_schema_with_free_keys_is_sent_without_being_strict(wire: Wire) -> None:
    free = {"title": "count", "type": "object", "properties": {"by": {"type": "object", "additionalProperties": True}}}
    with ModelServer(says({"by": {"dog": 2}})) as server:
        wire.model(server).complete(ask(schema=free), 5)
    (received,) = server.received
    assert received.format == "json_schema"
    assert received.schema == free


def test_usage_is_what_the_server_counted(wire: Wire) -> None:
    request = ask("Look:", picture(10, 800, 600))
    with ModelServer(lambda _: Reply("A dog runs.", cached_tokens=5, hidden_tokens=3)) as server:
        model = wire.model(server)
        reply = model.complete(request, 5)
    assert reply.input_tokens == tokens.count_request(request, model.name)
    assert reply.output_tokens == tokens.count_text("A dog runs.") + 3
    assert reply.cached_tokens == 5


def test_a_reply_that_is_cut_off_says_so(wire: Wire) -> None:
    with ModelServer(lambda _: Fault.truncated_json(PLAN)) as server:
        reply = wire.model(server).complete(ask(schema=SCHEMA), 5)
    assert reply.finish == "length"
    assert json.dumps(PLAN).startswith(reply.text)


def test_an_empty_reply_and_a_code_fence_come_through_as_they_are(wire: Wire) -> None:
    replies = iter([Fault.empty(), Fault.code_fence(PLAN)])
    with ModelServer(lambda _: next(replies)) as server:
        model = wire.model(server)
        assert model.complete(ask(schema=SCHEMA), 5).text == ""
        assert "```json" in model.complete(ask(schema=SCHEMA), 5).text


# --- failures -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("fault", "retry_after_s", "rate_limited"),
    [
        (Fault.rate_limited(), None, True),
        (Fault.rate_limited(retry_after_s=7), 7.0, True),
        (Fault.rate_limited(retry_after_s=0.5), 0.5, True),
        (Fault.server_error(500), None, False),
        (Fault.server_error(503), None, False),
        (Fault.server_error(503, retry_after_s=2), 2.0, False),
        (Fault.reset_midway(PLAN), None, False),
    ],
    ids=["429", "429 and a wait", "429 and half a second", "500", "503", "503 and a wait", "reset"],
)
def test_what_may_pass_is_retryable_and_tried_only_once_here(
    wire: Wire, fault: Fault, retry_after_s: float | None, rate_limited: bool
) -> None:
    with ModelServer(lambda _: fault) as server, pytest.raises(ProviderError) as caught:
        wire.model(server).complete(ask(schema=SCHEMA), 5)
    assert caught.value.retryable
    assert caught.value.retry_after_s == retry_after_s
    assert caught.value.rate_limited is rate_limited
    assert len(server.received) == 1


def test_a_drip_ends_in_time(wire: Wire) -> None:
    with ModelServer(lambda _: Fault.drip(60, "A long story. " * 50)) as server:
        model = wire.model(server)
        started = time.monotonic()
        with pytest.raises(ProviderError, match=r"within 0\.6 s") as caught:
            model.complete(ask(), 0.6)
    assert caught.value.retryable
    assert time.monotonic() - started < 30


def test_silence_ends_in_time(wire: Wire) -> None:
    with ModelServer(says("late"), delay_s=60) as server:
        model = wire.model(server)
        started = time.monotonic()
        with pytest.raises(ProviderError, match=r"within 0\.5 s") as caught:
            model.complete(ask(), 0.5)
    assert caught.value.retryable
    assert time.monotonic() - started < 30


def test_a_server_that_is_not_there_is_named(wire: Wire) -> None:
    with ModelServer(says("")) as server:
        pass
    with pytest.raises(ProviderError, match=server.url) as caught:
        wire.model(server).complete(ask(), 5)
    assert not caught.value.retryable  # one's own server comes up when it is started


@pytest.mark.parametrize(
    ("fault", "words"),
    [
        (Fault.expired_key(401), "does not accept the key in (OPENAI|GEMINI)_API_KEY"),
        (Fault.expired_key(403), "the key in (OPENAI|GEMINI)_API_KEY"),
        (Fault.unknown_model(), "has no model '{model}'"),
        (Fault.out_of_quota(), "quota .* is used up"),
        (Fault.error(400, "This model's maximum context length is 8192 tokens."), "longer than the model takes"),
        (Fault.error(400, "Bad value for top_k"), "HTTP 400: Bad value for top_k"),
    ],
    ids=["expired key", "forbidden", "unknown model", "out of quota", "too long", "other"],
)
def test_what_does_not_pass_is_not_retryable_and_says_what_to_do(wire: Wire, fault: Fault, words: str) -> None:
    with (
        ModelServer(lambda _: fault) as server,
        pytest.raises(ProviderError, match=words.format(model=wire.plain)) as e,
    ):
        wire.model(server).complete(ask(), 5)
    assert not e.value.retryable
    assert not isinstance(e.value, RefusalError)
    assert len(server.received) == 1


def test_a_key_is_in_no_error_and_no_repr(wire: Wire) -> None:
    echo = f"Incorrect API key provided: {KEY}, or sk-ab*********789."
    with ModelServer(lambda _: Fault.error(400, echo)) as server:
        model = wire.model(server)
        with pytest.raises(ProviderError) as caught:
            model.complete(ask(), 5)
    shown = "".join(traceback.format_exception(caught.value)) + repr(model) + repr(caught.value)
    assert KEY not in shown
    assert "sk-ab" not in shown


def test_something_else_than_a_reply_is_an_error_of_its_own(wire: Wire) -> None:
    with ModelServer(lambda _: Fault.error(200, "Welcome to the portal")) as server, pytest.raises(ProviderError):
        wire.model(server).complete(ask(), 5)


# --- refusals -------------------------------------------------------------------------------------


@pytest.mark.parametrize("how", ["filter", "prompt", "model"])
def test_every_kind_of_refusal_is_one(wire: Wire, how: str) -> None:
    with ModelServer(lambda _: Fault.refused(how)) as server:  # type: ignore[arg-type]
        model = wire.model(server)
        with pytest.raises(RefusalError, match=f"{model.name} declined") as caught:
            model.complete(ask(picture(3), schema=SCHEMA), 5)
    assert not caught.value.retryable
    assert len(server.received) == 1


# --- images ---------------------------------------------------------------------------------------


def test_a_server_that_takes_no_images_gives_a_clear_error(wire: Wire) -> None:
    with ModelServer(says(""), refuses=["images"]) as server:
        model = wire.model(server)
        with pytest.raises(ProviderError, match="takes no images") as caught:
            model.complete(ask(picture(3)), 5)
    assert not caught.value.retryable


def test_a_model_that_is_said_to_take_no_images_is_not_asked_with_one(wire: Wire) -> None:
    with ModelServer(says("")) as server:
        model = wire.model(server, images=False)
        assert not model.accepts_images
        with pytest.raises(ProviderError, match="takes no images"):
            model.complete(ask(picture(3)), 5)
        model.complete(ask("text"), 5)
    assert len(server.received) == 1


# --- hidden reasoning ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("protocol", "model"),
    [("gemini", "gemini-3.8-flash"), ("gemini", "gemini-2.5-pro"), ("responses", "gpt-5-mini"), ("chat", "o4-mini")],
)
def test_hidden_reasoning_has_room_of_its_own(protocol: str, model: str) -> None:
    words = "word " * 190
    with ModelServer(lambda _: Reply(words, hidden_tokens=500)) as server:
        reply = WIRES[protocol].model(server, model).complete(ask(limit=200), 5)
    assert reply.text == words
    assert reply.finish == "stop"


def test_a_reply_of_hidden_reasoning_alone_is_no_empty_reply(wire: Wire) -> None:
    with ModelServer(lambda _: Reply("too late", hidden_tokens=10_000)) as server:
        model = wire.model(server)
        with pytest.raises(ProviderError, match="hidden reasoning") as caught:
            model.complete(ask(limit=100), 5)
    assert not caught.value.retryable


@pytest.mark.parametrize(
    ("protocol", "model", "path", "value"),
    [
        ("responses", "gpt-6-luna", ("reasoning", "effort"), "none"),
        ("responses", "gpt-5-mini", ("reasoning", "effort"), "minimal"),
        ("chat", "o4-mini", ("reasoning_effort",), "low"),
        ("chat", "qwen3-vl:8b", ("reasoning_effort",), None),
        ("gemini", "gemini-3.8-flash", ("generationConfig", "thinkingConfig", "thinking_level"), "MINIMAL"),
        ("gemini", "gemini-flash-latest", ("generationConfig", "thinkingConfig", "thinking_level"), "MINIMAL"),
        ("gemini", "gemini-2.5-flash", ("generationConfig", "thinkingConfig", "thinking_budget"), 0),
        ("gemini", "gemini-2.5-pro", ("generationConfig", "thinkingConfig", "thinking_budget"), 512),
        ("gemini", "gemini-2.0-flash", ("generationConfig", "thinkingConfig"), None),
        ("responses", "gpt-4.1", ("temperature",), 0),
        ("responses", "gpt-6-luna", ("temperature",), None),
        ("gemini", "gemini-2.5-flash", ("generationConfig", "temperature"), 0),
        ("gemini", "gemini-3.8-flash", ("generationConfig", "temperature"), None),
    ],
)
def test_the_least_reasoning_and_a_temperature_are_asked_for_where_a_model_takes_them(
    protocol: str, model: str, path: tuple[str, ...], value: object
) -> None:
    with ModelServer(says("yes")) as server:
        WIRES[protocol].model(server, model).complete(ask(), 5)
    found: object = server.received[0].raw
    for key in path:
        found = found.get(key) if isinstance(found, dict) else None
    assert found == value


def test_chosen_temperature_and_reasoning_are_sent() -> None:
    with ModelServer(says("yes")) as server:
        WIRES["responses"].model(server, "gpt-6-luna", temperature=1, reasoning="high").complete(ask(), 5)
        WIRES["gemini"].model(server, "gemini-3.8-flash", temperature=0.5, reasoning="high").complete(ask(), 5)
    openai_raw, gemini_raw = (received.raw for received in server.received)
    assert (openai_raw["temperature"], openai_raw["reasoning"]) == (1, {"effort": "high"})
    assert gemini_raw["generationConfig"]["temperature"] == 0.5  # type: ignore[index]
    assert gemini_raw["generationConfig"]["thinkingConfig"] == {"thinking_level": "HIGH"}  # type: ignore[index]


# --- what is particular ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("safety", "threshold"),
    [(None, "OFF"), ("none", "OFF"), ("low", "BLOCK_ONLY_HIGH"), ("high", "BLOCK_LOW_AND_ABOVE")],
)
def test_geminis_filters_block_as_little_as_possible_unless_told(safety: str | None, threshold: str) -> None:
    options = {} if safety is None else {"safety": safety}
    with ModelServer(says("yes")) as server:
        WIRES["gemini"].model(server, **options).complete(ask(), 5)
    settings = server.received[0].raw["safetySettings"]
    assert isinstance(settings, list)
    assert {setting["threshold"] for setting in settings} == {threshold}
    assert {setting["category"].removeprefix("HARM_CATEGORY_") for setting in settings} == {
        "HARASSMENT",
        "HATE_SPEECH",
        "SEXUALLY_EXPLICIT",
        "DANGEROUS_CONTENT",
    }


def test_frames_are_not_stored_by_openai() -> None:
    with ModelServer(says("yes")) as server:
        WIRES["responses"].model(server).complete(ask(), 5)
    assert server.received[0].raw["store"] is False


def test_a_server_of_ones_own_needs_no_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY")
    with ModelServer(says("yes")) as server:
        assert WIRES["chat"].model(server).complete(ask(), 5).text == "yes"
    assert server.received[0].key == "not-needed"


@pytest.mark.parametrize("count", [-1, 2**53, 10**400])
def test_a_number_of_tokens_that_cannot_be_is_no_reply(count: int) -> None:
    from google.genai import types

    from ravu_kg.providers import gemini_wire, openai_replies
    from ravu_kg.providers.model_errors import Endpoint

    endpoint = Endpoint("openai:model", "http://127.0.0.1", "OPENAI_API_KEY", "")
    usage = f'"usage": {{"prompt_tokens": 1, "completion_tokens": {count}}}'
    with pytest.raises(ProviderError, match="no reply of its protocol"):
        openai_replies.read(endpoint, "chat", f'{{"choices": [{{"message": {{"content": "Hi."}}}}], {usage}}}', 100)
    part = types.Part(text="Hi.")
    response = types.GenerateContentResponse(
        candidates=[types.Candidate(content=types.Content(parts=[part]))],
        usage_metadata=types.GenerateContentResponseUsageMetadata(candidates_token_count=count),
    )
    with pytest.raises(ProviderError, match="no reply of its protocol"):
        gemini_wire.read(endpoint, response, 100)


def test_a_reply_without_usage_counts_as_nothing() -> None:
    from ravu_kg.providers.model_errors import Endpoint
    from ravu_kg.providers.openai_replies import read

    body = json.dumps({"choices": [{"message": {"content": "hi"}, "finish_reason": "stop"}]})
    reply = read(Endpoint("openai:m", "http://127.0.0.1", "OPENAI_API_KEY", KEY), "chat", body, 10)
    assert (reply.text, reply.input_tokens, reply.output_tokens) == ("hi", 0, 0)


def test_eight_threads_share_a_model(wire: Wire) -> None:
    def answer(received: Received) -> Reply:
        return Reply(received.texts[0])

    with ModelServer(answer, delay_s=0.3) as server:
        model = wire.model(server)
        model.complete(ask("warm"), 5)
        barrier = threading.Barrier(8)

        def one(number: int) -> str:
            barrier.wait()
            return model.complete(ModelRequest("", (f"frame {number}",)), 10).text

        with ThreadPoolExecutor(8) as pool:
            assert list(pool.map(one, range(8))) == [f"frame {number}" for number in range(8)]
    assert server.peak >= 4
