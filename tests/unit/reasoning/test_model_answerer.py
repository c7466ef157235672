from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace

import pytest

from ravu_kg.errors import BudgetError, ProviderError, RefusalError
from ravu_kg.models.prices import PriceTable
from ravu_kg.reasoning.models.answering import ModelAnswerer, answer_request
from ravu_kg.reasoning.models.choosing import by_models, by_rules
from ravu_kg.reasoning.models.pictures import Pictured
from ravu_kg.reasoning.models.session import Session
from ravu_kg.reasoning.plan import Plan, parse_plan
from ravu_kg.reasoning.protocols import Reply
from ravu_kg.reasoning.records import Answer, Called, CoverageReport, Evidence, Execution, Found, Interval
from ravu_kg.settings import PriceSettings
from ravu_kg.types import Picture, Usage
from tests.unit.reasoning.scripted import Said, ScriptedCalls

PLAN = parse_plan(
    {
        "question": "What runs?",
        "steps": [{"function": "localize_node", "arguments": {"query": "it runs"}, "save_as": "m"}],
    }
)
EVIDENCE = (
    Evidence(2.0, 2, ("v#1",), "m", 0.9, "A dog runs.", node_id="v/2/1"),
    Evidence(3.04, 3, ("v#1",), "m", 0.8, "A dog runs.", node_id="v/3/1"),
    Evidence(5.0, 5, ("v#1", "v#2"), "m", 0.7, "A dog sits beside a woman."),
)
OPTIONS = ("a cat", "a dog")
CHOSEN = {"answer": "The dog runs.", "known": True, "confidence": 0.75, "option": 2}
TOLD = {"answer": "A dog.", "known": True, "confidence": 0.75}


class Even:
    """All options are as good."""

    def support(self, execution: Execution, options: Sequence[str]) -> list[float]:
        return [0.5] * len(options)

    def telling(self, execution: Execution) -> None:
        return None


def execution(
    evidence: Sequence[Evidence] = EVIDENCE, plan: Plan = PLAN, coverage: CoverageReport | None = None, **found: Found
) -> Execution:
    bindings = found or {step.save_as: Found(step.save_as, step.function, tuple(evidence)) for step in plan.steps}
    return Execution(plan, "v", tuple(evidence), (), bindings, coverage or CoverageReport(9, 9, 0, 0), 9.0)


def answer(
    *said: Said, options: Sequence[str] = (), done: Execution | None = None, images: bool = False
) -> tuple[Reply, ModelAnswerer, Session, ScriptedCalls]:
    calls = ScriptedCalls({"answer": list(said)}, images=images)
    session = Session(calls, PriceTable.today({}))
    by = ModelAnswerer(session, lambda _: Pictured((2.0,), (Picture(b"x", "image/jpeg", 8, 8),)))
    return by.answer("What runs?", options, done or execution(), Even()), by, session, calls


def test_the_request_holds_seconds_entities_and_sentences_each_once() -> None:
    data = json.loads(str(answer_request("What runs?", (), execution()).parts[0]))
    assert data == {
        "question": "What runs?",
        "evidence": [[[2, 3], "#1", "A dog runs."], [5, "#1 #2", "A dog sits beside a woman."]],
    }


def test_two_entities_of_one_identity_are_told_as_one() -> None:
    names = {"v#12": Called("dog 2", "v#2"), "v#2": Called("dog 1", "v#2"), "v#3": Called("person 1", "v#3")}
    data = json.loads(str(answer_request("What runs?", (), replace(execution(), called=names)).parts[0]))
    assert data["entities"] == [["#2", "dog 1"], ["#3", "person 1"], ["#12", "dog 2", "the same as #2"]]


def test_counts_stretches_of_tracks_remarks_and_unknown_seconds_are_told() -> None:
    plan = parse_plan(
        {
            "steps": [
                {
                    "function": "localize_node",
                    "arguments": {"query": "a dog", "state": {"subject": "the dog", "is": "present"}},
                    "save_as": "stay",
                },
                {"function": "count_nodes", "arguments": {"node": "dogs"}, "save_as": "count"},
            ]
        }
    )
    stay = Found("stay", "localize_node", intervals=(Interval(1.0, 4.5, name="dog 1"),))
    counted = Found("count", "count_nodes", count=1, note="Seen twice.")
    coverage = CoverageReport(9, 7, 2, 0, ((6.0, 8.0),))
    done = execution(plan=plan, coverage=coverage, stay=stay, count=counted)
    data = json.loads(str(answer_request("How many?", OPTIONS, done).parts[0]))
    assert data["found"] == [
        {"step": "stay", "function": "localize_node", "seconds": [[1, 4.5, "dog 1"]]},
        {"step": "count", "function": "count_nodes", "count": 1, "remark": "Seen twice."},
    ]
    assert data["unknown"] == [[6, 8]]
    assert data["options"] == [[1, "a cat"], [2, "a dog"]]


