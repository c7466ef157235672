"""Workers on a Ray cluster: one that runs, or one that is started on this machine for the run.

Detecting and writing are done by actors of their own, since only detectors need a GPU; a few embedders serve all
writers. An actor that is lost, by itself or with its machine, is replaced and its task done again. Nothing but video
files, detections and sentences goes from one to another, so all machines have to reach the videos under the same
paths, and the Neo4j server.
"""

# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false
# pyright: reportMissingTypeStubs=false
# Ray's remote calls have no types.

from __future__ import annotations

import logging
import math
import os
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self
from urllib.parse import urlsplit

from ravu_kg.engines.actors import Answer, DetectorActor, EmbedderActor, WriterActor
from ravu_kg.engines.child import Hello
from ravu_kg.engines.records import Chunking, Done, Failure, Kind, Lost, News, OnProgress, Task
from ravu_kg.errors import ConfigurationError, MissingExtraError, WorkerError
from ravu_kg.settings import Settings

if TYPE_CHECKING:
    from ray import ObjectRef

CHUNKS_A_WORKER = 4
_WRITERS_AN_EMBEDDER = 4
_POLL_S = 0.3
_PATIENCE_S = 300.0
"""How long no actor may be there at all before that is an error."""
_STORE_BYTES = 128 * 1024 * 1024
"""Of shared memory on this machine; what goes through it is small."""
_LOCAL = ("localhost", "127.0.0.1", "::1", "[::1]")

_log = logging.getLogger(__name__)


