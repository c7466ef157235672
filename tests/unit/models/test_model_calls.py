from __future__ import annotations

import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from fake_models import FakeModel, Installed, reply
from pydantic import BaseModel, ConfigDict

from ravu_kg.cli.index import usage_pairs
from ravu_kg.errors import (
    BudgetError,
    ConfigurationError,
    MissingExtraError,
    ProviderError,
    RefusalError,
    ReplayError,
    ReplyError,
    UsageError,
)
from ravu_kg.memory.records import ModelRun
from ravu_kg.memory.words import Tally
from ravu_kg.models import profiles
from ravu_kg.models.calls import ModelCalls
from ravu_kg.models.roles import ASK_ROLES, INDEX_ROLES
from ravu_kg.settings import Settings
from ravu_kg.types import ModelReply, ModelRequest, Usage

Make = Callable[..., Settings]
GOOD = '{"words": ["dog"]}'


class Words(BaseModel):
    model_config = ConfigDict(title="graph")

    words: list[str]


def asking(text: str) -> ModelRequest:
    return ModelRequest("Give words.", (text,))


def test_each_model_is_loaded_once_and_roles_without_one_are_left_out(install, settings: Make):
    install(GOOD)
    install(GOOD, name="small")
    with ModelCalls.open(settings(models__graph="fake:small"), (*INDEX_ROLES, *ASK_ROLES)) as calls:
        assert Installed.loaded == ["model", "small"]
        assert not calls.has("detect")
        assert not calls.accepts_images("detect")
        assert calls.has("describe")
        assert calls.accepts_images("describe")
        assert (calls.name("describe"), calls.name("events"), calls.name("rerank")) == (
            "fake:model",
            "fake:small",
            "fake:model",
        )


def test_a_model_that_takes_no_images_is_refused_at_the_start_where_frames_are_looked_at(install, settings: Make):
    install(GOOD, accepts_images=False)
    with pytest.raises(ConfigurationError, match=r"The role describe looks at frames"):
        ModelCalls.open(settings(), INDEX_ROLES)
    with ModelCalls.open(settings(), ASK_ROLES) as calls:
        assert not calls.accepts_images("answer")


def test_a_missing_key_is_an_error_at_the_start(install, settings: Make):
    with pytest.raises(ConfigurationError, match="FAKE_API_KEY"):
        ModelCalls.open(settings(), ASK_ROLES)


