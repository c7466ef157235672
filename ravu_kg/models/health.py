"""Which of two things has failed: one request, or whoever should answer all of them."""

from __future__ import annotations

import threading

from ravu_kg.errors import ProviderError, UnansweredError

OUTAGE = 3
"""So many requests without an answer, one after the other, are no matter of a single request any more."""


class Health:
    """What became of the requests of one role, in the order in which they ended. Safe in threads."""

    def __init__(self) -> None:
        """Nothing was asked yet."""
        self._lock = threading.Lock()
        self._answers = 0
        self._in_a_row = 0
        self._last: ProviderError | None = None

    def answered(self, *, now: bool = True) -> None:
        """A request was answered: in this run, or (``now`` is false) in an earlier one, which kept the reply."""
        with self._lock:
            self._answers += 1
            if now:
                self._in_a_row = 0

    def judged(self, error: ProviderError) -> ProviderError:
        """What the end of a request is to be told as.

        Returns:
            An :class:`UnansweredError` when others may well be answered, so that the work can go on without this one;
            the error itself when it is about the key, the model or a limit, or the third in a row.
        """
        if not (error.request_only or (error.retryable and not error.rate_limited)):
            return error
        with self._lock:
            self._in_a_row += 1
            self._last = error
            if self._in_a_row >= OUTAGE:
                return error
        return UnansweredError(
            str(error),
            retryable=error.retryable,
            retry_after_s=error.retry_after_s,
            request_only=error.request_only,
        )

    def require_answers(self) -> None:
        """Raise the last failure when requests were made and not one was ever answered."""
        with self._lock:
            if self._last is not None and not self._answers:
                raise self._last
