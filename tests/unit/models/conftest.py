from __future__ import annotations

from collections.abc import Callable
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest
from fake_models import Answer, FakeModel, Installed, create, reply

from ravu_kg import plugins
from ravu_kg.settings import Settings, load

Install = Callable[..., FakeModel]


@pytest.fixture
def install(monkeypatch: pytest.MonkeyPatch) -> Install:
    """Puts a model behind ``fake:NAME``."""
    Installed.models, Installed.loaded = {}, []
    points = plugins.entry_points

    def entry_points(group: str) -> object:
        if group == "ravu_kg.language_models":
            return [EntryPoint("fake", f"{create.__module__}:create", group)]
        return points(group=group)

    monkeypatch.setattr(plugins, "entry_points", entry_points)

    def put(answer: Answer | str, name: str = "model", accepts_images: bool = True) -> FakeModel:
        said = answer if callable(answer) else lambda _request, _number: reply(answer)
        model = Installed.models[name] = FakeModel(said, f"fake:{name}", accepts_images)
        return model

    return put


@pytest.fixture
def settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Settings]:
    """Settings with a cache of their own, and a model for every role unless a test says otherwise."""
    monkeypatch.chdir(tmp_path)

    def make(**flags: object) -> Settings:
        named = {key.replace("__", "."): value for key, value in flags.items()}
        everywhere = {f"models.{role}": "fake:model" for role in ("describe", "plan", "answer")}
        return load({"cache": str(tmp_path / "cache"), **everywhere, **named})

    return make
