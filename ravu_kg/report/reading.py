"""Reads one video's graph for a report: five statements, however long the video is."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import cast

from ravu_kg.graph.reader import GraphReader
from ravu_kg.graph.records import integer, number
from ravu_kg.graph.store import Store
from ravu_kg.report.records import Moment, ShownEntity, ShownEvent, ShownNode, ShownRelation, VideoGraph
from ravu_kg.types import Box

_COLOR = re.compile("#[0-9a-fA-F]{6}")
_NO_COLOR = "#808080"


def read_graph(store: Store, video_id: str, cuts_s: Sequence[float] = ()) -> VideoGraph:
    """Everything that the graph says of a video.

    Raises:
        NotFoundError: no such video.
        GraphError: Neo4j failed.
    """
    video = GraphReader(store).video(video_id)
    entities = read_entities(store, video_id)
    order = {entity.entity_id: position for position, entity in enumerate(entities)}
    nodes = defaultdict[int, list[ShownNode]](list)
    for row in store.read("report/frame_nodes", video_id=video_id).rows:
        nodes[integer(row["frame_index"])].append(_node(row))
    return VideoGraph(
        video_id=video.video_id,
        title=video.title,
        uri=video.uri,
        duration_s=video.duration_s,
        width_px=video.width_px,
        height_px=video.height_px,
        sample_interval_s=video.sample_interval_s,
        entities=tuple(entities),
        moments=tuple(_moment(row, nodes, order) for row in store.read("report/frames", video_id=video_id).rows),
        relations=tuple(_relation(row) for row in store.read("report/relations", video_id=video_id).rows),
        events=tuple(_event(row) for row in store.read("report/events", video_id=video_id).rows),
        cuts_s=tuple(cuts_s),
    )


def read_entities(store: Store, video_id: str) -> list[ShownEntity]:
    """The entities of a video, in order of appearance; none of an unknown one."""
    return [_entity(row) for row in store.read("report/entities", video_id=video_id).rows]


def _entity(row: Mapping[str, object]) -> ShownEntity:
    return ShownEntity(
        entity_id=str(row["entity_id"]),
        identity_id=str(row["identity_id"]),
        label=str(row["label"]),
        description=_text(row["description"]),
        color=_color(_text(row["color"])),
        start_s=number(row["start_s"]),
        end_s=number(row["end_s"]),
        given_name=None if row["given_name"] is None else str(row["given_name"]),
    )


def _node(row: Mapping[str, object]) -> ShownNode:
    box = cast("Sequence[float]", row["box"])  # a column declared LIST<FLOAT>
    return ShownNode(str(row["entity_id"]), Box(*box) if len(box) == 4 else None, _text(row["description"]))


def _moment(row: Mapping[str, object], nodes: Mapping[int, Sequence[ShownNode]], order: Mapping[str, int]) -> Moment:
    index = integer(row["frame_index"])
    return Moment(
        frame_index=index,
        timestamp_s=number(row["t"]),
        description=_text(row["description"]),
        coverage=_text(row["coverage"]),
        nodes=tuple(sorted(nodes.get(index, ()), key=lambda node: order.get(node.entity_id, len(order)))),
    )


def _relation(row: Mapping[str, object]) -> ShownRelation:
    frames = cast("Sequence[int]", row["frames"])  # a column declared LIST<INTEGER>
    return ShownRelation(
        str(row["subject_id"]), str(row["object_id"]), str(row["predicate"]), _text(row["source"]), tuple(frames)
    )


def _event(row: Mapping[str, object]) -> ShownEvent:
    return ShownEvent(
        event_id=str(row["event_id"]),
        entity_id=str(row["entity_id"]),
        start_s=number(row["start_s"]),
        end_s=number(row["end_s"]),
        description=_text(row["description"]),
        source=_text(row["source"]),
    )


def _color(text: str) -> str:
    """A colour of the graph; grey where it holds something else."""
    return text if _COLOR.fullmatch(text) else _NO_COLOR


def _text(value: object) -> str:
    return "" if value is None else str(value)
