"""Models that say what a test tells them to, reached through an entry point as real ones are."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping
from typing import ClassVar

from ravu_kg.errors import ConfigurationError
from ravu_kg.types import ModelReply, ModelRequest

Answer = Callable[[ModelRequest, int], ModelReply]


def reply(text: str, finish: str = "stop", tokens: tuple[int, int] = (100, 10)) -> ModelReply:
    return ModelReply(text, finish, *tokens)  # type: ignore[arg-type]


class FakeModel:
    """Implements ``LanguageModel``; the answer is called with the request and how many came before."""

    def __init__(self, answer: Answer, name: str = "fake:model", accepts_images: bool = True) -> None:
        self.answer = answer
        self.name = name
        self.accepts_images = accepts_images
        self.requests: list[ModelRequest] = []
        self.started_s: list[float] = []
        self.most_at_once = 0
        self._now = 0
        self._lock = threading.Lock()

    def complete(self, request: ModelRequest, timeout_s: float) -> ModelReply:
        with self._lock:
            number = len(self.requests)
            self.requests.append(request)
            self.started_s.append(time.monotonic())
            self._now += 1
            self.most_at_once = max(self.most_at_once, self._now)
        try:
            return self.answer(request, number)
        finally:
            with self._lock:
                self._now -= 1


class Installed:
    """The models of a test, by name."""

    models: ClassVar[dict[str, FakeModel]] = {}
    loaded: ClassVar[list[str]] = []


def create(model: str, options: Mapping[str, object]) -> FakeModel:
    Installed.loaded.append(model)
    if model not in Installed.models:
        raise ConfigurationError(f"FAKE_API_KEY is not set, which fake:{model} needs.")
    return Installed.models[model]
