"""What a planning model is told of the functions, made from the argument models of the plan so that both agree."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import cast

from ravu_kg.reasoning.plan import FUNCTIONS

_Schema = Mapping[str, object]


@cache
def function_catalogue() -> str:
    """One line a function: its arguments, ``?`` after those that may be left out, and what it does."""
    lines: list[str] = []
    for name, model in FUNCTIONS.items():
        schema = cast(_Schema, model.model_json_schema(by_alias=True))  # JSON, which pydantic types as Any
        lines.append(f"{name}({_fields(schema, schema)}): {schema['description']}")
    return "\n".join(lines)


@cache
def argument_schema() -> _Schema:
    """JSON schema of the arguments of any function: all of them together, none required.

    Which function takes which, and which words, is said by the catalogue and checked by
    :func:`ravu_kg.reasoning.plan.parse_plan`; a schema that said it again would cost more tokens than the examples.
    """
    properties: dict[str, object] = {}
    for model in FUNCTIONS.values():
        schema = cast(_Schema, model.model_json_schema(by_alias=True))  # JSON, which pydantic types as Any
        for name, field in _mapping(schema.get("properties")).items():
            properties.setdefault(name, _plain(_mapping(field), schema))
    # Free keys keep a provider from demanding every argument of every function.
    return {"type": "object", "properties": properties, "additionalProperties": True}


def _fields(schema: _Schema, root: _Schema) -> str:
    required = cast(list[str], schema.get("required", []))  # JSON schema's own list of names
    return ", ".join(
        f"{name}{'' if name in required else '?'}{_kind(_mapping(field), root)}"
        for name, field in _mapping(schema.get("properties")).items()
    )


def _kind(field: _Schema, root: _Schema) -> str:
    """How a field is written, with its colon; nothing for a text."""
    field, kinds = _without_null(field), _kinds(field)
    target = _resolved(field, root)
    if "properties" in target:
        return f": {{{_fields(target, root)}}}"
    if "enum" in target:
        return ": " + "|".join(str(one) for one in cast(list[object], target["enum"]))  # JSON schema's own list
    if kinds == {"number", "string"}:
        return ": time"
    return {"number": ": seconds", "integer": ": integer"}.get(str(target.get("type")), "")


def _plain(field: _Schema, root: _Schema) -> dict[str, object]:
    """A field without titles, limits and defaults; references are put in place."""
    field, kinds = _without_null(field), _kinds(field)
    target = _resolved(field, root)
    if "properties" in target:
        fields = _mapping(target.get("properties"))
        return {"type": "object", "properties": {name: _plain(_mapping(one), root) for name, one in fields.items()}}
    if kinds == {"number", "string"}:
        return {"type": "string"}  # a number may be written as a text; a choice of two types costs three times as much
    return {"type": target.get("type", "string")}


def _kinds(field: _Schema) -> set[str]:
    return {str(one["type"]) for one in _choices(field) if one.get("type") not in (None, "null")}


def _without_null(field: _Schema) -> _Schema:
    """A field that may be null as what it is when it is not."""
    choices = [one for one in _choices(field) if one.get("type") != "null"]
    return choices[0] if len(choices) == 1 else field


def _choices(field: _Schema) -> list[_Schema]:
    return cast(list[_Schema], field.get("anyOf", []))  # JSON schema's own list of schemas


def _resolved(field: _Schema, root: _Schema) -> _Schema:
    reference = str(field.get("$ref", ""))
    return _mapping(_mapping(root["$defs"])[reference.rpartition("/")[2]]) if reference else field


def _mapping(value: object) -> _Schema:
    return cast(_Schema, value or {})  # JSON schema: always an object where this is called