def test_an_option_is_chosen_by_its_number_and_the_words_are_kept() -> None:
    reply, by, session, _ = answer(CHOSEN, options=OPTIONS)
    assert (reply.option, reply.text, reply.margin, reply.outcome) == (1, "a dog", 0.75, "answered")
    assert by.name == "test:answer"
    assert session.notes == ("The dog runs.",)


def test_an_open_question_is_answered_in_words() -> None:
    reply, _, session, calls = answer(TOLD)
    assert (reply.option, reply.text) == (None, "A dog.")
    assert session.notes == ()
    assert calls.requests[0][1].parts[1:] == ()


def test_pictures_go_to_models_that_look() -> None:
    (_, request), *_ = answer(TOLD, images=True)[3].requests
    assert json.loads(str(request.parts[1])) == {"pictures_at_seconds": [2]}
    assert isinstance(request.parts[2], Picture)


def test_what_is_not_known_is_no_answer() -> None:
    assert answer({**TOLD, "known": False})[0].outcome == "unknown"


def test_a_refusal_chooses_nothing() -> None:
    reply, by, _, _ = answer(RefusalError("Blocked by the safety filter."), options=OPTIONS)
    assert (reply.outcome, reply.option, reply.margin) == ("refused", None, 0.0)
    assert "Blocked by the safety filter." in reply.text
    assert by.name == "test:answer (declined)"


@pytest.mark.parametrize("bad", [{**CHOSEN, "option": 3}, {**CHOSEN, "option": 0}, {**CHOSEN, "confidence": 7}, TOLD])
def test_a_reply_that_cannot_be_used_leaves_the_extractive_answer(bad: Said) -> None:
    reply, by, session, _ = answer(bad, options=OPTIONS)
    assert reply.text in OPTIONS
    assert by.name.startswith("extractive (after test:answer failed")
    assert any("put together from the evidence" in note for note in session.notes)


@pytest.mark.parametrize(
    "error", [BudgetError("Spent."), ProviderError("Wrong key."), ProviderError("No answer.", retryable=True)]
)
def test_a_model_that_cannot_be_had_is_an_error(error: ProviderError) -> None:
    with pytest.raises(ProviderError):
        answer(error)


def test_nothing_to_read_costs_no_call() -> None:
    reply, _, _, calls = answer(TOLD, done=execution(()))
    assert reply.outcome == "unknown"
    assert calls.requests == []
    assert answer(CHOSEN, options=OPTIONS, done=execution(()))[0].option == 1  # a guess is asked for


def test_an_answer_tells_what_its_own_calls_cost_though_the_calls_are_shared() -> None:
    calls = ScriptedCalls({"answer": [TOLD]}, roles=["answer"])
    prices = PriceTable.today({"test:answer": PriceSettings(input=1.0, output=1.0)})
    for _ in range(2):
        by = by_models(calls, prices, lambda _: Pictured())
        by.answerer.answer("What runs?", (), execution(), Even())
        bare = Answer("A dog.", None, 0.0, {}, (), PLAN, (), Usage(), CoverageReport(9, 9, 0, 0), notes=("one",))
        done = by.completed(bare)
        assert done.usage == Usage(1, 100, 10, 0.5)
        (step,) = done.model_steps
        assert (step.role, step.model, step.has_price) == ("answer", "test:answer", True)
        assert _cost(done) == 0.5
        assert _cost(replace(done, model_steps=(replace(step, has_price=False),))) is None
        assert done.notes == ("one",)
        assert by.planner.name == "rules"
    assert by_rules().completed(bare) is bare


def _cost(answer: Answer) -> object:
    usage = answer.to_dict()["usage"]
    assert isinstance(usage, dict)
    return usage["cost_usd"]
