"""What a run with models will cost, before a call is made: real requests to a few questions, counted and not sent."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from pydantic import BaseModel

from ravu_kg.errors import ReplyError
from ravu_kg.evaluation.bench import Bench
from ravu_kg.evaluation.methods import Method
from ravu_kg.evaluation.questions import Question, select
from ravu_kg.models.assigning import assign
from ravu_kg.models.prices import PriceTable, cost
from ravu_kg.models.roles import ASK_ROLES, Role, has_model, reference_of
from ravu_kg.models.structured import schema_of
from ravu_kg.models.tokens import count_request, count_schema
from ravu_kg.reasoning.models.choosing import Reasoners, by_models
from ravu_kg.reasoning.models.pictures import EvidencePictures
from ravu_kg.types import ModelRequest, Usage

_Item = TypeVar("_Item")
_Result = TypeVar("_Result")
_Reply = TypeVar("_Reply", bound=BaseModel)
SAMPLE = 12
"""Questions whose requests are made."""
_OUTPUT_TOKENS: Mapping[str, int] = {"plan": 160, "answer": 90}
"""Usual length of a reply; of the others :data:`_CHOICE`."""
_CHOICE = 40


@dataclass(frozen=True, slots=True)
class RoleCost:
    """What a role will come to."""

    role: str
    model: str
    usage: Usage
    cost_usd: float | None
    """None for a model without a price."""


def estimate(
    questions: Sequence[Question], videos: Mapping[str, str], method: Method, bench: Bench, *, seed: int = 0
) -> tuple[RoleCost, ...]:
    """What the questions will come to, from the requests of some of them; empty without a model.

    Where a later request depends on an earlier reply, rules stand in for the model, so that the plan is another one
    and the figure rough.

    Args:
        questions: that were chosen.
        videos: name in the data set -> id in the graph.
        method: how to answer.
        bench: the memory.
        seed: of the sample.

    Raises:
        MissingExtraError: the library that counts tokens is not installed.
        GraphError: Neo4j failed.
    """
    asked = [one for one in questions if one.video in videos]
    names: dict[Role, str] = {role: reference_of(bench.settings, role) for role in ASK_ROLES}
    names = {role: name for role, name in names.items() if has_model(bench.settings, role)}
    if not asked or not names:
        return ()
    with_pictures = {role for role, one in assign(bench.settings, names, replay=True).items() if one.accepts_images}
    calls = _Counted(names, with_pictures)
    sample = select(asked, limit=SAMPLE, seed=seed)
    counting = bench.answering(lambda: _reasoners(calls, bench))
    for one in sample:
        for _ in method.answers(counting, bench.reader.video(videos[one.video]), [one]):
            pass
    scale = len(asked) / len(sample)
    return tuple(_cost(role, names[role], used, scale, bench) for role, used in calls.used.items())


def _reasoners(calls: _Counted, bench: Bench) -> Reasoners:
    return by_models(calls, PriceTable.today(bench.settings.prices), EvidencePictures(bench.reader).of)


def _cost(role: Role, model: str, used: Usage, scale: float, bench: Bench) -> RoleCost:
    usage = Usage(round(used.calls * scale), round(used.input_tokens * scale), round(used.output_tokens * scale))
    return RoleCost(role, model, usage, cost(model, usage, bench.settings.prices))


class _Counted:
    """In the place of the calls: counts each request and gives no reply, so that rules decide and the plan goes on."""

    def __init__(self, names: Mapping[Role, str], with_pictures: Container[str]) -> None:
        self._names = names
        self._with_pictures = with_pictures
        self.used: dict[Role, Usage] = {}

    @property
    def usage(self) -> Mapping[str, Usage]:
        """Nothing is spent."""
        return {}

    def has(self, role: Role) -> bool:
        """Whether a model has the role."""
        return role in self._names

    def name(self, role: Role) -> str:
        """Reference of the role's model."""
        return self._names[role]

    def accepts_images(self, role: Role) -> bool:
        """Whether it takes pictures."""
        return role in self._with_pictures

    def ask(
        self,
        role: Role,
        request: ModelRequest,
        reply: type[_Reply],
        *,
        check: Callable[[_Reply], str | None] | None = None,
    ) -> _Reply:
        """Never gives a reply.

        Raises:
            ReplyError: always, which the reasoning takes for a model that cannot be used.
        """
        tokens = count_request(request, self._names[role]) + count_schema(schema_of(reply))
        used = Usage(1, tokens, _OUTPUT_TOKENS.get(role, _CHOICE))
        self.used[role] = self.used.get(role, Usage()) + used
        raise ReplyError("Only counted.")

    def in_order(self, work: Callable[[_Item], _Result], items: Iterable[_Item]) -> Iterator[_Result]:
        """One after the other: nothing is waited for."""
        return map(work, items)
