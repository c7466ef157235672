from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable

import pytest
from pydantic import BaseModel, ConfigDict

from ravu_kg.errors import ConfigurationError, ProviderError, RefusalError, ReplyError
from ravu_kg.models.calls import ModelCalls
from ravu_kg.models.prices import PriceTable
from ravu_kg.models.roles import INDEX_ROLES
from ravu_kg.types import ModelRequest
from tests.model_server import Fault, Received, Reply, counting


class Words(BaseModel):
    model_config = ConfigDict(title="graph")

    words: list[str]


GOOD = {"words": ["dog", "tree"]}


def asking(text: str) -> ModelRequest:
    return ModelRequest("Give words.", (text,), max_output_tokens=256)


def after(faults: list[Fault], data: object = GOOD) -> Callable[[Received], Reply | Fault]:
    """The faults, one a request, and then good replies."""

    def said(received: Received) -> Reply | Fault:
        return faults[received.number] if received.number < len(faults) else Reply(data)

    return said


def index(wire, items: int, **settings: object) -> tuple[list[list[str]], ModelCalls]:
    with ModelCalls.open(wire.settings(**settings), INDEX_ROLES) as calls:
        found = calls.in_order(lambda item: calls.ask("graph", asking(f"window {item}"), Words), range(items))
        return [one.words for one in found], calls


@pytest.mark.parametrize(
    "fault",
    [
        Fault.server_error(500),
        Fault.server_error(503),
        Fault.reset_midway(GOOD),
        Fault.rate_limited(),
        Fault.code_fence(GOOD),
        Fault.wrong_types({"words": "dog"}),
        Fault.truncated_json(GOOD),
        Fault.empty(),
    ],
    ids=lambda fault: f"{fault.kind}-{fault.status}",
)
def test_one_fault_loses_nothing(wire, fault: Fault):
    server = wire.serve(after([fault]))
    with ModelCalls.open(wire.settings(), INDEX_ROLES) as calls:
        assert calls.ask("graph", asking("a window"), Words).words == ["dog", "tree"]
    assert len(server.received) == (1 if fault.kind == "fenced" else 2)
    assert {one.stage for one in server.received} == {"graph"}


def test_the_wait_that_the_server_names_is_kept(wire):
    server = wire.serve(after([Fault.rate_limited(retry_after_s=1)]))
    index(wire, 1)
    first, second = server.received
    assert second.at_s - first.at_s >= 1


def test_a_storm_of_rate_limits_loses_no_window(wire):
    allowed_a_second = 15

    def said(received: Received) -> Reply | Fault:
        before = [one for one in server.received if received.at_s - 1 < one.at_s < received.at_s]
        return Fault.rate_limited() if len(before) >= allowed_a_second else Reply(GOOD)

    server = wire.serve(said, delay_s=0.02)
    found, calls = index(wire, 30)
    assert found == [["dog", "tree"]] * 30
    assert calls.total().calls == 30


def test_a_drip_is_given_up_at_the_deadline(wire):
    server = wire.serve(after([Fault.drip(60, GOOD)]))
    began_s = time.monotonic()
    found, _ = index(wire, 1, calls__timeout_s=0.5)
    assert found == [["dog", "tree"]]
    assert time.monotonic() - began_s < 30  # half the drip
    assert len(server.received) >= 2  # a busy machine may miss the second deadline, too


def test_the_model_is_shown_its_faulty_reply_and_the_error(wire):
    server = wire.serve(after([Fault.wrong_types({"words": 3})]))
    index(wire, 1)
    told = " ".join(server.received[1].texts)
    assert "words: Input should be a valid array" in told
    assert server.received[1].instructions == server.received[0].instructions


