from __future__ import annotations

import json
import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from ravu_kg.errors import ProviderError
from ravu_kg.providers import abilities, reply_schema
from tests.integration.providers.conftest import PLAN, SCHEMA, WIRES, Wire, ask, forms, says
from tests.model_server import Answer, Fault, ModelServer, Received, Reply

NEXT_STAGE = {**SCHEMA, "title": "answer"}


def refuses_once_said(*faults: tuple[str, Fault]) -> Answer:
    """Refuses requests whose JSON holds some words, as a model that does not know a parameter does."""

    def answer(received: Received) -> Reply | Fault:
        text = json.dumps(received.raw)
        return next((fault for words, fault in faults if words in text), Reply(PLAN))

    return answer


# --- structured replies ----------------------------------------------------------------------------


def test_json_object_with_the_schema_follows_json_schema_where_chat_refuses_it() -> None:
    with ModelServer(says(PLAN), refuses=["json_schema"]) as server:
        reply = WIRES["chat"].model(server).complete(ask(schema=SCHEMA), 5)
    assert json.loads(reply.text) == PLAN
    assert forms(server.received) == ["json_schema", "json_object"]
    sent = server.received[1]
    assert sent.raw["response_format"] == {"type": "json_object", "schema": reply_schema.for_openai(SCHEMA)[0]}
    assert sent.instructions.startswith("You plan.")
    assert sent.instructions.endswith(reply_schema.in_words(SCHEMA))


@pytest.mark.parametrize("protocol", ["gemini", "responses"])
def test_json_object_and_the_schema_in_words_follow_json_schema(protocol: str) -> None:
    with ModelServer(says(PLAN), refuses=["json_schema"]) as server:
        reply = WIRES[protocol].model(server).complete(ask(schema=SCHEMA), 5)
    assert json.loads(reply.text) == PLAN
    assert forms(server.received) == ["json_schema", "json_object"]
    assert server.received[1].instructions.endswith(reply_schema.in_words(SCHEMA))
    assert server.received[1].stage == "plan"


def test_llama_cpps_refusal_with_http_500_is_understood() -> None:
    with ModelServer(says(PLAN), refuses=["json_schema"], wording="llama.cpp") as server:
        reply = WIRES["chat"].model(server).complete(ask(schema=SCHEMA), 5)
    assert json.loads(reply.text) == PLAN
    assert forms(server.received) == ["json_schema", "json_object"]


def test_a_plain_json_object_follows_one_with_a_schema() -> None:
    with ModelServer(
        refuses_once_said(
            ('"json_schema"', Fault.no_json_schema()), ('"type": "json_object", "schema"', Fault.no_json_object())
        )
    ) as server:
        WIRES["chat"].model(server).complete(ask(schema=SCHEMA), 5)
    assert [received.raw.get("response_format", {}).get("type") for received in server.received] == [  # type: ignore[attr-defined]
        "json_schema",
        "json_object",
        "json_object",
    ]
    assert server.received[2].raw["response_format"] == {"type": "json_object"}


def test_the_schema_in_words_is_the_last_resort(wire: Wire) -> None:
    with ModelServer(says(PLAN), refuses=["json_schema", "json_object"]) as server:
        reply = wire.model(server).complete(ask(schema=SCHEMA), 5)
    assert json.loads(reply.text) == PLAN
    last = server.received[-1]
    assert last.format == "text"
    assert last.stage == "plan"
    assert last.instructions.endswith(reply_schema.in_words(SCHEMA))


def test_free_text_is_never_asked_for_as_json(wire: Wire) -> None:
    with ModelServer(says("hello"), refuses=["json_schema", "json_object"]) as server:
        assert wire.model(server).complete(ask(), 5).text == "hello"
    assert forms(server.received) == ["text"]


def test_a_schema_that_is_refused_does_not_spoil_the_others(wire: Wire) -> None:
    words = "Invalid schema for response_format 'plan': 'oneOf' is not supported."
    fault = Fault.error(400, words, "invalid_json_schema")

    def answer(received: Received) -> Reply | Fault:
        return fault if received.stage == "plan" and received.format == "json_schema" else Reply(PLAN)

    with ModelServer(answer) as server:
        model = wire.model(server)
        for schema in (SCHEMA, NEXT_STAGE, SCHEMA):
            model.complete(ask(schema=schema), 5)
    found = [(received.stage, received.format) for received in server.received]
    assert found == [
        ("plan", "json_schema"),
        ("plan", "json_object"),
        ("answer", "json_schema"),
        ("plan", "json_object"),
    ]


