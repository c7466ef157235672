"""Values on their way to and from the server."""

from __future__ import annotations

import math

import numpy as np
import pytest

from ravu_kg.graph.values import Rows, Vector, check, cypher_literal, elide_vectors, example, shown


def test_vectors_and_rows_have_a_short_repr_whatever_their_length() -> None:
    assert repr(Vector([0.1] * 768)) == "<768 floats>"
    assert repr(Rows([{"id": "a"}] * 1000)) == "<1000 rows>"


@pytest.mark.parametrize(
    ("value", "type_text", "sent"),
    [
        ("a", "STRING", "a"),
        (None, "STRING | NULL", None),
        (3, "INTEGER", 3),
        (3, "FLOAT", 3.0),
        (np.float32(0.5), "FLOAT", 0.5),
        (True, "BOOLEAN", True),
        ({"a": 1}, "MAP", {"a": 1}),
        ((1, 2.5), "LIST<FLOAT>", [1.0, 2.5]),
        (np.array([1.0, 2.0], dtype=np.float32), "LIST<FLOAT>", [1.0, 2.0]),
        (("a", "b"), "LIST<STRING>", ["a", "b"]),
        ([], "LIST<STRING>", []),
        ([None, "a"], "LIST<STRING | NULL>", [None, "a"]),
        ([{"a": 1}], "LIST<MAP>", [{"a": 1}]),
        ("x", "INTEGER | STRING", "x"),
        ([1, "a", {"b": [None]}], "ANY", [1, "a", {"b": [None]}]),
    ],
)
def test_values_of_the_declared_type_are_sent(value: object, type_text: str, sent: object) -> None:
    result = check(value, type_text, "$x")
    assert result == sent
    assert type(result) is type(sent) or isinstance(result, (Vector, Rows))


@pytest.mark.parametrize(
    ("value", "type_text"),
    [
        (None, "STRING"),
        (3, "STRING"),
        ("3", "INTEGER"),
        (True, "INTEGER"),
        (2**63, "INTEGER"),
        (True, "FLOAT"),
        ("0.5", "FLOAT"),
        (1, "BOOLEAN"),
        ([("a", 1)], "MAP"),
        ("abc", "LIST<STRING>"),
        ([0.5, None], "LIST<FLOAT>"),
        (np.zeros((2, 2)), "LIST<FLOAT>"),
        (["a", 1], "LIST<STRING>"),
        ([1], "LIST<MAP>"),
        ("\ud800", "STRING"),
        (object(), "ANY"),
        ({1: "a"}, "ANY"),
        ("a", "NODE"),
    ],
)
def test_values_of_another_type_are_refused(value: object, type_text: str) -> None:
    with pytest.raises(TypeError, match=r"^\$x must be "):
        check(value, type_text, "$x")


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "null"),
        (True, "true"),
        (7, "7"),
        (0.5, "0.5"),
        (1e-9, "1e-09"),
        (math.inf, "(1.0 / 0.0)"),
        (-math.inf, "(-1.0 / 0.0)"),
        (math.nan, "(0.0 / 0.0)"),
        ("it's", r"'it\'s'"),
        (["a", None], "['a', null]"),
        ({"a b": [1]}, "{`a b`: [1]}"),
        (np.zeros(70), "<70 floats>"),
    ],
)
def test_values_are_written_as_cypher(value: object, text: str) -> None:
    assert cypher_literal(value) == text


def test_what_has_no_literal_is_refused() -> None:
    with pytest.raises(TypeError, match="No Cypher literal"):
        cypher_literal(object())


def test_a_trace_shows_vectors_short() -> None:
    assert shown(np.zeros(768)) == "<768 floats>"
    assert shown(Vector([0.0] * 3)) == "<3 floats>"
    assert shown([0.0] * 100) == "<100 floats>"
    assert shown("a") == "a"
    assert elide_vectors({"a": [[0.5] * 64, 1], "b": [0.5] * 63}) == {"a": ["<64 floats>", 1], "b": [0.5] * 63}


@pytest.mark.parametrize("type_text", ["STRING", "INTEGER | NULL", "LIST<FLOAT>", "LIST<MAP>", "LIST<LIST<STRING>>"])
def test_examples_have_their_type(type_text: str) -> None:
    check(example(type_text), type_text, "$x")
