"""Writing a video's graph: idempotent, window by window, so that an interrupted run resumes.

Every node is merged by its id, which derives from content and position; each window is one transaction together with
the note that it is written. Doing all again changes nothing.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import cast

import numpy as np

from ravu_kg.errors import ConfigurationError, GraphError, NotFoundError
from ravu_kg.graph import corrections, decisions, identity, rows, schema
from ravu_kg.graph.store import Counters, Store, Vector
from ravu_kg.types import (
    Entity,
    Event,
    FloatArray,
    IdentityLink,
    SceneWindow,
    VideoRecord,
    replaced_id,
    replacement_id,
    track_id_in,
)

_BATCH_WITH_VECTORS = 1000
_BATCH = 5000
_ENTITY_BATCH = 200  # an entity carries its whole track
_PARTS = ("events", "frame_nodes", "frames", "vector_blocks", "entities")

Statement = tuple[str, Mapping[str, object]]


class GraphWriter:
    """Writes, and removes, the graph of one video after the other.

    The order is: :meth:`begin`, :meth:`write_window` for each window from the returned number on,
    :meth:`write_events`, :meth:`finish`.

    A graph that is to take the place of a complete one is written beside it, with ids of its own
    (:func:`ravu_kg.types.replacement_id`), in the same order; :meth:`take_place` then puts it there. Until it is
    complete the old one can be asked.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self._dimensions: int | None = None

    def begin(
        self, video: VideoRecord, entities: Sequence[Entity], links: Sequence[IdentityLink], *, grows: bool = False
    ) -> int:
        """Write the ``Video`` with its entities and their links, or find it as an earlier run left it.

        Args:
            video: what is indexed, and by what.
            entities: that were tracked.
            links: between them.
            grows: further entities, with later numbers, come with the windows (see :meth:`write_entities`), so that an
                earlier run may have left some.

        Returns:
            How many windows are written already: 0 for a new video, all of them for a complete one.

        Raises:
            ConfigurationError: the graph holds vectors of another embedder, or this video (of the same build) was
                indexed by another pipeline.
            GraphError: Neo4j failed.
        """
        self._require_embedder(video)
        state = self._state(video.id)
        if state is not None and state.status in ("deleting", "importing"):
            self._delete(video.id, records=True)
            state = None
        if state is not None and replaced_id(video.id) and _changes(video, state):
            self._delete(video.id)  # nobody has asked it anything yet
            state = None
        if state is not None and state.unanswered and state.status == "indexing":
            self._delete(video.id)  # what is answered now may change all that was written after it
            state = None
        if state is not None:
            self._require_pipeline(video, state)
            known = {entity.id for entity in entities}
            last = max((entity.track_id for entity in entities), default=0)
            strangers = self._stored_entities(video.id) - known
            if any(not grows or track_id_in(stranger) <= last for stranger in strangers):
                if state.status == "ready":
                    raise _changed(video, "other entities were found in it")
                self._delete(video.id)  # an unfinished run that saw something else: nothing to build on
                state = None
        self._store.write("ingest/video", video_id=video.id, properties=rows.video_properties(video))
        self.write_entities(video.id, entities, links)
        return len(state.window_ends) if state else 0

    def write_entities(self, video_id: str, entities: Sequence[Entity], links: Sequence[IdentityLink] = ()) -> None:
        """Write entities of a video and links between entities; what is there gets the new properties.

        Raises:
            GraphError: Neo4j failed.
        """
        for batch in rows.batches(entities, _ENTITY_BATCH):
            self._store.write("ingest/entities", video_id=video_id, rows=[rows.entity_row(entity) for entity in batch])
        for batch in rows.batches([rows.link_row(link) for link in links], _BATCH):
            self._store.write("ingest/identity_links", rows=batch)

    def usage(self, video_id: str) -> Mapping[str, Mapping[str, object]]:
        """What the calls of models came to, by stage; empty without any, and for an unknown video.

        Raises:
            GraphError: Neo4j failed.
        """
        found = self._store.read("ingest/usage", video_id=video_id).rows
        return json.loads(str(found[0]["usage"] or "{}")) if found else {}

    def unanswered(self, video_id: str) -> int:
        """How many frames and entities no model answered for, so that another run may complete them.

        Raises:
            GraphError: Neo4j failed.
        """
        found = self._store.read("ingest/usage", video_id=video_id).rows
        return cast(int, found[0]["unanswered"]) if found else 0  # as the template declares

    def write_usage(self, video_id: str, usage: Mapping[str, Mapping[str, object]], *, unanswered: int = 0) -> None:
        """Note what the calls of models came to, by stage; nothing happens for an unknown video.

        Args:
            video_id: the video.
            usage: by stage.
            unanswered: frames and entities that no model answered for. A run that goes on from here writes all anew.

        Raises:
            GraphError: Neo4j failed.
        """
        self._store.write("ingest/write_usage", video_id=video_id, usage=json.dumps(usage), unanswered=unanswered)

    def write_window(self, video_id: str, window: SceneWindow, embeddings: FloatArray) -> None:
        """Write one window in one transaction, with the note that it is written.

        Args:
            video_id: a video that :meth:`begin` has written.
            window: the next window, or one written before, which is written again the same.
            embeddings: (n, d), a vector for the sentence of each of the window's n nodes.

        Raises:
            NotFoundError: :meth:`begin` has not written the video.
            ConfigurationError: an earlier run had other windows.
            GraphError: the vectors do not fit, a node refers to something that is not there, or Neo4j failed. Nothing
                of the window is written.
        """
        state = self._state(video_id)
        if state is None:
            raise NotFoundError(f"The graph has no video {video_id}. Call begin() first.")
        end = window.frames[-1].index + 1 if window.frames else 0
        if window.index > len(state.window_ends):
            raise GraphError(
                f"Window {window.index} of video {video_id} comes too early: only {len(state.window_ends)} are written."
            )
        if window.index < len(state.window_ends) and state.window_ends[window.index] != end:
            raise ConfigurationError(
                f"Video {video_id} was written in other windows before. Index it with --replace, or as another --build."
            )
        self._require_fit(embeddings, len(window.nodes))
        vectors = [Vector(vector) for vector in embeddings.tolist()]
        ends = [*state.window_ends[: window.index], end]
        self._store.write_all(window_statements(video_id, window, vectors, ends))

    def write_events(self, video_id: str, events: Sequence[Event], embeddings: FloatArray) -> None:
        """Write events, each pointing to the next of its entity and source.

        Args:
            video_id: their video.
            events: all events of the sources that occur in them.
            embeddings: (n, d), a vector for each event.

        Raises:
            GraphError: the vectors do not fit, an entity is not there, or Neo4j failed.
        """
        if stray := next((event.id for event in events if event.video_id != video_id), None):
            raise GraphError(f"Event {stray} does not belong to video {video_id}.")
        self._require_fit(embeddings, len(events))
        # Batch by batch: as Python numbers the vectors of a two-hour video take half a gigabyte.
        for start in range(0, len(events), _BATCH_WITH_VECTORS):
            part = slice(start, start + _BATCH_WITH_VECTORS)
            vectors = [Vector(vector) for vector in embeddings[part].tolist()]
            written = [rows.event_row(event, vector) for event, vector in zip(events[part], vectors, strict=True)]
            self._store.write_all([("ingest/events", {"rows": written})])
        for statement in _batched("ingest/event_order", rows.event_order_rows(events), _BATCH):
            self._store.write_all([statement])

    def finish(self, video_id: str) -> None:
        """Recompute the identities, count, and mark the video ready; a replacement as complete, see :meth:`take_place`.

        A video that was ready before keeps its revision.

        Raises:
            NotFoundError: no such video.
            GraphError: frames are missing, or Neo4j failed.
        """
        state = self._state(video_id)
        if state is None:
            raise NotFoundError(f"The graph has no video {video_id}.")
        if state.frames != state.frame_count:
            raise GraphError(
                f"Video {video_id} is not complete: {state.frames} of {state.frame_count} frames are written. "
                "Index it again to go on."
            )
        identity.recompute(self._store, self._stored_entities(video_id))
        if replaced := replaced_id(video_id):
            self._store.write("ingest/finish_replacement", replacement_id=video_id, video_id=replaced)
        else:
            self._store.write("ingest/finish_video", video_id=video_id)

    def take_place(self, video_id: str) -> bool:
        """Put the complete replacement of a video in its place: the old graph goes, the new one gets its ids.

        What people decided about identities is applied to the entities that lie where those of old were. Does nothing,
        and says so, without a complete replacement. Interrupted anywhere, it goes on when it is called again.

        Raises:
            GraphError: Neo4j failed; the new graph is kept.
        """
        new_id = replacement_id(video_id)
        state = self._state(new_id)
        if state is None or state.status != "replacing":
            return False
        if self._state(video_id) is not None:
            self._delete(video_id)
        for part in _PARTS:
            ids = {"video_id": video_id, "replacement_id": new_id}
            while self._store.write(f"ingest/adopt_{part}", **ids, limit=_BATCH_WITH_VECTORS).properties_set:
                pass
        identity.recompute(self._store, self._stored_entities(video_id))
        decisions.apply_again(self._store, video_id)
        self._store.write("ingest/adopt_video", video_id=video_id, replacement_id=new_id)
        return True

    def delete(self, video_id: str) -> Counters:
        """Remove a video with all that belongs to it, in batches; entities of other videos get their identity anew.

        What people decided about its entities and corrected in it goes with it, and so does an unfinished replacement.

        Raises:
            NotFoundError: no such video.
            GraphError: Neo4j failed; delete again to go on.
        """
        replaced = replaced_id(video_id)
        if replaced and self.take_place(replaced):  # some of its parts may be in their place already
            video_id = replaced
        removed = self._delete(video_id, records=True)
        if self._state(replacement_id(video_id)) is not None:
            removed += self._delete(replacement_id(video_id))
        return removed

    def _delete(self, video_id: str, *, records: bool = False) -> Counters:
        if self._state(video_id) is None:
            raise NotFoundError(f"The graph has no video {video_id}. 'ravu-kg videos list' shows them all.")
        total = self._store.write("ingest/start_delete", video_id=video_id)
        joined = set[str]()
        for batch in rows.batches(sorted(self._stored_entities(video_id)), _BATCH):
            found = self._store.read("ingest/identity_neighbours", entity_ids=batch).rows
            joined |= {str(row["other_id"]) for row in found if row["other_video_id"] != video_id}
        for part in _PARTS:
            limit = _BATCH_WITH_VECTORS if part in ("events", "frame_nodes") else _BATCH
            while True:
                removed = self._store.write(f"ingest/delete_{part}", video_id=video_id, limit=limit)
                total += removed
                if removed.nodes_deleted < limit:
                    break
        if joined:
            identity.recompute(self._store, joined)
        if records:
            decisions.forget(self._store, video_id)
            corrections.forget(self._store, video_id)
        return total + self._store.write("ingest/delete_video", video_id=video_id)

    def _state(self, video_id: str) -> _VideoState | None:
        found = self._store.read("ingest/video_state", video_id=video_id).rows
        if not found:
            return None
        row = found[0]
        return _VideoState(
            status=str(row["status"]),
            pipeline=str(row["pipeline"]),
            window_ends=cast(list[int], row["window_ends"]),  # as the template declares; check_templates compares
            frame_count=cast(int, row["frame_count"]),
            frames=cast(int, row["frames"]),
            unanswered=cast(int, row["unanswered"]),
        )

    def _stored_entities(self, video_id: str) -> set[str]:
        return {str(row["entity_id"]) for row in self._store.read("ingest/entity_identities", video_id=video_id).rows}

    def _require_embedder(self, video: VideoRecord) -> None:
        record = schema.embedder(self._store)
        if record is None:
            raise GraphError("The graph has no schema yet. Migrate it first.")
        if (record.name, record.dimensions) != (video.embedder, video.embedding_dimensions):
            raise ConfigurationError(
                f"This graph holds vectors of {record.name} ({record.dimensions} numbers each), but video {video.id} "
                f"comes with {video.embedder} ({video.embedding_dimensions}). Use that embedder, or: ravu-kg reembed"
            )
        self._dimensions = record.dimensions

    def _require_pipeline(self, video: VideoRecord, state: _VideoState) -> None:
        if changes := _changes(video, state):
            raise _changed(video, "; ".join(changes))

    def _require_fit(self, embeddings: FloatArray, count: int) -> None:
        if self._dimensions is None:
            record = schema.embedder(self._store)
            self._dimensions = record.dimensions if record else 0
        if count == 0:
            return
        if embeddings.shape != (count, self._dimensions):
            raise GraphError(
                f"{count} vectors of {self._dimensions} numbers are needed, but the embedder gave {embeddings.shape}. "
                "Does it fit the graph? To replace all vectors: ravu-kg reembed"
            )
        if not np.isfinite(embeddings).all() or not embeddings.any(axis=1).all():
            raise GraphError("The embedder gave a vector that is zero or no number; such a vector cannot be searched.")


