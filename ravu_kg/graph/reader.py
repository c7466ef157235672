"""Reading the graph: one thin typed method for each template that the reasoning functions (section 3.3) need."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TypeVar

from ravu_kg.errors import NotFoundError
from ravu_kg.graph import records
from ravu_kg.graph.records import (
    CoverageRow,
    EntityRow,
    EventRow,
    EventVectorRow,
    FrameRow,
    LibraryCoverageRow,
    LibraryRow,
    MomentRow,
    NodeRow,
    PairRow,
    SentenceRow,
    ShotRow,
    ToldRow,
    TrackRow,
    VideoRow,
)
from ravu_kg.graph.results import ReadResult
from ravu_kg.graph.store import Store
from ravu_kg.graph.vector_cache import VectorCache
from ravu_kg.types import FloatArray, Span

__all__ = [
    "EXACT_NODES",
    "CoverageRow",
    "EntityRow",
    "EventRow",
    "EventVectorRow",
    "FrameRow",
    "GraphReader",
    "LibraryCoverageRow",
    "LibraryRow",
    "MomentRow",
    "NodeRow",
    "Observer",
    "PairRow",
    "SentenceRow",
    "ShotRow",
    "ToldRow",
    "TrackRow",
    "VideoRow",
]

_T = TypeVar("_T")
Observer = Callable[[ReadResult], None]

EXACT_NODES = 2500
"""Up to so many frame nodes a video is compared one by one: exact, and as fast as the index."""
_FETCH_OF_VIDEO, _FETCH_OF_LIBRARY = 600, 2000
"""So many neighbours an index looks for at least; of fewer, some of the nearest ten are missed."""


class GraphReader:
    """Typed reads. Give ``observe`` to see every statement with its parameters and time."""

    def __init__(self, store: Store, observe: Observer | None = None, vectors: VectorCache | None = None) -> None:
        self._store = store
        self._observe = observe
        self.vectors = vectors or VectorCache(store)
        """Vectors of videos that were asked before, in memory."""

    def observed(self, observe: Observer) -> GraphReader:
        """The same reader that also tells of each statement."""
        return GraphReader(self._store, observe, self.vectors)

    def statement(self, template: str) -> str:
        """The Cypher that this server is sent for a template."""
        return self._store.template(template).text

    # --- videos ---

    def video(self, video_id: str) -> VideoRow:
        """One video.

        Raises:
            NotFoundError: the memory has no such video.
        """
        rows = self._rows("reasoning/video", records.make_video, video_id=video_id)
        if not rows:
            raise NotFoundError(f"No video has the id {video_id!r}. `ravu-kg videos list` shows what is indexed.")
        return rows[0]

    def videos(self) -> list[VideoRow]:
        """All videos, by title."""
        return self._rows("library/videos", records.make_video)

    def coverage(self, video_id: str) -> CoverageRow:
        """Which frames of the video the memory knows."""
        return self._rows("reasoning/coverage", records.make_coverage, video_id=video_id)[0]

    def shots(self, video_ids: Sequence[str]) -> list[ShotRow]:
        """Shots of videos in order; none of a video that was indexed before its cuts were kept."""
        return self._rows("reasoning/shots", records.make_shot, video_ids=list(video_ids))

    # --- entities and frames ---

    def entities(self, video_id: str) -> list[EntityRow]:
        """Entities in order of appearance."""
        return self._rows("reasoning/entities", records.make_entity, video_id=video_id)

    def tracks(self, entity_ids: Sequence[str]) -> list[TrackRow]:
        """Times and boxes at the tracking rate."""
        return self._rows("reasoning/tracks", records.make_track, entity_ids=list(entity_ids))

    def entity_nodes(self, entity_ids: Sequence[str], spans: Sequence[Span], per_span: int) -> list[NodeRow]:
        """Frame nodes n_i^j of entities, at most ``per_span`` of each span, evenly spread over it."""
        if not spans or not entity_ids:
            return []
        return self._rows(
            "reasoning/entity_nodes",
            records.make_node,
            entity_ids=list(entity_ids),
            spans=[list(span) for span in spans],
            per_span=per_span,
        )

    def pairs(self, subject_ids: Sequence[str], object_ids: Sequence[str], span: Span) -> list[PairRow]:
        """Frames that show one entity of the first group with one of the second, in time order."""
        return self._rows(
            "reasoning/pairs",
            records.make_pair,
            subject_ids=list(subject_ids),
            object_ids=list(object_ids),
            from_s=span[0],
            to_s=span[1],
        )

    def temporal_part(self, video_id: str, part: str, frames: int) -> tuple[Span, list[FrameRow]]:
        """Bounds and frames F_i of a third, half or quarter of the video: the paper's extract_temporal_part."""
        result = self._read("reasoning/extract_temporal_part", video_id=video_id, target_part=part, frames=frames)
        if not result.rows:
            return (0.0, 0.0), []
        first = result.rows[0]
        return (records.number(first["part_start_s"]), records.number(first["part_end_s"])), [
            records.make_frame(row) for row in result.rows
        ]

    def global_context(self, video_id: str, spans: Sequence[Span], frames: int) -> list[FrameRow]:
        """Frames F_i, at most ``frames`` of each span, evenly spread over it: the paper's get_global_context."""
        if not spans:
            return []
        return self._rows(
            "reasoning/get_global_context",
            records.make_frame,
            video_id=video_id,
            spans=[list(span) for span in spans],
            frames=frames,
        )

    # --- by meaning ---

    def nearest_nodes(self, video: VideoRow, embedding: FloatArray, k: int, span: Span | None = None) -> list[NodeRow]:
        """The k frame nodes nearest to a phrase (the paper's localize_node).

        Exact for a short video or a span, else from the vector index. A short video's vectors are kept in memory, so
        that the next question about it needs no scan; the server gives the nodes themselves.

        The index of an old server cannot filter by video: it is asked for more and more until enough are this
        video's, and the video is compared one by one when that does not help.
        """
        if (kept := self._nearest_kept(video, embedding, k, span)) is not None:
            return kept
        if span is None and video.frame_node_count > EXACT_NODES:
            fetch = max(k * 10, _FETCH_OF_VIDEO)
            while fetch <= max(video.frame_node_count, k * 10) * 4:
                found = self._rows(
                    "reasoning/localize_node",
                    records.make_node,
                    video_id=video.video_id,
                    embedding=embedding,
                    fetch=fetch,
                    k=k,
                )
                if len(found) >= k:
                    return found
                fetch *= 4
        start_s, end_s = span or (0.0, video.duration_s + 1.0)
        return self._rows(
            "reasoning/localize_node_exact",
            records.make_node,
            video_id=video.video_id,
            embedding=embedding,
            from_s=start_s,
            to_s=end_s,
            k=k,
        )

    def _nearest_kept(self, video: VideoRow, embedding: FloatArray, k: int, span: Span | None) -> list[NodeRow] | None:
        """By the vectors in memory, which are fetched for a short video; None where the server has to look."""
        if video.frame_node_count > EXACT_NODES and not self.vectors.holds(video):
            return None
        for _ in range(2):
            vectors = self.vectors.frame_nodes(video, len(embedding))
            if vectors is None:
                return None
            positions = vectors.candidates(embedding, k, span)
            if not len(positions):
                return None
            found = self._rows(
                "reasoning/localize_node_kept",
                records.make_node,
                video_id=video.video_id,
                version=vectors.version,
                node_ids=[vectors.node_ids[int(position)] for position in positions],
                embedding=embedding,
                k=k,
            )
            if len(found) == min(k, len(positions)):
                return found
            # Somebody changed the video since the row was read: once more, with its present version.
            self.vectors.forget(video.video_id)
            video = replace(video, version="")
        return None

    def nearest_nodes_in_library(self, embedding: FloatArray, k: int) -> list[NodeRow]:
        """Frame nodes of any video nearest to a phrase."""
        return self._rows(
            "reasoning/localize_node_library",
            records.make_node,
            embedding=embedding,
            fetch=max(k * 20, _FETCH_OF_LIBRARY),
            k=k,
        )

    def grounded_nodes(
        self, video_id: str, frame_indices: Sequence[int], embedding: FloatArray, entity_ids: Sequence[str] = ()
    ) -> list[NodeRow]:
        """Of each frame the node that says most about a phrase, first those of wanted entities; in time order."""
        if not frame_indices:
            return []
        return self._rows(
            "reasoning/grounded_nodes",
            records.make_node,
            video_id=video_id,
            frame_indices=list(frame_indices),
            entity_ids=list(entity_ids),
            embedding=embedding,
        )

    def identify(self, entity_ids: Sequence[str], embedding: FloatArray, span: Span, k: int) -> list[NodeRow]:
        """The best node of each candidate entity, best entity first: the paper's identify_node."""
        return self._rows(
            "reasoning/identify_node",
            records.make_node,
            entity_ids=list(entity_ids),
            embedding=embedding,
            from_s=span[0],
            to_s=span[1],
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
        """Events z^j of entities before, after or around spans, in time order: the paper's sample_entity_events.

        Args:
            entity_ids: the entities.
            direction: ``before``, ``after`` or ``around``.
            spans: in seconds.
            part: only events that reach into this part of the video, in seconds.
            count: how many events of each span, nearest first.
            frames_per_event: how many frame nodes come with each event, at most.
        """
        if not spans or not entity_ids:
            return []
        return self._rows(
            "reasoning/sample_entity_events",
            records.make_event,
            entity_ids=list(entity_ids),
            direction=direction,
            spans=[list(span) for span in spans],
            part_start_s=part[0],
            part_end_s=part[1],
            events_to_sample=count,
            frames_per_event=frames_per_event,
        )

    def relevant_events(self, video_id: str, embedding: FloatArray, span: Span, k: int) -> list[EventRow]:
        """The k events z^j nearest to a phrase within a span, best first: the paper's analyze_events."""
        return self._rows(
            "reasoning/analyze_events",
            records.make_event,
            video_id=video_id,
            embedding=embedding,
            from_s=span[0],
            to_s=span[1],
            k=k,
        )

    def event_moments(
        self, video_id: str, embedding: FloatArray, span: Span, per_event: int, k: int
    ) -> list[MomentRow]:
        """Within each event its frame nodes nearest to a question, best first: the paper's hierarchical retrieval."""
        return self._rows(
            "reasoning/event_moments",
            records.make_moment,
            video_id=video_id,
            embedding=embedding,
            from_s=span[0],
            to_s=span[1],
            per_event=per_event,
            k=k,
        )

    def sentences(
        self, entity_ids: Sequence[str], embedding: FloatArray, span: Span, per_entity: int
    ) -> list[SentenceRow]:
        """Sentences of each candidate nearest to a condition, to judge who counts: the paper's count_nodes."""
        return self._rows(
            "reasoning/count_nodes",
            records.make_sentence,
            entity_ids=list(entity_ids),
            embedding=embedding,
            from_s=span[0],
            to_s=span[1],
            per_entity=per_entity,
        )

    def told(self, video_id: str) -> list[ToldRow]:
        """What people or models have said of a video, by frame; nothing of one whose sentences are measured."""
        return self._rows("reasoning/told", records.make_told, video_id=video_id)

    def event_vectors(self, video_id: str, dimensions: int) -> list[EventVectorRow]:
        """When the events of a video are, with their vectors, in time order."""
        return self._rows(
            "reasoning/event_vectors", records.make_event_vector, video_id=video_id, dimensions=dimensions
        )

    def option_support(
        self, node_ids: Sequence[str], event_ids: Sequence[str], embeddings: Sequence[Sequence[float]]
    ) -> dict[int, float]:
        """For each option, by position, the best similarity of any sentence of the evidence."""
        result = self._read(
            "reasoning/option_support",
            node_ids=list(node_ids),
            event_ids=list(event_ids),
            embeddings=[list(vector) for vector in embeddings],
        )
        return {
            records.integer(row["option"]): records.number(row["score"])
            for row in result.rows
            if row["score"] is not None
        }

    # --- library ---

    def library_coverage(self) -> list[LibraryCoverageRow]:
        """What the memory does not cover, video by video, by title."""
        return self._rows("reasoning/library_coverage", records.make_library_coverage)

    def library_labels(self) -> list[str]:
        """Every label in the library."""
        return [str(row["label"]) for row in self._read("reasoning/library_labels").rows]

    def library_entities(self, labels: Sequence[str], k: int) -> list[LibraryRow]:
        """Videos that hold entities with such labels, fullest first."""
        return self._rows("reasoning/library_entities", records.make_library, labels=list(labels), k=k)

    def library_named(self, called: str, k: int) -> list[LibraryRow]:
        """Videos that show whom a person gave a name, fullest first; none when nobody has it."""
        return self._rows("reasoning/library_named", records.make_library, called=called.lower(), k=k)

    def _rows(self, name: str, make: Callable[[Mapping[str, object]], _T], **parameters: object) -> list[_T]:
        return [make(row) for row in self._read(name, **parameters).rows]

    def _read(self, name: str, **parameters: object) -> ReadResult:
        result = self._store.read(name, **parameters)
        if self._observe is not None:
            self._observe(result)
        return result
