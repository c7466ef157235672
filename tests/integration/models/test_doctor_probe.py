from __future__ import annotations

import json
from collections.abc import Callable

import pytest
from click.testing import CliRunner

from ravu_kg.cli.frame import cli
from ravu_kg.memory import diagnosis
from tests.model_server import Fault, Received, Reply

EMBEDDERS = {"gemini": "gemini-embedding-001", "openai": "text-embedding-3-small"}
Doctor = Callable[..., tuple[int, dict[str, dict[str, object]]]]


@pytest.fixture
def doctor(wire) -> Doctor:
    profile = "gemini" if wire.protocol == "gemini" else "openai"
    wire.monkeypatch.setenv("RAVU_KG_SERVER__HOME", str(wire.folder / "home"))
    # What else the doctor looks at takes long and is no matter here.
    wire.monkeypatch.setenv("RAVU_KG_MODELS__DETECT", "motion")
    wire.monkeypatch.setenv("RAVU_KG_MODELS__EMBED", f"{profile}:{EMBEDDERS[profile]}")
    wire.monkeypatch.setattr(diagnosis, "installed", lambda kind: {})

    def run(*arguments: str) -> tuple[int, dict[str, dict[str, object]]]:
        result = CliRunner().invoke(cli, ["doctor", "--profile", profile, "--json", *arguments])
        findings = json.loads(result.stdout)
        return result.exit_code, {one["subject"]: one for one in findings}

    return run


def said(received: Received) -> Reply | Fault:
    return Reply({"colour": "Red"})


ROLES = ("describe", "graph", "sentence", "events", "plan", "rerank", "identify", "count", "analyze", "answer")


def test_without_probe_the_roles_are_listed_and_no_call_is_made(wire, doctor: Doctor):
    server = wire.serve(said)
    code, findings = doctor()
    assert code == 0
    assert [name for name in findings if name.startswith("role ")] == [f"role {role}" for role in ROLES]
    assert str(findings["role describe"]["detail"]).startswith(("gemini:", "openai:"))
    assert server.received == []


def test_a_missing_key_is_named_once_and_is_a_problem(wire, doctor: Doctor):
    code, findings = doctor()
    assert code == 3
    assert "API_KEY" in str(findings["role describe"]["detail"])
    assert not any(findings[f"role {role}"]["good"] for role in ROLES)
    told = [
        name for name, finding in findings.items() if name.startswith("role ") and "API_KEY" in str(finding["detail"])
    ]
    assert told == (["role describe", "role graph"] if wire.protocol == "gemini" else ["role describe"])  # two models


def test_each_role_is_called_once_and_what_it_shows_is_told(wire, doctor: Doctor):
    server = wire.serve(said)
    code, findings = doctor("--probe")
    assert code == 0
    assert len(server.received) == len(ROLES)
    assert [len(one.images) for one in server.received] == [1] + [0] * 9
    assert {one.stage for one in server.received} == {"probe"}
    describe, plan = findings["role describe"]["probe"], findings["role plan"]["probe"]
    assert isinstance(describe, dict)
    assert isinstance(plan, dict)
    assert (describe["images"], describe["schema"]) == (True, True)
    assert (plan["images"], plan["schema"]) == (None, True)
    assert describe["latency_s"] > 0
    assert describe["cost_usd"] > 0
    assert describe["input_tokens"] > plan["input_tokens"] > 0


@pytest.mark.parametrize(
    ("answer", "problem"),
    [
        (Reply({"colour": "blue"}), "did not see the red picture"),
        (Reply("Red, I think."), "did not keep to the schema"),
        (Fault.no_images(), "takes no images"),
        (Fault.expired_key(), "API_KEY"),
        (Fault.server_error(500), "500"),
    ],
    ids=["blind", "no-schema", "no-images", "expired", "broken"],
)
def test_a_role_that_fails_is_exit_code_5_and_the_others_are_told(wire, doctor: Doctor, answer, problem: str):
    server = wire.serve(lambda received: answer if received.images else said(received))
    code, findings = doctor("--probe")
    assert code == 5
    assert problem in str(findings["role describe"]["detail"])
    assert "test-key" not in str(findings)
    assert [role for role in ROLES if not findings[f"role {role}"]["good"]] == ["describe"]
    assert len(server.asked("probe")) >= len(ROLES)
