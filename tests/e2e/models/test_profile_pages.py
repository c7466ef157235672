"""The page of each profile is followed word for word, against a local server that speaks the providers' protocols."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from dataclasses import replace
from importlib.resources import files
from pathlib import Path

import pytest

from ravu_kg.cli.frame import PROFILES
from ravu_kg.memory import diagnosis
from ravu_kg.models.prices import PriceTable
from ravu_kg.models.roles import ASK_ROLES, INDEX_ROLES, has_model, reference_of
from ravu_kg.plugins import load_language_model
from ravu_kg.settings import load
from tests.e2e.conftest import Ravu, copied
from tests.e2e.models.scripts import Script, Watcher
from tests.e2e.models.scripts.judging import Judge
from tests.model_server import Fault, ModelServer, Received, Reply

pytestmark = pytest.mark.e2e

WITH_MODELS = [profile for profile in PROFILES if profile != "offline"]
QUESTION = "Who comes after the first person leaves?"
STEPS = [
    {"function": "localize_node", "arguments": {"query": "the first person leaves"}, "save_as": "anchor"},
    {
        "function": "sample_entity_events",
        "arguments": {
            "sample_start_time": "$anchor.end_s",
            "events_to_sample": {"direction": "after", "count": 1},
        },
        "save_as": "events",
    },
]


def page(profile: str) -> str:
    return (files("ravu_kg.models") / "profiles" / f"{profile}.md").read_text(encoding="utf-8")


def blocks(profile: str, kind: str) -> list[str]:
    return re.findall(rf"^```{kind}\n(.*?)^```$", page(profile), flags=re.MULTILINE | re.DOTALL)


@pytest.fixture(autouse=True)
def a_quick_doctor(monkeypatch: pytest.MonkeyPatch) -> None:
    """Detectors that are not used are of no matter here, and take long to try."""
    monkeypatch.setattr(diagnosis, "installed", lambda kind: {})


def apart(received: Received) -> Received:
    """Chat completions get texts alone as one, with empty lines between them."""
    parts: list[str | bytes] = []
    for part in received.parts:
        parts += part.split("\n\n") if isinstance(part, str) else [part]
    return replace(received, parts=parts)


@pytest.fixture
def server() -> Iterator[ModelServer]:
    watcher = Watcher(Script.load("dog_and_woman"), Judge({QUESTION: STEPS}))

    def said(received: Received) -> Reply | Fault:
        return Reply({"colour": "red"}) if received.stage == "probe" else watcher(apart(received))

    with ModelServer(said) as server:
        yield server


def follow(ravu: Ravu, lines: str) -> list[str]:
    """Run the commands of a page; gives what they printed."""
    said: list[str] = []
    for line in lines.splitlines():
        words = shlex.split(line, comments=True)
        if words and words[0] == "ravu-kg":
            said.append(ravu(*words[1:]).stdout)
        else:  # of other programs: pip, ollama, and the key
            assert not words or words[0] in ("pip", "ollama", "export"), line
    return said


def holidays(user: Ravu) -> list[str]:
    videos = user.json("videos", "list")
    assert isinstance(videos, list)
    return [video["video_id"] for video in videos if video["title"].startswith("holiday")]


@pytest.mark.parametrize("profile", WITH_MODELS)
def test_the_page_of_a_profile_leads_to_an_answer(
    profile: str, ravu: Ravu, server: ModelServer, data_dir: Path, tmp_path: Path
):
    copied(data_dir / "videos" / "dog_and_woman.mp4", tmp_path / "holiday.mp4")
    (first_commands,) = blocks(profile, "sh")
    keys = re.findall(r"^export (\w+)=", first_commands, flags=re.MULTILINE)
    assert len(keys) == (0 if profile == "local" else 1)
    address = (
        {"RAVU_KG_PROVIDERS__GEMINI__BASE_URL": server.url}
        if profile == "gemini"
        else {"RAVU_KG_PROVIDERS__OPENAI__BASE_URL": server.url + "/v1"}
    )
    assert all(name in page(profile) for name in address)
    env = {**ravu.env, **address, **dict.fromkeys(keys, "test-key")}
    user = Ravu(env)
    try:
        probed, estimated, indexed, answered = follow(user, first_commands)
        assert probed.count("schemas work") == len(INDEX_ROLES) + len(ASK_ROLES) - 1  # a detector needs no model
        assert "images work" in probed
        assert re.search(r"^all +\d+", estimated, flags=re.MULTILINE)
        assert "indexed 9.6 s of video" in indexed
        assert "dog" in answered or "woman" in answered
        told = {one.stage for one in server.received}
        assert {"probe", "describe", "graph", "sentence", "events", "plan", "answer"} <= told
        assert {one.protocol for one in server.received} == {
            {"gemini": "gemini", "openai": "responses", "local": "chat"}[profile]
        }
    finally:
        for video in holidays(user):
            user("videos", "delete", video, "--yes")


def test_the_page_of_the_offline_profile_leads_to_an_answer_and_to_two_graphs_of_a_video(
    ravu: Ravu, server: ModelServer, data_dir: Path, tmp_path: Path
):
    copied(data_dir / "videos" / "dog_and_woman.mp4", tmp_path / "holiday.mp4")
    first_commands, both = blocks("offline", "sh")
    user = Ravu({**ravu.env, "RAVU_KG_PROVIDERS__OPENAI__BASE_URL": server.url + "/v1"})
    try:
        _, _, answered = follow(user, first_commands)
        assert "planner rules" in answered
        assert server.received == []
        unchanged, with_words = follow(user, both)
        assert "nothing changed" in unchanged
        assert "openai:qwen3-vl:8b" in with_words
    finally:
        for video in holidays(user):
            user("videos", "delete", video, "--yes")


@pytest.mark.parametrize("profile", WITH_MODELS)
def test_the_settings_of_a_page_are_settings(profile: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    for name in ("OPENAI_API_KEY", "GEMINI_API_KEY"):
        monkeypatch.setenv(name, "test-key")
    (text,) = blocks(profile, "toml")
    Path("ravu-kg.toml").write_text(text, encoding="utf-8")
    settings = load()
    assert settings.profile == profile
    used = {reference_of(settings, role) for role in (*INDEX_ROLES, *ASK_ROLES) if has_model(settings, role)}
    for reference in used:
        assert load_language_model(reference, settings.providers).name == reference
        assert PriceTable.today(settings.prices).price(reference) is not None


@pytest.mark.parametrize("profile", PROFILES)
def test_the_links_of_a_page_lead_somewhere(profile: str):
    folder = files("ravu_kg.models") / "profiles"
    for link in re.findall(r"\]\(([^)\s]+)\)", page(profile)):
        assert (folder / link).is_file()
