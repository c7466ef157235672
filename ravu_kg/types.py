"""The records that cross module boundaries.

Conventions, everywhere in the package:

* times are seconds from the start of the video, taken from presentation timestamps; intervals are half-open;
* boxes are ``x_min, y_min, x_max, y_max`` in displayed pixels (after rotation), origin top left;
* images are RGB ``uint8`` arrays of shape (height, width, 3);
* scores are in 0..1, and a cosine score is Neo4j's ``(1 + cos) / 2``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float32]
Image = NDArray[np.uint8]

Source = Literal["geometry", "model", "annotation"]
Coverage = Literal["ok", "blocked", "failed"]
LinkScope = Literal["reentry", "video"]
LinkStatus = Literal["auto", "accepted", "rejected"]
TrackEnd = Literal["left", "lost", "cut", "end"]


# --- geometry ---------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Box:
    """An axis-aligned rectangle in displayed pixels."""

    x_min: float
    y_min: float
    x_max: float
    y_max: float

    @property
    def width(self) -> float:
        """Width in pixels, never negative."""
        return max(0.0, self.x_max - self.x_min)

    @property
    def height(self) -> float:
        """Height in pixels, never negative."""
        return max(0.0, self.y_max - self.y_min)

    @property
    def area(self) -> float:
        """Area in square pixels."""
        return self.width * self.height

    @property
    def center(self) -> tuple[float, float]:
        """Centre point (x, y) in pixels."""
        return (self.x_min + self.x_max) / 2, (self.y_min + self.y_max) / 2

    def intersection(self, other: Box) -> float:
        """Area shared with another box, in square pixels."""
        width = min(self.x_max, other.x_max) - max(self.x_min, other.x_min)
        height = min(self.y_max, other.y_max) - max(self.y_min, other.y_min)
        return max(0.0, width) * max(0.0, height)

    def iou(self, other: Box) -> float:
        """Intersection over union, 0..1; 0 when both boxes are empty."""
        shared = self.intersection(other)
        union = self.area + other.area - shared
        return shared / union if union > 0 else 0.0

    def distance(self, other: Box) -> float:
        """Gap between the nearest edges in pixels; 0 when the boxes touch or overlap."""
        dx = max(0.0, max(self.x_min, other.x_min) - min(self.x_max, other.x_max))
        dy = max(0.0, max(self.y_min, other.y_min) - min(self.y_max, other.y_max))
        return float(np.hypot(dx, dy))

    def clip(self, width_px: int, height_px: int) -> Box:
        """The part of the box inside a picture of the given size."""
        return Box(
            min(max(self.x_min, 0.0), float(width_px)),
            min(max(self.y_min, 0.0), float(height_px)),
            min(max(self.x_max, 0.0), float(width_px)),
            min(max(self.y_max, 0.0), float(height_px)),
        )


# --- video ------------------------------------------------------------------------------------


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


# --- perception -------------------------------------------------------------------------------


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


# --- graph ------------------------------------------------------------------------------------


def video_id(content_hash: str, build: str | None = None) -> str:
    """The id of a video: 16 hex digits of its content, plus the build's name for any but the default."""
    return content_hash[:16] + (f"~{build}" if build else "")


def frame_id(video: str, frame_index: int) -> str:
    """The id of a ``Frame``."""
    return f"{video}/{frame_index}"


def entity_id(video: str, track_id: int) -> str:
    """The id of an ``Entity``."""
    return f"{video}#{track_id}"


def frame_node_id(video: str, frame_index: int, track_id: int) -> str:
    """The id of a ``FrameNode``."""
    return f"{video}/{frame_index}/{track_id}"


def event_id(video: str, track_id: int, source: Source, seq: int) -> str:
    """The id of an ``Event``."""
    return f"{video}/{track_id}/{source}/{seq}"


@dataclass(frozen=True, slots=True)
class Frame:
    """A sampled frame as the graph keeps it (the paper's F_i with its position)."""

    id: str
    video_id: str
    index: int
    source_frame: int
    timestamp_s: float
    description: str
    coverage: Coverage = "ok"


@dataclass(frozen=True, slots=True)
class Entity:
    """One identity within one continuous stay in a video."""

    id: str
    video_id: str
    track_id: int
    label: str
    description: str
    color: str
    """Of its box overlay, ``#rrggbb``."""
    start_s: float
    end_s: float
    track_timestamps_s: Sequence[float]
    track_boxes: Sequence[float]
    """Flat: four numbers for each track time."""


@dataclass(frozen=True, slots=True)
class FrameNode:
    """An entity in one frame (the paper's n_i^j) with its sentence (p_i^j)."""

    id: str
    video_id: str
    entity_id: str
    frame_index: int
    timestamp_s: float
    label: str
    box: Box | None
    confidence: float
    attributes: tuple[str, ...]
    description: str
    geometry_attributes: tuple[str, ...]
    geometry_description: str
    source: Source


@dataclass(frozen=True, slots=True)
class Relation:
    """A relation between two frame nodes of one frame (the paper's e_i)."""

    subject_id: str
    object_id: str
    predicate: str
    """Canonical, snake_case."""
    text: str
    source: Source
    confidence: float


@dataclass(frozen=True, slots=True)
class SameAs:
    """Consecutive appearances of one entity, forward in time."""

    earlier_id: str
    later_id: str
    gap_s: float
    score: float
    method: str


@dataclass(frozen=True, slots=True)
class Event:
    """Something one entity does over [start_s, end_s) (the paper's z^j)."""

    id: str
    video_id: str
    entity_id: str
    source: Source
    seq: int
    start_s: float
    end_s: float
    description: str


@dataclass(frozen=True, slots=True)
class IdentityLink:
    """An Entity-to-Entity ``SAME_AS``."""

    earlier_id: str
    later_id: str
    score: float
    method: str
    scope: LinkScope
    status: LinkStatus


@dataclass(frozen=True, slots=True)
class SceneWindow:
    """The frames of one stretch of video with all that hangs on them: the unit of a write."""

    index: int
    """0-based among the video's windows."""
    frames: tuple[Frame, ...]
    nodes: tuple[FrameNode, ...]
    relations: tuple[Relation, ...]
    same_as: tuple[SameAs, ...]


@dataclass(frozen=True, slots=True)
class VideoRecord:
    """The ``Video`` node: what was indexed, and by what."""

    id: str
    build: str | None
    content_hash: str | None
    external_id: str | None
    uri: str | None
    title: str
    width_px: int
    height_px: int
    duration_s: float
    frame_rate: float
    frame_count: int
    """Sampled frames."""
    sample_interval_s: float
    detector: str
    tracker: str
    describer: str
    embedder: str
    embedding_dimensions: int
