from __future__ import annotations

import json
from pathlib import Path

import pytest

from ravu_kg.errors import PlanError
from ravu_kg.reasoning.plan import FUNCTIONS, Plan, load_plan, parse_plan, read_plan
from ravu_kg.reasoning.planner import RulePlanner


def a_plan(*steps: dict[str, object]) -> dict[str, object]:
    return {"question": "?", "planner": "hand", "steps": list(steps)}


LOCALIZE = {"function": "localize_node", "arguments": {"query": "the dog leaves"}, "save_as": "anchor"}


def sample(**arguments: object) -> dict[str, object]:
    return {
        "function": "sample_entity_events",
        "arguments": {"events_to_sample": {"direction": "after"}, **arguments},
        "save_as": "events",
    }


def test_there_are_the_seven_functions_of_table_7() -> None:
    assert list(FUNCTIONS) == [
        "localize_node",
        "identify_node",
        "sample_entity_events",
        "extract_temporal_part",
        "count_nodes",
        "get_global_context",
        "analyze_events",
    ]


@pytest.mark.parametrize(
    "question",
    [
        "Who comes after the first person leaves?",
        "When is the dog near the woman?",
        "How many people are there?",
        "What happens at the end?",
        "¿Qué hace el perro?",
    ],
)
def test_a_plan_survives_json(question: str) -> None:
    plan = RulePlanner().plan(question)
    assert load_plan(plan.to_json()) == plan


def test_the_state_is_written_with_the_word_is() -> None:
    plan = RulePlanner().plan("When is the dog away?")
    (step,) = json.loads(plan.to_json())["steps"]
    assert step["arguments"]["state"] == {"subject": "the dog", "is": "absent"}


def test_the_object_of_ask_json_is_taken_for_its_plan() -> None:
    plan = RulePlanner().plan("How many dogs are there?")
    assert load_plan(json.dumps({"answer": "1 dog.", "plan": plan.to_dict()})) == plan


def test_a_missing_name_is_made_up() -> None:
    step = {"function": "get_global_context", "arguments": {}}
    assert parse_plan(a_plan(step)).steps[0].save_as == "step_1"


def test_a_time_may_be_a_number_a_result_or_a_field_of_it() -> None:
    for time in (3, 2.5, "$anchor", "$anchor.end_s", "$anchor.timestamp_s"):
        parse_plan(a_plan(LOCALIZE, sample(node="$anchor", sample_start_time=time)))


@pytest.mark.parametrize(
    ("data", "said"),
    [
        ("[]", "JSON object"),
        ("{not json", "not valid JSON"),
        ({"steps": []}, "at least one step"),
        ({"steps": "none"}, "at least one step"),
        ({"steps": [LOCALIZE], "note": 1}, "note"),
        ({"steps": [LOCALIZE], "question": 7}, "texts"),
        ({"steps": ["localize_node"]}, "Step 1 is not a JSON object"),
        ({"steps": [{**LOCALIZE, "why": "?"}]}, "'why'"),
        ({"steps": [{"function": "run_cypher", "arguments": {}}]}, "unknown function 'run_cypher'. Allowed:"),
        ({"steps": [{"function": ["localize_node"], "arguments": {}}]}, "unknown function"),
        ({"steps": [{"function": "localize_node", "arguments": {"phrase": "x"}}]}, "Arguments of localize_node: query"),
        ({"steps": [{"function": "localize_node", "arguments": {"query": ""}}]}, "query"),
        ({"steps": [{"function": "extract_temporal_part", "arguments": {"target_part": "finale"}}]}, "target_part"),
        ({"steps": [{**LOCALIZE, "save_as": "an anchor"}]}, "save_as"),
        ({"steps": [LOCALIZE, LOCALIZE]}, "already taken"),
        (a_plan(sample(node="$anchor"), LOCALIZE), "$anchor, which is not an earlier step. Allowed here: none"),
        (a_plan(LOCALIZE, sample(node="$other")), "which no step has. Allowed here: $anchor"),
        (a_plan(LOCALIZE, sample(node="$anchor.end_s")), "`node` cannot be $anchor.end_s. Allowed: $anchor"),
        (a_plan(LOCALIZE, sample(sample_start_time="$anchor.when")), "Allowed: $anchor.start_s"),
        (a_plan(LOCALIZE, sample(sample_start_time="anchor")), "sample_start_time"),
        (a_plan(LOCALIZE, sample(sample_start_time=-1)), "sample_start_time"),
    ],
)  # fmt: skip
def test_a_wrong_plan_is_refused_by_name(data: object, said: str) -> None:
    text = data if isinstance(data, str) else json.dumps(data)
    with pytest.raises(PlanError) as caught:
        load_plan(text)
    assert said in str(caught.value)


def test_the_message_names_the_step() -> None:
    with pytest.raises(PlanError, match=r"Step 2 \(sample_entity_events, saved as 'events'\)"):
        parse_plan(a_plan(LOCALIZE, sample(node="$later")))


def test_a_plan_file_is_read_and_its_path_is_in_every_message(tmp_path: Path) -> None:
    good, bad = tmp_path / "good.json", tmp_path / "bad.json"
    good.write_text(json.dumps(a_plan(LOCALIZE)), encoding="utf-8")
    bad.write_text("{}", encoding="utf-8")
    assert isinstance(read_plan(good), Plan)
    for path in (bad, tmp_path / "missing.json", tmp_path):
        with pytest.raises(PlanError) as caught:
            read_plan(path)
        assert str(path) in str(caught.value)


def test_text_of_a_question_is_never_a_reference() -> None:
    step = {"function": "localize_node", "arguments": {"query": "$nobody.end_s"}, "save_as": "moment"}
    assert parse_plan(a_plan(step)).steps[0].arguments.model_dump()["query"] == "$nobody.end_s"
