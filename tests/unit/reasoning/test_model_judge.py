from __future__ import annotations

import json

import pytest

from ravu_kg.errors import BudgetError, ProviderError, RefusalError
from ravu_kg.graph.reader import EventRow, NodeRow, SentenceRow
from ravu_kg.models.prices import PriceTable
from ravu_kg.models.roles import Role
from ravu_kg.reasoning.judging import RuleJudge
from ravu_kg.reasoning.models.judging import PER_CALL, RERANKED, SENTENCES, ModelJudge
from ravu_kg.reasoning.models.requests import MAX_TEXT_CHARS
from ravu_kg.reasoning.models.session import Session
from ravu_kg.reasoning.protocols import Candidate, Glimpse
from tests.unit.reasoning.scripted import Said, ScriptedCalls

NODES = [
    NodeRow(f"v/{second}/1", "v#1", "dog", second, float(second), text, score=0.9 - second / 100)
    for second, text in enumerate(["A dog sits.", "A dog runs.", "A dog eats.", "A dog sits."])
]


def judge(roles: tuple[Role, ...] = ("rerank", "identify", "count", "analyze"), **said: list[Said]) -> ModelJudge:
    return session_judge(roles, said)[0]


def session_judge(roles: tuple[Role, ...], said: dict[str, list[Said]]) -> tuple[ModelJudge, Session, ScriptedCalls]:
    calls = ScriptedCalls(said, roles)
    session = Session(calls, PriceTable.today({}))
    return ModelJudge(session), session, calls


def sentences(count: int, kind: str = "node") -> tuple[SentenceRow, ...]:
    return tuple(
        SentenceRow("v#1", kind, f"v/{n}", "model", float(n), float(n), f"It does thing {n}.", 0.9 - n / 100)
        for n in range(count)
    )


def test_the_models_choice_comes_first_and_no_node_is_lost() -> None:
    ranked = judge(rerank=[{"best": [2, 3, 2]}]).rerank("a dog sits", NODES)
    by_rules = RuleJudge().rerank("a dog sits", NODES)
    assert sorted(node.node_id for node in ranked) == sorted(node.node_id for node in NODES)
    read = [one for one in by_rules if one.node_id != "v/3/1"]  # what is said twice is read once
    assert ranked[:2] == read[1:3]


def test_equal_sentences_are_read_once_and_long_ones_are_cut() -> None:
    by, _, calls = session_judge(("rerank",), {"rerank": [{"best": [1]}]})
    by.rerank("a dog", [*NODES, NodeRow("v/9/2", "v#2", "cat", 9, 9.25, "word " * 500)])
    told = json.loads(str(calls.requests[0][1].parts[0]))["sentences"]
    assert [row[3] for row in told].count("A dog sits.") == 1
    assert all(len(row[3]) <= MAX_TEXT_CHARS + 2 for row in told)
    assert [9.2, "#2"] in [row[1:3] for row in told]


def test_no_more_is_read_than_the_rules_find_best() -> None:
    by, _, calls = session_judge(("rerank",), {"rerank": [{"best": [1]}]})
    many = [NodeRow(f"v/{n}/1", "v#1", "dog", n, float(n), f"thing {n}", score=n / 100) for n in range(60)]
    by.rerank("a thing", many)
    assert len(json.loads(str(calls.requests[0][1].parts[0]))["sentences"]) == RERANKED


def test_a_single_candidate_needs_no_call() -> None:
    by, _, calls = session_judge(("rerank", "identify", "count", "analyze"), {})
    assert by.rerank("a dog", NODES[:1]) == NODES[:1]
    assert by.identify("a dog", NODES[:1]) == 0
    assert by.select("a dog", [Glimpse(0.0, "v#1", "A dog.", 0.9)], 10) == [0]
    assert by.count("runs", []) == []
    assert by.analyze("a dog", []) == []
    assert calls.requests == []


@pytest.mark.parametrize("failure", [{"best": [5]}, {"best": []}, {"best": [0]}, RefusalError("No.")])
def test_rules_rank_when_the_reply_names_what_was_not_given_or_the_model_declines(failure: Said) -> None:
    by, session, _ = session_judge(("rerank",), {"rerank": [failure]})
    assert by.rerank("a dog sits", NODES) == RuleJudge().rerank("a dog sits", NODES)
    (note,) = session.notes
    assert "test:rerank" in note
    assert "rules ranked the sentences" in note


@pytest.mark.parametrize("error", [BudgetError("Spent."), ProviderError("The key is wrong.")])
def test_what_will_not_pass_is_raised(error: ProviderError) -> None:
    with pytest.raises(type(error)):
        judge(identify=[error]).identify("the dog", NODES)


def test_the_entity_is_the_models_choice() -> None:
    assert judge(identify=[{"entity": 3}]).identify("the dog", NODES) == 2
    assert judge(identify=[{"entity": 9}]).identify("the dog", NODES) == RuleJudge().identify("the dog", NODES)


def test_roles_without_a_model_are_decided_by_rules() -> None:
    by, _, calls = session_judge(("analyze",), {})
    assert by.rerank("a dog sits", NODES) == RuleJudge().rerank("a dog sits", NODES)
    assert by.name == "rerank rules, identify rules, count rules, analyze test:analyze"
    assert calls.requests == []


