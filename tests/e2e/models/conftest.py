"""Two real clips that are seen by a scripted model, which the real SDKs talk to over the real protocols."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

import pytest

from ravu_kg.memory import VideoMemory
from ravu_kg.reasoning.records import Answer
from ravu_kg.settings import load
from tests.e2e.models.scripts import Blank, Script, Watcher
from tests.e2e.models.scripts.judging import Judge, written_plans
from tests.model_server import ModelServer

Provider = Literal["gemini", "openai"]
_WINDOW_S = 0.1


@dataclass
class Watched:
    """A clip that was indexed with the words of the scripted model, and can be asked about."""

    memory: VideoMemory
    video_id: str
    watcher: Watcher
    server: ModelServer
    env: dict[str, str]

    def ask(self, question: str, options: Sequence[str] = ()) -> Answer:
        """An answer with the plan that is written for the question."""
        with _user(self.env):
            return self.memory.ask(self.video_id, question, options)

    def name_of(self, entity_id: str) -> str:
        """Whom of the script an entity is, by its label."""
        entities = {entity.entity_id: entity.label for entity in self.memory.reader.entities(self.video_id)}
        (name,) = [name for name, one in self.watcher.script.things.items() if one.is_called(entities[entity_id])]
        return name

    def told(self, answer: Answer) -> list[tuple[str, int]]:
        """Who is in the evidence, and at which sampled second, in its order."""
        return [
            (self.name_of(one), int(shown.timestamp_s + _WINDOW_S))
            for shown in answer.evidence
            for one in shown.entity_ids
        ]

    def coverage(self) -> dict[int, str]:
        """Second -> what is known of its frame."""
        rows = self.memory.cypher(
            f"MATCH (f:Frame {{videoId: '{self.video_id}'}}) RETURN f.t AS t, f.coverage AS coverage ORDER BY f.index"
        ).rows
        return {int(float(str(row["t"])) + _WINDOW_S): str(row["coverage"]) for row in rows}


@dataclass
class Watch:
    """Shows a clip to the scripted model and indexes what it says, once for each way."""

    env: dict[str, str]
    data_dir: Path
    end: ExitStack
    _known: dict[str, Watched] = field(default_factory=dict[str, Watched])

    def __call__(
        self, clip: str, provider: Provider = "gemini", *, blank_s: Collection[float] = (), blank: Blank = "refused"
    ) -> Watched:
        """The clip, some of whose seconds may be kept from the product."""
        way = "-".join([provider, *(f"{blank}-{second:g}" for second in sorted(blank_s))])
        if f"{clip} {way}" not in self._known:
            self._known[f"{clip} {way}"] = self._watched(clip, provider, way, blank_s, blank)
        return self._known[f"{clip} {way}"]

    def _watched(self, clip: str, provider: Provider, way: str, blank_s: Collection[float], blank: Blank) -> Watched:
        watcher = Watcher(Script.load(clip), Judge(written_plans()), blank_s, blank)
        server = self.end.enter_context(ModelServer(watcher))
        # Another name of the model for each way: replies that are kept of one must not answer for another.
        model = f"{provider}:{clip}-{way}"
        env = {
            **self.env,
            "RAVU_KG_MODELS__DESCRIBE": model,
            "RAVU_KG_MODELS__PLAN": model,
            "RAVU_KG_MODELS__ANSWER": model,
            "RAVU_KG_PROVIDERS__GEMINI__BASE_URL": server.url,
            "RAVU_KG_PROVIDERS__OPENAI__BASE_URL": f"{server.url}/v1",
            "GEMINI_API_KEY": "test-key",
            "OPENAI_API_KEY": "test-key",
        }
        with _user(env):
            memory = self.end.enter_context(VideoMemory.open(load()))
            result = memory.index(self.data_dir / watcher.script.clip, build=way.replace("_", "-"), replace=True)
        self.end.callback(memory.delete, result.video_id)
        assert not watcher.strangers
        return Watched(memory, result.video_id, watcher, server, env)


@pytest.fixture(scope="module")
def watch(memory_env: dict[str, str], data_dir: Path) -> Iterator[Watch]:
    with ExitStack() as end:
        yield Watch(memory_env, data_dir, end)


@contextmanager
def _user(env: dict[str, str]) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("GOOGLE_API_KEY", raising=False)
        for name, value in env.items():
            patch.setenv(name, value)
        yield
