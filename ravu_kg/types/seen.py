"""What is read from a video and seen in it, before it is put into words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from ravu_kg.types.boxes import Box, FloatArray, Image

Source = Literal["geometry", "model", "annotation"]
LinkScope = Literal["reentry", "video"]
LinkStatus = Literal["auto", "accepted", "rejected"]
TrackEnd = Literal["left", "lost", "cut", "end"]


@dataclass(frozen=True, slots=True)
class VideoInfo:
    """What is known of a video file before any frame is interpreted."""

    path: Path
    content_hash: str
    """SHA-256 of the file, hex."""
    width_px: int
    height_px: int
    duration_s: float
    frame_rate: float
    """Average frames a second; never used to compute a time."""
    rotation_deg: int = 0
    """Clockwise rotation that was applied to reach the displayed picture: 0, 90, 180 or 270."""
    source_hash: str | None = None
    """For a video that grows, hex: made of its source and its start, so that it stays; None for a complete file."""

    @property
    def identity(self) -> str:
        """What its id and what is kept of it are named by."""
        return self.source_hash or self.content_hash

    @property
    def title(self) -> str:
        """The file's name without its last suffix."""
        return self.path.stem


@dataclass(frozen=True, slots=True)
class VideoFrame:
    """One decoded, upright picture."""

    source_frame: int
    """0-based position in the source, in presentation order."""
    timestamp_s: float
    image: Image


@dataclass(frozen=True, slots=True)
class SampledFrame:
    """A frame at the sampling rate: what the graph calls a ``Frame``, before it is described."""

    index: int
    source_frame: int
    timestamp_s: float


@dataclass(frozen=True, slots=True)
class Detection:
    """One box found in one frame."""

    box: Box
    label: str
    confidence: float


@dataclass(frozen=True, slots=True)
class TrackedDetection:
    """A detection that a tracker gave to a track."""

    track_id: int
    detection: Detection


@dataclass(frozen=True, slots=True, eq=False)
class Track:
    """One entity's path through the video at the tracking rate. Arrays share their first dimension n."""

    track_id: int
    """1-based, in order of first appearance."""
    label: str
    timestamps_s: NDArray[np.float64]
    """(n,), ascending."""
    boxes: FloatArray
    """(n, 4), displayed pixels."""
    confidences: FloatArray
    """(n,)."""
    ended_by: TrackEnd = "end"
    """Why it ended: left through the border, lost, a shot cut, or the end of the video."""
    appearance: FloatArray | None = None
    """(d,), unit length: the look of the entity, for linking re-entries; None when no picture was seen."""
    colors: Mapping[int, tuple[str, ...]] = field(default_factory=dict[int, tuple[str, ...]])
    """Sampled frame index -> colour names of the box's inner area, most common first."""
    source: Source = "geometry"
    """``annotation`` when the track was given, not found."""

    @property
    def start_s(self) -> float:
        """First time the entity was seen."""
        return float(self.timestamps_s[0])

    @property
    def end_s(self) -> float:
        """Last time the entity was seen."""
        return float(self.timestamps_s[-1])

    def box_at(self, position: int) -> Box:
        """The box of the n-th observation."""
        x_min, y_min, x_max, y_max = (float(value) for value in self.boxes[position])
        return Box(x_min, y_min, x_max, y_max)


@dataclass(frozen=True, slots=True)
class GivenRelation:
    """A relation that came with given tracks and holds over [start_s, end_s)."""

    subject_track: int
    object_track: int
    predicate: str
    start_s: float
    end_s: float
    text: str = ""
    """How a sentence says it (``holds the hand of``); empty where the predicate itself can be read."""


@dataclass(frozen=True, slots=True)
class GivenEvent:
    """An event that came with given tracks."""

    track: int
    start_s: float
    end_s: float
    description: str


@dataclass(frozen=True, slots=True)
class TrackLink:
    """Two tracks taken for one identity: who leaves and comes back. Never merged silently."""

    earlier_track: int
    later_track: int
    score: float
    method: str
    scope: LinkScope = "reentry"
    status: LinkStatus = "auto"


@dataclass(frozen=True, slots=True)
class Perception:
    """Everything seen in one video before it is put into words."""

    video: VideoInfo
    frames: tuple[SampledFrame, ...]
    """At the sampling rate, in time order, indexes 0..n-1."""
    tracks: tuple[Track, ...]
    links: tuple[TrackLink, ...]
    cuts_s: tuple[float, ...]
    """Times of the first frame of each new shot; empty for a single shot."""
    detector: str
    tracker: str
    sample_interval_s: float
    relations: tuple[GivenRelation, ...] = ()
    events: tuple[GivenEvent, ...] = ()
