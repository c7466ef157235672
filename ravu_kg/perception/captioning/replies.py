"""What the models of section 3.2 have to reply: one class a stage, its schema's title the stage's name.

Keys are short and nothing is nested without need, since output tokens are the dear ones. Each class has exactly one
list, so that what arrived of a reply that was cut off can be used. Ids are texts: those of the request (``"3"``), or
``"n1"``, ``"n2"``, ... for what the model adds. Nothing in a reply is trusted to be known, in range or in order.
"""

from __future__ import annotations

from typing import Annotated, cast

from pydantic import BaseModel, BeforeValidator, ConfigDict, JsonValue

_NO_BOX = 1e9  # far outside of any picture; integers of JSON may be too long for a float


def _strict(schema: dict[str, JsonValue]) -> None:
    """Every key required and none added, as servers with strict schemas ask; no words that say nothing."""
    properties = cast("dict[str, dict[str, JsonValue]]", schema["properties"])  # of an object schema, by pydantic
    for one in (*properties.values(), schema):
        one.pop("title", None)
        one.pop("default", None)
    schema["required"] = list[JsonValue](properties)
    schema["additionalProperties"] = False
    schema.pop("description", None)


def _named(stage: str) -> ConfigDict:
    def schema_extra(schema: dict[str, JsonValue]) -> None:
        _strict(schema)
        schema["title"] = stage

    return ConfigDict(title=stage, json_schema_extra=schema_extra)


class _Part(BaseModel):
    model_config = ConfigDict(json_schema_extra=_strict)


def _as_id(value: object) -> object:
    """``3``, ``"#3"`` and ``"3"`` are one id."""
    return str(value).strip().lstrip("#") if isinstance(value, str | int) else value


def _as_box(value: object) -> object:
    """Four numbers of any use, or no box: a bad box must not cost the rest of a reply."""
    items = cast("list[object]", value) if isinstance(value, list) else []  # items of unknown kind, looked at next
    numbers = [item for item in items if isinstance(item, int | float) and abs(item) < _NO_BOX]
    return numbers if len(numbers) == len(items) == 4 else None


def _as_list(value: object) -> object:
    """Nothing where a list was asked for is an empty list."""
    return [] if value is None else value


_Id = Annotated[str, BeforeValidator(_as_id)]
_Box = Annotated[list[float] | None, BeforeValidator(_as_box)]


class FoundBox(_Part):
    """Something detected in a frame."""

    label: str
    box: _Box


class DetectedFrame(_Part):
    """The boxes of one frame."""

    i: int
    boxes: list[FoundBox]


class DetectReply(BaseModel):
    """Reply of the stage ``detect``."""

    model_config = _named("detect")
    frames: list[DetectedFrame]


class NewThing(_Part):
    """Something that has no coloured box but matters."""

    id: _Id
    label: str
    look: str = ""
    box: _Box = None


class SeenFrame(_Part):
    """The description of one target frame, F_i; entities in it are marked ``#3`` or ``#n1``."""

    i: int
    text: str
    new: Annotated[list[NewThing], BeforeValidator(_as_list)] = []


class DescribeReply(BaseModel):
    """Reply of the stage ``describe``."""

    model_config = _named("describe")
    frames: list[SeenFrame]


class GraphNode(_Part):
    """An entity of a frame with its attributes."""

    id: _Id
    has: list[str]


class GraphEdge(_Part):
    """A relation of a frame: subject, predicate as written, object."""

    s: _Id
    p: str
    o: _Id


class GraphFrame(_Part):
    """The graph of one frame, G_i(V_i, E_i)."""

    i: int
    nodes: list[GraphNode]
    edges: Annotated[list[GraphEdge], BeforeValidator(_as_list)] = []


class GraphReply(BaseModel):
    """Reply of the stage ``graph``."""

    model_config = _named("graph")
    frames: list[GraphFrame]


class NodeSentence(_Part):
    """The sentence of one entity in one frame, p_i^j."""

    i: int
    id: _Id
    text: str


class SentenceReply(BaseModel):
    """Reply of the stage ``sentence``."""

    model_config = _named("sentence")
    sentences: list[NodeSentence]


class EntityEvent(_Part):
    """An event of one entity, of z^j, from its first to its last frame (both belong to it)."""

    id: _Id
    first: int
    last: int
    text: str


class EventsReply(BaseModel):
    """Reply of the stage ``events``."""

    model_config = _named("events")
    events: list[EntityEvent]
