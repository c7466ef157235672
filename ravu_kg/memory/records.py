"""What indexing tells: its result, its progress and its times. Light to import."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from typing import Literal, get_args

Report = Callable[[str, float], None]
"""Name of the stage and how much of it is done, 0..1."""
IndexStatus = Literal["indexed", "unchanged"]
Stage = Literal["detect", "describe", "graph", "sentence", "events", "embed"]
"""Of indexing with models, in their order."""
STAGES: tuple[Stage, ...] = get_args(Stage)
StageUsage = Mapping[str, object]
"""Of one stage: model, calls, input_tokens, output_tokens, cost_usd (None when the price is not known)."""


@dataclass(frozen=True, slots=True)
class ModelRun:
    """How one run calls models."""

    from_stage: Stage | None = None
    """Make everything from this stage on anew, whatever was kept of it."""
    max_cost_usd: float | None = None
    """Ceiling of this run instead of that of the settings."""
    max_tokens: int | None = None
    offline_replay: bool = False
    """Use recorded replies only."""

    def __post_init__(self) -> None:
        """Refuse a ceiling that allows nothing, also where nothing is left to do.

        Raises:
            UsageError: it is zero or less.
        """
        from ravu_kg.models.budget import Ceiling  # here, since it brings NumPy along

        Ceiling(self.max_cost_usd, self.max_tokens)

    def anew(self, stage: Stage) -> bool:
        """Whether what was kept of a stage is not used."""
        return self.from_stage is not None and STAGES.index(stage) >= STAGES.index(self.from_stage)


@dataclass(frozen=True, slots=True)
class IndexResult:
    """What indexing a video came to."""

    video_id: str
    title: str
    entities: int
    frame_nodes: int
    relations: int
    events: int
    duration_s: float
    """Of the video."""
    elapsed_s: Mapping[str, float]
    """Seconds that each stage took; none for a video that was indexed before."""
    detector: str
    detector_reason: str
    """Why ``auto`` chose it; empty when it was named."""
    status: IndexStatus
    describer: str
    """Who put it into words: ``geometry``, or models."""
    usage: Mapping[str, StageUsage] = field(default_factory=dict[str, StageUsage])
    """By stage, what calls of models came to, in this run and those that it went on from."""
    replayed: int = 0
    """Replies that were kept from earlier calls, and cost nothing."""
    waiting: Sequence[str] = ()
    """What people decided or corrected before and what nothing fits any more: it is kept, and tried again next time."""
    coverage: Mapping[str, int] = field(default_factory=dict[str, int])
    """Frames by what models said of them: ``ok``, ``blocked``, ``failed``; empty without models."""
    untold: Mapping[str, int] = field(default_factory=dict[str, int])
    """Entities of which some events are missing, by why: ``blocked`` or ``failed``."""
    unanswered: int = 0
    """Frames and entities that no model answered for: indexed again, the video is completed."""

    def to_dict(self) -> dict[str, object]:
        """Plain values, for JSON."""
        return {**asdict(self), "elapsed_s": {stage: round(took, 3) for stage, took in self.elapsed_s.items()}}


@dataclass(slots=True)
class Stopwatch:
    """Seconds by stage."""

    elapsed_s: dict[str, float] = field(default_factory=dict[str, float])

    @contextmanager
    def time(self, stage: str) -> Generator[None]:
        """Add the time of the block to a stage."""
        started_s = time.perf_counter()
        try:
            yield
        finally:
            self.elapsed_s[stage] = self.elapsed_s.get(stage, 0.0) + time.perf_counter() - started_s
