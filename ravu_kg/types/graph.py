"""The graph's nodes and relationships (the paper's section 3.2), and how their ids are made."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from ravu_kg.types.boxes import Box
from ravu_kg.types.seen import LinkScope, LinkStatus, Source

Coverage = Literal["ok", "blocked", "failed"]
_REPLACEMENT = "~~new"


def video_id(content_hash: str, build: str | None = None) -> str:
    """The id of a video: 16 hex digits of its content, plus the build's name for any but the default."""
    return content_hash[:16] + (f"~{build}" if build else "")


def replacement_id(video: str) -> str:
    """The id of a graph that is to take the place of a video's graph; no build can have such a name."""
    return video + _REPLACEMENT


def replaced_id(video: str) -> str | None:
    """The id of the video whose place a graph is to take; None for any other graph."""
    return video.removesuffix(_REPLACEMENT) if video.endswith(_REPLACEMENT) else None


def frame_id(video: str, frame_index: int) -> str:
    """The id of a ``Frame``."""
    return f"{video}/{frame_index}"


def entity_id(video: str, track_id: int) -> str:
    """The id of an ``Entity``."""
    return f"{video}#{track_id}"


def track_id_in(entity: str) -> int:
    """The number of the track in the id of an ``Entity``."""
    return int(entity.rpartition("#")[2])


def entity_tag(entity: str) -> str:
    """The end of the id of an ``Entity``, unique in its video: ``#3``."""
    return "#" + entity.rpartition("#")[2]


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
    coverage: Coverage = "ok"
    """Whether models told all of its events."""
    look: Sequence[int] | None = None
    """Its colours by place (:mod:`ravu_kg.looks`), each 0..127 in relation to the strongest; None without a picture."""
    appearance: Sequence[float] | None = None
    """How an appearance model sees it, when that came with its track; never among the vectors of sentences."""
    appearance_model: str | None = None
    """That model."""


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
    tracking_rate_hz: float | None = None
    """Frames a second that were tracked; None when that is not known."""
    cuts_s: tuple[float, ...] | None = None
    """Seconds of the shot cuts; None when they are not known."""
