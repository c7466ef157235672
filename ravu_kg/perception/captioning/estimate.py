"""What putting a video into words will cost, without a call: the whole run with stand-ins for the replies.

Every request is made as in the run itself, so that frames, entities, batches, pieces and pictures are counted and not
guessed. Only the length of what the models say is: the numbers below were read off the replies to one clip of ten
seconds with five entities, and rounded.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeVar, cast

import numpy as np
from pydantic import BaseModel

from ravu_kg.models.roles import INDEX_ROLES, Role
from ravu_kg.models.structured import schema_of
from ravu_kg.models.tokens import count_request, count_schema, count_text
from ravu_kg.perception.captioning.captioner import Captioner
from ravu_kg.perception.captioning.detection import FRAMES_PER_CALL
from ravu_kg.perception.captioning.replies import DetectReply
from ravu_kg.perception.captioning.requests import detect_request
from ravu_kg.perception.captioning.stretches import overlay
from ravu_kg.perception.geometry import Description
from ravu_kg.types import Image, ModelRequest, Usage, VideoInfo

_A = TypeVar("_A")
_B = TypeVar("_B")
_Reply = TypeVar("_Reply", bound=BaseModel)
_Json = dict[str, object]

_TEXT_TOKENS, _TEXT_TOKENS_PER_ENTITY = 25, 9
_THINGS_TOLD, _SHARE_ADDED, _ADDED_AT_LEAST = 4.0, 0.4, 0.4
"""A frame's description tells of about so many things; of those that are not tracked a part is added."""
_LOOK_TOKENS = 7
_ATTRIBUTES, _ATTRIBUTE_TOKENS = 5, 3
_EDGES_PER_ENTITY, _PREDICATE_TOKENS = 1.2, 3
_SENTENCE_TOKENS = 21
_LINES_PER_EVENT, _EVENT_TOKENS = 2.5, 14
_BOXES_PER_FRAME = 4
_NO_PIXELS: Image = np.zeros((0, 0, 3), dtype=np.uint8)


@dataclass(slots=True)
class StandIn:
    """Counts requests and gives replies of the usual length, in the place of ``ModelCalls``."""

    names: Mapping[Role, str]
    """Role -> reference of its model."""
    usage: dict[Role, Usage] = field(default_factory=dict[Role, Usage])
    _owed: float = 0.0
    """Parts of an added thing that frames before had too few of."""

    def has(self, role: Role) -> bool:
        """Whether a model has the role."""
        return role in self.names

    def name(self, role: Role) -> str:
        """Reference of the role's model."""
        return self.names[role]

    def require_answers(self, role: Role) -> None:
        """Nothing fails here."""

    def in_order(self, work: Callable[[_A], _B], items: Iterable[_A]) -> Iterator[_B]:
        """One after the other: nothing is waited for."""
        return map(work, items)

    def ask(self, role: Role, request: ModelRequest, reply: type[_Reply], *, salvage: bool = False) -> _Reply:
        """A reply of the usual length to a request that is counted."""
        said = self._said(role, request)
        self.count(role, request, reply, count_text(json.dumps(said, ensure_ascii=False, separators=(", ", ": "))))
        return reply.model_validate(said)

    def count(self, role: Role, request: ModelRequest, reply: type[BaseModel], output_tokens: int) -> None:
        """Add a call to what is used."""
        input_tokens = count_request(request, self.names[role]) + count_schema(schema_of(reply))
        self.usage[role] = self.usage.get(role, Usage()) + Usage(1, input_tokens, output_tokens)

    def _said(self, role: Role, request: ModelRequest) -> _Json:
        data = [cast("_Json", json.loads(part)) for part in request.parts if isinstance(part, str)]
        match role:
            case "describe":
                return {"frames": [self._seen(frame) for frame in data[1:] if frame["target"]]}
            case "graph":
                return {"frames": [_graph(frame) for frame in _rows(data[0], "frames")]}
            case "sentence":
                frames = _rows(data[0], "frames")
                return {
                    "sentences": [
                        {"i": frame["i"], "id": one, "text": f"{_words(_SENTENCE_TOKENS)} {frame['i']}"}
                        for frame in frames
                        for one in cast("_Json", frame["nodes"])
                    ]
                }
            case _:
                return {"events": [event for entity in _rows(data[0], "entities") for event in _events(entity)]}

    def _seen(self, frame: _Json) -> _Json:
        shown = cast("Sequence[str]", frame["shown"])
        self._owed += _ADDED_AT_LEAST + _SHARE_ADDED * max(0.0, _THINGS_TOLD - len(shown))
        added = int(self._owed)
        self._owed -= added
        tokens = _TEXT_TOKENS + _TEXT_TOKENS_PER_ENTITY * (len(shown) + added)
        new = [
            {"id": f"n{number}", "label": f"thing{number}", "look": _words(_LOOK_TOKENS), "box": _box(number)}
            for number in range(1, added + 1)
        ]
        return {"i": frame["frame"], "text": _words(tokens), "new": new}


