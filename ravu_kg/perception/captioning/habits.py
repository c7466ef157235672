"""How long a model's replies are: of the usual length, and of the length that its kept replies have.

The usual numbers were read off the replies to clips of a few seconds with none to five entities, of a terse and of a
talkative model, and lie between them.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, cast

from ravu_kg.models.replies import Recorded
from ravu_kg.models.structured import InvalidReplyError, parse
from ravu_kg.models.tokens import count_text
from ravu_kg.perception.captioning.replies import DescribeReply

Json = dict[str, object]
Stage = Literal["describe", "graph", "sentence", "events"]

LOOKED_AT = 60
"""Of a model's kept replies, the latest."""
_WIDEST = 6.0
"""No model is taken to be that much terser or more talkative."""

_TEXT_TOKENS, _TEXT_TOKENS_PER_ENTITY = 20, 16
_THINGS_TOLD, _SHARE_ADDED, _ADDED_AT_LEAST = 4.5, 0.4, 0.4
"""A frame's description tells of about so many things; of those that are not tracked a part is added."""
_LOOK_TOKENS = 8
_ATTRIBUTES, _ATTRIBUTE_TOKENS = 4, 3
_EDGES_PER_PAIR, _PREDICATE_TOKENS = 0.4, 3
_SENTENCE_TOKENS = 25
_LINES_PER_EVENT, _EVENT_TOKENS = 3.0, 14


@dataclass(frozen=True, slots=True)
class Habit:
    """What a model does more, or less, than is usual."""

    length: float = 1.0
    """Tokens of a reply to the same request, to the usual."""
    added: float = 0.0
    """Things that it adds to a frame beyond the usual."""


def usual_added(shown: int) -> float:
    """How many things are added to a frame in which so many entities are tracked."""
    return _ADDED_AT_LEAST + _SHARE_ADDED * max(0.0, _THINGS_TOLD - shown)


def usual_reply(stage: Stage, data: Sequence[Json], added: Sequence[int]) -> Json:
    """A reply of the usual length.

    Args:
        stage: that is asked.
        data: JSON of the request, in order.
        added: how many things to add to each target frame, in order; for ``describe``.
    """
    match stage:
        case "describe":
            targets = [frame for frame in data[1:] if frame["target"]]
            return {"frames": [_seen(frame, count) for frame, count in zip(targets, added, strict=True)]}
        case "graph":
            return {"frames": [_graph(frame) for frame in rows(data[0], "frames")]}
        case "sentence":
            return {
                "sentences": [
                    {"i": frame["i"], "id": one, "text": f"{_words(_SENTENCE_TOKENS)} {frame['i']}"}
                    for frame in rows(data[0], "frames")
                    for one in cast("Json", frame["nodes"])
                ]
            }
        case "events":
            return {"events": [event for entity in rows(data[0], "entities") for event in _events(entity)]}


def tokens_of(reply: Json) -> int:
    """Tokens of a reply as models write JSON."""
    return count_text(json.dumps(reply, ensure_ascii=False, separators=(", ", ": ")))


def habit_of(stage: Stage, recorded: Sequence[Recorded]) -> Habit:
    """What a model's kept replies of a stage tell of its habits: nothing without any, little when they are few."""
    seen = [one for one in (_compared(stage, reply) for reply in recorded) if one is not None]
    usual, frames = sum(one.usual for one in seen), sum(one.frames for one in seen)
    if not usual:
        return Habit()
    weight = len(seen) / (len(seen) + 1)
    length = min(_WIDEST, max(1 / _WIDEST, sum(one.spent for one in seen) / usual))
    added = sum(one.added for one in seen) / frames if frames else 0.0
    return Habit(length**weight, weight * added)


@dataclass(frozen=True, slots=True)
class _Compared:
    """Tokens and added things of a reply, and what is usual for its request."""

    spent: int
    usual: int
    added: float = 0.0
    """Beyond the usual, in all frames together."""
    frames: int = 0


def _compared(stage: Stage, recorded: Recorded) -> _Compared | None:
    """None for what cannot be compared: a reply that is not whole, or a request of another version."""
    try:
        data = list(_data(recorded.asked))
        if not data:
            return None
        if stage != "describe":
            return _Compared(recorded.output_tokens, tokens_of(usual_reply(stage, data, ())))
        targets = [frame for frame in data[1:] if frame["target"]]
        told = parse(recorded.text, DescribeReply).frames
        if len(told) != len(targets):
            return None
        new = [len(frame.new) for frame in told]
        usually = sum(usual_added(len(cast("Sequence[str]", frame["shown"]))) for frame in targets)
        return _Compared(
            recorded.output_tokens, tokens_of(usual_reply(stage, data, new)), sum(new) - usually, len(told)
        )
    except (InvalidReplyError, ValueError, KeyError, IndexError, TypeError, AttributeError):
        return None


def rows(data: Json, name: str) -> Sequence[Json]:
    """A list of objects in a request."""
    return cast("Sequence[Json]", data[name])


def _data(asked: str) -> Iterator[Json]:
    """The JSON of a request; nothing for one that asks again, since it is longer than the usual."""
    lines = asked.split("\n")
    end = next((at for at, line in enumerate(lines) if not line.startswith(("{", "[picture "))), len(lines))
    if lines[end : end + 1] == ["Your reply to this was:"]:
        return
    for line in lines[:end]:
        if line.startswith("{"):
            yield json.loads(line)


def _seen(frame: Json, added: int) -> Json:
    shown = cast("Sequence[str]", frame["shown"])
    tokens = _TEXT_TOKENS + _TEXT_TOKENS_PER_ENTITY * (len(shown) + added)
    new = [
        {"id": f"n{number}", "label": f"thing{number}", "look": _words(_LOOK_TOKENS), "box": _box(number)}
        for number in range(1, added + 1)
    ]
    return {"i": frame["frame"], "text": _words(tokens), "new": new}


def _graph(frame: Json) -> Json:
    ids = list(cast("Json", frame["ids"]))
    pairs = [(one, other) for one in ids for other in ids if one != other]
    edges = [
        {"s": one, "p": _words(_PREDICATE_TOKENS) + f" {number}", "o": other}
        for number, (one, other) in enumerate(pairs[: round(_EDGES_PER_PAIR * len(pairs))])
    ]
    has = [f"{_words(_ATTRIBUTE_TOKENS - 1)} {number}" for number in range(_ATTRIBUTES)]
    return {"i": frame["i"], "nodes": [{"id": one, "has": has} for one in ids], "edges": edges}


def _events(entity: Json) -> Iterator[Json]:
    lines = cast("Sequence[Sequence[int]]", entity["lines"])
    count = max(1, round(len(lines) / _LINES_PER_EVENT))
    for number in range(count):
        first = lines[number * len(lines) // count][0]
        yield {"id": entity["id"], "first": first, "last": first + 1, "text": f"{_words(_EVENT_TOKENS - 1)} {number}"}


def _box(number: int) -> list[int]:
    """Where the n-th added thing is in every frame, off the others."""
    return [100 * number, 100 * number, 100 * number + 50, 100 * number + 50]


def _words(tokens: int) -> str:
    """A text of so many tokens."""
    return " ".join(["word"] * tokens)
