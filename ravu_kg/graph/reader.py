"""Reading the graph: one thin typed method for each reasoning template."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar, cast

from ravu_kg.errors import NotFoundError
from ravu_kg.graph.results import ReadResult
from ravu_kg.graph.store import Store
from ravu_kg.types import Box, FloatArray

_T = TypeVar("_T")
Span = tuple[float, float]
"""Start and end in seconds, half-open."""
Observer = Callable[[ReadResult], None]

EXACT_NODES = 2500
"""Up to so many frame nodes a video is compared one by one: exact, and as fast as the index."""


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


@dataclass(frozen=True, slots=True)
class CoverageRow:
    """Which sampled frames the memory knows."""

    frames: int
    known: int
    blocked: int
    failed: int
    unknown_times_s: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class EntityRow:
    """An entity with its identity."""

    entity_id: str
    identity_id: str
    track_id: int
    label: str
    description: str
    start_s: float
    end_s: float
    frame_nodes: int


@dataclass(frozen=True, slots=True)
class TrackRow:
    """An entity's path at the tracking rate."""

    entity_id: str
    timestamps_s: tuple[float, ...]
    boxes: tuple[Box, ...]


@dataclass(frozen=True, slots=True)
class NodeRow:
    """A frame node; ``score`` is 1 where no phrase was compared."""

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
    """An event with the frame nodes that show it."""

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
    """A sampled frame with the entities in it."""

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
class LibraryRow:
    """What one video holds of some labels."""

    video_id: str
    title: str
    identities: int
    entity_id: str
    label: str
    start_s: float
    end_s: float
    frame_nodes: int