# --- what is remembered ----------------------------------------------------------------------------


def test_an_ability_is_asked_for_once_in_a_process(wire: Wire) -> None:
    with ModelServer(says(PLAN), refuses=["json_schema"]) as server:
        wire.model(server).complete(ask(schema=SCHEMA), 5)
        before = len(server.received)
        other = wire.model(server)  # another role with the same model
        assert other.reply_form != "json_schema"  # type: ignore[attr-defined]
        other.complete(ask(schema=NEXT_STAGE), 5)
    assert len(server.received) == before + 1


def test_an_ability_is_not_asked_for_by_the_next_process(wire: Wire) -> None:
    with ModelServer(says(PLAN), refuses=["json_schema"]) as server:
        wire.model(server).complete(ask(schema=SCHEMA), 5)
        before = len(server.received)
        abilities.forget()
        wire.model(server).complete(ask(schema=SCHEMA), 5)
    assert len(server.received) == before + 1


def test_an_ability_is_of_one_model_behind_one_address(wire: Wire) -> None:
    with ModelServer(says(PLAN), refuses=["json_schema"]) as old, ModelServer(says(PLAN)) as new:
        wire.model(old).complete(ask(schema=SCHEMA), 5)
        wire.model(new).complete(ask(schema=SCHEMA), 5)
        wire.model(old, f"{wire.plain}-b").complete(ask(schema=SCHEMA), 5)
    assert forms(new.received) == ["json_schema"]
    assert forms(old.received) == ["json_schema", "json_object"] * 2


@pytest.mark.parametrize("damage", [b"", b"{", b"[]", b'{"endpoints": {"x": 3}}', b"\xff\xfe"])
def test_a_damaged_memory_is_ignored_and_written_anew(damage: bytes) -> None:
    file = Path(os.environ["RAVU_KG_CACHE"]) / abilities.FILE_NAME
    file.parent.mkdir(parents=True)
    file.write_bytes(damage)
    with ModelServer(says(PLAN), refuses=["json_schema"]) as server:
        WIRES["chat"].model(server).complete(ask(schema=SCHEMA), 5)
        abilities.forget()
        WIRES["chat"].model(server).complete(ask(schema=SCHEMA), 5)
    assert forms(server.received) == ["json_schema", "json_object", "json_object"]
    assert [name.name for name in file.parent.iterdir() if not name.name.endswith(".lock")] == [file.name]


