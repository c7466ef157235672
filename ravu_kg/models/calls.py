"""All calls of language models of one run: kept, counted, limited, tried again and checked."""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from concurrent.futures import Future
from copy import copy
from dataclasses import replace
from types import TracebackType
from typing import Self, TypeVar

from pydantic import BaseModel

from ravu_kg.errors import ProviderError, RefusalError, ReplayError, ReplyError, UnansweredError
from ravu_kg.models import pool, structured
from ravu_kg.models.assigning import Assigned, assign, require_prices
from ravu_kg.models.budget import Budget, Ceiling
from ravu_kg.models.health import Health
from ravu_kg.models.limiter import Limiter
from ravu_kg.models.prices import PriceTable
from ravu_kg.models.replies import Recorded, ReplyStore, key_of, stage_of
from ravu_kg.models.retrying import Schedule, complete
from ravu_kg.models.roles import ASK_ROLES, Role
from ravu_kg.models.spending import Spending, Spent
from ravu_kg.models.tokens import count_request
from ravu_kg.settings import Settings
from ravu_kg.types import ModelReply, ModelRequest, Usage

_Item = TypeVar("_Item")
_Result = TypeVar("_Result")
_Reply = TypeVar("_Reply", bound=BaseModel)


class ModelCalls:
    """The calls of one run: an index of one video, or a session of questions. Safe in threads; a context manager."""

    def __init__(
        self,
        assigned: Mapping[Role, Assigned],
        store: ReplyStore,
        spending: Spending,
        ceiling: Ceiling,
        prices: PriceTable,
        schedule: Schedule,
        concurrency: int,
        *,
        replay: bool,
        refresh: Collection[str],
        account: str,
    ) -> None:
        """See :meth:`open`."""
        self._assigned = assigned
        self._store = store
        self._spending = spending
        self._account = account
        self.spent_before: Mapping[str, Spent] = spending.of(account) if account else {}
        """What runs before this one spent on the account since :meth:`settle`, by role."""
        self._prices = prices
        self._schedule = schedule
        self._concurrency = concurrency
        self._replay = replay
        self._refresh = refresh
        self._stopped = threading.Event()
        self._budget = Budget(ceiling, self._stopped)
        self._limiters = {one.reference: Limiter(concurrency, self._stopped) for one in assigned.values()}
        self._health = {role: Health() for role in assigned}
        self._lock = threading.Lock()
        self._under_way: dict[bytes, Future[ModelReply]] = {}
        self._asked: set[bytes] = set()
        self._usage: dict[str, Usage] = {}
        self._replayed = 0
        self._video = ""

    @classmethod
    def open(
        cls,
        settings: Settings,
        roles: Iterable[Role],
        *,
        replay: bool = False,
        refresh: Collection[str] = (),
        account: str = "",
        max_cost_usd: float | None = None,
        max_tokens: int | None = None,
    ) -> ModelCalls:
        """Load the models of some roles, each model once; roles without a model are left out.

        Args:
            settings: models, calls, prices and the cache folder.
            roles: what models are needed for.
            replay: use recorded replies only, and no key.
            refresh: roles whose recorded replies are not used but made again, once in this run.
            account: what the calls are for. What is spent on it is noted with each call, and is known to the next run
                when this one is killed; see :attr:`spent_before`. Empty for what ends soon or is not gone on with.
            max_cost_usd: ceiling of this run instead of that of the settings.
            max_tokens: the same for input and output tokens together.

        Raises:
            MissingExtraError: a model's library is not installed.
            ConfigurationError: a model needs a key, is not known, accepts no images where its role needs them, or has
                no price while there is a ceiling on cost.
            UsageError: a ceiling of zero or less.
        """
        calls = settings.calls
        ceiling = Ceiling(
            calls.max_cost_usd if max_cost_usd is None else max_cost_usd,
            calls.max_tokens if max_tokens is None else max_tokens,
        )
        prices = PriceTable.today(settings.prices)
        assigned = assign(settings, roles, replay=replay)
        if ceiling.cost_usd is not None and not replay:
            require_prices(prices, dict.fromkeys(one.reference for one in assigned.values()))
        return cls(
            assigned,
            ReplyStore(settings.cache / "replies.sqlite"),
            Spending(settings.cache / "spending.sqlite"),
            ceiling,
            prices,
            Schedule(calls.retries, calls.timeout_s),
            calls.concurrency,
            replay=replay,
            refresh=refresh,
            account=account,
        )

    def about(self, video: str) -> ModelCalls:
        """The same calls, their replies noted as those of a video: they are forgotten when it is deleted.

        Args:
            video: its id, or :data:`ravu_kg.models.replies.LIBRARY` for what is about all videos.
        """
        of_video = copy(self)
        of_video._video = video
        return of_video

    @property
    def usage(self) -> Mapping[str, Usage]:
        """What this run spent, by role; replies from the store cost nothing."""
        with self._lock:
            return dict(self._usage)

    def settle(self) -> None:
        """What was spent on the account is noted elsewhere now."""
        if self._account:
            self._spending.forget(self._account)

    @property
    def replayed(self) -> int:
        """How many replies came from the store."""
        with self._lock:
            return self._replayed

    def total(self) -> Usage:
        """What this run spent."""
        return sum(self.usage.values(), Usage())

    def has(self, role: Role) -> bool:
        """Whether a language model has this role."""
        return role in self._assigned

    def accepts_images(self, role: Role) -> bool:
        """Whether the model of a role takes images; False without one."""
        return self.has(role) and self._assigned[role].accepts_images

    def name(self, role: Role) -> str:
        """The reference of a role's model, for the graph and the answer."""
        return self._assigned[role].reference

    def has_price(self, role: Role) -> bool:
        """Whether it is known what the model of a role costs."""
        return self._prices.price(self.name(role)) is not None

    def ask(
        self,
        role: Role,
        request: ModelRequest,
        reply: type[_Reply],
        *,
        salvage: bool = False,
        check: Callable[[_Reply], str | None] | None = None,
    ) -> _Reply:
        """A reply as a checked record.

        A reply that cannot be used is shown to the model once more, with what is wrong with it.

        Args:
            role: whose model is asked.
            request: without a schema it gets that of the reply.
            reply: what the reply has to be.
            salvage: when the second reply cannot be used either, the complete and valid items of its one list, or of
                that of the first, are enough.
            check: says what is wrong with a record of the right form, or None.

        Raises:
            RefusalError: the model or its safety filter declined.
            ReplyError: no reply could be used.
            BudgetError: the ceiling is reached.
            ReplayError: only recorded replies are used, and this one was not recorded.
            UnansweredError: this request was not answered, however often it was made, but others may be.
            ProviderError: the provider failed for good, or longer than it was waited for.
        """
        asked = request if request.schema is not None else replace(request, schema=structured.schema_of(reply))
        first = self._reply(role, asked)
        try:
            return structured.parse(first.text, reply, check)
        except structured.InvalidReplyError as error:
            problem = complaint = str(error)
        replies = [first]
        unanswered: UnansweredError | None = None
        try:
            second = self._reply(role, structured.asking_again(asked, first, complaint))
            replies.insert(0, second)
            return structured.parse(second.text, reply, check)
        except structured.InvalidReplyError as error:
            problem = str(error)
        except UnansweredError as error:  # more room than the model has may have been asked for
            problem, unanswered = str(error), error
        for one in replies if salvage else ():
            if record := structured.salvage(one.text, reply, check):
                return record
        if unanswered is not None and unanswered.retryable:
            raise unanswered
        if role in ASK_ROLES:
            # Else the same question would never be answered better. An index keeps what it has: see --from-stage.
            self._forget(role, (asked, structured.asking_again(asked, first, complaint)))
        raise ReplyError(
            f"{role}: {self.name(role)} gave no reply that can be used, asked twice. {problem} Use a larger model for "
            f"this role (models.{role})."
        )

    def is_kept(self, role: Role, request: ModelRequest, reply: type[BaseModel]) -> bool:
        """Whether :meth:`ask` would find a reply, or a refusal, that was kept."""
        asked = request if request.schema is not None else replace(request, schema=structured.schema_of(reply))
        return role not in self._refresh and self._store.get(key_of(self._assigned[role].key, asked)) is not None

    def latest(self, role: Role, count: int) -> list[Recorded]:
        """The latest replies of a role's model in the stage of that name, whatever they were about."""
        return self._store.latest(self.name(role), role, count)

    def text(self, role: Role, request: ModelRequest) -> str:
        """A reply as text, cut off or not; raises as :meth:`ask`, but for ReplyError."""
        return self._reply(role, request).text

    def in_order(self, work: Callable[[_Item], _Result], items: Iterable[_Item]) -> Iterator[_Result]:
        """Results of work that makes calls, in the order of the items, as many at a time as calls are.

        Items are taken when there is room for them, so that only a few are held at a time. After a failure no further
        item is begun: the results of those before it are given first, then it is raised.
        """
        return pool.in_order(work, items, self._concurrency)

    def require_answers(self, role: Role) -> None:
        """Raise what failed last when requests were made for a role and none was ever answered.

        Raises:
            ProviderError: that failure.
        """
        if self.has(role):
            self._health[role].require_answers()

    def close(self) -> None:
        """End the run: calls that wait are given up, calls that run are left to themselves."""
        self._stopped.set()
        self._store.close()
        self._spending.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _reply(self, role: Role, request: ModelRequest) -> ModelReply:
        """What the model says: from the store, from a call for the same that is under way, or from a call."""
        key = key_of(self._assigned[role].key, request)
        if self._video:
            self._store.note(key, self._video)
        mine = Future[ModelReply]()
        with self._lock:
            under_way = self._under_way.setdefault(key, mine)
        if under_way is not mine:
            reply = under_way.result()
            self._count_replayed()
            return reply
        try:
            reply = self._kept_or_called(role, request, key)
        except BaseException as error:
            mine.set_exception(error)
            raise
        else:
            mine.set_result(reply)
            return reply
        finally:
            with self._lock:
                del self._under_way[key]

    def _kept_or_called(self, role: Role, request: ModelRequest, key: bytes) -> ModelReply:
        if role not in self._refresh or key in self._asked:
            kept = self._store.get(key)
            if kept is not None:
                self._count_replayed()
                self._health[role].answered(now=False)
            if isinstance(kept, RefusalError):
                raise kept
            if kept is not None:
                return kept
        if self._replay:
            raise ReplayError(self._missed(role, request))
        return self._called(role, request, key)

    def _called(self, role: Role, request: ModelRequest, key: bytes) -> ModelReply:
        one = self._assigned[role]
        assert one.model is not None  # it was loaded unless only recorded replies are used
        with self._budget.reserved(self._most(one.reference, request)):
            try:
                reply = complete(one.model, request, role, self._limiters[one.reference], self._schedule, self._stopped)
            except RefusalError as refusal:
                if role not in ASK_ROLES:  # a question may be answered another time: filters change
                    self._keep(key, one.reference, request, refusal)
                self._health[role].answered()
                raise
            except ProviderError as error:
                raise self._health[role].judged(error) from error
            self._health[role].answered()
            reply = replace(reply, text=structured.encodable(reply.text))
            cost = self._prices.cost_usd(one.reference, reply.input_tokens, reply.output_tokens, reply.cached_tokens)
            usage = Usage(1, reply.input_tokens, reply.output_tokens, cost or 0.0)
            if self._account:
                self._spending.add(self._account, role, one.reference, usage, has_price=cost is not None)
            # Kept before it is used: whatever happens next, this call is never made again.
            self._keep(key, one.reference, request, reply)
            self._budget.spend(usage)
        with self._lock:
            self._usage[role] = self._usage.get(role, Usage()) + usage
        return reply

    def _keep(self, key: bytes, reference: str, request: ModelRequest, reply: ModelReply | RefusalError) -> None:
        self._store.put(key, reference, request, reply)
        self._asked.add(key)

    def _forget(self, role: Role, requests: Iterable[ModelRequest]) -> None:
        for request in requests:
            self._store.forget(key_of(self._assigned[role].key, request))

    def _most(self, reference: str, request: ModelRequest) -> Usage:
        if not self._budget.limited:  # counting takes a while
            return Usage()
        counted = count_request(request, reference)
        cost = self._prices.cost_usd(reference, counted, request.max_output_tokens)
        return Usage(1, counted, request.max_output_tokens, cost or 0.0)

    def _count_replayed(self) -> None:
        with self._lock:
            self._replayed += 1

    def _missed(self, role: Role, request: ModelRequest) -> str:
        reference = self._assigned[role].reference
        stage = stage_of(request) or "free text"
        near = self._store.nearest(reference, request)
        message = f"{role}: no reply was recorded for this request ({stage}) of {reference}."
        if near is None:
            return f"{message} Nothing was recorded in this cache at all. Run without --offline-replay once."
        return (
            f"{message} The nearest recorded one is of {near.model} ({near.stage or 'free text'}), {near.alike:.0%} "
            f"alike: {near.difference}. Run without --offline-replay, or with the settings of the recorded run."
        )
