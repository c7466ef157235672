"""What is in a bundle: its manifest and the form of each record (see ``BUNDLE.md``).

Everything here is checked when a bundle is read: it may come from anybody.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from datetime import datetime
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator, model_validator

from ravu_kg.graph.values import is_mapping, is_sequence
from ravu_kg.types import video_id

FORMAT = "ravu-kg bundle"
FORMAT_VERSION = 1
MANIFEST = "manifest.json"
VIDEO = "video.json"
VECTOR_TYPE = "<f4"
"""Of the vectors: 32 bits, the lowest byte first."""

_VIDEO_ID = re.compile(r"[A-Za-z0-9_.:-]{4,200}(~[A-Za-z0-9][A-Za-z0-9_.-]{0,31})?")
_PROPERTY = re.compile(r"[a-z][A-Za-z0-9]{0,63}")
_RESERVED = frozenset({"id", "embedding", "identityId", "uri", "status", "revision", "windowEnds", "frameNodeCount"})
_INT64 = 2**63

_Seconds = Annotated[float, Field(ge=0, allow_inf_nan=False)]
_Number = Annotated[float, Field(allow_inf_nan=False)]
_Score = Annotated[float, Field(ge=0, le=1)]
_Count = Annotated[int, Field(ge=0, lt=2**31)]
_Source = Literal["geometry", "model", "annotation"]


class Manifest(BaseModel):
    """``manifest.json``."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    format: Literal["ravu-kg bundle"]
    format_version: Literal[1]
    ravu_kg: str
    """Version of the program that wrote it."""
    schema_version: int
    """Of the graph that it was read from."""
    created_at: str
    video_id: str
    title: str
    embedder: Embedder
    parts: tuple[PartSummary, ...]


class Embedder(BaseModel):
    """What made the vectors."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: str
    dimensions: Annotated[int, Field(ge=1, le=65_536)]


class PartSummary(BaseModel):
    """One file of the bundle: what it holds."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    file: str
    records: _Count
    bytes: Annotated[int, Field(ge=0)]
    sha256: Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]


class Properties(BaseModel):
    """Properties of a node or relationship: those that are named, and others with plain values."""

    model_config = ConfigDict(extra="allow", frozen=True)

    @model_validator(mode="after")
    def _plain(self) -> Properties:
        for name, value in (self.model_extra or {}).items():
            if not _PROPERTY.fullmatch(name) or name in _RESERVED:
                raise ValueError(f"{name[:80]!r} is no name of a property here")
            if not _is_plain(value):
                raise ValueError(f"property {name} is neither a plain value nor a list of such")
        return self


