from __future__ import annotations

from importlib.resources import files
from pathlib import Path
from typing import get_args

import pytest

from ravu_kg.cli.frame import PROFILES
from ravu_kg.errors import ConfigurationError
from ravu_kg.settings import Profile, load


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_the_command_line_knows_all_profiles_and_each_has_its_page():
    assert get_args(Profile) == PROFILES
    folder = files("ravu_kg.models") / "profiles"
    for name in PROFILES:
        assert "ravu-kg" in (folder / f"{name}.md").read_text(encoding="utf-8")


def test_a_profile_comes_before_the_defaults_and_after_everything_else(tmp_path: Path, monkeypatch):
    (tmp_path / "ravu-kg.toml").write_text('profile = "gemini"\n[models]\ngraph = "fake:1"\n', encoding="utf-8")
    monkeypatch.setenv("RAVU_KG_MODELS__PLAN", "rules")
    settings = load({"models.answer": "extractive"})
    assert settings.models.describe.startswith("gemini:")
    assert settings.origin("models.describe") == "profile gemini"
    assert (settings.models.graph, settings.models.plan, settings.models.answer) == ("fake:1", "rules", "extractive")
    assert settings.origin("profile") == str(tmp_path / "ravu-kg.toml")


def test_flag_then_variable_then_file_choose_the_profile(tmp_path: Path, monkeypatch):
    (tmp_path / "ravu-kg.toml").write_text('profile = "gemini"\n', encoding="utf-8")
    monkeypatch.setenv("RAVU_KG_PROFILE", "local")
    assert load().models.describe.startswith("openai:")
    assert load().providers["openai"]["base_url"] == "http://127.0.0.1:11434/v1"
    assert load({"profile": "offline"}).models.describe == "measured"
    monkeypatch.delenv("RAVU_KG_PROFILE")
    assert load().models.describe.startswith("gemini:")


def test_an_unknown_profile_lists_those_there_are(monkeypatch):
    monkeypatch.setenv("RAVU_KG_PROFILE", "gemni")
    with pytest.raises(
        ConfigurationError, match=r"RAVU_KG_PROFILE: there is no profile 'gemni'.*Did you mean gemini\?"
    ):
        load()


def test_the_offline_profile_changes_no_default():
    offline, default = load({"profile": "offline"}), load()
    assert offline.models == default.models
    assert offline.calls == default.calls
