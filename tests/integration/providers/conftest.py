"""The real SDKs against a server on this machine that speaks the providers' protocols."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from PIL import Image

from ravu_kg.protocols import LanguageModel
from ravu_kg.providers import abilities, gemini, openai
from ravu_kg.types import ModelRequest, Picture
from tests.model_server import Answer, ModelServer, Received, Reply

KEY = "sk-test-0123456789"
SCHEMA: dict[str, object] = {
    "title": "plan",
    "type": "object",
    "properties": {
        "steps": {"type": "array", "items": {"$ref": "#/$defs/Step"}},
        "why": {"type": "string", "default": ""},
    },
    "required": ["steps"],
    "$defs": {"Step": {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}},
}
PLAN = {"steps": [{"name": "localize_node"}], "why": "it is the first"}


def picture(shade: int, width_px: int = 64, height_px: int = 48) -> Picture:
    data = io.BytesIO()
    Image.new("RGB", (width_px, height_px), (shade, shade, shade)).save(data, "JPEG")
    return Picture(data.getvalue(), "image/jpeg", width_px, height_px)


def says(data: object) -> Answer:
    return lambda received: Reply(data)


@dataclass(frozen=True)
class Wire:
    """A protocol, with the model of an ordinary name that speaks it."""

    protocol: str
    plain: str
    """A model that does not reason."""
    create: Callable[..., LanguageModel]
    """(server, model, **options)"""

    def model(self, server: ModelServer, name: str = "", **options: object) -> LanguageModel:
        return self.create(server, name or self.plain, **options)


def _gemini(server: ModelServer, model: str, **options: object) -> LanguageModel:
    return gemini.create(model, {"base_url": server.url, **options})


def _responses(server: ModelServer, model: str, **options: object) -> LanguageModel:
    return openai.create(model, {"base_url": f"{server.url}/v1", **options})


def _chat(server: ModelServer, model: str, **options: object) -> LanguageModel:
    return openai.create(model, {"base_url": f"{server.url}/v1", "api": "chat", **options})


WIRES = {
    "gemini": Wire("gemini", "gemini-2.0-flash", _gemini),
    "responses": Wire("responses", "gpt-4.1-mini", _responses),
    "chat": Wire("chat", "qwen3-vl:8b", _chat),
}


@pytest.fixture(params=WIRES)
def wire(request: pytest.FixtureRequest) -> Wire:
    return WIRES[request.param]


@pytest.fixture(autouse=True)
def _environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    for name in ("OPENAI_API_KEY", "GEMINI_API_KEY"):
        monkeypatch.setenv(name, KEY)
    for name in ("GOOGLE_API_KEY", "OPENAI_BASE_URL", "GOOGLE_GEMINI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("RAVU_KG_CACHE", str(tmp_path / "cache"))
    yield
    abilities.forget()


def ask(*parts: str | Picture, schema: dict[str, object] | None = None, limit: int = 200) -> ModelRequest:
    return ModelRequest("You plan.", parts or ("What is next?",), schema, limit)


def forms(received: list[Received]) -> list[str]:
    return [one.format for one in received]