class GraphReader:
    """Typed reads. Give ``observe`` to see every statement with its parameters and time."""

    def __init__(self, store: Store, observe: Observer | None = None) -> None:
        self._store = store
        self._observe = observe

    def observed(self, observe: Observer) -> GraphReader:
        """The same reader that also tells of each statement."""
        return GraphReader(self._store, observe)

    def statement(self, template: str) -> str:
        """The Cypher that this server is sent for a template."""
        return self._store.template(template).text

    # --- videos ---

    def video(self, video_id: str) -> VideoRow:
        """One video.

        Raises:
            NotFoundError: the memory has no such video.
        """
        rows = self._rows("video", _video, videoId=video_id)
        if not rows:
            raise NotFoundError(f"No video has the id {video_id!r}. `ravu-kg videos list` shows what is indexed.")
        return rows[0]

    def videos(self) -> list[VideoRow]:
        """All videos, by title."""
        return self._rows("videos", _video)

    def find(self, name: str) -> VideoRow:
        """A video by id, unique title, or the path it was read from.

        Raises:
            NotFoundError: none or several match.
        """
        videos = self.videos()
        by_id = [video for video in videos if video.video_id == name]
        found = by_id or [video for video in videos if name in (video.title, video.uri)]
        if len(found) == 1:
            return found[0]
        if found:
            ids = ", ".join(video.video_id for video in found)
            raise NotFoundError(f"{len(found)} videos are named {name!r}. Use one of their ids: {ids}.")
        raise NotFoundError(f"No video is named {name!r}. `ravu-kg videos list` shows what is indexed.")

    def coverage(self, video_id: str) -> CoverageRow:
        """Which frames of the video the memory knows."""
        return self._rows("coverage", _coverage, videoId=video_id)[0]

    # --- entities and frames ---

    def entities(self, video_id: str) -> list[EntityRow]:
        """Entities in order of appearance."""
        return self._rows("entities", _entity, videoId=video_id)

    def tracks(self, entity_ids: Sequence[str]) -> list[TrackRow]:
        """Times and boxes at the tracking rate."""
        return self._rows("tracks", _track, entityIds=list(entity_ids))

    def entity_nodes(self, entity_ids: Sequence[str], spans: Sequence[Span], per_span: int) -> list[NodeRow]:
        """Frame nodes of entities, evenly spread over each span."""
        if not spans or not entity_ids:
            return []
        return self._rows(
            "entity_nodes", _node, entityIds=list(entity_ids), spans=[list(span) for span in spans], perSpan=per_span
        )

    def pairs(self, subject_ids: Sequence[str], object_ids: Sequence[str], span: Span) -> list[PairRow]:
        """Frames that show one of the first group with one of the second."""
        return self._rows(
            "pairs", _pair, subjectIds=list(subject_ids), objectIds=list(object_ids), fromS=span[0], toS=span[1]
        )

    def temporal_part(self, video_id: str, part: str, frames: int) -> tuple[Span, list[FrameRow]]:
        """Bounds and frames of a third of the video."""
        result = self._read("extract_temporal_part", videoId=video_id, targetPart=part, frames=frames)
        if not result.rows:
            return (0.0, 0.0), []
        first = result.rows[0]
        return (_number(first["partStart"]), _number(first["partEnd"])), [_frame(row) for row in result.rows]

    def global_context(self, video_id: str, spans: Sequence[Span], frames: int) -> list[FrameRow]:
        """Frames evenly spread over each span."""
        if not spans:
            return []
        return self._rows(
            "get_global_context", _frame, videoId=video_id, spans=[list(span) for span in spans], frames=frames
        )

    # --- by meaning ---

    def nearest_nodes(self, video: VideoRow, embedding: FloatArray, k: int, span: Span | None = None) -> list[NodeRow]:
        """Frame nodes nearest to a phrase: exact for a short video or a span, else from the vector index.

        The index of an old server cannot filter by video: it is asked for more and more until enough are this
        video's, and the video is compared one by one when that does not help.
        """
        if span is None and video.frame_node_count > EXACT_NODES:
            fetch = k * 10
            while fetch <= max(video.frame_node_count, k * 10) * 4:
                found = self._rows(
                    "localize_node", _node, videoId=video.video_id, embedding=embedding, fetch=fetch, k=k
                )
                if len(found) >= k:
                    return found
                fetch *= 4
        start_s, end_s = span or (0.0, video.duration_s + 1.0)
        return self._rows(
            "localize_node_exact", _node, videoId=video.video_id, embedding=embedding, fromS=start_s, toS=end_s, k=k
        )

    def nearest_nodes_in_library(self, embedding: FloatArray, k: int) -> list[NodeRow]:
        """Frame nodes of any video nearest to a phrase."""
        return self._rows("localize_node_library", _node, embedding=embedding, fetch=k * 5, k=k)

    def identify(self, entity_ids: Sequence[str], embedding: FloatArray, span: Span, k: int) -> list[NodeRow]:
        """The best node of each candidate entity, best entity first."""
        return self._rows(
            "identify_node",
            _node,
            entityIds=list(entity_ids),
            embedding=embedding,
            fromS=span[0],
            toS=span[1],
            k=k,
        )

    def events(
        self,
        entity_ids: Sequence[str],
        direction: str,
        spans: Sequence[Span],
        part: Span,
        count: int,
        frames_per_event: int,
    ) -> list[EventRow]:
        """Events of entities before, after or around spans, in time order."""
        if not spans or not entity_ids:
            return []
        return self._rows(
            "sample_entity_events",
            _event,
            entityIds=list(entity_ids),
            direction=direction,
            spans=[list(span) for span in spans],
            partStart=part[0],
            partEnd=part[1],
            eventsToSample=count,
            framesPerEvent=frames_per_event,
        )

    def relevant_events(self, video_id: str, embedding: FloatArray, span: Span, k: int) -> list[EventRow]:
        """Events nearest to a phrase, best first."""
        return self._rows(
            "analyze_events", _event, videoId=video_id, embedding=embedding, fromS=span[0], toS=span[1], k=k
        )

    def sentences(
        self, entity_ids: Sequence[str], embedding: FloatArray, span: Span, per_entity: int
    ) -> list[SentenceRow]:
        """Sentences of each candidate nearest to a condition."""
        return self._rows(
            "count_nodes",
            _sentence,
            entityIds=list(entity_ids),
            embedding=embedding,
            fromS=span[0],
            toS=span[1],
            perEntity=per_entity,
        )

    def option_support(
        self, node_ids: Sequence[str], event_ids: Sequence[str], embeddings: Sequence[Sequence[float]]
    ) -> dict[int, float]:
        """For each option, by position, the best similarity of any sentence of the evidence."""
        result = self._read(
            "option_support",
            nodeIds=list(node_ids),
            eventIds=list(event_ids),
            embeddings=[list(vector) for vector in embeddings],
        )
        return {_integer(row["option"]): _number(row["score"]) for row in result.rows if row["score"] is not None}

    # --- library ---

    def library_labels(self) -> list[str]:
        """Every label in the library."""
        return [str(row["label"]) for row in self._read("library_labels").rows]

    def library_entities(self, labels: Sequence[str], k: int) -> list[LibraryRow]:
        """Videos that hold entities with such labels, fullest first."""
        return self._rows("library_entities", _library, labels=list(labels), k=k)

    def _rows(self, name: str, make: Callable[[Mapping[str, object]], _T], **parameters: object) -> list[_T]:
        return [make(row) for row in self._read(name, **parameters).rows]

    def _read(self, name: str, **parameters: object) -> ReadResult:
        result = self._store.read(f"reasoning/{name}", **parameters)
        if self._observe is not None:
            self._observe(result)
        return result


def _video(row: Mapping[str, object]) -> VideoRow:
    return VideoRow(
        video_id=str(row["videoId"]),
        title=str(row["title"]),
        uri=None if row["uri"] is None else str(row["uri"]),
        duration_s=_number(row["duration"]),
        frame_count=_integer(row["frameCount"]),
        frame_node_count=_integer(row["frameNodeCount"]),
        sample_interval_s=_number(row["sampleInterval"]),
        width_px=_integer(row["width"]),
        height_px=_integer(row["height"]),
        status=str(row["status"]),
    )


