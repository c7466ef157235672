"""Calls of models that say what a test tells them to, checked as real ones are."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TypeVar

from pydantic import BaseModel, ValidationError

from ravu_kg.errors import ProviderError, ReplyError
from ravu_kg.models.roles import ASK_ROLES, Role
from ravu_kg.types import ModelRequest, Usage

_Reply = TypeVar("_Reply", bound=BaseModel)
_Item = TypeVar("_Item")
_Result = TypeVar("_Result")
Said = object | ProviderError


class ScriptedCalls:
    """One model for some roles. Replies are JSON values by stage, or errors; the last is said for ever."""

    def __init__(self, said: Mapping[str, list[Said]], roles: Iterable[Role] = ASK_ROLES, images: bool = False) -> None:
        self._said = {stage: list(replies) for stage, replies in said.items()}
        self._roles = set(roles)
        self._images = images
        self.requests: list[tuple[str, ModelRequest]] = []
        self.usage: dict[str, Usage] = {}
        self.batches = 0

    def has(self, role: Role) -> bool:
        return role in self._roles

    def name(self, role: Role) -> str:
        return f"test:{role}"

    def accepts_images(self, role: Role) -> bool:
        return self._images

    def ask(
        self,
        role: Role,
        request: ModelRequest,
        reply: type[_Reply],
        *,
        check: Callable[[_Reply], str | None] | None = None,
    ) -> _Reply:
        stage = str(reply.model_json_schema()["title"])
        self.requests.append((stage, request))
        replies = self._said[stage]
        said = replies.pop(0) if len(replies) > 1 else replies[0]
        if isinstance(said, ProviderError):
            raise said
        self.usage[role] = self.usage.get(role, Usage()) + Usage(1, 100, 10, 0.5)
        try:
            record = reply.model_validate(said)
        except ValidationError as error:
            raise ReplyError(str(error)) from error
        if check and (wrong := check(record)):
            raise ReplyError(wrong)
        return record

    def in_order(self, work: Callable[[_Item], _Result], items: Iterable[_Item]) -> Iterator[_Result]:
        listed = list(items)
        self.batches = len(listed)
        return map(work, listed)
