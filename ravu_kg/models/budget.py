"""The ceiling of a run on tokens and cost: asked before each call, so that it is never passed."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass

from ravu_kg.errors import BudgetError, UsageError
from ravu_kg.models.limiter import Stopped
from ravu_kg.types import Usage

_LOOK_S = 0.1


@dataclass(frozen=True, slots=True)
class Ceiling:
    """What a run may come to; None for no limit.

    Raises:
        UsageError: a ceiling of zero or less, which would allow no call at all.
    """

    cost_usd: float | None = None
    tokens: int | None = None
    """Input and output together."""

    def __post_init__(self) -> None:
        for option, value in (("--max-cost", self.cost_usd), ("--max-tokens", self.tokens)):
            if value is not None and not value > 0:
                raise UsageError(
                    f"A ceiling of {value:g} allows no call of a model. Give {option} a number above zero, or use "
                    "--profile offline, which calls none."
                )


class Budget:
    """What was spent, and what calls that are under way may yet come to."""

    def __init__(self, ceiling: Ceiling, stopped: threading.Event) -> None:
        """Nothing is spent yet.

        Args:
            ceiling: what may be spent.
            stopped: ends all waiting.
        """
        self._ceiling = ceiling
        self._stopped = stopped
        self._spent = Usage()
        self._reserved: list[Usage] = []
        self._waiting: deque[object] = deque()
        self._changed = threading.Condition()

    @property
    def limited(self) -> bool:
        """Whether there is any ceiling, so that it matters what a call may come to."""
        return self._ceiling != Ceiling()

    @contextmanager
    def reserved(self, most: Usage) -> Generator[None]:
        """Hold back the most that a call may come to while it is under way.

        When that does not fit beside what other calls hold back, their end is waited for: a reply is mostly far shorter
        than the longest that is allowed.

        Raises:
            BudgetError: it does not fit into what is left.
            Stopped: the run has ended.
        """
        ticket = object()
        with self._changed:
            # In the order of arrival, so that what is left goes to the work that comes first.
            self._waiting.append(ticket)
            try:
                while self._waiting[0] is not ticket or not self._fits(most):
                    if self._stopped.is_set():
                        raise Stopped
                    if self._waiting[0] is ticket and not self._reserved:
                        raise BudgetError(self._reached(most))
                    self._changed.wait(_LOOK_S)
                self._reserved.append(most)
            finally:
                self._waiting.remove(ticket)
                self._changed.notify_all()
        try:
            yield
        finally:
            with self._changed:
                self._reserved.remove(most)
                self._changed.notify_all()

    def spend(self, usage: Usage) -> None:
        """Count what a call came to."""
        with self._changed:
            self._spent += usage

    def _fits(self, most: Usage) -> bool:
        after = sum(self._reserved, self._spent) + most
        return (self._ceiling.cost_usd is None or after.cost_usd <= self._ceiling.cost_usd) and (
            self._ceiling.tokens is None or after.input_tokens + after.output_tokens <= self._ceiling.tokens
        )

    def _reached(self, most: Usage) -> str:
        spent, ceiling = self._spent, self._ceiling
        limits = [f"${ceiling.cost_usd:g} (--max-cost, calls.max_cost_usd)"] if ceiling.cost_usd is not None else []
        limits += [f"{ceiling.tokens:,} tokens (--max-tokens, calls.max_tokens)"] if ceiling.tokens is not None else []
        return (
            f"The ceiling of {' and '.join(limits)} is reached: {spent.calls:,} calls came to "
            f"{spent.input_tokens + spent.output_tokens:,} tokens and ${spent.cost_usd:.4f}, and the next may come to "
            f"{most.input_tokens + most.output_tokens:,} tokens and ${most.cost_usd:.4f}. Everything so far is kept: "
            "run the same command with a higher ceiling, and it goes on from there."
        )
