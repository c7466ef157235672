"""The one place where a model's text becomes a checked record: nothing behind it sees raw replies."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import cache
from typing import TypeVar, cast, get_origin

from pydantic import BaseModel, ValidationError

from ravu_kg.types import ModelReply, ModelRequest

Reply = TypeVar("Reply", bound=BaseModel)
Check = Callable[[Reply], str | None]
"""Says what is wrong with a reply of the right form, or None."""

_FENCE = re.compile(r"```[\w-]*\s*\n(.*?)(?:\n\s*```|\Z)", re.DOTALL)
_THOUGHT = re.compile(r"\A\s*<think>.*?</think>", re.DOTALL)
_BRACKET = re.compile(r"[{\[]")
_BRACKET_OF_LINE = re.compile(r"^[{\[]", re.MULTILINE)
_CONTROL = re.compile(r"\\\\|\\u00[01][0-9a-f]|\\[bfr]")
"""Escapes of control characters but for tabs and new lines; an escaped backslash is matched to be stepped over."""
_UNSEEN = dict.fromkeys([*range(0x7F, 0xA0), *range(0x202A, 0x202F), *range(0x2066, 0x206A)])
"""Further control characters, and those that override the direction of writing."""
_LONGEST_SHOWN = 6000  # characters of a faulty reply that the model is shown again
_PROBLEMS = 8
_MORE_TOKENS = 2


class InvalidReplyError(ValueError):
    """A reply that is not what was asked for; the message is for the model."""


def encodable(text: str) -> str:
    """The text as it can be stored and sent: halves of a surrogate pair are joined, a half alone is replaced.

    Models write such halves as escapes in JSON, mostly where an emoji was cut off.
    """
    if text.isascii():
        return text
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


@cache
def schema_of(reply: type[BaseModel]) -> Mapping[str, object]:
    """The JSON schema of a reply, its title the name of the stage: the class's own title, or its name in snake case."""
    title = reply.model_config.get("title") or re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", reply.__name__).lower()
    return {**reply.model_json_schema(), "title": title}


def parse(text: str, reply: type[Reply], check: Check[Reply] | None = None) -> Reply:
    """The record that a text holds: bare JSON, in a code fence, or with words around it.

    Raises:
        InvalidReplyError: there is none, or it has the wrong form.
    """
    problem = "The reply holds no JSON." if text.strip() else "The reply is empty."
    for value in _values(text):
        try:
            record = _validated(_wrapped(value, reply), reply)
        except InvalidReplyError as error:
            problem = str(error)
            continue
        if check and (wrong := check(record)):
            raise InvalidReplyError(wrong)
        return record
    raise InvalidReplyError(problem)


def salvage(text: str, reply: type[Reply], check: Check[Reply] | None = None) -> Reply | None:
    """The record with the complete and valid items of its one list, when the text was cut off or has bad items.

    None when not one item is left, or anything but the list is missing or wrong.
    """
    text = _THOUGHT.sub("", text)
    name = _list_field(reply)
    if name is None:
        return None
    others, at = _head(text, name)
    if others is None:
        return None
    items = [item for item in _items(text, at) if _is_valid({**others, name: [item]}, reply)]
    if not items:
        return None
    try:
        record = _validated({**others, name: items}, reply)
    except InvalidReplyError:
        return None
    return None if check and check(record) else record


def can_salvage(reply: type[BaseModel]) -> bool:
    """Whether a reply has exactly one list, so that it is clear what may be shortened."""
    return _list_field(reply) is not None


def asking_again(request: ModelRequest, faulty: ModelReply, problem: str) -> ModelRequest:
    """The request once more, with the faulty reply and what is wrong with it.

    The instructions stay as they are, so that they stay in the provider's cache.
    """
    shown = faulty.text[:_LONGEST_SHOWN]
    cut = faulty.finish == "length"
    advice = "It was cut off: say the same in fewer words." if cut else "Correct this and leave the rest as it is."
    told = (
        f"Your reply to this was:\n<reply>\n{shown}\n</reply>\nIt cannot be used. {problem} {advice} Reply again with "
        "the whole JSON and nothing else."
    )
    limit = request.max_output_tokens * (_MORE_TOKENS if cut else 1)
    return replace(request, parts=(*request.parts, told), max_output_tokens=limit)


