"""The real SDKs against a local server that speaks the providers' protocols."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import pytest

from ravu_kg.settings import Settings, load
from tests.model_server import Fault, ModelServer, Received, Reply

Said = Callable[[Received], Reply | Fault]


@dataclass
class Wire:
    """One protocol, with what its settings are."""

    protocol: str
    folder: Path
    monkeypatch: pytest.MonkeyPatch
    end: ExitStack

    @property
    def model(self) -> str:
        return "gemini:gemini-2.5-flash" if self.protocol == "gemini" else "openai:gpt-4o-mini"

    def serve(self, said: Said, **options: object) -> ModelServer:
        server = self.end.enter_context(ModelServer(said, **options))  # type: ignore[arg-type]
        for name, value in self.variables(server).items():
            self.monkeypatch.setenv(name, value)
        return server

    def variables(self, server: ModelServer) -> dict[str, str]:
        if self.protocol == "gemini":
            return {"GEMINI_API_KEY": "test-key", "RAVU_KG_PROVIDERS__GEMINI__BASE_URL": server.url}
        return {
            "OPENAI_API_KEY": "test-key",
            "RAVU_KG_PROVIDERS__OPENAI__BASE_URL": server.url + "/v1",
            "RAVU_KG_PROVIDERS__OPENAI__API": self.protocol,
        }

    def settings(self, **flags: object) -> Settings:
        roles = {f"models.{role}": self.model for role in ("describe", "plan", "answer")}
        named = {key.replace("__", "."): value for key, value in flags.items()}
        return load({"cache": str(self.folder / "cache"), **roles, **named})


@pytest.fixture(params=["gemini", "responses", "chat"])
def wire(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Wire]:
    monkeypatch.chdir(tmp_path)
    for name in ("GEMINI_API_KEY", "GOOGLE_API_KEY", "OPENAI_API_KEY", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("RAVU_KG_CACHE", str(tmp_path / "cache"))
    with ExitStack() as end:
        yield Wire(request.param, tmp_path, monkeypatch, end)
