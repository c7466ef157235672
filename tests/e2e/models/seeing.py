"""A model that can be shown any clip: it says of each entity that it is there, by the ids of the request."""

from __future__ import annotations

import itertools
import json
import threading
from collections.abc import Callable, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from ravu_kg.models.calls import ModelCalls
from ravu_kg.models.roles import INDEX_ROLES
from ravu_kg.perception.captioning.captioner import Captioner, Ending
from ravu_kg.perception.geometry import describe
from ravu_kg.settings import Settings
from ravu_kg.types import Entity, Perception, SceneWindow
from tests.model_server import Fault, ModelServer, Received, Reply

Json = dict[str, Any]
Disturb = Callable[[Received], Fault | None]
PROTOCOLS = ("gemini", "openai")


def data(received: Received) -> list[Json]:
    """The JSON objects of a request, in order."""
    return [json.loads(text) for text in received.texts if text.startswith("{")]


def targets(received: Received) -> list[int]:
    """The frames that a request of the describing stages is about; none for events."""
    first = data(received)[0]
    return first["targets"] if "targets" in first else [frame["i"] for frame in first.get("frames", ())]


class Seer:
    """Answers every stage; a lamp that no detector knows is added where ``lamp`` says."""

    def __init__(self, disturb: Disturb | None = None, *, lamp: Callable[[int], bool] = lambda frame: True) -> None:
        self.disturb = disturb
        self.lamp = lamp
        self.says: dict[int, str] = {}
        """Frame -> what is said of it instead."""

    def __call__(self, received: Received) -> Reply | Fault:
        if self.disturb and (fault := self.disturb(received)):
            return fault
        return Reply(self.answer(received))

    def answer(self, received: Received) -> Json:
        return getattr(self, f"_{received.stage}")(received)

    def _detect(self, received: Received) -> Json:
        order = data(received)[0]["box"]
        numbers = [200, 100, 900, 400] if order.startswith("y") else [100, 200, 400, 900]
        return {
            "frames": [
                {"i": head["frame"], "boxes": [{"label": "person", "box": numbers}]} for head in data(received)[1:]
            ]
        }

    def _describe(self, received: Received) -> Json:
        first, *heads = data(received)
        labels = {one["id"]: one["label"] for one in first["entities"]}
        frames = []
        for head in heads:
            if head["target"]:
                told = [f"The {labels[one]} #{one} is busy." for one in head["shown"]]
                new = []
                if self.lamp(head["frame"]):
                    told.append("A lamp #n1 shines.")
                    new = [{"id": "n1", "label": "lamp", "look": "tall, red", "box": [10, 20, 110, 120]}]
                text = self.says.get(head["frame"], " ".join(told) or "Nothing is there.")
                frames.append({"i": head["frame"], "text": text, "new": new})
        return {"frames": frames}

    def _graph(self, received: Received) -> Json:
        frames = []
        for frame in data(received)[0]["frames"]:
            ids = list(frame["ids"])
            nodes = [{"id": one, "has": [f"busy in {frame['i']}", "bright"]} for one in ids]
            edges = [{"s": one, "p": "looks at", "o": other} for one, other in itertools.pairwise(ids)]
            frames.append({"i": frame["i"], "nodes": nodes, "edges": edges})
        return {"frames": frames}

    def _sentence(self, received: Received) -> Json:
        return {
            "sentences": [
                {"i": frame["i"], "id": one, "text": f"A {node['label']} is {node['has'][0]}"}
                for frame in data(received)[0]["frames"]
                for one, node in frame["nodes"].items()
            ]
        }

    def _events(self, received: Received) -> Json:
        return {
            "events": [
                {
                    "id": one["id"],
                    "first": one["lines"][0][0],
                    "last": one["lines"][-1][1],
                    "text": f"A {one['label']} works.",
                }
                for one in data(received)[0]["entities"]
            ]
        }


class Once:
    """A fault for the first request of a stage, whatever is asked."""

    def __init__(self, stage: str, fault: Callable[[object], Fault], seer: Seer) -> None:
        self._stage, self._fault, self._seer = stage, fault, seer
        self._lock = threading.Lock()
        self.done = False

    def __call__(self, received: Received) -> Fault | None:
        with self._lock:
            if self.done or received.stage != self._stage:
                return None
            self.done = True
        return self._fault(self._seer.answer(received))


def settings_for(protocol: str, server: ModelServer, cache: Path, **calls: object) -> Settings:
    """All index stages by one scripted model."""
    base = server.url if protocol == "gemini" else f"{server.url}/v1"
    models = {"describe": f"{protocol}:seer"}
    return Settings.model_validate(
        {"models": models, "providers": {protocol: {"base_url": base}}, "cache": cache, "calls": calls}
    )


def put_into_words(
    perception: Perception, settings: Settings, **options: Any
) -> tuple[list[SceneWindow], Ending, ModelCalls, Mapping[str, Entity]]:
    """A perception in the words of the models, without any graph."""
    description = describe(perception, "v")
    with ModelCalls.open(settings, INDEX_ROLES, **options) as calls:
        captioner = Captioner(description, "v", calls, settings.describe_window)
        windows = [window for window, _ in captioner.windows(lambda share: None)]
        ending = captioner.events(lambda share: None)
    return windows, ending, calls, {entity.id: entity for entity in ending.entities}


@contextmanager
def keys():
    """The keys of a user."""
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("GOOGLE_API_KEY", raising=False)
        patch.setenv("GEMINI_API_KEY", "test-key")
        patch.setenv("OPENAI_API_KEY", "test-key")
        yield