@dataclass(frozen=True, slots=True)
class StageEstimate:
    """What one stage will come to."""

    stage: Role
    model: str
    usage: Usage


def estimate(
    description: Description, names: Mapping[Role, str], window_frames: int, detect_times_s: Sequence[float] = ()
) -> list[StageEstimate]:
    """What each stage will come to, in the order of the stages.

    Args:
        description: the measured one, whose tracks decide how many calls there are.
        names: role -> reference of its model; roles without a model are left out.
        window_frames: how many frames a target is seen among.
        detect_times_s: times of the frames that a model detects in; empty when a detector does.

    Raises:
        MissingExtraError: the tokenizer is not installed.
    """
    calls = StandIn(names)
    if calls.has("detect"):
        _detect(calls, description.scene.perception.video, detect_times_s)
    if calls.has("describe"):
        captioner = Captioner(description, "estimate", calls, window_frames, decode=False)
        for _ in captioner.windows(_silent):
            pass
        captioner.events(_silent)
    return [StageEstimate(role, names[role], calls.usage[role]) for role in INDEX_ROLES if role in calls.usage]


def _detect(calls: StandIn, video: VideoInfo, times_s: Sequence[float]) -> None:
    picture = overlay(_NO_PIXELS, video, ())
    said = count_text(json.dumps({"boxes": [{"label": "person", "box": [123, 456, 789, 987]}] * _BOXES_PER_FRAME}))
    for start in range(0, len(times_s), FRAMES_PER_CALL):
        frames = [(start + at, time_s, picture) for at, time_s in enumerate(times_s[start : start + FRAMES_PER_CALL])]
        calls.count("detect", detect_request(frames, ""), DetectReply, said * len(frames))


def _graph(frame: _Json) -> _Json:
    ids = list(cast("_Json", frame["ids"]))
    pairs = [(one, other) for one in ids for other in ids if one != other]
    edges = [
        {"s": one, "p": _words(_PREDICATE_TOKENS) + f" {number}", "o": other}
        for number, (one, other) in enumerate(pairs[: round(_EDGES_PER_ENTITY * len(ids))])
    ]
    has = [f"{_words(_ATTRIBUTE_TOKENS - 1)} {number}" for number in range(_ATTRIBUTES)]
    return {"i": frame["i"], "nodes": [{"id": one, "has": has} for one in ids], "edges": edges}


def _events(entity: _Json) -> Iterator[_Json]:
    lines = cast("Sequence[Sequence[int]]", entity["lines"])
    count = max(1, round(len(lines) / _LINES_PER_EVENT))
    for number in range(count):
        first = lines[number * len(lines) // count][0]
        yield {"id": entity["id"], "first": first, "last": first + 1, "text": f"{_words(_EVENT_TOKENS - 1)} {number}"}


def _rows(data: _Json, name: str) -> Sequence[_Json]:
    return cast("Sequence[_Json]", data[name])


def _box(number: int) -> list[int]:
    """Where the n-th added thing is in every frame, off the others."""
    return [100 * number, 100 * number, 100 * number + 50, 100 * number + 50]


def _words(tokens: int) -> str:
    """A text of so many tokens."""
    return " ".join(["word"] * tokens)


def _silent(_share: float) -> None:
    """Nobody waits for this."""
