"""The same text asked again: the gate lets it through without planning it twice, and is as strict as before."""

from __future__ import annotations

import pytest

from ravu_kg.errors import GraphError, UsageError
from ravu_kg.graph.store import Store

pytestmark = pytest.mark.neo4j


def test_a_parameter_of_a_wrong_type_is_placed_right_though_the_text_is_known(store: Store) -> None:
    text = "RETURN toUpper($word) AS again"
    assert store.query_readonly(text, {"word": "dog"}).rows == [{"again": "DOG"}]
    with pytest.raises(GraphError) as caught:
        store.query_readonly(text, {"word": 7})
    assert "line 1, column 16" in str(caught.value)
    shown, caret = str(caught.value).split("\n")[1:]
    assert shown[len(caret) - 1 :].startswith("$word")


def test_a_missing_parameter_is_named_though_the_text_is_known(store: Store) -> None:
    text = "RETURN $once AS twice"
    assert store.query_readonly(text, {"once": 1}).rows == [{"twice": 1}]
    with pytest.raises(UsageError, match=r"\$once"):
        store.query_readonly(text, {})


def test_what_was_refused_is_refused_again(store: Store) -> None:
    for text in ("CREATE (:Attack)", "LOAD CSV FROM 'file:///x' AS row RETURN row", "MATCH (e:Entty) RETURN e.id"):
        for _ in range(3):
            with pytest.raises(UsageError):
                store.query_readonly(text)


def test_a_note_is_told_each_time(store: Store) -> None:
    text = "MATCH (e:Entity) RETURN e.qqqq AS q LIMIT 1"
    told = [store.query_readonly(text).notes for _ in range(3)]
    assert [len(notes) for notes in told] == [1, 1, 1]
