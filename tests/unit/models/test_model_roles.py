from __future__ import annotations

import pytest
from fake_models import FakeModel, reply

from ravu_kg.cli.frame import PROFILES
from ravu_kg.errors import ConfigurationError
from ravu_kg.models.roles import ASK_ROLES, INDEX_ROLES, Role, has_model, reference_of, require_images, uses_models
from ravu_kg.settings import ModelSettings, Settings, load


def using(**models: str) -> Settings:
    return Settings(models=ModelSettings(**models))


def test_by_default_no_language_model_has_any_role():
    settings = Settings()
    assert [reference_of(settings, role) for role in INDEX_ROLES] == ["auto", *["measured"] * 4]
    assert [reference_of(settings, role) for role in ASK_ROLES] == ["rules"] * 5 + ["extractive"]
    assert not uses_models(settings, (*INDEX_ROLES, *ASK_ROLES))


@pytest.mark.parametrize(
    ("models", "expected"),
    [
        ({"describe": "a:1"}, ("a:1", "a:1", "a:1", "a:1")),
        ({"describe": "a:1", "graph": "b:1"}, ("a:1", "b:1", "b:1", "b:1")),
        ({"describe": "a:1", "events": "c:1"}, ("a:1", "a:1", "a:1", "c:1")),
        ({"describe": "a:1", "graph": "measured"}, ("a:1", "measured", "measured", "measured")),
        ({"graph": "b:1", "events": "c:1"}, ("measured", "measured", "measured", "measured")),
    ],
)
def test_what_puts_frames_into_words_falls_back_along_the_pipeline(models: dict[str, str], expected: tuple[str, ...]):
    roles: tuple[Role, ...] = ("describe", "graph", "sentence", "events")
    assert tuple(reference_of(using(**models), role) for role in roles) == expected


def test_judges_fall_back_to_the_model_of_the_answer_and_to_rules_without_one():
    judges: tuple[Role, ...] = ("rerank", "identify", "count", "analyze")
    assert [reference_of(using(answer="a:1", count="b:1"), role) for role in judges] == ["a:1", "a:1", "b:1", "a:1"]
    assert [reference_of(using(rerank="b:1"), role) for role in judges] == ["b:1", "rules", "rules", "rules"]
    assert reference_of(using(answer="a:1"), "plan") == "rules"


def test_a_detector_is_no_language_model():
    assert not has_model(using(detect="yolox:weights.onnx"), "detect")
    assert has_model(using(detect="gemini:gemini-3-flash"), "detect")


@pytest.mark.parametrize("profile", PROFILES)
def test_a_profile_gives_all_roles_a_model_but_the_offline_one_none(profile: str, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    settings = load({"profile": profile})
    roles = [role for role in (*INDEX_ROLES, *ASK_ROLES) if role != "detect"]
    assert {has_model(settings, role) for role in roles} == {profile != "offline"}


def test_only_roles_that_look_at_frames_need_images():
    text_only = FakeModel(lambda _request, _number: reply(""), accepts_images=False)
    require_images("answer", text_only)
    with pytest.raises(ConfigurationError, match=r"describe looks at frames, but fake:model accepts no images"):
        require_images("describe", text_only)