class Record(BaseModel):
    """A line of a part."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    times: tuple[str, ...] = ()
    """Names of the properties that are times, as ISO text."""

    @model_validator(mode="after")
    def _are_times(self) -> Record:
        known: object = getattr(self, "properties", None)
        others = (known.model_extra or {}) if isinstance(known, Properties) else {}
        for name in self.times:
            try:
                datetime.fromisoformat(str(others.get(name)))
            except ValueError as error:
                raise ValueError(f"property {name[:80]} is no time") from error
        return self


class VideoProperties(Properties):
    """Of the ``Video``."""

    build: str | None = None
    contentHash: str | None = None
    title: Annotated[str, Field(max_length=1000)]
    width: _Count
    height: _Count
    duration: _Seconds
    frameRate: _Number
    frameCount: _Count
    sampleInterval: _Seconds
    detector: str
    tracker: str
    describer: str
    embedder: str
    pipeline: str
    usage: str | None = None

    @field_validator("pipeline", "usage")
    @classmethod
    def _object(cls, text: str | None) -> str | None:
        try:
            known: object = {} if text is None else json.loads(text)
        except (ValueError, RecursionError):
            known = None
        if not is_mapping(known):
            raise ValueError("is no JSON object")
        return text


class VideoPart(Record):
    """``video.json``."""

    id: str
    properties: VideoProperties

    @model_validator(mode="after")
    def _own_id(self) -> VideoPart:
        known = self.properties
        if not _VIDEO_ID.fullmatch(self.id):
            raise ValueError(f"{self.id[:80]!r} is no id of a video")
        annotated = ":" in self.id  # it has its id from its annotation, and got its file later
        if known.contentHash is not None and not annotated and self.id != video_id(known.contentHash, known.build):
            raise ValueError(f"the id {self.id} does not follow from the video's content and build")
        return self


class EntityProperties(Properties):
    """Of an ``Entity``."""

    videoId: str
    trackId: _Count
    label: str
    description: str
    color: Annotated[str, Field(pattern=r"^#[0-9a-fA-F]{6}$")]
    tStart: _Seconds
    tEnd: _Seconds
    trackT: tuple[_Seconds, ...]
    trackBoxes: tuple[_Number, ...]

    @model_validator(mode="after")
    def _four_numbers_a_time(self) -> EntityProperties:
        if len(self.trackBoxes) != 4 * len(self.trackT):
            raise ValueError("trackBoxes has not four numbers for each of trackT")
        return self


class EntityRecord(Record):
    """A line of ``entities.jsonl``."""

    id: str
    properties: EntityProperties


class FrameProperties(Properties):
    """Of a ``Frame``."""

    videoId: str
    index: _Count
    sourceFrame: _Count
    t: _Seconds
    description: str
    coverage: Literal["ok", "blocked", "failed"]


class FrameRecord(Record):
    """A line of ``frames.jsonl``."""

    id: str
    next: str | None
    properties: FrameProperties


class FrameNodeProperties(Properties):
    """Of a ``FrameNode``."""

    videoId: str
    entityId: str
    frameIndex: _Count
    t: _Seconds
    label: str
    xMin: _Number | None = None
    yMin: _Number | None = None
    xMax: _Number | None = None
    yMax: _Number | None = None
    confidence: _Number
    attributes: tuple[str, ...]
    description: str
    source: _Source


class FrameNodeRecord(Record):
    """A line of ``frame_nodes.jsonl``."""

    id: str
    properties: FrameNodeProperties


class EventProperties(Properties):
    """Of an ``Event``."""

    videoId: str
    entityId: str
    source: _Source
    seq: _Count
    tStart: _Seconds
    tEnd: _Seconds
    description: str


class EventRecord(Record):
    """A line of ``events.jsonl``."""

    id: str
    next: str | None
    properties: EventProperties


class RelationProperties(Properties):
    """Of a ``REL``."""

    predicate: str
    source: _Source
    text: str
    confidence: _Number


class RelationRecord(Record):
    """A line of ``relations.jsonl``."""

    earlier: str
    """Where it starts."""
    later: str
    """Where it ends."""
    properties: RelationProperties


class SameAsProperties(Properties):
    """Of a ``SAME_AS`` between frame nodes."""

    gap: _Number
    score: _Score
    method: str


class SameAsRecord(Record):
    """A line of ``same_as.jsonl``."""

    earlier: str
    later: str
    properties: SameAsProperties


class LinkProperties(Properties):
    """Of a ``SAME_AS`` between entities."""

    score: _Score
    method: str
    scope: Literal["reentry", "video"]
    status: Literal["auto", "accepted", "rejected"]


class LinkRecord(Record):
    """A line of ``identity_links.jsonl``."""

    earlier: str
    later: str
    properties: LinkProperties


RECORDS: Mapping[str, type[Record]] = {
    "entities": EntityRecord,
    "frames": FrameRecord,
    "frame_nodes": FrameNodeRecord,
    "events": EventRecord,
    "relations": RelationRecord,
    "same_as": SameAsRecord,
    "identity_links": LinkRecord,
}
"""Parts of JSON Lines, in the order of the file: whatever a record refers to comes before it."""

VECTORS: Mapping[str, str] = {"frame_node_vectors": "frame_nodes", "event_vectors": "events"}
"""Parts of vectors, and the part whose records they belong to, one each and in its order."""


def file_of(part: str) -> str:
    """The name of a part's file."""
    return f"{part}.f32" if part in VECTORS else f"{part}.jsonl"


FILES = (VIDEO, *(file_of(part) for part in (*RECORDS, *VECTORS)))
"""All files but the manifest."""


def line_of(record: Mapping[str, object]) -> bytes:
    """A record as its line: equal records give equal bytes."""
    text = json.dumps(record, ensure_ascii=False, sort_keys=True, separators=(",", ":"), allow_nan=False)
    return text.encode("utf-8") + b"\n"


def first_problem(error: ValidationError) -> str:
    """The first thing that is wrong with a record, in a line."""
    first = error.errors(include_url=False, include_input=False)[0]
    place = ".".join(str(part)[:80] for part in first["loc"])
    said = first["msg"].removeprefix("Value error, ")
    return f"{place}: {said}" if place else said


def _is_plain(value: object) -> bool:
    if is_sequence(value):
        return all(_is_scalar(item) for item in value)
    return value is None or _is_scalar(value)


def _is_scalar(value: object) -> bool:
    match value:
        case bool() | str():
            return True
        case int():
            return -_INT64 <= value < _INT64
        case float():
            return math.isfinite(value)
        case _:
            return False
