"""What putting a video into words will cost, without a call: the whole run with stand-ins for the replies.

Every request is made as in the run itself, so that frames, entities, batches, pieces and pictures are counted and not
guessed. A reply that was kept is used as it is, and costs nothing any more; of the others only the length is guessed,
by what is usual and by what the model's kept replies were like: see :mod:`ravu_kg.perception.captioning.habits`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol, TypeVar, cast

import numpy as np
from pydantic import BaseModel

from ravu_kg.errors import ReplayError
from ravu_kg.models.replies import Recorded
from ravu_kg.models.roles import INDEX_ROLES, Role
from ravu_kg.models.structured import schema_of
from ravu_kg.models.tokens import count_request, count_schema, count_text
from ravu_kg.perception.captioning.captioner import Captioner
from ravu_kg.perception.captioning.detection import FRAMES_PER_CALL
from ravu_kg.perception.captioning.habits import (
    LOOKED_AT,
    Habit,
    Json,
    Stage,
    habit_of,
    tokens_of,
    usual_added,
    usual_reply,
)
from ravu_kg.perception.captioning.replies import DetectReply
from ravu_kg.perception.captioning.requests import detect_request
from ravu_kg.perception.captioning.stretches import overlay
from ravu_kg.perception.geometry import Description
from ravu_kg.types import Image, ModelRequest, Usage, VideoInfo

_A = TypeVar("_A")
_B = TypeVar("_B")
_Reply = TypeVar("_Reply", bound=BaseModel)

_BOXES_PER_FRAME = 4
_BOX = {"label": "person", "box": [123, 456, 789, 987]}
_NO_PIXELS: Image = np.zeros((0, 0, 3), dtype=np.uint8)


class Kept(Protocol):
    """The part of :class:`ravu_kg.models.calls.ModelCalls`, opened for recorded replies only, that is used here."""

    def is_kept(self, role: Role, request: ModelRequest, reply: type[BaseModel]) -> bool:
        """Whether a reply to the request was kept."""
        ...

    def latest(self, role: Role, count: int) -> list[Recorded]:
        """The latest replies of a role's model."""
        ...

    def ask(self, role: Role, request: ModelRequest, reply: type[_Reply], *, salvage: bool = False) -> _Reply:
        """The reply that was kept."""
        ...


@dataclass(slots=True)
class StandIn:
    """Counts requests and gives replies of the likely length, in the place of ``ModelCalls``."""

    names: Mapping[Role, str]
    """Role -> reference of its model."""
    kept: Kept | None = None
    usage: dict[Role, Usage] = field(default_factory=dict[Role, Usage])
    """Of calls that are yet to be made."""
    replayed: dict[Role, int] = field(default_factory=dict[Role, int])
    """Calls whose replies were kept."""
    _habits: dict[Role, Habit] = field(default_factory=dict[Role, Habit])
    _owed: float = 0.0
    """Parts of an added thing that frames before had too few of."""

    def has(self, role: Role) -> bool:
        """Whether a model has the role."""
        return role in self.names

    def name(self, role: Role) -> str:
        """Reference of the role's model."""
        return self.names[role]

    def require_answers(self, role: Role) -> None:
        """Nothing fails here."""

    def in_order(self, work: Callable[[_A], _B], items: Iterable[_A]) -> Iterator[_B]:
        """One after the other: nothing is waited for."""
        return map(work, items)

    def ask(self, role: Role, request: ModelRequest, reply: type[_Reply], *, salvage: bool = False) -> _Reply:
        """The reply that was kept, else one of the likely length to a request that is counted."""
        if self.kept is not None and self.kept.is_kept(role, request, reply):
            self.replayed[role] = self.replayed.get(role, 0) + 1
            try:
                return self.kept.ask(role, request, reply, salvage=salvage)
            except ReplayError:  # it cannot be used, and the model was not asked again yet
                pass
        data = [cast("Json", json.loads(part)) for part in request.parts if isinstance(part, str)]
        if role == "detect":
            said: Json = {"frames": [{"i": frame["frame"], "boxes": [_BOX] * _BOXES_PER_FRAME} for frame in data[1:]]}
            self.count(role, request, reply, tokens_of(said))
            return reply.model_validate({"frames": [{"i": frame["frame"], "boxes": []} for frame in data[1:]]})
        stage = cast("Stage", role)  # the roles that put into words are the stages
        habit = self._habit(stage)
        said = usual_reply(stage, data, self._added(data, habit) if stage == "describe" else ())
        self.count(role, request, reply, round(habit.length * tokens_of(said)))
        return reply.model_validate(said)

    def count(self, role: Role, request: ModelRequest, reply: type[BaseModel], output_tokens: int) -> None:
        """Add a call to what is used."""
        input_tokens = count_request(request, self.names[role]) + count_schema(schema_of(reply))
        self.usage[role] = self.usage.get(role, Usage()) + Usage(1, input_tokens, output_tokens)

    def knows(self, role: Role) -> bool:
        """Whether any reply of the role's model was kept, so that pictures have to be made to look for more."""
        return self.kept is not None and self.has(role) and bool(self.kept.latest(role, 1))

    def _habit(self, stage: Stage) -> Habit:
        if stage not in self._habits:
            recorded = [] if self.kept is None else self.kept.latest(stage, LOOKED_AT)
            self._habits[stage] = habit_of(stage, recorded)
        return self._habits[stage]

    def _added(self, data: Sequence[Json], habit: Habit) -> list[int]:
        counts: list[int] = []
        for frame in data[1:]:
            if frame["target"]:
                self._owed += max(0.0, usual_added(len(cast("Sequence[str]", frame["shown"]))) + habit.added)
                counts.append(int(self._owed))
                self._owed -= counts[-1]
        return counts


@dataclass(frozen=True, slots=True)
class StageEstimate:
    """What one stage will come to."""

    stage: Role
    model: str
    usage: Usage
    """Of calls that are yet to be made."""
    kept: int = 0
    """Calls whose replies were kept."""


def estimate(
    description: Description,
    names: Mapping[Role, str],
    window_frames: int,
    calls: StandIn | None = None,
) -> list[StageEstimate]:
    """What each stage will come to, in the order of the stages.

    Args:
        description: the measured one, whose tracks decide how many calls there are.
        names: role -> reference of its model; roles without a model are left out.
        window_frames: how many frames a target is seen among.
        calls: has counted the calls of detection; by default a new one, which knows no kept reply.

    Raises:
        MissingExtraError: the tokenizer is not installed.
    """
    calls = calls or StandIn(names)
    if calls.has("describe"):
        captioner = Captioner(description, "estimate", calls, window_frames, decode=calls.knows("describe"))
        for _ in captioner.windows(_silent):
            pass
        captioner.events(_silent)
    return [
        StageEstimate(role, names[role], calls.usage.get(role, Usage()), calls.replayed.get(role, 0))
        for role in INDEX_ROLES
        if role in calls.usage or role in calls.replayed
    ]


def count_detection(calls: StandIn, video: VideoInfo, times_s: Sequence[float]) -> None:
    """Count the calls that detect in frames at some times when no reply of them was kept, without any picture."""
    picture = overlay(_NO_PIXELS, video, ())
    said = count_text(json.dumps({"boxes": [_BOX] * _BOXES_PER_FRAME}))
    for start in range(0, len(times_s), FRAMES_PER_CALL):
        frames = [(start + at, time_s, picture) for at, time_s in enumerate(times_s[start : start + FRAMES_PER_CALL])]
        calls.count("detect", detect_request(frames, ""), DetectReply, said * len(frames))


def _silent(_share: float) -> None:
    """Nobody waits for this."""
