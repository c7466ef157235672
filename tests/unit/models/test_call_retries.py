"""One call with its further attempts, and how many run at a time."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

import pytest
from fake_models import FakeModel, reply

from ravu_kg.errors import ProviderError, RefusalError
from ravu_kg.models.limiter import Limiter, Stopped
from ravu_kg.models.retrying import Schedule, complete
from ravu_kg.types import ModelReply, ModelRequest

REQUEST = ModelRequest("do", ("it",))
FAST = Schedule(retries=3, timeout_s=5, first_wait_s=0.001, longest_wait_s=0.01, patience_s=5)


def call(model: FakeModel, schedule: Schedule = FAST, limiter: Limiter | None = None, stopped=None) -> ModelReply:
    stopped = stopped or threading.Event()
    return complete(model, REQUEST, "graph", limiter or Limiter(8, stopped), schedule, stopped)


def failing(times: int, error: ProviderError) -> Callable[[ModelRequest, int], ModelReply]:
    def answer(_request: ModelRequest, number: int) -> ModelReply:
        if number < times:
            raise error
        return reply("done")

    return answer


def test_a_failure_that_may_pass_is_tried_again_up_to_the_limit():
    model = FakeModel(failing(3, ProviderError("broken", retryable=True)))
    assert call(model).text == "done"
    assert len(model.requests) == 4
    model = FakeModel(failing(4, ProviderError("broken", retryable=True)))
    with pytest.raises(ProviderError, match=r"graph: fake:model: .*broken .*Run the same command later") as caught:
        call(model)
    assert caught.value.retryable
    assert len(model.requests) == 4


@pytest.mark.parametrize("error", [ProviderError("bad key"), RefusalError("declined")])
def test_a_failure_for_good_is_raised_at_once(error: ProviderError):
    model = FakeModel(failing(1, error))
    with pytest.raises(type(error)) as caught:
        call(model)
    assert caught.value is error
    assert len(model.requests) == 1


def test_anything_else_than_an_error_of_the_provider_is_no_reason_to_try_again():
    def answer(_request: ModelRequest, _number: int) -> ModelReply:
        raise ZeroDivisionError

    model = FakeModel(answer)
    with pytest.raises(ZeroDivisionError):
        call(model)
    assert len(model.requests) == 1


def test_rate_limits_are_waited_for_longer_than_the_number_of_attempts():
    model = FakeModel(failing(40, ProviderError("too many", retryable=True, rate_limited=True)))
    assert call(model).text == "done"
    assert len(model.requests) == 41


def test_a_rate_limit_that_does_not_pass_ends_as_an_error_that_names_the_role_and_may_be_tried_later():
    model = FakeModel(failing(10**6, ProviderError("too many", retryable=True, rate_limited=True)))
    with pytest.raises(ProviderError, match=r"graph: fake:model: its rate limit did not pass") as caught:
        call(model, Schedule(retries=3, timeout_s=5, first_wait_s=0.01, longest_wait_s=0.02, patience_s=0.1))
    assert caught.value.retryable
    assert len(model.requests) > 4


@pytest.mark.parametrize(("rate_limited", "limit"), [(True, 2), (False, 8)])
def test_only_a_rate_limit_lowers_how_many_run_at_a_time(rate_limited: bool, limit: int):
    limiter = Limiter(8, threading.Event())
    model = FakeModel(failing(3, ProviderError("no", retryable=True, rate_limited=rate_limited)))
    call(model, limiter=limiter)
    assert limiter.limit == limit  # 8, 4, 2, 1, and one more for the answer


def test_a_wait_that_is_longer_than_the_patience_is_not_begun():
    error = ProviderError("tomorrow", retryable=True, rate_limited=True, retry_after_s=86400)
    model = FakeModel(failing(1, error))
    began_s = time.monotonic()
    with pytest.raises(ProviderError, match="tomorrow"):
        call(model)
    assert time.monotonic() - began_s < 30


@pytest.mark.parametrize("rate_limited", [True, False])
def test_the_wait_that_the_provider_names_is_kept(rate_limited: bool):
    error = ProviderError("wait", retryable=True, rate_limited=rate_limited, retry_after_s=0.2)
    model = FakeModel(failing(2, error))
    call(model)
    first, second, third = model.started_s
    assert second - first >= 0.2
    assert third - second >= 0.2


def test_without_one_the_waits_double_with_jitter():
    model = FakeModel(failing(4, ProviderError("broken", retryable=True)))
    call(model, Schedule(retries=4, timeout_s=5, first_wait_s=0.04))
    waits = [after - before for before, after in zip(model.started_s, model.started_s[1:], strict=False)]
    for wait, longest in zip(waits, (0.04, 0.08, 0.16, 0.32), strict=True):
        assert longest / 2 <= wait < longest + 5  # this machine may be busy


def test_a_call_that_hangs_is_given_up_at_its_deadline_and_tried_again():
    release = threading.Event()

    def answer(_request: ModelRequest, number: int) -> ModelReply:
        if number == 0:
            release.wait(60)
        return reply("done")

    model = FakeModel(answer)
    began_s = time.monotonic()
    assert call(model, Schedule(retries=3, timeout_s=0.1, first_wait_s=0.001)).text == "done"
    assert time.monotonic() - began_s < 30
    release.set()


def test_waiting_ends_with_the_run():
    stopped = threading.Event()
    model = FakeModel(failing(10**6, ProviderError("wait", retryable=True, rate_limited=True, retry_after_s=100)))
    threading.Timer(0.1, stopped.set).start()
    began_s = time.monotonic()
    with pytest.raises(Stopped):
        call(model, Schedule(retries=3, timeout_s=5), stopped=stopped)
    assert time.monotonic() - began_s < 30


# --- how many at a time


def run_all(limiter: Limiter, work: Callable[[int], None], threads: int) -> None:
    def one() -> None:
        with limiter.turn() as token:
            work(token)

    running = [threading.Thread(target=one) for _ in range(threads)]
    for thread in running:
        thread.start()
    for thread in running:
        thread.join()


def test_no_more_calls_run_than_the_limit():
    limiter = Limiter(3, threading.Event())
    now, most = [0], [0]
    lock = threading.Lock()

    def work(_token: int) -> None:
        with lock:
            now[0] += 1
            most[0] = max(most[0], now[0])
        time.sleep(0.02)
        with lock:
            now[0] -= 1

    run_all(limiter, work, 12)
    assert most[0] == 3


def test_an_overrun_halves_the_limit_once_for_all_calls_that_were_running():
    limiter = Limiter(8, threading.Event())
    barrier = threading.Barrier(8)

    def turned_away(token: int) -> None:
        barrier.wait()
        limiter.overrun(token, None)

    run_all(limiter, turned_away, 8)
    assert limiter.limit == 4
    with limiter.turn() as token:
        limiter.overrun(token, None)
    assert limiter.limit == 2


def test_the_limit_never_falls_below_one_and_grows_back_with_answers():
    limiter = Limiter(8, threading.Event())
    for _ in range(10):
        with limiter.turn() as token:
            limiter.overrun(token, None)
    assert limiter.limit == 1
    for _ in range(3):
        limiter.answered()
    assert 2 <= limiter.limit <= 3
    for _ in range(100):
        limiter.answered()
    assert limiter.limit == 8


def test_a_pause_that_the_server_asks_for_holds_all_calls_of_the_model():
    limiter = Limiter(8, threading.Event())
    with limiter.turn() as token:
        limiter.overrun(token, 0.2)
    began_s = time.monotonic()
    with limiter.turn():
        waited_s = time.monotonic() - began_s
    assert 0.19 <= waited_s < 0.6
