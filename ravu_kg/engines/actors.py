"""What runs on a Ray cluster: long-lived actors that detect, embed, or write, each with its models loaded."""

# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
# Ray's remote calls have no types.

from __future__ import annotations

import logging
import os
from abc import ABC, abstractmethod
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, cast

from ravu_kg.cores import take_what_ray_gives
from ravu_kg.engines.child import Hello, unexpected
from ravu_kg.engines.records import DetectTask, Failure, Outcome, Task
from ravu_kg.errors import RavuError
from ravu_kg.types import FloatArray

if TYPE_CHECKING:
    from ravu_kg.engines.worker import Worker
    from ravu_kg.memory.indexing import Detectors
    from ravu_kg.protocols import Embedder
    from ravu_kg.settings import Settings


@dataclass(frozen=True, slots=True)
class Answer:
    """What comes back from an actor."""

    outcome: Outcome
    warnings: tuple[str, ...]


class _Actor(ABC):
    """Does one task at a time, and tells how far it is meanwhile."""

    def __init__(self) -> None:
        take_what_ray_gives()
        self._reached: tuple[str, float] | None = None
        self._warnings = _Warnings()
        logging.getLogger().addHandler(self._warnings)

    def reached(self) -> tuple[str, float] | None:
        """Stage of the running task, and how much of it is done."""
        return self._reached

    def do(self, task: Task) -> Answer:
        """Do a task; what goes wrong with its video is an outcome as well."""
        self._reached = None
        try:
            outcome = self._done(task)
        except RavuError as error:
            outcome = Failure.of(error)
        except Exception as error:  # the last line of an actor: the other videos go on
            if _is_lost(error):
                raise
            outcome = Failure(f"{task.path}: {unexpected(error)}", RavuError.exit_code)
        return Answer(outcome, self._warnings.taken())

    def _report(self, stage: str, share: float) -> None:
        self._reached = stage, share

    @abstractmethod
    def _done(self, task: Task) -> Outcome:
        """What a task came to."""


class DetectorActor(_Actor):
    """Detects in chunks; nothing of it is in the graph, so it needs no connection."""

    _settings: Settings
    _detectors: Detectors

    def open(self, hello: Hello) -> Failure | None:
        """Load the detector; gives what keeps it from working."""
        try:
            from ravu_kg.memory.indexing import Detectors
            from ravu_kg.memory.opening import share_cache

            _go_to(hello)
            share_cache(hello.settings)
            self._settings, self._detectors = hello.settings, Detectors()
            self._detectors.find(hello.settings)
        except RavuError as error:
            return Failure.of(error)
        return None

    def _done(self, task: Task) -> Outcome:
        from ravu_kg.engines.worker import detect

        assert isinstance(task, DetectTask)
        return detect(self._settings, self._detectors, task, self._report, hands_over=True)


class WriterActor(_Actor):
    """Takes videos through all stages after detecting; the only one that writes a video."""

    _worker: Worker

    def open(self, hello: Hello, embedder: object) -> Failure | None:
        """Connect to the graph; gives what keeps it from working.

        Args:
            hello: the settings go to this actor alone, since they hold the password.
            embedder: handle of the actor that embeds.
        """
        try:
            from ravu_kg.engines.worker import Worker
            from ravu_kg.memory import VideoMemory

            _go_to(hello)
            memory = VideoMemory.open(hello.settings, embedder=RemoteEmbedder(embedder))
            self._worker = Worker(memory, hello.chunking)
            self._worker.load()
        except RavuError as error:
            return Failure.of(error)
        return None

    def _done(self, task: Task) -> Outcome:
        return self._worker.do(task, self._report)


class EmbedderActor:
    """The embedder of several writers. Ray starts it again where it was lost, and repeats what it was asked."""

    def __init__(self, reference: str, options: dict[str, dict[str, object]]) -> None:
        from ravu_kg.plugins import load_embedder

        take_what_ray_gives()
        self._embedder: Embedder | None = None
        self._load = lambda: load_embedder(reference, options)

    def facts(self) -> tuple[str, int] | Failure:
        """Its name and dimensions, or why it cannot be loaded."""
        try:
            embedder = self._loaded()
        except RavuError as error:
            return Failure.of(error)
        return embedder.name, embedder.dimensions

    def embed(self, texts: Sequence[str], kind: Literal["query", "document"]) -> FloatArray | Failure:
        """Vectors of texts, or why there are none."""
        try:
            return self._loaded().embed(texts, kind)
        except RavuError as error:
            return Failure.of(error)

    def _loaded(self) -> Embedder:
        if self._embedder is None:
            self._embedder = self._load()
        return self._embedder


class RemoteEmbedder:
    """The embedder of an actor, for those who write."""

    def __init__(self, actor: object) -> None:
        """Ask the actor who it is.

        Raises:
            ProviderError: it cannot be loaded.
        """
        self._actor = actor
        self._name, self._dimensions = cast("tuple[str, int]", self._ask("facts"))

    @property
    def name(self) -> str:
        """Reference of the embedder with its model."""
        return self._name

    @property
    def dimensions(self) -> int:
        """Length of a vector."""
        return self._dimensions

    def embed(self, texts: Sequence[str], kind: Literal["query", "document"]) -> FloatArray:
        """Vectors of texts, made where the actor is.

        Raises:
            ProviderError: the model failed.
        """
        return cast("FloatArray", self._ask("embed", list(texts), kind))

    def _ask(self, method: str, *arguments: object) -> object:
        import ray

        from ravu_kg.errors import ProviderError

        answer: object = ray.get(getattr(self._actor, method).remote(*arguments))
        if isinstance(answer, Failure):
            raise ProviderError(answer.message)
        return answer


class _Warnings(logging.Handler):
    """Keeps warnings until they are taken along with a result."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.addFilter(lambda record: record.name.startswith("ravu_kg"))
        self._said: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self._said.append(record.getMessage())

    def taken(self) -> tuple[str, ...]:
        said, self._said = tuple(self._said), []
        return said


def _is_lost(error: Exception) -> bool:
    from ray.exceptions import RayError

    return isinstance(error, RayError)


def _go_to(hello: Hello) -> None:
    with suppress(OSError):  # a machine without that folder is given absolute paths
        os.chdir(hello.folder)
