"""What the stages ask of whoever calls the models, and what happens when a model lets them down."""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Protocol, TypeVar

from pydantic import BaseModel

from ravu_kg.errors import RefusalError, ReplyError, UnansweredError
from ravu_kg.models.roles import Role
from ravu_kg.types import Coverage, ModelRequest

_log = logging.getLogger(__name__)
_A = TypeVar("_A")
_B = TypeVar("_B")
_Reply = TypeVar("_Reply", bound=BaseModel)
_Item = TypeVar("_Item")


class Calls(Protocol):
    """The part of :class:`ravu_kg.models.calls.ModelCalls` that is used here; an estimate has its own."""

    def has(self, role: Role) -> bool:
        """Whether a model has the role."""
        ...

    def name(self, role: Role) -> str:
        """Reference of the role's model."""
        ...

    def ask(self, role: Role, request: ModelRequest, reply: type[_Reply], *, salvage: bool = False) -> _Reply:
        """A checked reply."""
        ...

    def require_answers(self, role: Role) -> None:
        """Raise what failed last when not one request for a role was ever answered."""
        ...

    def in_order(self, work: Callable[[_A], _B], items: Iterable[_A]) -> Iterator[_B]:
        """The results of some work on each item, several at a time, in the order of the items."""
        ...


@dataclass(slots=True)
class Asked:
    """Calls of one run, and which of their failures are borne."""

    calls: Calls
    unanswered: list[UnansweredError] = field(default_factory=list[UnansweredError])
    """One for each item that is not known since nobody answered, and that another run may find out."""

    def ask(self, role: Role, request: ModelRequest, reply: type[_Reply]) -> _Reply:
        """A checked reply; of one that was cut off the part that arrived."""
        return self.calls.ask(role, request, reply, salvage=True)

    def settle(
        self, role: Role, items: Sequence[_Item], ask: Callable[[Sequence[_Item]], Collection[_Item]]
    ) -> dict[_Item, Coverage]:
        """Ask about items together, and find the ones that nothing can be learnt of.

        A refusal is narrowed down by halves to the items that cause it. Items that a reply leaves out, because it was
        cut off or is careless, are asked for once more without the others.

        Args:
            role: that is asked.
            items: that share a call.
            ask: makes the call, keeps what it learns, and gives the items that are complete.

        Returns:
            The items that stay unknown: ``blocked`` by a safety filter, or ``failed``.

        Raises:
            ProviderError: one that concerns the whole run: a key, a model that is not there, a ceiling, a reply that
                was not recorded, a server that answers none of several requests in a row.
        """
        return self._settled(role, items, ask, again=True)

    def _settled(
        self, role: Role, items: Sequence[_Item], ask: Callable[[Sequence[_Item]], Collection[_Item]], *, again: bool
    ) -> dict[_Item, Coverage]:
        if not items:
            return {}
        try:
            complete = ask(items)
        except RefusalError:
            if len(items) == 1:
                return {items[0]: "blocked"}
            half = len(items) // 2
            first, second = items[:half], items[half:]
            return self._settled(role, first, ask, again=again) | self._settled(role, second, ask, again=again)
        except UnansweredError as error:
            _log.warning("%d %s left out. %s", len(items), "entities are" if role == "events" else "frames are", error)
            if error.retryable:
                self.unanswered.extend([error] * len(items))
            return dict.fromkeys(items, "failed")
        except ReplyError:
            return dict.fromkeys(items, "failed")
        missing = [item for item in items if item not in complete]
        if not missing or not again:
            return dict.fromkeys(missing, "failed")
        return self._settled(role, missing, ask, again=False)
