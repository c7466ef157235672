"""The videos of the memory with their pipelines and sizes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import cast

from ravu_kg.graph.reader import EntityRow
from ravu_kg.graph.store import Store
from ravu_kg.memory.records import StageUsage


@dataclass(frozen=True, slots=True)
class VideoSummary:
    """One video of the memory."""

    video_id: str
    build: str | None
    title: str
    uri: str | None
    status: str
    """``ready``; ``indexing`` or ``importing`` while it is not complete; ``replacing`` while it takes another's place;
    ``deleting``."""
    revision: int
    duration_s: float
    width_px: int
    height_px: int
    frame_rate: float
    sample_interval_s: float
    tracking_rate_hz: float | None
    """None for a video that was indexed before it was noted."""
    cuts_s: Sequence[float] | None
    """Seconds of the shot cuts; None likewise."""
    frames: int
    """Sampled ones."""
    frame_nodes: int
    entities: int
    detector: str
    tracker: str
    describer: str
    embedder: str
    created_at: str
    content_hash: str | None = None
    """SHA-256 of the file, hex; None for a video that is known by its annotation alone."""

    def to_dict(self) -> dict[str, object]:
        """Plain values, for JSON."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class VideoCounts:
    """How much one video holds."""

    identities: int
    relations: int
    events: int
    links: int


@dataclass(frozen=True, slots=True)
class VideoDetails:
    """Everything that ``videos show`` tells."""

    summary: VideoSummary
    counts: VideoCounts
    entities: Sequence[EntityRow]
    usage: Mapping[str, StageUsage] = field(default_factory=dict[str, StageUsage])
    """What calls of models came to, by stage."""

    def to_dict(self) -> dict[str, object]:
        """Plain values, for JSON."""
        entities = [asdict(entity) for entity in self.entities]
        return {**asdict(self.summary), **asdict(self.counts), "usage": dict(self.usage), "entity_list": entities}


def summaries(store: Store) -> list[VideoSummary]:
    """All videos, by title."""
    return [_summary(row) for row in store.read("library/videos").rows]


def counts(store: Store, video_id: str) -> VideoCounts:
    """How much a video holds; zeros for an unknown one."""
    row = cast("dict[str, int]", store.read("library/counts", video_id=video_id).rows[0])  # columns declared INTEGER
    return VideoCounts(row["identities"], row["relations"], row["events"], row["links"])


def _summary(row: Mapping[str, object]) -> VideoSummary:
    return VideoSummary(**cast("dict[str, str]", row))  # pyright: ignore[reportArgumentType] -- typed by the template
