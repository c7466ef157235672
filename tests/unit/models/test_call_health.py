"""A request that is not answered, told from a server that answers nobody; and what is spent, through a kill."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from fake_models import reply
from pydantic import BaseModel, ConfigDict

from ravu_kg.errors import ProviderError, ReplyError, UnansweredError
from ravu_kg.memory.words import Tally
from ravu_kg.models.calls import ModelCalls
from ravu_kg.models.health import OUTAGE, Health
from ravu_kg.models.roles import INDEX_ROLES
from ravu_kg.models.spending import Spending
from ravu_kg.settings import Settings
from ravu_kg.types import ModelReply, ModelRequest, Usage

Make = Callable[..., Settings]
GOOD = '{"words": ["dog"]}'


class Words(BaseModel):
    model_config = ConfigDict(title="graph")

    words: list[str]


def asking(text: str) -> ModelRequest:
    return ModelRequest("Give words.", (text,))


@pytest.mark.parametrize(
    "error",
    [ProviderError("HTTP 500", retryable=True), ProviderError("too long", request_only=True)],
)
def test_several_in_a_row_are_no_matter_of_one_request(error: ProviderError) -> None:
    health = Health()
    assert [isinstance(health.judged(error), UnansweredError) for _ in range(OUTAGE)] == [True, True, False]
    assert health.judged(error) is error
    health.answered()
    alone = health.judged(error)
    assert isinstance(alone, UnansweredError)
    assert (str(alone), alone.retryable, alone.request_only) == (str(error), error.retryable, error.request_only)


def test_kept_replies_do_not_make_a_row_shorter_but_show_that_the_model_once_answered() -> None:
    error = ProviderError("HTTP 500", retryable=True)
    health = Health()
    health.judged(error)
    with pytest.raises(ProviderError, match="HTTP 500"):
        health.require_answers()
    health.answered(now=False)
    health.require_answers()
    health.judged(error)
    assert health.judged(error) is error


@pytest.mark.parametrize(
    "error", [ProviderError("wrong key"), ProviderError("slow down", retryable=True, rate_limited=True)]
)
def test_what_is_about_the_key_or_a_limit_is_told_as_it_is(error: ProviderError) -> None:
    assert Health().judged(error) is error


def test_a_role_without_any_request_needs_no_answer(install, settings: Make) -> None:
    install(GOOD)
    with ModelCalls.open(settings(), INDEX_ROLES) as calls:
        calls.require_answers("describe")
        calls.require_answers("detect")


def test_the_first_reply_is_used_when_the_model_cannot_be_told_what_is_wrong_with_it(install, settings: Make) -> None:
    def answer(_request: ModelRequest, number: int) -> ModelReply:
        if number == 0:
            return reply('{"words": ["dog", 3]}')
        raise ProviderError("HTTP 500", retryable=True)

    install(answer)
    with ModelCalls.open(settings(calls__retries=1), INDEX_ROLES) as calls:
        assert calls.ask("graph", asking("a"), Words, salvage=True).words == ["dog"]
        with pytest.raises(UnansweredError):  # another run may be told
            calls.ask("graph", asking("a"), Words)


def test_what_was_spent_is_known_to_the_next_run_until_it_is_settled(install, settings: Make) -> None:
    install(GOOD)
    calls = ModelCalls.open(settings(), INDEX_ROLES, account="video")
    calls.ask("graph", asking("a"), Words)
    calls.ask("graph", asking("b"), Words)
    # The process dies here: nothing is closed, nothing was noted with the graph.
    with ModelCalls.open(settings(), INDEX_ROLES, account="video") as again:
        again.ask("graph", asking("a"), Words)
        again.ask("graph", asking("c"), Words)
        noted = {
            "graph": {"model": "fake:model", "calls": 1, "input_tokens": 100, "output_tokens": 10, "cost_usd": None}
        }
        stage = Tally.of(again, noted, {}).stages()["graph"]
        assert (stage["calls"], stage["input_tokens"], stage["output_tokens"]) == (3, 300, 30)
        again.settle()
    with ModelCalls.open(settings(), INDEX_ROLES, account="video") as later:
        assert later.spent_before == {}
    calls.close()


def test_without_the_account_what_is_noted_with_the_graph_counts(install, settings: Make) -> None:
    install(GOOD)
    noted = {"graph": {"model": "fake:model", "calls": 5, "input_tokens": 500, "output_tokens": 50, "cost_usd": 0.5}}
    base = {"graph": {"model": "fake:model", "calls": 2, "input_tokens": 200, "output_tokens": 20, "cost_usd": 0.2}}
    with ModelCalls.open(settings(), INDEX_ROLES, account="video") as calls:
        assert Tally.of(calls, noted, base).stages()["graph"]["calls"] == 5
        assert Tally.of(calls, {}, base).stages()["graph"]["calls"] == 2


def test_accounts_and_stages_are_kept_apart_and_a_price_that_is_not_known_is_not_nothing(tmp_path: Path) -> None:
    said: list[str] = []
    spending = Spending(tmp_path / "deeper" / "spending.sqlite", said.append)
    spending.add("one", "graph", "fake:a", Usage(1, 100, 10, 0.5), has_price=True)
    spending.add("one", "graph", "fake:b", Usage(1, 100, 10, 0.25), has_price=True)
    spending.add("one", "events", "fake:a", Usage(1, 1, 1, 0.0), has_price=False)
    spending.add("two", "graph", "fake:a", Usage(1, 7, 7, 7.0), has_price=True)
    found = spending.of("one")
    assert {stage: (one.model, one.usage, one.has_price) for stage, one in found.items()} == {
        "graph": ("fake:b", Usage(2, 200, 20, 0.75), True),
        "events": ("fake:a", Usage(1, 1, 1, 0.0), False),
    }
    spending.forget("one")
    assert (spending.of("one"), len(spending.of("two")), said) == ({}, 1, [])
    spending.close()


def test_a_damaged_file_of_what_is_spent_stops_nothing(tmp_path: Path) -> None:
    said: list[str] = []
    path = tmp_path / "spending.sqlite"
    path.write_bytes(b"no database at all" * 100)
    spending = Spending(path, said.append)
    spending.add("one", "graph", "fake:a", Usage(1, 100, 10, 0.5), has_price=True)
    assert spending.of("one")["graph"].usage.calls == 1
    assert len(said) == 1
    assert "begun anew" in said[0]
    spending.close()


def test_unusable_replies_are_no_outage(install, settings: Make) -> None:
    install("nothing of use")
    with ModelCalls.open(settings(), INDEX_ROLES) as calls:
        for text in ("a", "b", "c", "d"):
            with pytest.raises(ReplyError):
                calls.ask("graph", asking(text), Words)
        calls.require_answers("graph")