class OnRay:
    """A crew of actors. Use it as a context manager: it leaves no actor behind."""

    def __init__(self, settings: Settings, count: int | None, address: str | None) -> None:
        """Describe the crew; entering it starts it.

        Args:
            settings: of all actors.
            count: of detectors, and of writers; by default half of the cores of the cluster.
            address: of a cluster that runs (``auto``, ``HOST:PORT``, ``ray://HOST:PORT``); None starts one here.
        """
        self._settings, self._count, self._address = settings, count, address
        self.size = count or 1
        self._own = False
        self._members: list[_Member] = []
        self._embedders: list[Any] = []
        self._alive_s = time.monotonic()

    def __enter__(self) -> Self:
        """Connect, and start the actors; they load their models meanwhile.

        Raises:
            MissingExtraError: Ray is not installed.
            ConfigurationError: no cluster answers, or it has too few GPUs, or it cannot reach the graph.
        """
        ray = _ray()
        if not ray.is_initialized():
            self._connect()
            self._own = True
        try:
            self._start()
        except BaseException:  # Ctrl-C, too: what was started on the cluster must not stay there
            self.__exit__(None, None, None)
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        ray = _ray()
        for handle in [*(member.handle for member in self._members), *self._embedders]:
            with suppress(Exception):  # it may be gone already, in many ways
                ray.kill(handle)
        self._members.clear()
        self._embedders.clear()
        if self._own:
            ray.shutdown()

    def free(self, kind: Kind) -> bool:
        """Whether an actor of that kind is ready and does nothing."""
        return self._idle(kind) is not None

    def give(self, task: Task) -> None:
        """Let a free actor do a task."""
        member = self._idle(task.kind)
        assert member is not None  # as free() said
        member.task, member.answer = task, member.handle.do.remote(task)

    def wait(self, on_progress: OnProgress) -> Sequence[News]:
        """Wait until a task has come to its end, or an actor got ready.

        Raises:
            WorkerError: no actor gets ready.
        """
        ray = _ray()
        while True:
            waiting = {member.answer: member for member in self._members if member.answer is not None}
            done, _ = ray.wait(list(waiting), num_returns=len(waiting), timeout=0) if waiting else ([], [])
            if not done and waiting:
                done, _ = ray.wait(list(waiting), timeout=_POLL_S)
            news = [one for ref in done for one in self._heard(waiting[ref])]
            self._ask(on_progress)
            if any(member.is_ready for member in self._members):
                self._alive_s = time.monotonic()
            elif time.monotonic() - self._alive_s > _PATIENCE_S:
                raise WorkerError(
                    f"No worker got ready on Ray for {_PATIENCE_S:.0f} s. Look at `ray status`: are there machines, "
                    "and are the GPUs that [workers] asks for free?"
                )
            if done:
                return news

    def _heard(self, member: _Member) -> list[News]:
        """What became of an actor's task, or of its start."""
        ray = _ray()
        from ray.exceptions import RayError, RayTaskError

        ref, member.answer = member.answer, None
        try:
            found: object = ray.get(ref)
        except RayTaskError as error:
            if not isinstance(error.cause, RayError):
                raise WorkerError(f"A worker on Ray failed: {error.cause}") from error
            return self._replaced(member, str(error.cause))  # the embedder that it asked is gone for good
        except RayError as error:
            return self._replaced(member, str(error))
        if isinstance(found, Failure):
            raise WorkerError(found.message, found.exit_code)
        if isinstance(found, Answer) and member.task is not None:
            for warning in found.warnings:
                _log.warning("%s", warning)
            task, member.task = member.task, None
            return [Done(task, found.outcome)]
        member.is_ready = True
        return []

    def _ask(self, on_progress: OnProgress) -> None:
        """How far the running tasks are; asked anew when the answer is there."""
        ray = _ray()
        from ray.exceptions import RayError

        for member in self._members:
            if member.task is None:
                member.reached = None
                continue
            if member.reached is None:
                member.reached = member.handle.reached.remote()
            elif ray.wait([member.reached], timeout=0)[0]:
                with suppress(RayError):  # its task finds out
                    if (reached := ray.get(member.reached)) is not None:
                        on_progress(member.task, *reached)
                member.reached = None

    def _replaced(self, member: _Member, why: str) -> list[News]:
        with suppress(Exception):
            _ray().kill(member.handle)
        self._members.remove(member)
        self._add(member.kind)
        reason = why.strip().splitlines()[0] if why.strip() else "its worker died"
        return [] if member.task is None else [Lost(member.task, reason)]

    def _idle(self, kind: Kind) -> _Member | None:
        free = (one for one in self._members if one.kind == kind and one.is_ready and one.task is None)
        return next(free, None)

    def _connect(self) -> None:
        ray = _ray()
        options: dict[str, Any] = {"log_to_driver": False, "logging_level": logging.ERROR}
        if self._address is None:
            options |= {
                "address": "local",
                "include_dashboard": False,
                "object_store_memory": _STORE_BYTES,
                "_node_ip_address": "127.0.0.1",
            }
        try:
            ray.init(**({"address": self._address} | options if self._address else options))
        except (ConnectionError, ValueError, OSError, RuntimeError, TimeoutError) as error:
            where = f"No Ray cluster answers at {self._address}" if self._address else "Ray cannot be started here"
            raise ConfigurationError(f"{where}: {error}. Check it with: ray status") from error

    def _start(self) -> None:
        ray = _ray()
        cluster: dict[str, float] = ray.cluster_resources()
        self.size = self._count or max(1, int(cluster.get("CPU", 2)) // 2)
        shares = self._settings.workers
        embedders = math.ceil(self.size / _WRITERS_AN_EMBEDDER)
        needed = self.size * shares.detector_gpus + embedders * shares.embedder_gpus
        if needed > cluster.get("GPU", 0.0):
            raise ConfigurationError(
                f"The Ray cluster has {cluster.get('GPU', 0.0):g} GPUs, but {self.size} detectors and {embedders} "
                f"embedders take {needed:g}. Lower --workers, workers.detector_gpus or workers.embedder_gpus."
            )
        self._require_reach([str(node["NodeManagerAddress"]) for node in ray.nodes() if node["Alive"]])
        calls = self._settings.calls
        fewer = calls.model_copy(update={"concurrency": max(1, calls.concurrency // self.size)})
        self._hello = Hello(
            self._settings.model_copy(update={"calls": fewer}),
            Chunking(self._settings.workers.chunk_s, CHUNKS_A_WORKER * self.size, apart=True),
            Path.cwd(),
        )
        for _ in range(embedders):
            options = {"num_cpus": 0, "num_gpus": shares.embedder_gpus, "max_restarts": -1, "max_task_retries": -1}
            actor = ray.remote(scheduling_strategy="SPREAD", **options)(EmbedderActor)
            self._embedders.append(actor.remote(self._settings.models.embed, self._settings.providers))
        for _ in range(self.size):
            self._add("detect")
            self._add("index")

    def _require_reach(self, machines: Sequence[str]) -> None:
        """Refuse to send writers to machines where they cannot reach the graph."""
        uri = self._settings.neo4j.uri
        here_only = uri is None or (urlsplit(uri).hostname or "") in _LOCAL
        if here_only and len(set(machines)) > 1:
            raise ConfigurationError(
                f"The Ray cluster has {len(set(machines))} machines, but the Neo4j server answers on this one only. "
                "Name one that all of them reach in NEO4J_URI, with NEO4J_PASSWORD."
            )

    def _add(self, kind: Kind) -> None:
        """Start an actor."""
        ray = _ray()
        options = {"num_cpus": 0, "scheduling_strategy": "SPREAD", "max_concurrency": 2}
        if kind == "detect":
            gpus = self._settings.workers.detector_gpus
            handle = ray.remote(num_gpus=gpus, **options)(DetectorActor).remote()
            # Detectors write nothing, so they are not told how.
            settings = self._settings.model_copy(update={"neo4j": type(self._settings.neo4j)()})
            opened = handle.open.remote(Hello(settings, None, self._hello.folder))
        else:
            handle = ray.remote(**options)(WriterActor).remote()
            opened = handle.open.remote(self._hello, self._embedders[len(self._members) % len(self._embedders)])
        self._members.append(_Member(handle, kind, opened))


@dataclass(slots=True, eq=False)
class _Member:
    handle: Any
    """Ray gives actors their methods when they are made."""
    kind: Kind
    answer: ObjectRef[Any] | None
    """What is waited for: its start, or the answer to its task."""
    is_ready: bool = False
    task: Task | None = None
    reached: ObjectRef[Any] | None = None


def _ray() -> Any:
    """The library, whose own type hints are incomplete; it reports to nobody."""
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    try:
        import ray
    except ImportError as error:
        raise MissingExtraError("The Ray engine", "ray") from error
    return ray
