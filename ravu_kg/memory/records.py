"""What indexing tells: its result, its progress and its times. Light to import."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from typing import Literal

Report = Callable[[str, float], None]
"""Name of the stage and how much of it is done, 0..1."""
IndexStatus = Literal["indexed", "unchanged"]


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