def test_a_profile_whose_libraries_are_missing_names_the_pip_command(
    install, settings: Make, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(profiles, "find_spec", lambda name: None)
    for profile in ("gemini", "openai"):
        with pytest.raises(MissingExtraError, match=rf"profile {profile} .*pip install 'ravu-kg\[{profile}\]'"):
            ModelCalls.open(settings(profile=profile), ASK_ROLES)
    install(GOOD)
    ModelCalls.open(settings(profile="offline"), ASK_ROLES).close()


@pytest.mark.parametrize(
    ("installed", "profile", "answer", "told"),
    [
        ({"google.genai"}, "gemini", "openai:gpt-5", r"openai:gpt-5 needs .*'ravu-kg\[openai\]'"),
        ({"openai"}, "gemini", "openai:gpt-5", r"The profile gemini needs .*'ravu-kg\[gemini\]'"),
        ({"openai"}, "openai", "gemini:gemini-pro", r"gemini:gemini-pro needs .*'ravu-kg\[gemini\]'"),
        (set(), "gemini", "openai:gpt-5", r"The profile gemini and openai:gpt-5 need .*'ravu-kg\[gemini,openai\]'"),
        ({"google.genai"}, None, "openai:gpt-5", r"\Aopenai:gpt-5 needs .*'ravu-kg\[openai\]'"),
    ],
)
def test_of_two_extras_the_one_that_is_missing_is_named_with_who_needs_it(
    settings: Make, monkeypatch: pytest.MonkeyPatch, installed: set[str], profile: str | None, answer: str, told: str
):
    monkeypatch.setenv("GEMINI_API_KEY", "test-key")
    monkeypatch.setenv("OPENAI_API_KEY", "test-key")
    monkeypatch.setattr(profiles, "find_spec", lambda name: name if name in installed | {"bpe_openai"} else None)
    chosen = {"profile": profile} if profile else {}
    with pytest.raises(MissingExtraError, match=told):
        ModelCalls.open(settings(**chosen, models__plan="rules", models__answer=answer), ASK_ROLES)


def test_a_reply_is_a_record_and_the_request_gets_its_schema(install, settings: Make):
    model: FakeModel = install(f"```json\n{GOOD}\n```")
    with ModelCalls.open(settings(), INDEX_ROLES) as calls:
        assert calls.ask("graph", asking("a"), Words).words == ["dog"]
        assert calls.text("graph", asking("a")) == f"```json\n{GOOD}\n```"
        own = ModelRequest("Give words.", ("a",), {"title": "mine"})
        calls.ask("graph", own, Words)
    assert [(one.schema or {}).get("title") for one in model.requests] == ["graph", None, "mine"]


def test_no_call_is_made_twice_in_this_run_nor_in_the_next(install, settings: Make):
    model: FakeModel = install(GOOD)
    for run in (1, 2):
        with ModelCalls.open(settings(), INDEX_ROLES) as calls:
            for _ in range(2):
                calls.ask("graph", asking("a"), Words)
            assert calls.replayed == run
            assert calls.total() == (Usage(1, 100, 10, 0.0) if run == 1 else Usage())
    assert len(model.requests) == 1


def test_another_model_or_option_of_it_is_asked_anew(install, settings: Make):
    model, small = install(GOOD), install(GOOD, name="small")
    for changed in (
        {},
        {"models__graph": "fake:small"},
        {},
        {"providers__fake__base_url": "http://127.0.0.1:1"},  # the same model elsewhere
        {"providers__fake__safety": "high"},
        {"providers__fake__safety": "high"},
        {"providers__fake__safety": "low"},
    ):
        with ModelCalls.open(settings(**changed), INDEX_ROLES) as calls:
            calls.ask("graph", asking("a"), Words)
            assert calls.name("describe") == "fake:model"
    assert (len(model.requests), len(small.requests)) == (3, 1)


def test_refreshed_roles_are_asked_again_once_in_a_run(install, settings: Make):
    model: FakeModel = install(lambda _request, number: reply(f'{{"words": ["{number}"]}}'))
    with ModelCalls.open(settings(), INDEX_ROLES) as calls:
        calls.ask("graph", asking("a"), Words)
        calls.ask("events", asking("b"), Words)
    with ModelCalls.open(settings(), INDEX_ROLES, refresh={"graph"}) as calls:
        assert [calls.ask("graph", asking("a"), Words).words for _ in range(2)] == [["2"], ["2"]]
        assert calls.ask("events", asking("b"), Words).words == ["1"]
    with ModelCalls.open(settings(), INDEX_ROLES) as calls:
        assert calls.ask("graph", asking("a"), Words).words == ["2"]
    assert len(model.requests) == 3


def test_equal_requests_at_the_same_time_are_one_call(install, settings: Make):
    def slow(_request: ModelRequest, _number: int) -> ModelReply:
        time.sleep(0.1)
        return reply(GOOD)

    model: FakeModel = install(slow)
    with ModelCalls.open(settings(), INDEX_ROLES) as calls:
        found = list(calls.in_order(lambda _: calls.ask("graph", asking("same"), Words), range(8)))
        assert len(found) == 8
        assert len(model.requests) == 1
        assert calls.replayed == 7
        assert calls.total().calls == 1


def test_a_failure_is_told_to_all_who_asked_the_same(install, settings: Make):
    begun = threading.Barrier(4, timeout=30)

    def refuse(_request: ModelRequest, _number: int) -> ModelReply:
        time.sleep(0.1)
        raise RefusalError("declined")

    model: FakeModel = install(refuse)
    with ModelCalls.open(settings(calls__concurrency=4), INDEX_ROLES) as calls:

        def ask(_item: int) -> str:
            begun.wait()
            try:
                return calls.text("graph", asking("same"))
            except RefusalError as error:
                return str(error)

        assert list(calls.in_order(ask, range(4))) == ["declined"] * 4
    assert len(model.requests) == 1


def test_a_refusal_is_kept_as_well(install, settings: Make):
    def refuse(_request: ModelRequest, _number: int) -> ModelReply:
        raise RefusalError("it declined to say")

    model: FakeModel = install(refuse)
    for _ in range(2):
        with ModelCalls.open(settings(), INDEX_ROLES) as calls, pytest.raises(RefusalError, match="declined to say"):
            calls.ask("graph", asking("a"), Words)
    assert len(model.requests) == 1


def test_a_failure_is_not_kept(install, settings: Make):
    def fail(_request: ModelRequest, number: int) -> ModelReply:
        if number == 0:
            raise ProviderError("the key is wrong")
        return reply(GOOD)

    install(fail)
    with ModelCalls.open(settings(), INDEX_ROLES) as calls:
        with pytest.raises(ProviderError, match="the key is wrong"):
            calls.ask("graph", asking("a"), Words)
        assert calls.ask("graph", asking("a"), Words).words == ["dog"]


# --- replies that cannot be used


def test_the_model_is_told_once_what_is_wrong(install, settings: Make):
    model: FakeModel = install(lambda _request, number: reply('{"word": "dog"}' if number == 0 else GOOD))
    with ModelCalls.open(settings(), INDEX_ROLES) as calls:
        assert calls.ask("graph", asking("a"), Words).words == ["dog"]
        assert calls.usage == {"graph": Usage(2, 200, 20, 0.0)}
    told = str(model.requests[1].parts[1])
    assert '{"word": "dog"}' in told
    assert "words: Field required." in told
    with ModelCalls.open(settings(), INDEX_ROLES) as calls:  # both replies are known now
        assert calls.ask("graph", asking("a"), Words).words == ["dog"]
        assert calls.total() == Usage()
    assert len(model.requests) == 2


def test_after_a_second_one_that_cannot_be_used_either_it_is_an_error(install, settings: Make):
    model: FakeModel = install("No idea.")
    with (
        ModelCalls.open(settings(), INDEX_ROLES) as calls,
        pytest.raises(ReplyError, match=r"graph: fake:model gave no reply .*asked twice\. The reply holds no JSON"),
    ):
        calls.ask("graph", asking("a"), Words, salvage=True)
    assert len(model.requests) == 2


def test_a_check_of_the_caller_is_told_like_an_error_of_form(install, settings: Make):
    model: FakeModel = install(lambda _request, number: reply(GOOD if number == 0 else '{"words": ["cat"]}'))

    def only_cats(found: Words) -> str | None:
        return None if found.words == ["cat"] else "There is no dog."

    with ModelCalls.open(settings(), INDEX_ROLES) as calls:
        assert calls.ask("graph", asking("a"), Words, check=only_cats).words == ["cat"]
    assert "There is no dog." in str(model.requests[1].parts[1])


def test_a_reply_that_was_cut_off_gets_more_room_and_is_salvaged_only_then(install, settings: Make):
    said = ['{"words": ["a", "b", "c', '{"words": ["a", "b", "c", "d"']
    model: FakeModel = install(lambda _request, number: reply(said[number % 2], "length"))
    with ModelCalls.open(settings(), INDEX_ROLES) as calls:
        with pytest.raises(ReplyError):
            calls.ask("graph", asking("a"), Words)
        assert calls.ask("graph", asking("a"), Words, salvage=True).words == ["a", "b", "c", "d"]
    assert [one.max_output_tokens for one in model.requests] == [2048, 4096]


def test_the_first_reply_is_salvaged_when_the_second_is_worse(install, settings: Make):
    install(lambda _request, number: reply('{"words": ["a", "b"' if number == 0 else "Sorry.", "length"))
    with ModelCalls.open(settings(), INDEX_ROLES) as calls:
        assert calls.ask("graph", asking("a"), Words, salvage=True).words == ["a", "b"]


def test_more_room_than_a_model_has_is_no_reason_to_lose_what_it_said(install, settings: Make):
    def answer(request: ModelRequest, _number: int) -> ModelReply:
        if request.max_output_tokens > 2048:
            raise ProviderError("max_output_tokens is too large", request_only=True)
        return reply('{"words": ["a", "b', "length")

    install(answer)
    with ModelCalls.open(settings(), INDEX_ROLES) as calls:
        assert calls.ask("graph", asking("a"), Words, salvage=True).words == ["a"]
        with pytest.raises(ReplyError, match="too large"):
            calls.ask("graph", asking("a"), Words)


@pytest.mark.parametrize("error", [ProviderError("the key has expired"), RefusalError("declined")])
def test_what_fails_while_correcting_is_raised_as_it_is(install, settings: Make, error: ProviderError):
    def answer(_request: ModelRequest, number: int) -> ModelReply:
        if number:
            raise error
        return reply("No idea.")

    install(answer)
    with ModelCalls.open(settings(), INDEX_ROLES) as calls, pytest.raises(type(error), match=str(error)):
        calls.ask("graph", asking("a"), Words, salvage=True)


# --- ceilings


def test_a_ceiling_of_zero_is_refused(install, settings: Make):
    install(GOOD)
    with pytest.raises(UsageError, match="--max-cost"):
        ModelCalls.open(settings(), INDEX_ROLES, max_cost_usd=0)
    with pytest.raises(UsageError, match="--max-tokens"):
        ModelCalls.open(settings(), INDEX_ROLES, max_tokens=0)


def test_a_ceiling_on_cost_needs_a_price(install, settings: Make, tmp_path: Path):
    install(GOOD)
    with pytest.raises(ConfigurationError, match=r'price of fake:model is not known.*\[prices\."fake:model"\]'):
        ModelCalls.open(settings(), INDEX_ROLES, max_cost_usd=1)
    priced = settings(**{"prices.fake:model.input": 1.0, "prices.fake:model.output": 10.0})
    with ModelCalls.open(priced, INDEX_ROLES, max_cost_usd=1) as calls:
        calls.ask("graph", asking("a"), Words)
        assert calls.total().cost_usd == pytest.approx(100e-6 + 100e-6)


def test_a_run_stops_at_its_ceiling_and_a_higher_one_goes_on_from_there(install, settings: Make):
    model: FakeModel = install(lambda _request, _number: reply(GOOD, tokens=(900, 100)))

    def index(max_tokens: int) -> tuple[int, int]:
        with ModelCalls.open(settings(), INDEX_ROLES, max_tokens=max_tokens) as calls:
            done = 0
            try:
                for _ in calls.in_order(lambda item: calls.ask("graph", asking(f"{item}"), Words), range(20)):
                    done += 1
            except BudgetError:
                pass
            total = calls.total()
            assert total.input_tokens + total.output_tokens <= max_tokens
            return done, total.calls

    done, made = index(10_000)
    assert made == 8  # then there is no room for the longest reply
    assert done <= made
    assert index(16_000) == (20, 12)
    assert len(model.requests) == 20


def test_recorded_replies_need_no_room_under_a_ceiling(install, settings: Make):
    install(GOOD)
    with ModelCalls.open(settings(), INDEX_ROLES) as calls:
        calls.ask("graph", asking("a"), Words)
    with ModelCalls.open(settings(), INDEX_ROLES, max_tokens=1) as calls:
        calls.ask("graph", asking("a"), Words)


# --- recorded replies only


def test_replaying_needs_no_key_and_makes_no_call(install, settings: Make):
    model: FakeModel = install(GOOD)
    with ModelCalls.open(settings(), INDEX_ROLES) as calls:
        calls.ask("graph", asking("a"), Words)
    Installed.models.clear()
    with ModelCalls.open(settings(), INDEX_ROLES, replay=True, max_cost_usd=1) as calls:
        assert calls.has("graph")
        assert calls.accepts_images("describe")
        assert calls.ask("graph", asking("a"), Words).words == ["dog"]
    assert len(model.requests) == 1


def test_replaying_fails_at_the_first_miss_and_names_the_nearest_request(install, settings: Make):
    model: FakeModel = install(GOOD)
    with ModelCalls.open(settings(), INDEX_ROLES) as calls:
        calls.ask("graph", asking("the dog runs to the red tree"), Words)
    said = r"graph: no reply was recorded.*fake:model \(graph\).*alike.*red tree"
    with (
        ModelCalls.open(settings(), INDEX_ROLES, replay=True) as calls,
        pytest.raises(ReplayError, match=said),
    ):
        calls.ask("graph", asking("the dog runs to the green tree"), Words)
    assert len(model.requests) == 1


def test_replaying_without_anything_recorded_says_so(install, settings: Make):
    with (
        ModelCalls.open(settings(), INDEX_ROLES, replay=True) as calls,
        pytest.raises(ReplayError, match="Nothing was recorded"),
    ):
        calls.text("graph", asking("a"))


# --- many at a time


def test_no_more_calls_run_at_a_time_than_set_even_from_nested_work(install, settings: Make):
    def slow(_request: ModelRequest, _number: int) -> ModelReply:
        time.sleep(0.02)
        return reply(GOOD)

    model: FakeModel = install(slow)
    with ModelCalls.open(settings(calls__concurrency=3), INDEX_ROLES) as calls:

        def entity(name: str) -> list[str]:
            return calls.ask("sentence", asking(name), Words).words

        def window(number: int) -> int:
            return len(list(calls.in_order(entity, [f"{number} {one}" for one in range(4)])))

        assert list(calls.in_order(window, range(6))) == [4] * 6
        assert calls.usage["sentence"].calls == 24
    assert model.most_at_once == 3


def test_usage_is_by_role_and_adds_up(install, settings: Make):
    install(GOOD)
    with ModelCalls.open(settings(), (*INDEX_ROLES, *ASK_ROLES)) as calls:
        calls.text("describe", asking("a"))
        calls.text("describe", asking("b"))
        calls.text("answer", asking("c"))
        assert calls.usage == {"describe": Usage(2, 200, 20), "answer": Usage(1, 100, 10)}
        assert calls.total() == Usage(3, 300, 30)


def test_what_a_model_without_a_known_price_costs_is_not_told_as_nothing(install, settings: Make):
    install(GOOD)
    with ModelCalls.open(settings(), INDEX_ROLES) as calls:
        calls.ask("graph", asking("a"), Words)
        unknown = Tally(calls, {}).stages()
    assert unknown["graph"]["cost_usd"] is None
    assert [line.rsplit(", ", 1)[1] for _, line in usage_pairs(unknown)] == ["price not known"]  # type: ignore[attr-defined]
    priced = settings(**{"prices.fake:model.input": 1.0, "prices.fake:model.output": 10.0})
    with ModelCalls.open(priced, INDEX_ROLES) as calls:
        calls.ask("events", asking("b"), Words)
        known = Tally(calls, {}).stages()
        both = Tally(calls, unknown).stages()
    assert known["events"]["cost_usd"] == pytest.approx(200e-6)
    assert both["graph"]["cost_usd"] is None  # of the run before
    assert [line.rsplit(", ", 1)[1] for _, line in usage_pairs(both)] == [  # type: ignore[attr-defined]
        "price not known",
        "$0.0002",
        "price not known",
    ]


@pytest.mark.parametrize("ceiling", [{"max_cost_usd": 0}, {"max_tokens": 0}, {"max_tokens": -5}])
def test_a_ceiling_of_zero_is_refused_even_where_nothing_is_left_to_do(ceiling: dict[str, int]):
    with pytest.raises(UsageError, match="allows no call"):
        ModelRun(**ceiling)  # type: ignore[arg-type]


def test_a_question_whose_replies_could_not_be_used_asks_again_the_next_time(install, settings: Make):
    install("nonsense")
    for role in ("plan", "graph"):
        with ModelCalls.open(settings(), ["plan", "graph"]) as calls, pytest.raises(ReplyError):
            calls.ask(role, asking(role), Words)
    install(GOOD)
    with ModelCalls.open(settings(), ["plan", "graph"]) as calls:
        assert calls.ask("plan", asking("plan"), Words)
        with pytest.raises(ReplyError):  # an index makes no call twice
            calls.ask("graph", asking("graph"), Words)