def window_statements(
    video_id: str, window: SceneWindow, vectors: Sequence[Vector], window_ends: Sequence[int]
) -> list[Statement]:
    """The statements that write one window, as :meth:`Store.write_all` takes them.

    Args:
        video_id: the window's video.
        window: frames, frame nodes, relations and chains.
        vectors: one for each node.
        window_ends: for each window up to this one the frame index behind its last frame.
    """
    nodes = [rows.frame_node_row(node, vector) for node, vector in zip(window.nodes, vectors, strict=True)]
    frames = [rows.frame_row(frame) for frame in window.frames]
    return [
        *(("ingest/frames", {"video_id": video_id, "rows": batch}) for batch in rows.batches(frames, _BATCH)),
        *_batched("ingest/frame_order", rows.frame_order_rows(window.frames), _BATCH),
        *_batched("ingest/frame_nodes", nodes, _BATCH_WITH_VECTORS),
        *_batched("ingest/relations", [rows.relation_row(relation) for relation in window.relations], _BATCH),
        *_batched("ingest/same_as", [rows.same_as_row(link) for link in window.same_as], _BATCH),
        ("ingest/window", {"video_id": video_id, "window_ends": window_ends}),
    ]


@dataclass(frozen=True, slots=True)
class _VideoState:
    status: str
    pipeline: str
    window_ends: list[int]
    frame_count: int
    frames: int
    unanswered: int


def _changes(video: VideoRecord, state: _VideoState) -> list[str]:
    """What the pipeline does otherwise than when the video was written."""
    before, now = json.loads(state.pipeline), json.loads(rows.pipeline_of(video))
    return [f"{name} {before.get(name)} then, {now[name]} now" for name in now if before.get(name) != now[name]]


def _batched(template: str, all_rows: Sequence[rows.Row], size: int) -> list[Statement]:
    return [(template, {"rows": batch}) for batch in rows.batches(all_rows, size)]


def _changed(video: VideoRecord, change: str) -> ConfigurationError:
    return ConfigurationError(
        f"Video {video.id} ({video.title}) was indexed differently before: {change}. "
        "Keep both with another --build NAME, or do it anew with --replace."
    )
