"""What is handed to workers, and what comes back; all of it can be sent to another process. Light to import."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, Protocol, Self

from ravu_kg.errors import RavuError
from ravu_kg.memory.records import IndexResult, ModelRun
from ravu_kg.types import Detection, VideoInfo

Kind = Literal["index", "detect"]


@dataclass(frozen=True, slots=True)
class Order:
    """How the videos of a batch are indexed; see :meth:`ravu_kg.memory.VideoMemory.index`."""

    tracks: Path | None = None
    build: str | None = None
    replace: bool = False
    models: ModelRun = field(default_factory=ModelRun)


@dataclass(frozen=True, slots=True)
class Chunking:
    """Which videos are detected in chunks, and how."""

    least_s: float
    """How long a chunk is at least."""
    most: int
    """How many chunks a video has at most."""
    apart: bool = False
    """Others than a video's writer detect, maybe elsewhere: each video is split, and what is found is handed over."""


@dataclass(frozen=True, slots=True)
class Detected:
    """What was found in a chunk."""

    detector: str
    found: Mapping[int, Mapping[float, Sequence[Detection]]]
    """By stretch (see :class:`ravu_kg.perception.detecting.DetectionCache`); nothing where all share that cache."""


@dataclass(frozen=True, slots=True)
class Split:
    """A video that is to be detected in chunks before it is written."""

    video: VideoInfo
    chunks: tuple[tuple[float, float], ...]


@dataclass(frozen=True, slots=True)
class Written:
    """A video is through all stages."""

    result: IndexResult
    bookmarks: tuple[str, ...]
    """What its writer has written by then: in a cluster, who reads the video next has to follow them."""


@dataclass(frozen=True, slots=True)
class Failure:
    """An error that ended a task, as it is told."""

    message: str
    exit_code: int

    @classmethod
    def of(cls, error: RavuError) -> Self:
        """What an error is told as."""
        return cls(str(error), error.exit_code)


@dataclass(frozen=True, slots=True)
class IndexTask:
    """Take a video through all stages; the worker may answer that it is to be split."""

    number: int
    """Of the video in its batch."""
    path: Path
    order: Order
    whole: bool = False
    """The other workers have enough to do: it is not split."""
    split: Split | None = None
    """Its chunks are detected."""
    detected: tuple[Detected, ...] = ()
    """What was found in them, where the worker cannot read it from its cache."""

    @property
    def kind(self) -> Kind:
        """Which workers do it."""
        return "index"


@dataclass(frozen=True, slots=True)
class DetectTask:
    """Detect in one chunk of a video."""

    number: int
    chunk: int
    video: VideoInfo
    start_s: float
    end_s: float

    @property
    def kind(self) -> Kind:
        """Which workers do it."""
        return "detect"

    @property
    def path(self) -> Path:
        """The video file."""
        return self.video.path


Task = IndexTask | DetectTask
Outcome = Written | Split | Detected | Failure


@dataclass(frozen=True, slots=True)
class Done:
    """A task came to its end, good or bad."""

    task: Task
    outcome: Outcome


@dataclass(frozen=True, slots=True)
class Lost:
    """The worker that did a task is gone; the task is not done."""

    task: Task
    why: str


News = Done | Lost
OnProgress = Callable[[Task, str, float], None]
"""Told the stage of a task and how much of it is done, 0..1."""


class Crew(Protocol):
    """Workers that do tasks."""

    def free(self, kind: Kind) -> bool:
        """Whether a worker can take a task of the kind now; the others wait where they are (back-pressure)."""
        ...

    def give(self, task: Task) -> None:
        """Let a free worker do a task."""
        ...

    def wait(self, on_progress: OnProgress) -> Sequence[News]:
        """Wait until a task has come to its end or a worker got free; maybe nothing is new.

        Raises:
            WorkerError: no worker can be started.
        """
        ...

    @property
    def size(self) -> int:
        """How many videos may be in work at once."""
        ...


@dataclass(slots=True)
class InWork:
    """A video that is detected in chunks."""

    split: Split
    detected: dict[int, Detected] = field(default_factory=dict[int, Detected])
    shares: dict[int, float] = field(default_factory=dict[int, float])

    @property
    def share(self) -> float:
        """How much of its detecting is done, 0..1."""
        return sum(self.shares.values()) / max(1, len(self.split.chunks))
