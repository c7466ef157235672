"""The models while one question is answered: calls that may fail without losing it, and what they cost."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Protocol, TypeVar

from pydantic import BaseModel

from ravu_kg.errors import ProviderError, RefusalError, ReplyError
from ravu_kg.models.prices import PriceTable
from ravu_kg.models.roles import ASK_ROLES, Role
from ravu_kg.reasoning.records import ModelStep
from ravu_kg.types import ModelRequest, Usage

_T = TypeVar("_T", bound=BaseModel)
_Item = TypeVar("_Item")
_Result = TypeVar("_Result")
_REASON_CHARS = 160


class Calls(Protocol):
    """What is needed of :class:`ravu_kg.models.calls.ModelCalls`."""

    @property
    def usage(self) -> Mapping[str, Usage]:
        """By role, since it was opened."""
        ...

    def has(self, role: Role) -> bool:
        """Whether a model has the role."""
        ...

    def name(self, role: Role) -> str:
        """Reference of the role's model."""
        ...

    def accepts_images(self, role: Role) -> bool:
        """Whether it takes pictures."""
        ...

    def ask(
        self, role: Role, request: ModelRequest, reply: type[_T], *, check: Callable[[_T], str | None] | None = None
    ) -> _T:
        """A checked reply."""
        ...

    def in_order(self, work: Callable[[_Item], _Result], items: Iterable[_Item]) -> Iterator[_Result]:
        """Results in the order of the items, several at a time."""
        ...


class Session:
    """The models while one question is answered."""

    def __init__(self, calls: Calls, prices: PriceTable) -> None:
        self.calls = calls
        self._prices = prices
        self._before = dict(calls.usage)
        self._elapsed_s: dict[Role, float] = {}
        self._notes: list[str] = []
        self._lock = threading.Lock()

    @property
    def notes(self) -> tuple[str, ...]:
        """What the answer should say of models that failed, each once."""
        return tuple(dict.fromkeys(self._notes))

    def say(self, note: str) -> None:
        """Add a note."""
        self._notes.append(note)

    def has(self, role: Role) -> bool:
        """Whether a model has the role."""
        return self.calls.has(role)

    def ask(
        self,
        role: Role,
        request: ModelRequest,
        reply: type[_T],
        instead: str,
        check: Callable[[_T], str | None] | None = None,
    ) -> _T | None:
        """A checked reply, or None when rules have to decide, which the notes then say.

        A model that declines, replies what cannot be used, or is out of reach for now leaves the question answerable.
        What will not pass by itself (a wrong key, an unknown model, a spent budget) is raised.

        Args:
            role: whose model.
            request: without options to answer among.
            reply: what the reply has to be.
            instead: what the rules do in its place, for the note: ``"chose the entity"``.
            check: says what is wrong with a reply of the right form, or None.
        """
        started_s = time.perf_counter()
        try:
            return self.calls.ask(role, request, reply, check=check)
        except ProviderError as error:
            if not passes(error):
                raise
            self.say(f"{self.calls.name(role)} {why(error)}; rules {instead}.")
            return None
        finally:
            self._add(role, time.perf_counter() - started_s)

    @contextmanager
    def timed(self, role: Role) -> Generator[None]:
        """Counts what happens inside as time of a role, once, however many calls go on at a time."""
        with self._lock:
            before_s = self._elapsed_s.get(role, 0.0)
        started_s = time.perf_counter()
        try:
            yield
        finally:
            with self._lock:
                self._elapsed_s[role] = before_s + time.perf_counter() - started_s

    def steps(self) -> tuple[ModelStep, ...]:
        """What each role came to in this session."""
        return tuple(self._step(role) for role in ASK_ROLES if role in self._elapsed_s)

    def _step(self, role: Role) -> ModelStep:
        now, before = self.calls.usage.get(role, Usage()), self._before.get(role, Usage())
        spent = Usage(
            now.calls - before.calls,
            now.input_tokens - before.input_tokens,
            now.output_tokens - before.output_tokens,
            now.cost_usd - before.cost_usd,
        )
        model = self.calls.name(role)
        return ModelStep(role, model, spent, self._elapsed_s[role], self._prices.price(model) is not None)

    def _add(self, role: Role, elapsed_s: float) -> None:
        with self._lock:
            self._elapsed_s[role] = self._elapsed_s.get(role, 0.0) + elapsed_s


def passes(error: ProviderError) -> bool:
    """Whether the question can go on without this reply, and the next call may do better."""
    return isinstance(error, RefusalError | ReplyError) or error.retryable


def why(error: ProviderError) -> str:
    """A failure in a few words, after the model's name."""
    if isinstance(error, RefusalError):
        return "declined"
    said = " ".join(str(error).split()).rstrip(".")
    return f"failed: {said if len(said) <= _REASON_CHARS else said[:_REASON_CHARS].rstrip() + '…'}"
