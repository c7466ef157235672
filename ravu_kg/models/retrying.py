"""One call with its further attempts: what may pass is tried again, a rate limit is waited for."""

from __future__ import annotations

import logging
import random
import threading
import time
from dataclasses import dataclass

import tenacity

from ravu_kg.deadline import LateError, within
from ravu_kg.errors import ProviderError
from ravu_kg.models.limiter import Limiter
from ravu_kg.protocols import LanguageModel
from ravu_kg.types import ModelReply, ModelRequest

_log = logging.getLogger(__name__)
_DOUBLINGS = 16  # of a wait; beyond that any wait is the longest


@dataclass(frozen=True, slots=True)
class Schedule:
    """When to try again."""

    retries: int
    """Further attempts after failures that may pass."""
    timeout_s: float
    """How long one attempt may take."""
    first_wait_s: float = 0.5
    """Doubled each time, with jitter."""
    longest_wait_s: float = 60.0
    patience_s: float = 1800.0
    """How long a rate limit is waited for, all attempts together."""


def complete(
    model: LanguageModel,
    request: ModelRequest,
    role: str,
    limiter: Limiter,
    schedule: Schedule,
    stopped: threading.Event,
) -> ModelReply:
    """A model's reply to a request, after as many attempts as it takes within the schedule.

    Raises:
        RefusalError: the model or its safety filter declined.
        ProviderError: it failed for good, or longer than the schedule allows; ``retryable`` tells which.
        Stopped: the run has ended.
    """
    failures = 0
    started_s = time.monotonic()

    def attempt() -> ModelReply:
        with limiter.turn() as token:
            try:
                reply = _in_time(model, request, schedule.timeout_s)
            except ProviderError as error:
                if error.rate_limited:
                    _log.warning("%s limits the rate of calls: fewer run at a time now.", model.name)
                    limiter.overrun(token, error.retry_after_s)
                raise
        limiter.answered()
        return reply

    def gives_up(state: tenacity.RetryCallState) -> bool:
        nonlocal failures
        error = _error(state)
        if error.rate_limited:
            return time.monotonic() - started_s + (error.retry_after_s or 0.0) > schedule.patience_s
        failures += 1
        return failures > schedule.retries

    def wait_s(state: tenacity.RetryCallState) -> float:
        backoff_s = min(schedule.longest_wait_s, schedule.first_wait_s * 2 ** min(state.attempt_number - 1, _DOUBLINGS))
        jittered_s = backoff_s * random.uniform(0.5, 1.0)
        asked_s = _error(state).retry_after_s
        return jittered_s if asked_s is None else asked_s + schedule.first_wait_s * random.random()

    retrying = tenacity.Retrying(
        retry=tenacity.retry_if_exception(lambda error: isinstance(error, ProviderError) and error.retryable),
        stop=gives_up,
        wait=wait_s,
        sleep=tenacity.sleep_using_event(stopped),
        reraise=True,
    )
    try:
        return retrying(attempt)
    except ProviderError as error:
        if not error.retryable:
            raise
        raise _exhausted(error, role, model.name, time.monotonic() - started_s) from error


def _exhausted(error: ProviderError, role: str, name: str, waited_s: float) -> ProviderError:
    why = "its rate limit did not pass" if error.rate_limited else "it failed again and again"
    return ProviderError(
        f"{role}: {name}: {why} for {waited_s:.0f} s: {error} Run the same command later: replies that were received "
        "are kept, and it goes on from there.",
        retryable=True,
        retry_after_s=error.retry_after_s,
        rate_limited=error.rate_limited,
    )


def _error(state: tenacity.RetryCallState) -> ProviderError:
    assert state.outcome is not None
    error = state.outcome.exception()
    assert isinstance(error, ProviderError)  # nothing else is tried again
    return error


def _in_time(model: LanguageModel, request: ModelRequest, timeout_s: float) -> ModelReply:
    """A reply, or an error in time even if the call hangs: a server that drips keeps every socket alive."""
    late_s = timeout_s + min(1.0, timeout_s)
    try:
        return within(late_s, lambda: model.complete(request, timeout_s), f"call of {model.name}")
    except LateError:
        raise ProviderError(
            f"{model.name} has not finished its reply within {timeout_s:g} s.", retryable=True
        ) from None
