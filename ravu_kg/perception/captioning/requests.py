"""The requests of section 3.2: a prompt, and data as JSON. Texts of models, labels and pictures are values in it.

========  ==========================================================================================================
stage     parts
========  ==========================================================================================================
detect    ``{"box": order}``; then for each picture ``{"frame": 3, "t": 3.0}`` and the picture
describe  ``{"targets": [3, 4], "box": order, "entities": [{"id": "1", "label": "dog", "color": "#ff0000"}]}``; then for
          each picture ``{"frame": 3, "t": 3.0, "target": true, "shown": ["1"]}`` and the picture
graph     ``{"frames": [{"i": 3, "t": 3.0, "ids": {"1": "dog", "n1": "toy"}, "text": "The dog #1 ..."}]}``
sentence  ``{"frames": [{"i": 3, "nodes": {"1": {"label": "dog", "has": ["brown"]}}, "edges": [["1", "sees", "n1"]]}]}``
events    ``{"entities": [{"id": "1", "label": "dog", "lines": [[3, 5, "A brown dog ..."]]}]}``
========  ==========================================================================================================
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ravu_kg.perception.captioning.stretches import ShownFrame, Thing
from ravu_kg.prompts import load
from ravu_kg.types import ModelRequest, Picture

MAX_OUTPUT_TOKENS = 4_096


@dataclass(frozen=True, slots=True)
class DescribedFrame:
    """A frame with its description F_i and the entities that a graph may be made of."""

    index: int
    timestamp_s: float
    text: str
    """With marks: ``The dog #1 ...``."""
    labels: Mapping[str, str]
    """Id -> label (of what the model added, with its look), tracked ones first."""


@dataclass(frozen=True, slots=True)
class FrameGraph:
    """G_i(V_i, E_i): attributes of entities and relations between them."""

    index: int
    labels: Mapping[str, str]
    attributes: Mapping[str, tuple[str, ...]]
    edges: tuple[tuple[str, str, str], ...]
    """Subject id, predicate as written, object id."""

    def nodes(self) -> list[str]:
        """Ids of the entities that something is told of."""
        told = {one for subject, _, other in self.edges for one in (subject, other)} | set(self.attributes)
        return [one for one in self.labels if one in told]


@dataclass(frozen=True, slots=True)
class Line:
    """A sentence p_i^j of an entity, with the frames that it holds for (both belong to it)."""

    first: int
    last: int
    text: str


@dataclass(frozen=True, slots=True)
class Life:
    """What is told of one entity, or a part of it, in time order."""

    id: str
    label: str
    lines: tuple[Line, ...]


def detect_request(frames: Sequence[tuple[int, float, Picture]], box_order: str) -> ModelRequest:
    """The boxes of some frames: number, time and picture of each."""
    parts: list[str | Picture] = [_json({"box": box_order})]
    for index, timestamp_s, picture in frames:
        parts += [_json({"frame": index, "t": round(timestamp_s, 2)}), picture]
    return ModelRequest(load("detect"), tuple(parts), max_output_tokens=MAX_OUTPUT_TOKENS)


def describe_request(
    targets: Sequence[int], frames: Sequence[ShownFrame], things: Mapping[str, Thing], batch: int, box_order: str
) -> ModelRequest:
    """(V_i, F_i) = g_m(s_fd, x_i) for some targets: their window's pictures and the map from colours to ids.

    Args:
        targets: frame indexes.
        frames: targets and the frames around them, in time order.
        things: all entities of these frames.
        batch: which 24 entities a frame's picture shows.
        box_order: of a new entity's box.
    """
    shown = {
        frame.index: [one for one in frame.ids if things[one].batch == batch]
        for frame in frames
        if batch < len(frame.pictures)
    }
    ids = sorted({one for of_frame in shown.values() for one in of_frame}, key=int)
    entities = [{"id": one, "label": things[one].label, "color": things[one].color} for one in ids]
    parts: list[str | Picture] = [_json({"targets": list(targets), "box": box_order, "entities": entities})]
    for frame in frames:
        if frame.index in shown:
            head = {"frame": frame.index, "t": round(frame.timestamp_s, 2), "target": frame.index in targets}
            parts += [_json({**head, "shown": shown[frame.index]}), frame.pictures[batch]]
    return ModelRequest(load("describe"), tuple(parts), max_output_tokens=MAX_OUTPUT_TOKENS)


def graph_request(frames: Sequence[DescribedFrame]) -> ModelRequest:
    """G_i(V_i, E_i) = g_l(V_i, F_i, s_g) for some frames: text only."""
    rows = [
        {"i": frame.index, "t": round(frame.timestamp_s, 2), "ids": frame.labels, "text": frame.text}
        for frame in frames
    ]
    return ModelRequest(load("graph"), (_json({"frames": rows}),), max_output_tokens=MAX_OUTPUT_TOKENS)


def sentence_request(frames: Sequence[FrameGraph]) -> ModelRequest:
    """p_i^j = g_l(n_i^j, {e_i}, s_d) for the nodes of some frames."""
    rows = [
        {
            "i": frame.index,
            "nodes": {one: {"label": frame.labels[one], "has": frame.attributes.get(one, ())} for one in frame.nodes()},
            "edges": frame.edges,
        }
        for frame in frames
    ]
    return ModelRequest(load("sentence"), (_json({"frames": rows}),), max_output_tokens=MAX_OUTPUT_TOKENS)


def events_request(lives: Sequence[Life]) -> ModelRequest:
    """z^j = g_l({p_i^j}, s_e) for some entities, or parts of their lives."""
    rows = [
        {"id": life.id, "label": life.label, "lines": [(line.first, line.last, line.text) for line in life.lines]}
        for life in lives
    ]
    return ModelRequest(load("events"), (_json({"entities": rows}),), max_output_tokens=MAX_OUTPUT_TOKENS)


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
