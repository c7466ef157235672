from __future__ import annotations

import threading
from collections.abc import Iterator

import pytest

from ravu_kg.perception.detecting import ahead


def test_items_keep_their_order_and_all_arrive() -> None:
    assert list(ahead(range(50), 4)) == list(range(50))
    assert list(ahead(range(2), 4)) == [0, 1]
    assert list(ahead((), 4)) == []


def test_items_are_made_before_they_are_used_but_not_many() -> None:
    made: list[int] = []
    third = threading.Event()

    def items() -> Iterator[int]:
        for item in range(20):
            made.append(item)
            if item == 2:
                third.set()
            yield item

    taken = ahead(items(), 3)
    assert next(taken) == 0
    assert third.wait(30)
    assert len(made) <= 4
    taken.close()  # type: ignore[attr-defined]


def test_an_error_comes_where_its_item_would_have() -> None:
    def items() -> Iterator[int]:
        yield 1
        raise ValueError("broken")

    taken = ahead(items(), 4)
    assert next(taken) == 1
    with pytest.raises(ValueError, match="broken"):
        next(taken)


def test_left_early_nothing_more_is_made_than_what_is_being_made() -> None:
    made: list[int] = []
    second = threading.Event()
    left = threading.Event()

    def items() -> Iterator[int]:
        for item in range(20):
            if item == 1:
                second.set()
                left.wait(30)
            made.append(item)
            yield item

    taken = ahead(items(), 4)
    assert next(taken) == 0
    assert second.wait(30)
    threading.Timer(0.1, left.set).start()
    taken.close()
    assert made == [0, 1]
