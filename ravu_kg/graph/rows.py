"""Records as the rows that the ingest templates take: the names of the graph's properties are here."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import TypeVar

from ravu_kg.graph.values import Vector
from ravu_kg.types import Entity, Event, Frame, FrameNode, IdentityLink, Relation, SameAs, VideoRecord, frame_id

_T = TypeVar("_T")
Row = dict[str, object]


def pipeline_of(video: VideoRecord) -> str:
    """What the result of indexing depends on, as JSON: two runs with the same text write the same graph.

    The embedder is not part of it: it belongs to the whole graph, and its vectors can be replaced.
    """
    return json.dumps(
        {
            "detector": video.detector,
            "tracker": video.tracker,
            "describer": video.describer,
            "sample interval": video.sample_interval_s,
            "tracking rate": video.tracking_rate_hz,
            "sampled frames": video.frame_count,
        }
    )


def video_properties(video: VideoRecord) -> Row:
    """Properties of a ``Video``."""
    return {
        "build": video.build,
        "contentHash": video.content_hash,
        "externalId": video.external_id,
        "uri": _well_formed(video.uri),
        "title": _well_formed(video.title),
        "width": video.width_px,
        "height": video.height_px,
        "duration": video.duration_s,
        "frameRate": video.frame_rate,
        "frameCount": video.frame_count,
        "sampleInterval": video.sample_interval_s,
        "trackingRate": video.tracking_rate_hz,
        "cuts": None if video.cuts_s is None else list(video.cuts_s),
        "detector": video.detector,
        "tracker": video.tracker,
        "describer": video.describer,
        "embedder": video.embedder,
        "pipeline": pipeline_of(video),
    }


def entity_row(entity: Entity) -> Row:
    """A row of ``ingest/entities``."""
    # Left out where there is none: what was measured later must not be lost when the entity is written again.
    given: Row = {}
    if entity.appearance is not None:
        given = {"appearance": Vector(entity.appearance), "appearanceModel": entity.appearance_model}
    return {
        "id": entity.id,
        "properties": {
            "videoId": entity.video_id,
            "trackId": entity.track_id,
            "label": entity.label,
            "description": entity.description,
            "color": entity.color,
            "tStart": entity.start_s,
            "tEnd": entity.end_s,
            "trackT": Vector(entity.track_timestamps_s),
            "trackBoxes": Vector(entity.track_boxes),
            "coverage": entity.coverage,
            "look": None if entity.look is None else Vector(entity.look),
            **given,
        },
    }


def link_row(link: IdentityLink) -> Row:
    """A row of ``ingest/identity_links``: across videos from the lower to the higher id, so that it is stored once."""
    ends = (link.earlier_id, link.later_id)
    earlier_id, later_id = sorted(ends) if link.scope == "video" else ends
    return {
        "earlier_id": earlier_id,
        "later_id": later_id,
        "properties": {"score": link.score, "method": link.method, "scope": link.scope, "status": link.status},
    }


def frame_row(frame: Frame) -> Row:
    """A row of ``ingest/frames``."""
    return {
        "id": frame.id,
        "properties": {
            "videoId": frame.video_id,
            "index": frame.index,
            "sourceFrame": frame.source_frame,
            "t": frame.timestamp_s,
            "description": frame.description,
            "coverage": frame.coverage,
        },
    }


def frame_order_rows(frames: Iterable[Frame]) -> list[Row]:
    """Rows of ``ingest/frame_order``: each frame after the one before it, which may be in the window before."""
    return [
        {"earlier_id": frame_id(frame.video_id, frame.index - 1), "later_id": frame.id}
        for frame in frames
        if frame.index > 0
    ]


def frame_node_row(node: FrameNode, embedding: list[float]) -> Row:
    """A row of ``ingest/frame_nodes``."""
    box = node.box
    return {
        "id": node.id,
        "frame_id": frame_id(node.video_id, node.frame_index),
        "entity_id": node.entity_id,
        "embedding": embedding,
        "properties": {
            "videoId": node.video_id,
            "entityId": node.entity_id,
            "frameIndex": node.frame_index,
            "t": node.timestamp_s,
            "label": node.label,
            "xMin": box.x_min if box else None,
            "yMin": box.y_min if box else None,
            "xMax": box.x_max if box else None,
            "yMax": box.y_max if box else None,
            "confidence": node.confidence,
            "attributes": node.attributes,
            "description": node.description,
            "geometryAttributes": node.geometry_attributes,
            "geometryDescription": node.geometry_description,
            "source": node.source,
        },
    }


def relation_row(relation: Relation) -> Row:
    """A row of ``ingest/relations``."""
    return {
        "subject_id": relation.subject_id,
        "object_id": relation.object_id,
        "predicate": relation.predicate,
        "source": relation.source,
        "properties": {"text": relation.text, "confidence": relation.confidence},
    }


def same_as_row(same_as: SameAs) -> Row:
    """A row of ``ingest/same_as``."""
    return {
        "earlier_id": same_as.earlier_id,
        "later_id": same_as.later_id,
        "properties": {"gap": same_as.gap_s, "score": same_as.score, "method": same_as.method},
    }


def event_row(event: Event, embedding: list[float]) -> Row:
    """A row of ``ingest/events``."""
    return {
        "id": event.id,
        "entity_id": event.entity_id,
        "embedding": embedding,
        "properties": {
            "videoId": event.video_id,
            "entityId": event.entity_id,
            "source": event.source,
            "seq": event.seq,
            "tStart": event.start_s,
            "tEnd": event.end_s,
            "description": event.description,
        },
    }


def event_order_rows(events: Iterable[Event]) -> list[Row]:
    """Rows of ``ingest/event_order``: consecutive events of one entity and source."""
    last = dict[tuple[str, str], Event]()
    rows = list[Row]()
    for event in sorted(events, key=lambda event: (event.entity_id, event.source, event.seq)):
        key = (event.entity_id, event.source)
        if key in last:
            rows.append({"earlier_id": last[key].id, "later_id": event.id})
        last[key] = event
    return rows


def batches(rows: Sequence[_T], size: int) -> list[Sequence[_T]]:
    """The rows in pieces of at most ``size``."""
    return [rows[start : start + size] for start in range(0, len(rows), size)]


def _well_formed(text: str | None) -> str | None:
    """Text that can be sent: names of files may hold bytes that are no text."""
    return None if text is None else text.encode("utf-8", "replace").decode("utf-8")
