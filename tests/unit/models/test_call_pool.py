from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
import weakref
from collections.abc import Iterator

import pytest

from ravu_kg.models.pool import in_order


def test_results_come_in_the_order_of_the_items_whatever_takes_longer():
    def work(item: int) -> int:
        time.sleep(0.02 if item % 4 == 0 else 0)
        return item * item

    assert list(in_order(work, range(40), 8)) == [item * item for item in range(40)]
    assert list(in_order(work, [], 8)) == []


def test_so_many_run_at_a_time_and_no_more():
    barrier = threading.Barrier(4, timeout=30)
    now: set[int] = set()

    def work(item: int) -> int:
        now.add(item)
        barrier.wait()  # passes only when four are there
        running = len(now)
        barrier.wait()
        now.discard(item)
        return running

    assert set(in_order(work, range(12), 4)) == {4}


def test_items_are_taken_only_a_few_ahead_of_the_results():
    taken = 0

    def items() -> Iterator[int]:
        nonlocal taken
        while taken < 1000:
            taken += 1
            yield taken

    results = in_order(lambda item: item, items(), 4)
    for expected in range(1, 51):
        assert next(results) == expected
        assert taken <= expected + 2 * 4


def test_items_are_let_go_when_they_are_done():
    class Item:
        pass

    alive: list[weakref.ref[Item]] = []

    def items() -> Iterator[Item]:
        for _ in range(100):
            item = Item()
            alive.append(weakref.ref(item))
            yield item
            del item

    most = 0
    for _ in in_order(lambda item: None, items(), 4):
        most = max(most, sum(one() is not None for one in alive))
    assert most <= 2 * 4 + 4


def test_the_first_failure_ends_it_after_the_results_before_it():
    begun: list[int] = []

    def work(item: int) -> int:
        begun.append(item)
        if item == 5:
            raise ValueError("five")
        time.sleep(0.02)
        return item

    given: list[int] = []
    with pytest.raises(ValueError, match="five"):
        given.extend(in_order(work, range(1000), 4))
    assert given == [0, 1, 2, 3, 4]
    assert max(begun) < 5 + 2 * 4


def test_a_failure_is_raised_even_if_a_later_item_failed_first():
    second_failed = threading.Event()

    def work(item: int) -> int:
        if item == 0:
            second_failed.wait(30)
            raise ValueError("first")
        second_failed.set()
        raise ValueError("second")

    with pytest.raises(ValueError, match="first"):
        list(in_order(work, range(2), 2))


def test_an_error_of_the_items_themselves_is_raised():
    def items() -> Iterator[int]:
        yield 1
        raise OSError("cannot read on")

    with pytest.raises(OSError, match="cannot read on"):
        list(in_order(lambda item: item, items(), 2))


def test_who_stops_listening_waits_for_nothing():
    release = threading.Event()
    results = in_order(lambda item: item if item == 0 else release.wait(60), range(8), 4)
    began_s = time.monotonic()
    assert next(results) == 0
    results.close()  # type: ignore[attr-defined]
    assert time.monotonic() - began_s < 30
    release.set()


def test_ctrl_c_ends_the_program_at_once_with_calls_under_way():
    code = (
        "import os, time; from ravu_kg.models.pool import in_order\n"
        "def work(item):\n    os.write(1, b'begun\\n'); time.sleep(90)\n"  # a line in one piece: print writes two
        "try:\n    list(in_order(work, range(100), 4))\n"
        "except KeyboardInterrupt:\n    print('interrupted', flush=True)"
    )
    child = subprocess.Popen(
        [sys.executable, "-c", code],
        stdout=subprocess.PIPE,
        text=True,
        # A shell in the background makes its children ignore the signal.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )
    assert child.stdout is not None
    with child.stdout:
        for _ in range(4):
            assert child.stdout.readline() == "begun\n"
        os.kill(child.pid, signal.SIGINT)
        assert child.wait(30) == 0
        assert child.stdout.read() == "interrupted\n"
