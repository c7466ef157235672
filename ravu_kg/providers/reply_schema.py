"""JSON schemas of replies in the dialects that providers take.

What pydantic writes is more than OpenAI's strict mode and Gemini allow: defaults, ``oneOf``, keywords beside a
``$ref``, tuples. The schemas made here allow no reply that the original does not, but for bounds that a provider cannot
check; so whatever follows them can be read by the model that the original was made from.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import cast

Schema = dict[str, object]

_DROPPED = ("default", "discriminator", "examples", "deprecated", "readOnly", "writeOnly")
_NOT_STRICT = ("minLength", "maxLength", "uniqueItems", "minProperties", "maxProperties", "contentEncoding")
"""Bounds that strict mode refuses; a reply that breaks them is found when it is read."""


def for_openai(schema: Mapping[str, object]) -> tuple[Schema, bool]:
    """The schema for OpenAI, and whether it can be strict.

    Strict: every object is closed and all its properties are required, so a property with a default is always written
    out. Objects with free keys cannot be strict; their schema is left open.
    """
    plain = _plain(_root(schema))
    if not _can_be_strict(plain):
        return plain, False
    return _walk(plain, _strict), True


def for_gemini(schema: Mapping[str, object]) -> Schema:
    """The schema for Gemini's ``response_json_schema``."""
    return _walk(_plain(_root(schema)), _without_const)


def in_words(schema: Mapping[str, object]) -> str:
    """An instruction that asks for JSON of a schema where a server cannot be told of it."""
    text = json.dumps(_plain(_root(schema)), ensure_ascii=False, separators=(",", ":"))
    return f"Reply with JSON alone, one value that follows this JSON schema, and nothing before or after it.\n{text}"


def title(schema: Mapping[str, object]) -> str:
    """The schema's title in the letters that OpenAI allows in a name."""
    name = "".join(letter if letter.isascii() and letter.isalnum() else "_" for letter in str(schema.get("title", "")))
    return name[:64] or "reply"


def _root(schema: Mapping[str, object]) -> Schema:
    """The schema with a reference at its root resolved, which pydantic writes for models that hold themselves."""
    reference = schema.get("$ref")
    if not isinstance(reference, str):
        return dict(schema)
    target: object = schema
    for key in reference.removeprefix("#/").split("/"):
        target = _object(target).get(key)
    return {**_object(target), **{key: value for key, value in schema.items() if key != "$ref"}}


def _plain(schema: Schema) -> Schema:
    return _walk(schema, _plain_node)


def _walk(schema: Schema, change: Callable[[Schema], Schema]) -> Schema:
    """A copy of a schema with a change made to it and to every schema inside it, innermost first."""
    walked: Schema = {}
    for key, value in schema.items():
        if key in ("properties", "$defs", "definitions"):
            walked[key] = {name: _walk(_object(inner), change) for name, inner in _object(value).items()}
        elif key in ("anyOf", "oneOf", "allOf", "prefixItems") and isinstance(value, list):
            walked[key] = [_walk(_object(inner), change) for inner in cast("list[object]", value)]
        elif key in ("items", "additionalProperties") and isinstance(value, dict):
            walked[key] = _walk(_object(value), change)  # pyright: ignore[reportUnknownArgumentType]
        else:
            walked[key] = value
    return change(walked)


def _plain_node(node: Schema) -> Schema:
    plain = {key: value for key, value in node.items() if key not in _DROPPED}
    if "oneOf" in plain:
        plain["anyOf"] = plain.pop("oneOf")
    together = plain.get("allOf")
    if isinstance(together, list) and len(cast("list[object]", together)) == 1:
        del plain["allOf"]
        plain = {**_object(cast("list[object]", together)[0]), **plain}
    if "$ref" in plain and len(plain) > 1:
        plain["anyOf"] = [{"$ref": plain.pop("$ref")}]
    if "prefixItems" in plain:
        plain = _list_of_places(plain)
    return plain


def _list_of_places(node: Schema) -> Schema:
    """A tuple as a list, whose length pydantic bounds; the type of a place is one of those of all places."""
    places = cast("list[object]", node["prefixItems"])
    kinds = [place for number, place in enumerate(places) if place not in places[:number]]
    rest = {key: value for key, value in node.items() if key != "prefixItems"}
    items = kinds[0] if len(kinds) == 1 else {"anyOf": kinds}
    return {**rest, "items": items}


def _strict(node: Schema) -> Schema:
    strict = {key: value for key, value in node.items() if key not in _NOT_STRICT}
    if strict.get("type") == "object" or "properties" in strict:
        properties = _object(strict.get("properties"))
        strict = {**strict, "properties": properties, "required": list(properties), "additionalProperties": False}
    return strict


def _can_be_strict(schema: Schema) -> bool:
    possible = schema.get("type") == "object"

    def look(node: Schema) -> Schema:
        nonlocal possible
        is_object = node.get("type") == "object"
        free = node.get("additionalProperties") not in (None, False) or (is_object and "properties" not in node)
        if free or "allOf" in node or "patternProperties" in node or not _says_something(node):
            possible = False
        return node

    _walk(schema, look)
    return possible


def _says_something(node: Schema) -> bool:
    return any(key in node for key in ("type", "anyOf", "$ref", "enum", "const", "properties"))


def _without_const(node: Schema) -> Schema:
    if "const" not in node:
        return node
    return {**{key: value for key, value in node.items() if key != "const"}, "enum": [node["const"]]}


def _object(value: object) -> Schema:
    # JSON schemas have text keys; narrowing from object cannot know that.
    return cast("Schema", value) if isinstance(value, dict) else {}