def _coverage(row: Mapping[str, object]) -> CoverageRow:
    return CoverageRow(
        _integer(row["frames"]),
        _integer(row["known"]),
        _integer(row["blocked"]),
        _integer(row["failed"]),
        _numbers(row["unknownTimes"]),
    )


def _entity(row: Mapping[str, object]) -> EntityRow:
    return EntityRow(
        entity_id=str(row["entityId"]),
        identity_id=str(row["identityId"]),
        track_id=_integer(row["trackId"]),
        label=str(row["label"]),
        description=_text(row["description"]),
        start_s=_number(row["tStart"]),
        end_s=_number(row["tEnd"]),
        frame_nodes=_integer(row["frameNodes"]),
    )


def _track(row: Mapping[str, object]) -> TrackRow:
    flat = _numbers(row["trackBoxes"])
    boxes = tuple(Box(*flat[i : i + 4]) for i in range(0, len(flat) - 3, 4))
    return TrackRow(str(row["entityId"]), _numbers(row["trackT"]), boxes)


def _node(row: Mapping[str, object]) -> NodeRow:
    return NodeRow(
        node_id=str(row["nodeId"]),
        entity_id=_text(row.get("entityId")),
        label=_text(row.get("label")),
        frame_index=_integer(row["frameIndex"]),
        timestamp_s=_number(row["t"]),
        description=_text(row["description"]),
        box=_box(row.get("box")),
        attributes=_texts(row.get("attributes")),
        score=_number(row.get("score", 1.0)),
        video_id=_text(row.get("videoId")),
        span=_integer(row.get("span", 0)),
    )


def _event(row: Mapping[str, object]) -> EventRow:
    nodes = cast(Sequence[Mapping[str, object]], row.get("nodes") or ())  # a LIST<MAP> column
    return EventRow(
        event_id=str(row["eventId"]),
        entity_id=str(row["entityId"]),
        source=_text(row["source"]),
        start_s=_number(row["tStart"]),
        end_s=_number(row["tEnd"]),
        description=_text(row["description"]),
        score=_number(row.get("score", 1.0)),
        nodes=tuple(_node({**node, "entityId": row["entityId"]}) for node in nodes),
        span=_integer(row.get("span", 0)),
    )


def _frame(row: Mapping[str, object]) -> FrameRow:
    return FrameRow(
        frame_index=_integer(row["frameIndex"]),
        timestamp_s=_number(row["t"]),
        description=_text(row["description"]),
        entity_ids=_texts(row["entityIds"]),
        span=_integer(row.get("span", 0)),
    )


def _pair(row: Mapping[str, object]) -> PairRow:
    return PairRow(
        frame_index=_integer(row["frameIndex"]),
        timestamp_s=_number(row["t"]),
        subject_id=str(row["subjectId"]),
        subject_entity=str(row["subjectEntity"]),
        subject_box=Box(*_numbers(row["subjectBox"])),
        subject_text=_text(row["subjectText"]),
        object_id=str(row["objectId"]),
        object_entity=str(row["objectEntity"]),
        object_box=Box(*_numbers(row["objectBox"])),
        predicates=_texts(row["predicates"]),
    )


def _sentence(row: Mapping[str, object]) -> SentenceRow:
    return SentenceRow(
        entity_id=str(row["entityId"]),
        kind=str(row["kind"]),
        id=str(row["id"]),
        source=_text(row["source"]),
        start_s=_number(row["tStart"]),
        end_s=_number(row["tEnd"]),
        description=_text(row["description"]),
        score=_number(row["score"]),
    )


def _library(row: Mapping[str, object]) -> LibraryRow:
    return LibraryRow(
        video_id=str(row["videoId"]),
        title=_text(row["title"]),
        identities=_integer(row["identities"]),
        entity_id=str(row["entityId"]),
        label=str(row["label"]),
        start_s=_number(row["tStart"]),
        end_s=_number(row["tEnd"]),
        frame_nodes=_integer(row["frameNodes"]),
    )


def _number(value: object) -> float:
    return float(cast(float, value)) if value is not None else 0.0  # columns declared FLOAT or INTEGER


def _integer(value: object) -> int:
    return int(cast(int, value)) if value is not None else 0  # columns declared INTEGER


def _numbers(value: object) -> tuple[float, ...]:
    return tuple(float(one) for one in cast(Sequence[float], value or ()))  # columns declared LIST<FLOAT>


def _text(value: object) -> str:
    return "" if value is None else str(value)


def _texts(value: object) -> tuple[str, ...]:
    return tuple(str(one) for one in cast(Sequence[object], value or ()))  # columns declared LIST<STRING>


def _box(value: object) -> Box | None:
    numbers = _numbers(value)
    return Box(*numbers) if len(numbers) == 4 else None