def _values(text: str) -> Iterator[object]:
    """JSON values in a text, the likeliest first."""
    text = _THOUGHT.sub("", text).strip()
    for candidate in (text, *_FENCE.findall(text)):
        try:
            yield _loads(candidate)
        except ValueError:
            continue
        else:
            return
    found = _BRACKET.search(text)
    while found:
        try:
            value, end = _DECODER.raw_decode(text, found.start())
        except (ValueError, RecursionError):
            # Not into what failed: a part of a reply that was cut off is no reply. JSON mostly starts a line.
            found = _BRACKET_OF_LINE.search(text, found.end())
        else:
            yield value
            found = _BRACKET.search(text, end)


def _head(text: str, name: str) -> tuple[Mapping[str, object] | None, int]:
    """What comes before the list of that name, None without the list, and where its first item starts."""
    first = _BRACKET.search(text)
    if first and first[0] == "[":
        return {}, first.end()  # a bare list
    found = re.search(rf'"{re.escape(name)}"\s*:\s*\[', text)
    if first is None or found is None:
        return None, 0
    try:
        others = _loads(text[first.start() : found.start()].rstrip().rstrip(",") + "}")
    except ValueError:
        return None, 0
    # It starts with a brace, so it is an object, and its keys are text.
    return cast("dict[str, object]", others), found.end()


def _items(text: str, at: int) -> Iterator[object]:
    """The complete items of a list whose bracket opens just before a position."""
    while at < len(text):
        at = _skipped(text, at)
        try:
            item, end = _DECODER.raw_decode(text, at)
        except (ValueError, RecursionError):
            return
        at = _skipped(text, end)
        # A number without anything behind it may have lost its last digits.
        if at < len(text) or isinstance(item, dict | list | str):
            yield item
        if at >= len(text) or text[at] != ",":
            return
        at += 1


def _skipped(text: str, at: int) -> int:
    while at < len(text) and text[at].isspace():
        at += 1
    return at


def _wrapped(value: object, reply: type[BaseModel]) -> object:
    """A bare list where an object with one list was asked for."""
    name = _list_field(reply)
    if name is not None and isinstance(value, list):
        return {name: cast("list[object]", value)}  # JSON, so anything
    return value


def _list_field(reply: type[BaseModel]) -> str | None:
    fields = reply.model_fields.items()
    lists = [field.alias or name for name, field in fields if get_origin(field.annotation) in (list, tuple)]
    return lists[0] if len(lists) == 1 else None


def _is_valid(value: object, reply: type[BaseModel]) -> bool:
    try:
        _validated(value, reply)
    except InvalidReplyError:
        return False
    return True


def _validated(value: object, reply: type[Reply]) -> Reply:
    try:
        # As JSON, not as Python values: a list is a tuple there.
        return reply.model_validate_json(_plain(json.dumps(value, ensure_ascii=False)))
    except ValidationError as error:
        problems = [_said(problem["loc"], problem["msg"]) for problem in error.errors()]
    more = f" There are {len(problems) - _PROBLEMS} more such problems." if len(problems) > _PROBLEMS else ""
    raise InvalidReplyError(" ".join(problems[:_PROBLEMS]) + more)


def _plain(text: str) -> str:
    """JSON whose strings can be stored, and printed without moving the cursor or turning the line round."""
    shown = _CONTROL.sub(lambda found: found[0] if found[0] == "\\\\" else " ", encodable(text))
    return shown.translate(_UNSEEN)


def _said(where: tuple[int | str, ...], message: str) -> str:
    place = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in where).lstrip(".")
    return f"{place or 'The reply'}: {message.removeprefix('Value error, ')}."


def _refuse_constant(name: str) -> object:
    raise ValueError(f"{name} is no JSON")


_DECODER = json.JSONDecoder(parse_constant=_refuse_constant)


def _loads(text: str) -> object:
    try:
        return _DECODER.decode(text)
    except RecursionError as error:
        raise ValueError("nested too deeply") from error
