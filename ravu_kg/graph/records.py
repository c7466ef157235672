"""What the reader gives: records, made of the rows of the templates."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import cast

from ravu_kg.types import Box


@dataclass(frozen=True, slots=True)
class VideoRow:
    """A video of the memory."""

    video_id: str
    title: str
    uri: str | None
    duration_s: float
    frame_count: int
    frame_node_count: int
    sample_interval_s: float
    width_px: int
    height_px: int
    status: str
    version: str = field(default="", compare=False)
    """Another one after each change of the video; empty where it was not read, or the video is not complete."""
    tracked: bool = field(default=True, compare=False)
    """Whether boxes of any entity were tracked; a memory of captions has none, only words."""
    content_hash: str | None = field(default=None, compare=False)
    """SHA-256 of the file, hex; None for a video that is known by its annotation alone."""
    detector: str = field(default="", compare=False)
    """What found the boxes; empty where it was not read."""
    describer: str = field(default="", compare=False)
    """What told of them; empty where it was not read."""


@dataclass(frozen=True, slots=True)
class ShotRow:
    """A shot of a video, from cut to cut; shots count from 1."""

    video_id: str
    shot: int
    start_s: float
    end_s: float
    frame_index: int


@dataclass(frozen=True, slots=True)
class CoverageRow:
    """Which sampled frames the memory knows."""

    frames: int
    known: int
    blocked: int
    failed: int
    unknown_times_s: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class LibraryCoverageRow:
    """What the memory does not cover of one video of the library."""

    video_id: str
    title: str
    status: str
    duration_s: float
    sample_interval_s: float
    frames: int
    blocked: int
    failed: int
    unknown_times_s: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class EntityRow:
    """An entity with its identity, and how many sampled frames show it."""

    entity_id: str
    identity_id: str
    track_id: int
    label: str
    description: str
    start_s: float
    end_s: float
    frame_nodes: int
    given_name: str | None = None
    """By a person."""
    found_label: str = ""
    """Before a person labelled it otherwise; empty for the same."""


@dataclass(frozen=True, slots=True)
class TrackRow:
    """An entity's path at the tracking rate."""

    entity_id: str
    timestamps_s: tuple[float, ...]
    boxes: tuple[Box, ...]


@dataclass(frozen=True, slots=True)
class NodeRow:
    """A frame node (the paper's n_i^j) with its sentence; ``score`` is 1 where no phrase was compared."""

    node_id: str
    entity_id: str
    label: str
    frame_index: int
    timestamp_s: float
    description: str
    box: Box | None = None
    attributes: tuple[str, ...] = ()
    score: float = 1.0
    video_id: str = ""
    span: int = 0


@dataclass(frozen=True, slots=True)
class EventRow:
    """An event (the paper's z^j) with frame nodes that show it; ``score`` is 1 where no phrase was compared."""

    event_id: str
    entity_id: str
    source: str
    start_s: float
    end_s: float
    description: str
    score: float = 1.0
    nodes: tuple[NodeRow, ...] = ()
    span: int = 0


@dataclass(frozen=True, slots=True)
class FrameRow:
    """A sampled frame (the paper's F_i) with the entities in it."""

    frame_index: int
    timestamp_s: float
    description: str
    entity_ids: tuple[str, ...]
    span: int = 0


@dataclass(frozen=True, slots=True)
class PairRow:
    """Two frame nodes of one frame with their boxes."""

    frame_index: int
    timestamp_s: float
    subject_id: str
    subject_entity: str
    subject_box: Box
    subject_text: str
    object_id: str
    object_entity: str
    object_box: Box
    predicates: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ToldRow:
    """What people or models have said of a sampled frame."""

    frame_index: int
    timestamp_s: float
    labels: tuple[str, ...]
    sentences: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class EventVectorRow:
    """When an event is, and the vector of what is said of it."""

    start_s: float
    end_s: float
    embedding: Sequence[float]


@dataclass(frozen=True, slots=True)
class SentenceRow:
    """A sentence about an entity, compared with a condition."""

    entity_id: str
    kind: str
    """``event`` or ``node``."""
    id: str
    source: str
    start_s: float
    end_s: float
    description: str
    score: float


