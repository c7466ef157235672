"""What the other tests rely on in the server that stands for the providers."""

from __future__ import annotations

import json
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from ravu_kg.errors import ProviderError
from ravu_kg.models import tokens
from tests.integration.providers.conftest import PLAN, SCHEMA, WIRES, Wire, ask, picture, says
from tests.model_server import Fault, ModelServer, Received, Reply, scripted


def test_replies_come_from_a_file_by_stage_and_order(wire: Wire, tmp_path: Path) -> None:
    file = tmp_path / "script.json"
    script = {"plan": [PLAN, {"fault": "rate_limited", "retry_after_s": 3}, {"steps": []}], "": ["Hello."]}
    file.write_text(json.dumps(script))
    with ModelServer(scripted(file)) as server:
        model = wire.model(server)
        assert json.loads(model.complete(ask(schema=SCHEMA), 5).text) == PLAN
        with pytest.raises(ProviderError) as caught:
            model.complete(ask(schema=SCHEMA), 5)
        assert caught.value.retry_after_s == 3
        for _ in range(2):
            assert json.loads(model.complete(ask(schema=SCHEMA), 5).text) == {"steps": []}
        assert model.complete(ask(), 5).text == "Hello."
        with pytest.raises(ProviderError, match="no replies for the stage 'rerank'"):
            model.complete(ask(schema={**SCHEMA, "title": "rerank"}), 5)
    assert [received.number for received in server.received] == list(range(6))
    assert len(server.asked("plan")) == 4


def test_usage_counts_pictures_by_the_providers_rule(wire: Wire) -> None:
    with ModelServer(says("yes")) as server:
        model = wire.model(server)
        without = model.complete(ask("Look."), 5).input_tokens
        with_picture = model.complete(ask("Look.", picture(9, 800, 600)), 5).input_tokens
    assert with_picture - without == tokens.count_picture(picture(9, 800, 600), model.name)


def test_a_reply_longer_than_its_limit_is_cut_off(wire: Wire) -> None:
    with ModelServer(says("one two three four five six seven eight")) as server:
        assert wire.model(server).complete(ask(limit=50), 5).finish == "stop"
    words = "one two three four five six seven eight " * 10
    with ModelServer(says(words)) as server:
        reply = wire.model(server).complete(ask(limit=50), 5)
    assert reply.finish == "length"
    assert words.startswith(reply.text)
    assert tokens.count_text(reply.text) == reply.output_tokens == 50


def test_the_most_calls_at_once_are_counted() -> None:
    with ModelServer(says("yes"), delay_s=0.3) as server:
        model = WIRES["chat"].model(server)
        with ThreadPoolExecutor(3) as pool:
            list(pool.map(lambda _: model.complete(ask(), 9), range(6)))
    assert server.peak == 3
    assert [received.number for received in server.received] == list(range(6))


def test_closing_does_not_wait_for_slow_replies() -> None:
    with ModelServer(says("yes"), delay_s=90) as server, ThreadPoolExecutor(1) as pool:
        future = pool.submit(WIRES["chat"].model(server).complete, ask(), 80)
        while not server.received:
            time.sleep(0.01)
        started = time.monotonic()
        server.close()
        assert time.monotonic() - started < 30
        future.exception(timeout=30)


def test_a_failing_answer_fails_the_test() -> None:
    def answer(received: Received) -> Reply | Fault:
        raise AssertionError("not this stage")

    with (
        pytest.raises(AssertionError, match="not this stage"),
        ModelServer(answer) as server,
        pytest.raises(ProviderError, match="not this stage"),
    ):
        WIRES["chat"].model(server).complete(ask(), 5)


def test_wrong_types_are_wrong_in_every_place() -> None:
    with ModelServer(lambda _: Fault.wrong_types({"a": 1, "b": "x", "c": [1]})) as server:
        reply = WIRES["chat"].model(server).complete(ask(), 5)
    assert json.loads(reply.text) == {"a": "not a number", "b": 7, "c": {"items": [1]}}
