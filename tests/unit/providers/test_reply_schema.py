from __future__ import annotations

import copy
from typing import Annotated, Literal

import pytest
from jsonschema import Draft202012Validator, ValidationError
from pydantic import BaseModel, Field, TypeAdapter

from ravu_kg.models.structured import schema_of
from ravu_kg.perception.captioning import replies as captioning
from ravu_kg.providers import reply_schema
from ravu_kg.reasoning.models import replies as reasoning
from tests.model_server.wire import check_strict


class Box(BaseModel):
    corner: tuple[float, float]
    label: str = Field(default="thing", description="what it is", max_length=20)


class Person(BaseModel):
    kind: Literal["person"]
    name: str | None = None


class Dog(BaseModel):
    kind: Literal["dog"]
    tricks: list[str] = Field(default_factory=list)


class Seen(BaseModel):
    """What is seen."""

    main: Box = Field(description="the largest")
    boxes: list[Box] = Field(default=[], min_length=0, max_length=9)
    who: Annotated[Person | Dog, Field(discriminator="kind")]
    default: int = 3
    title: str = "untitled"


class Tree(BaseModel):
    name: str
    children: list[Tree] = []


class Free(BaseModel):
    counts: dict[str, int]


WRITTEN_OUT = {
    "main": {"corner": [1, 2.5], "label": "dog"},
    "boxes": [{"corner": [3, 4], "label": "cat"}],
    "who": {"kind": "dog", "tricks": ["sit"]},
    "default": 4,
    "title": "a park",
}
REPLIES = [
    model
    for module in (captioning, reasoning)
    for model in vars(module).values()
    if isinstance(model, type)
    and issubclass(model, BaseModel)
    and model.__module__ == module.__name__
    and model.__name__.endswith("Reply")
]
CLOSED = [model for model in REPLIES if model is not reasoning.PlanReply]
"""But the plan, whose steps have arguments of any name."""


@pytest.mark.parametrize("model", [Seen, Tree, *CLOSED])
def test_strict_schemas_have_what_openai_asks_for(model: type[BaseModel]) -> None:
    schema, strict = reply_schema.for_openai(model.model_json_schema())
    assert strict
    check_strict(schema)
    Draft202012Validator.check_schema(schema)


@pytest.mark.parametrize("model", REPLIES)
def test_the_products_own_schemas_lose_nothing_on_the_way(model: type[BaseModel]) -> None:
    """So that tokens are counted on what is sent."""
    schema = schema_of(model)
    assert reply_schema.for_openai(schema)[0].keys() >= {"title", "properties", "required"}
    assert reply_schema.title(schema) == schema["title"]


def test_what_follows_the_strict_schema_can_be_read_by_the_model() -> None:
    schema, _ = reply_schema.for_openai(Seen.model_json_schema())
    Draft202012Validator(schema).validate(WRITTEN_OUT)
    read = Seen.model_validate(WRITTEN_OUT)
    assert (read.main.corner, read.default, read.who) == ((1, 2.5), 4, Dog(kind="dog", tricks=["sit"]))


@pytest.mark.parametrize(
    "change",
    [
        {"default": None},
        {"default": ...},
        {"main": {"corner": [1], "label": "dog"}},
        {"main": {"corner": [1, 2, 3], "label": "dog"}},
        {"who": {"kind": "cat"}},
        {"extra": 1},
    ],
    ids=["null", "left out", "too short", "too long", "unknown kind", "more keys"],
)
def test_what_the_model_cannot_read_does_not_follow_the_strict_schema(change: dict[str, object]) -> None:
    schema, _ = reply_schema.for_openai(Seen.model_json_schema())
    reply = {key: value for key, value in {**WRITTEN_OUT, **change}.items() if value is not ...}
    with pytest.raises(ValidationError):
        Draft202012Validator(schema).validate(reply)


def test_a_property_may_have_the_name_of_a_keyword() -> None:
    schema, _ = reply_schema.for_openai(Seen.model_json_schema())
    assert {"default", "title"} <= set(schema["properties"])  # type: ignore[call-overload]


def test_a_description_beside_a_reference_is_kept() -> None:
    schema, _ = reply_schema.for_openai(Seen.model_json_schema())
    assert schema["properties"]["main"] == {"anyOf": [{"$ref": "#/$defs/Box"}], "description": "the largest"}  # type: ignore[index]


def test_a_schema_that_holds_itself_has_its_root_resolved() -> None:
    given = {"$ref": "#/$defs/Tree", "$defs": Tree.model_json_schema()["$defs"]}
    schema, strict = reply_schema.for_openai(given)
    assert strict
    assert schema["type"] == "object"
    Draft202012Validator(schema).validate({"name": "a", "children": [{"name": "b", "children": []}]})


def test_objects_with_free_keys_are_not_strict_but_sent() -> None:
    schema, strict = reply_schema.for_openai(Free.model_json_schema())
    assert not strict
    Draft202012Validator(schema).validate({"counts": {"dog": 2}})
    assert not reply_schema.for_openai(TypeAdapter(list[int]).json_schema())[1]


def test_gemini_gets_no_keyword_that_it_does_not_know() -> None:
    def keywords(node: object, inside: str = "") -> set[str]:
        if isinstance(node, list):
            return set().union(*(keywords(item) for item in node)) if node else set()
        if not isinstance(node, dict):
            return set()
        names = set() if inside in ("properties", "$defs") else set(node)
        return names.union(*(keywords(value, key if names else "") for key, value in node.items()))

    schema = reply_schema.for_gemini(Seen.model_json_schema())
    assert not keywords(schema) & {"default", "discriminator", "const", "oneOf", "prefixItems"}
    Draft202012Validator(schema).validate(WRITTEN_OUT)


def test_the_schema_that_is_given_is_left_as_it_is() -> None:
    given = Seen.model_json_schema()
    before = copy.deepcopy(given)
    reply_schema.for_openai(given)
    reply_schema.for_gemini(given)
    reply_schema.in_words(given)
    assert given == before


@pytest.mark.parametrize(
    ("title", "name"), [("plan", "plan"), ("Why? Oh.", "Why__Oh_"), ("", "reply"), ("ä", "_"), ("x" * 99, "x" * 64)]
)
def test_names_of_schemas_have_the_letters_that_openai_allows(title: str, name: str) -> None:
    assert reply_schema.title({"title": title}) == name