def test_a_cache_folder_that_cannot_be_written_costs_no_reply(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    monkeypatch.setenv("RAVU_KG_CACHE", str(tmp_path / "file" / "cache"))
    with ModelServer(says(PLAN), refuses=["json_schema"]) as server:
        model = WIRES["chat"].model(server)
        for _ in range(2):
            model.complete(ask(schema=SCHEMA), 5)
    assert forms(server.received) == ["json_schema", "json_object", "json_object"]


def test_calls_at_once_all_find_their_way(wire: Wire) -> None:
    with ModelServer(says(PLAN), delay_s=0.05, refuses=["json_schema", "json_object"]) as server:
        model = wire.model(server)
        with ThreadPoolExecutor(8) as pool:
            replies = list(pool.map(lambda _: model.complete(ask(schema=SCHEMA), 20), range(8)))
    assert all(json.loads(reply.text) == PLAN for reply in replies)


def test_what_a_refusal_taught_outlives_a_failure_after_it() -> None:
    answers = iter([Fault.server_error(503), Reply(PLAN)])
    with ModelServer(lambda _: next(answers), refuses=["json_schema"]) as server:
        model = WIRES["chat"].model(server)
        with pytest.raises(ProviderError):
            model.complete(ask(schema=SCHEMA), 5)
        model.complete(ask(schema=SCHEMA), 5)
    assert forms(server.received) == ["json_schema", "json_object", "json_object"]


# --- the two APIs of OpenAI ------------------------------------------------------------------------


def test_a_server_that_has_only_chat_is_found_out_once() -> None:
    with ModelServer(says(PLAN), refuses=["responses"]) as server:
        model = WIRES["responses"].model(server)
        for _ in range(2):
            assert json.loads(model.complete(ask(schema=SCHEMA), 5).text) == PLAN
    assert [received.protocol for received in server.received] == ["responses", "chat", "chat"]


def test_an_error_that_says_http_200_is_one() -> None:
    unknown = Fault.error(200, "Unexpected endpoint or method. (POST /v1/responses)")

    def answer(received: Received) -> Reply | Fault:
        return unknown if received.protocol == "responses" else Reply("hello")

    with ModelServer(answer) as server:
        assert WIRES["responses"].model(server).complete(ask(), 5).text == "hello"


def test_an_unknown_model_is_not_taken_for_a_server_without_the_api() -> None:
    with ModelServer(lambda _: Fault.error(404, "model 'gpt-4.1-mini' not found")) as server:
        model = WIRES["responses"].model(server)
        for _ in range(2):
            with pytest.raises(ProviderError, match=r"has no model 'gpt-4\.1-mini'"):
                model.complete(ask(), 5)
    assert [received.protocol for received in server.received] == ["responses", "chat"] * 2


def test_a_chosen_api_is_kept() -> None:
    with ModelServer(says("hello"), refuses=["responses"]) as server:
        with pytest.raises(ProviderError, match="has no model"):
            WIRES["responses"].model(server, api="responses").complete(ask(), 5)
        assert WIRES["responses"].model(server, api="chat").complete(ask(), 5).text == "hello"
    assert [received.protocol for received in server.received] == ["responses", "chat"]


# --- parameters ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("protocol", "model", "words", "fault", "kept"),
    [
        (
            "responses",
            "gpt-4.1",
            '"temperature"',
            Fault.error(400, "Unsupported parameter: 'temperature' is not supported with this model.", "unsupported"),
            (None, "temperature"),
        ),
        (
            "chat",
            "m",
            '"max_tokens"',
            Fault.error(400, "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead."),
            (200, "max_completion_tokens"),
        ),
        (
            "responses",
            "gpt-5-pro",
            '"effort": "minimal"',
            Fault.error(400, "Unsupported value: 'reasoning.effort' does not support 'minimal' with this model."),
            ({"effort": "low"}, "reasoning"),
        ),
        (
            "responses",
            "gpt-5-chat-latest",
            '"effort"',
            Fault.error(400, "Unsupported parameter: 'reasoning.effort' is not supported with this model."),
            (None, "reasoning"),
        ),
    ],
    ids=["temperature", "limit", "effort", "no effort at all"],
)
def test_a_refused_parameter_is_left_out_and_remembered(
    protocol: str, model: str, words: str, fault: Fault, kept: tuple[object, str]
) -> None:
    with ModelServer(refuses_once_said((words, fault))) as server:
        for _ in range(2):
            WIRES[protocol].model(server, model).complete(ask(), 5)
    assert len(server.received) == 3
    value, name = kept
    assert [received.raw.get(name) for received in server.received[1:]] == [value, value]


def test_the_least_level_of_thinking_that_a_gemini_takes_is_found() -> None:
    fault = Fault.error(400, "Thinking level MINIMAL is not supported for this model.")
    with ModelServer(refuses_once_said(("MINIMAL", fault))) as server:
        for _ in range(2):
            WIRES["gemini"].model(server, "gemini-3.8-flash").complete(ask(), 5)
    assert [json.dumps(received.raw).count("LOW") for received in server.received] == [0, 1, 1]


def test_instructions_go_before_the_text_where_a_model_has_no_place_for_them() -> None:
    fault = Fault.error(400, "Developer instruction is not enabled for models/gemma-3-27b-it")
    with ModelServer(refuses_once_said(("systemInstruction", fault))) as server:
        WIRES["gemini"].model(server, "gemma-3-27b-it").complete(ask("Look."), 5)
    assert server.received[-1].parts == ["You plan.", "Look."]


def test_a_refusal_that_no_other_form_cures_ends(wire: Wire) -> None:
    parameters = "reasoning, temperature, max_tokens, max_completion_tokens, json_schema, response_format, thinking"
    fault = Fault.error(400, f"{parameters} are not supported")
    with ModelServer(lambda _: fault) as server, pytest.raises(ProviderError, match="not supported"):
        wire.model(server).complete(ask(schema=SCHEMA), 5)
    assert len(server.received) < 10