def test_a_list_that_is_cut_off_twice_keeps_its_complete_items(wire):
    long = {"words": [f"word number {number}" for number in range(200)]}
    server = wire.serve(lambda received: Reply(long))  # 256 and 512 tokens are not enough
    with ModelCalls.open(wire.settings(), INDEX_ROLES) as calls:
        found = calls.ask("graph", asking("a window"), Words, salvage=True).words
        assert found == long["words"][: len(found)]
        assert 60 < len(found) < 200
        with pytest.raises(ReplyError):
            calls.ask("graph", asking("a window"), Words)
    assert [one.max_output_tokens for one in server.received] == [256, 512]


def test_a_refusal_is_a_refusal_and_no_call_is_made_for_it_again(wire):
    server = wire.serve(lambda received: Fault.refused())
    for _ in range(2):
        with ModelCalls.open(wire.settings(), INDEX_ROLES) as calls, pytest.raises(RefusalError):
            calls.ask("graph", asking("a window"), Words)
    assert len(server.received) == 1


def test_an_expired_key_ends_the_run_at_once(wire):
    server = wire.serve(lambda received: Fault.expired_key())
    with pytest.raises(ProviderError, match="API_KEY") as caught:
        index(wire, 100)
    assert "test-key" not in str(caught.value)
    assert len(server.received) <= 16


def test_where_no_server_listens_on_this_machine_nobody_waits_for_one(wire):
    server = wire.serve(lambda received: Reply(GOOD))
    server.close()
    with pytest.raises(ProviderError, match=rf"no server listens at {server.url}.*Start it, or set base_url") as caught:
        index(wire, 100)
    assert not caught.value.retryable


def test_without_a_key_nothing_is_begun(wire):
    wire.serve(lambda received: Reply(GOOD))
    wire.monkeypatch.delenv("GEMINI_API_KEY" if wire.protocol == "gemini" else "OPENAI_API_KEY")
    for name in ("RAVU_KG_PROVIDERS__GEMINI__BASE_URL", "RAVU_KG_PROVIDERS__OPENAI__BASE_URL"):
        wire.monkeypatch.delenv(name, raising=False)
    with pytest.raises(ConfigurationError, match="API_KEY is not set"):
        ModelCalls.open(wire.settings(), INDEX_ROLES)


def test_what_the_provider_billed_is_what_is_counted(wire):
    server = wire.serve(lambda received: Reply(GOOD))
    _, calls = index(wire, 3)
    usage = calls.usage["graph"]
    assert usage.calls == len(server.received) == 3
    assert usage.input_tokens == sum(counting.input_tokens(one) for one in server.received)
    assert usage.output_tokens == 3 * counting.output_tokens(json.dumps(GOOD))
    price = PriceTable.today({}).price(wire.model)
    assert price is not None
    assert usage.cost_usd == pytest.approx(
        (usage.input_tokens * price.input + usage.output_tokens * price.output) / 1e6
    )


def test_a_slow_call_does_not_hold_up_the_others(wire):
    threads, items = 8, 40
    all_at_once, others = threading.Barrier(threads), threading.Event()
    held: list[bool] = []

    def said(received: Received) -> Reply:
        if received.number < threads:
            all_at_once.wait(20)
        if received.number == 0:
            held.append(others.wait(20))
        elif received.number == 2 * threads - 1:  # twice as many begin as there are threads
            others.set()
        return Reply(GOOD)

    server = wire.serve(said)
    found, _ = index(wire, items)
    assert len(found) == len(server.received) == items
    assert server.peak == threads
    assert held == [True]


def test_work_of_a_window_in_several_calls_stays_in_the_bound(wire):
    server = wire.serve(lambda received: Reply(GOOD), delay_s=0.02)
    with ModelCalls.open(wire.settings(calls__concurrency=4), INDEX_ROLES) as calls:

        def window(number: int) -> int:
            inner = calls.in_order(lambda one: calls.ask("sentence", asking(f"{number} {one}"), Words), range(4))
            return len(list(inner))

        assert list(calls.in_order(window, range(4))) == [4] * 4
    assert server.peak == 4
