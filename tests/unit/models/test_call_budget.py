from __future__ import annotations

import threading
import time

import pytest

from ravu_kg.errors import BudgetError, UsageError
from ravu_kg.models.budget import Budget, Ceiling
from ravu_kg.models.limiter import Stopped
from ravu_kg.types import Usage


def budget(**ceiling: float) -> Budget:
    return Budget(Ceiling(**ceiling), threading.Event())  # type: ignore[arg-type]


@pytest.mark.parametrize("ceiling", [{"cost_usd": 0}, {"cost_usd": -1}, {"tokens": 0}, {"cost_usd": float("nan")}])
def test_a_ceiling_that_allows_nothing_is_refused_at_once(ceiling: dict[str, float]):
    with pytest.raises(UsageError, match=r"allows no call of a model\. Give --max-"):
        Ceiling(**ceiling)  # type: ignore[arg-type]


def test_without_a_ceiling_anything_fits():
    free = budget()
    assert not free.limited
    with free.reserved(Usage(1, 10**12, 10**12, 1e9)):
        free.spend(Usage(1, 10**12, 10**12, 1e9))
    with free.reserved(Usage(1, 1, 1, 1)):
        pass


def test_a_call_that_may_pass_the_ceiling_is_not_begun_and_it_is_said_what_was_spent():
    limited = budget(tokens=1000, cost_usd=0.5)
    with limited.reserved(Usage(1, 300, 600, 0.1)):
        limited.spend(Usage(1, 300, 50, 0.05))
    with limited.reserved(Usage(1, 50, 600, 0.45)):
        pass
    with pytest.raises(BudgetError) as caught, limited.reserved(Usage(1, 51, 600, 0.1)):
        pytest.fail("the call was begun")
    message = str(caught.value)
    assert "$0.5 (--max-cost, calls.max_cost_usd) and 1,000 tokens (--max-tokens, calls.max_tokens)" in message
    assert "1 calls came to 350 tokens and $0.0500" in message
    assert "651 tokens" in message
    assert "higher ceiling" in message
    with pytest.raises(BudgetError), limited.reserved(Usage(1, 0, 0, 0.46)):
        pytest.fail("the call was begun")


def test_what_is_held_back_is_free_again_when_the_call_failed():
    limited = budget(tokens=100)
    with pytest.raises(RuntimeError), limited.reserved(Usage(1, 50, 50)):
        raise RuntimeError
    with limited.reserved(Usage(1, 50, 50)):
        pass


def test_calls_at_a_time_never_pass_the_ceiling_together_and_use_what_is_left():
    limited = budget(tokens=1000)
    running: list[int] = []
    most: list[int] = []
    failed: list[BudgetError] = []
    lock = threading.Lock()

    def call() -> None:
        try:
            with limited.reserved(Usage(1, 100, 300)):
                with lock:
                    running.append(1)
                    most.append(len(running))
                time.sleep(0.01)
                limited.spend(Usage(1, 100, 20))  # far less than it might have been
                with lock:
                    running.pop()
        except BudgetError as error:
            failed.append(error)

    threads = [threading.Thread(target=call) for _ in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert max(most) == 2
    assert len(most) == 6  # after six there are 280 left, which one more might pass
    assert len(failed) == 6


def test_who_waits_for_others_ends_with_the_run():
    stopped = threading.Event()
    limited = Budget(Ceiling(tokens=100), stopped)
    ended = threading.Event()

    def wait() -> None:
        with pytest.raises(Stopped), limited.reserved(Usage(1, 100, 0)):
            pytest.fail("the call was begun")
        ended.set()

    with limited.reserved(Usage(1, 100, 0)):
        thread = threading.Thread(target=wait)
        thread.start()
        assert not ended.wait(0.15)
        stopped.set()
        assert ended.wait(30)
    thread.join()