@dataclass(frozen=True, slots=True)
class MomentRow:
    """A frame node within an event, near to a question, with what is said of its whole frame."""

    event_id: str
    node: NodeRow
    frame: FrameRow


@dataclass(frozen=True, slots=True)
class LibraryRow:
    """What one video holds of some labels."""

    video_id: str
    title: str
    identity_ids: tuple[str, ...]
    entity_id: str
    label: str
    start_s: float
    end_s: float
    frame_nodes: int

    @property
    def identities(self) -> int:
        """How many different ones."""
        return len(self.identity_ids)


def make_video(row: Mapping[str, object]) -> VideoRow:
    """A row of ``reasoning/video`` or ``library/videos``."""
    return VideoRow(
        video_id=str(row["video_id"]),
        title=str(row["title"]),
        uri=None if row["uri"] is None else str(row["uri"]),
        duration_s=number(row["duration_s"]),
        frame_count=integer(row["frames"]),
        frame_node_count=integer(row["frame_nodes"]),
        sample_interval_s=number(row["sample_interval_s"]),
        width_px=integer(row["width_px"]),
        height_px=integer(row["height_px"]),
        status=str(row["status"]),
        version=str(row.get("version") or ""),
        tracked=bool(row.get("tracked", True)),
        content_hash=_text(row.get("content_hash")) or None,
        detector=_text(row.get("detector")),
        describer=_text(row.get("describer")),
    )


def make_shot(row: Mapping[str, object]) -> ShotRow:
    """A row of ``reasoning/shots``."""
    return ShotRow(
        str(row["video_id"]),
        integer(row["shot"]),
        number(row["start_s"]),
        number(row["end_s"]),
        integer(row["frame_index"]),
    )


def make_coverage(row: Mapping[str, object]) -> CoverageRow:
    """A row of ``reasoning/coverage``."""
    return CoverageRow(
        integer(row["frames"]),
        integer(row["known"]),
        integer(row["blocked"]),
        integer(row["failed"]),
        _numbers(row["unknown_times_s"]),
    )


def make_library_coverage(row: Mapping[str, object]) -> LibraryCoverageRow:
    """A row of ``reasoning/library_coverage``."""
    return LibraryCoverageRow(
        str(row["video_id"]),
        str(row["title"]),
        str(row["status"]),
        number(row["duration_s"]),
        number(row["sample_interval_s"]),
        integer(row["frames"]),
        integer(row["blocked"]),
        integer(row["failed"]),
        _numbers(row["unknown_times_s"]),
    )


def make_entity(row: Mapping[str, object]) -> EntityRow:
    """A row of ``reasoning/entities``."""
    return EntityRow(
        entity_id=str(row["entity_id"]),
        identity_id=str(row["identity_id"]),
        track_id=integer(row["track_id"]),
        label=str(row["label"]),
        description=_text(row["description"]),
        start_s=number(row["start_s"]),
        end_s=number(row["end_s"]),
        frame_nodes=integer(row["frame_nodes"]),
        given_name=None if row["given_name"] is None else str(row["given_name"]),
        found_label=str(row["found_label"]),
    )


def make_track(row: Mapping[str, object]) -> TrackRow:
    """A row of ``reasoning/tracks``."""
    flat = _numbers(row["boxes"])
    boxes = tuple(Box(*flat[i : i + 4]) for i in range(0, len(flat) - 3, 4))
    return TrackRow(str(row["entity_id"]), _numbers(row["timestamps_s"]), boxes)


def make_node(row: Mapping[str, object]) -> NodeRow:
    """A row of any template that gives frame nodes."""
    return NodeRow(
        node_id=str(row["node_id"]),
        entity_id=_text(row.get("entity_id")),
        label=_text(row.get("label")),
        frame_index=integer(row["frame_index"]),
        timestamp_s=number(row["t"]),
        description=_text(row["description"]),
        box=_box(row.get("box")),
        attributes=_texts(row.get("attributes")),
        score=number(row.get("score", 1.0)),
        video_id=_text(row.get("video_id")),
        span=integer(row.get("span", 0)),
    )