def test_each_candidate_is_judged_and_its_sentences_are_those_the_model_names() -> None:
    candidates = [Candidate(f"v#{n}", f"person {n}", "person", sentences(3)) for n in (1, 2, 3)]
    said = {
        "verdicts": [
            {"candidate": 2, "met": False, "reason": "no", "sentences": []},
            {"candidate": 1, "met": True, "reason": "yes", "sentences": [3, 1]},
            {"candidate": 3, "met": None, "reason": "cannot tell", "sentences": []},
        ]
    }
    verdicts = judge(count=[said]).count("does thing 2", candidates)
    assert [one.met for one in verdicts] == [True, False, None]
    assert [match.id for match in verdicts[0].matches] == ["v/2", "v/0"]


@pytest.mark.parametrize(
    "verdicts",
    [
        [{"candidate": 1, "met": True, "reason": "", "sentences": [1]}],
        [{"candidate": n, "met": True, "reason": "", "sentences": [7]} for n in (1, 2)],
        [{"candidate": n, "met": True, "reason": "", "sentences": [1]} for n in (1, 2, 3)],
        [{"candidate": 1, "met": True, "reason": "", "sentences": [1]} for _ in (1, 2)],
    ],
)
def test_verdicts_on_others_than_the_candidates_are_refused(verdicts: list[object]) -> None:
    candidates = [Candidate(f"v#{n}", f"person {n}", "person", sentences(2)) for n in (1, 2)]
    by, session, _ = session_judge(("count",), {"count": [{"verdicts": verdicts}]})
    assert by.count("flies", candidates) == RuleJudge().count("flies", candidates)
    assert any("rules judged who counts" in note for note in session.notes)


def test_many_candidates_are_judged_in_several_calls_of_bounded_size() -> None:
    candidates = [Candidate(f"v#{n}", f"person {n}", "person", sentences(20)) for n in range(30)]
    per_call = PER_CALL // SENTENCES

    def verdicts(count: int) -> Said:
        return {"verdicts": [{"candidate": n + 1, "met": n == 0, "reason": "", "sentences": []} for n in range(count)]}

    sizes = [min(per_call, 30 - start) for start in range(0, 30, per_call)]
    by, session, calls = session_judge(("count",), {"count": [verdicts(size) for size in sizes]})
    judged = by.count("runs", candidates)
    assert calls.batches == len(sizes) > 1
    assert [one.met for one in judged].count(True) == len(sizes)
    assert all(one.matches for one in judged if one.met)
    for _, request in calls.requests:
        told = json.loads(str(request.parts[0]))["candidates"]
        assert sum(len(one["sentences"]) for one in told) <= PER_CALL
    (step,) = session.steps()
    assert (step.role, step.usage.calls, step.usage.input_tokens) == ("count", len(sizes), 100 * len(sizes))


def test_one_refused_batch_leaves_the_verdicts_of_the_others() -> None:
    candidates = [Candidate(f"v#{n}", f"person {n}", "person", sentences(20)) for n in range(9)]
    said: list[Said] = [
        {"verdicts": [{"candidate": n + 1, "met": True, "reason": "seen", "sentences": [1]} for n in range(8)]},
        RefusalError("No."),
    ]
    judged = judge(count=said).count("flies", candidates)
    assert [one.reason for one in judged[:8]] == ["seen"] * 8
    assert judged[8] == RuleJudge().count("flies", candidates[8:])[0]


def test_happenings_are_counted_among_all_events() -> None:
    candidate = Candidate("v#1", "person 1", "person", (*sentences(20, "event"), *sentences(5)), happenings=True)
    by, _, calls = session_judge(
        ("count",), {"count": [{"verdicts": [{"candidate": 1, "met": True, "reason": "", "sentences": [1, 20]}]}]}
    )
    (verdict,) = by.count("does it", [candidate])
    assert [(match.kind, match.start_s) for match in verdict.matches] == [("event", 0.0), ("event", 19.0)]
    assert len(json.loads(str(calls.requests[0][1].parts[0]))["candidates"][0]["sentences"]) == 20


def test_events_are_the_models_choice_with_its_reasons() -> None:
    events = [EventRow(f"e{n}", "v#1", "model", n, n + 1.0, f"Thing {n} happens.", 0.9 - n / 10) for n in range(3)]
    said = {"events": [{"event": 3, "reason": "it is the cause"}, {"event": 1, "reason": "it begins there"}]}
    assert judge(analyze=[said]).analyze("why", events) == [(2, "it is the cause"), (0, "it begins there")]
    refused = judge(analyze=[{"events": [{"event": 4, "reason": ""}]}]).analyze("why", events)
    assert refused == RuleJudge().analyze("why", events)


def test_moments_are_the_models_choice_of_both_kinds() -> None:
    glimpses = [Glimpse(float(n), "" if n % 2 else "v#3", f"Thing {n}.", n / 100) for n in range(15)]
    by, _, calls = session_judge(("analyze",), {"select": [{"moments": [2, 5, 2, *range(6, 15)]}]})
    assert by.select("all of it", glimpses, 10) == [1, 4, *range(5, 13)]
    data = json.loads(str(calls.requests[0][1].parts[0]))
    assert data["choose"] == 10
    assert {row[2] for row in data["moments"]} == {"frame", "#3"}
    failing = judge(select=[{"moments": [99]}]).select("all of it", glimpses, 10)
    assert failing == RuleJudge().select("all of it", glimpses, 10)


def test_without_a_model_moments_are_chosen_that_say_together_what_all_of_them_say() -> None:
    glimpses = [Glimpse(0.0, "a", "same", 0.9), Glimpse(1.0, "a", "same", 0.8), Glimpse(2.0, "b", "other", 0.7)]
    assert RuleJudge().select("x", glimpses, 2) == [0, 2]
    assert RuleJudge().selects is False
    assert RuleJudge().select("x", glimpses, 9) == [0, 1, 2]
