"""What is checked, as it stands in the graph, and what a check says."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Literal, cast, get_args

import numpy as np
from numpy.typing import NDArray

from ravu_kg.graph.records import integer, number
from ravu_kg.graph.store import Store
from ravu_kg.memory.library import VideoSummary
from ravu_kg.types import Box, Boxes, track_id_in

Check = Literal["uncovered", "duplicate", "jump", "outside", "contradiction", "event", "absent"]
CHECKS: tuple[Check, ...] = get_args(Check)


@dataclass(frozen=True, slots=True)
class Suspicion:
    """What a check found, and the template that shows it."""

    check: Check
    start_s: float
    end_s: float
    entity_ids: tuple[str, ...]
    text: str
    template: str
    parameters: Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Finding:
    """Something in the memory of a video that does not fit together."""

    check: Check
    start_s: float
    end_s: float
    entity_ids: tuple[str, ...]
    text: str
    cypher: str
    """A statement that shows it, to be pasted into the Neo4j Browser as it is."""

    def to_dict(self) -> dict[str, object]:
        """Plain values, for JSON."""
        return {**asdict(self), "start_s": round(self.start_s, 3), "end_s": round(self.end_s, 3)}


@dataclass(frozen=True, slots=True, eq=False)
class Tracked:
    """An entity with its track."""

    entity_id: str
    label: str
    description: str
    start_s: float
    end_s: float
    times_s: NDArray[np.float64]
    """(n,), ascending; empty for one that only a model saw without a box."""
    boxes: Boxes
    """(n, 4)."""

    @property
    def track_id(self) -> int:
        """Its number within the video."""
        return track_id_in(self.entity_id)

    @property
    def name(self) -> str:
        """As findings call it: ``dog #3``."""
        return f"{self.label} #{self.track_id}"


@dataclass(frozen=True, slots=True)
class Node:
    """An entity in one frame."""

    entity_id: str
    frame_index: int
    time_s: float
    label: str
    box: Box | None
    sentence: str


@dataclass(frozen=True, slots=True)
class Told:
    """A relation that was told, in one frame, and the boxes there."""

    subject_id: str
    predicate: str
    object_id: str
    source: str
    frame_index: int
    time_s: float
    subject_box: Box
    object_box: Box


@dataclass(frozen=True, slots=True)
class Happening:
    """An event."""

    event_id: str
    entity_id: str
    source: str
    start_s: float
    end_s: float
    text: str


@dataclass(frozen=True, slots=True)
class SeenFrame:
    """A sampled frame."""

    frame_id: str
    index: int
    time_s: float
    text: str
    coverage: str


@dataclass(frozen=True, slots=True)
class Memory:
    """All that is checked of one video."""

    video: VideoSummary
    entities: Mapping[str, Tracked]
    """By id, in order of appearance."""
    frames: tuple[SeenFrame, ...]
    nodes: tuple[Node, ...]
    relations: tuple[Told, ...]
    events: tuple[Happening, ...]


def read_memory(store: Store, video: VideoSummary) -> Memory:
    """Everything of a video that the checks look at, in one round trip for each kind.

    Raises:
        GraphError: Neo4j failed.
    """

    def rows(template: str) -> list[dict[str, object]]:
        return store.read(template, video_id=video.video_id).rows

    return Memory(
        video=video,
        entities=tracked(store, video.video_id),
        frames=tuple(_frame(row) for row in rows("lint/frames")),
        nodes=tuple(_node(row) for row in rows("lint/frame_nodes")),
        relations=tuple(_relation(row) for row in rows("lint/relations")),
        events=happenings(store, video.video_id),
    )


def tracked(store: Store, video_id: str) -> dict[str, Tracked]:
    """The entities of a video with their tracks, by id."""
    found = [_tracked(row) for row in store.read("lint/entities", video_id=video_id).rows]
    return {one.entity_id: one for one in found}


def happenings(store: Store, video_id: str) -> tuple[Happening, ...]:
    """The events of a video, entity by entity and source by source, in time order."""
    return tuple(_happening(row) for row in store.read("lint/events", video_id=video_id).rows)


def _tracked(row: Mapping[str, object]) -> Tracked:
    times_s = np.array(_numbers(row["times_s"]), dtype=np.float64)
    return Tracked(
        entity_id=str(row["entity_id"]),
        label=str(row["label"]),
        description=_text(row["description"]),
        start_s=number(row["start_s"]),
        end_s=number(row["end_s"]),
        times_s=times_s,
        boxes=np.array(_numbers(row["boxes"]), dtype=np.float64).reshape(len(times_s), 4),
    )


def _frame(row: Mapping[str, object]) -> SeenFrame:
    return SeenFrame(
        str(row["frame_id"]),
        integer(row["frame_index"]),
        number(row["t"]),
        _text(row["description"]),
        str(row["coverage"]),
    )


def _node(row: Mapping[str, object]) -> Node:
    sides = _numbers(row["box"])
    return Node(
        entity_id=str(row["entity_id"]),
        frame_index=integer(row["frame_index"]),
        time_s=number(row["t"]),
        label=str(row["label"]),
        box=Box(*sides) if sides else None,
        sentence=_text(row["sentence"]),
    )


def _relation(row: Mapping[str, object]) -> Told:
    return Told(
        subject_id=str(row["subject_id"]),
        predicate=str(row["predicate"]),
        object_id=str(row["object_id"]),
        source=str(row["source"]),
        frame_index=integer(row["frame_index"]),
        time_s=number(row["t"]),
        subject_box=Box(*_numbers(row["subject_box"])),
        object_box=Box(*_numbers(row["object_box"])),
    )


def _happening(row: Mapping[str, object]) -> Happening:
    return Happening(
        str(row["event_id"]),
        str(row["entity_id"]),
        str(row["source"]),
        number(row["start_s"]),
        number(row["end_s"]),
        _text(row["description"]),
    )


def _numbers(value: object) -> list[float]:
    return cast("list[float]", value)  # columns declared LIST<FLOAT>


def _text(value: object) -> str:
    return "" if value is None else str(value)