def make_event(row: Mapping[str, object]) -> EventRow:
    """A row of any template that gives events."""
    nodes = cast(Sequence[Mapping[str, object]], row.get("nodes") or ())  # a LIST<MAP> column
    return EventRow(
        event_id=str(row["event_id"]),
        entity_id=str(row["entity_id"]),
        source=_text(row["source"]),
        start_s=number(row["start_s"]),
        end_s=number(row["end_s"]),
        description=_text(row["description"]),
        score=number(row.get("score", 1.0)),
        nodes=tuple(make_node({**node, "entity_id": row["entity_id"]}) for node in nodes),
        span=integer(row.get("span", 0)),
    )


def make_frame(row: Mapping[str, object]) -> FrameRow:
    """A row of any template that gives frames."""
    return FrameRow(
        frame_index=integer(row["frame_index"]),
        timestamp_s=number(row["t"]),
        description=_text(row["description"]),
        entity_ids=_texts(row["entity_ids"]),
        span=integer(row.get("span", 0)),
    )


def make_moment(row: Mapping[str, object]) -> MomentRow:
    """A row of ``reasoning/event_moments``."""
    node = make_node(row)
    frame = FrameRow(
        node.frame_index, node.timestamp_s, _text(row["frame_description"]), _texts(row["frame_entity_ids"])
    )
    return MomentRow(str(row["event_id"]), node, frame)


def make_pair(row: Mapping[str, object]) -> PairRow:
    """A row of ``reasoning/pairs``."""
    return PairRow(
        frame_index=integer(row["frame_index"]),
        timestamp_s=number(row["t"]),
        subject_id=str(row["subject_id"]),
        subject_entity=str(row["subject_entity_id"]),
        subject_box=Box(*_numbers(row["subject_box"])),
        subject_text=_text(row["subject_text"]),
        object_id=str(row["object_id"]),
        object_entity=str(row["object_entity_id"]),
        object_box=Box(*_numbers(row["object_box"])),
        predicates=_texts(row["predicates"]),
    )


def make_sentence(row: Mapping[str, object]) -> SentenceRow:
    """A row of ``reasoning/count_nodes``."""
    return SentenceRow(
        entity_id=str(row["entity_id"]),
        kind=str(row["kind"]),
        id=str(row["id"]),
        source=_text(row["source"]),
        start_s=number(row["start_s"]),
        end_s=number(row["end_s"]),
        description=_text(row["description"]),
        score=number(row["score"]),
    )


def make_library(row: Mapping[str, object]) -> LibraryRow:
    """A row of ``reasoning/library_entities`` or ``reasoning/library_named``."""
    return LibraryRow(
        video_id=str(row["video_id"]),
        title=_text(row["title"]),
        identity_ids=_texts(row["identity_ids"]),
        entity_id=str(row["entity_id"]),
        label=str(row["label"]),
        start_s=number(row["start_s"]),
        end_s=number(row["end_s"]),
        frame_nodes=integer(row["frame_nodes"]),
    )


def make_told(row: Mapping[str, object]) -> ToldRow:
    """A row of ``reasoning/told``."""
    return ToldRow(integer(row["frame_index"]), number(row["t"]), _texts(row["labels"]), _texts(row["sentences"]))


def make_event_vector(row: Mapping[str, object]) -> EventVectorRow:
    """A row of ``reasoning/event_vectors``."""
    vector = cast("list[float]", row["embedding"])  # as the template declares
    return EventVectorRow(number(row["start_s"]), number(row["end_s"]), vector)


def number(value: object) -> float:
    """A column declared FLOAT or INTEGER; 0 for null."""
    return float(cast(float, value)) if value is not None else 0.0


def integer(value: object) -> int:
    """A column declared INTEGER; 0 for null."""
    return int(cast(int, value)) if value is not None else 0


def _numbers(value: object) -> tuple[float, ...]:
    return tuple(float(one) for one in cast(Sequence[float], value or ()))  # columns declared LIST<FLOAT>


def _text(value: object) -> str:
    return "" if value is None else str(value)


def _texts(value: object) -> tuple[str, ...]:
    return tuple(str(one) for one in cast(Sequence[object], value or ()))  # columns declared LIST<STRING>


def _box(value: object) -> Box | None:
    numbers = _numbers(value)
    return Box(*numbers) if len(numbers) == 4 else None
