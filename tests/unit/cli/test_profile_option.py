from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from ravu_kg.cli.frame import cli
from ravu_kg.models import profiles


@pytest.fixture(autouse=True)
def own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("RAVU_KG_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("RAVU_KG_SERVER__HOME", str(tmp_path / "home"))


def run(*arguments: str):
    return CliRunner().invoke(cli, list(arguments))


@pytest.mark.parametrize("command", ["index", "ask", "plan", "run", "doctor", "reembed", "config show"])
def test_commands_that_use_models_take_a_profile(command: str):
    assert "--profile [gemini|openai|local|offline]" in " ".join(run(*command.split(), "--help").output.split())


def test_the_profile_of_the_command_line_comes_before_that_of_the_file(tmp_path: Path):
    (tmp_path / "ravu-kg.toml").write_text('profile = "gemini"\n', encoding="utf-8")
    shown = json.loads(run("config", "show", "--json").output)
    assert shown["models.describe"]["origin"] == "profile gemini"
    shown = json.loads(run("config", "show", "--profile", "openai", "--json").output)
    assert shown["models.describe"]["value"].startswith("openai:")
    assert shown["models.describe"]["origin"] == "profile openai"
    assert shown["profile"] == {"value": "openai", "origin": "command line"}
    assert shown["models.track"]["origin"] == "default"


def test_an_unknown_profile_is_an_error_of_usage():
    result = run("config", "show", "--profile", "gemni")
    assert result.exit_code == 2
    assert "'gemini', 'openai', 'local', 'offline'" in result.stderr


def test_a_profile_without_its_libraries_is_refused_before_a_server_is_started(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(profiles, "find_spec", lambda name: None)
    for profile in ("gemini", "openai"):
        result = run("reembed", "--profile", profile)
        assert result.exit_code == 3
        assert f"pip install 'ravu-kg[{profile}]'" in result.stderr
    assert not (tmp_path / "home").exists()
