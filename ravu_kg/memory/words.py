"""Who puts a video into words when it is indexed: the measured describer alone, or models on top of it."""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass, replace
from typing import Protocol

from ravu_kg.graph.writer import GraphWriter
from ravu_kg.memory.records import StageUsage
from ravu_kg.models.calls import ModelCalls
from ravu_kg.models.roles import INDEX_ROLES
from ravu_kg.perception.captioning.captioner import Captioner
from ravu_kg.perception.geometry import Description
from ravu_kg.types import Coverage, Entity, Event, IdentityLink, SceneWindow, Usage

Progress = Callable[[float], None]
"""Told the share that is done, 0..1."""


@dataclass(frozen=True, slots=True)
class Ending:
    """What is written after the windows."""

    events: tuple[Event, ...]
    entities: tuple[Entity, ...] = ()
    """New ones, and those that more is known of now."""
    links: tuple[IdentityLink, ...] = ()


class Words(Protocol):
    """A video in words, in the order in which it is written."""

    @property
    def stage(self) -> str:
        """What is being done, for people who wait."""
        ...

    @property
    def grows(self) -> bool:
        """Whether entities may come with the windows."""
        ...

    @property
    def links(self) -> tuple[IdentityLink, ...]:
        """Between the tracked entities."""
        ...

    @property
    def coverage(self) -> Mapping[str, int]:
        """Frames by what models said of them; empty without models."""
        ...

    @property
    def unanswered(self) -> int:
        """Frames and entities so far that no model answered for, and that another run may complete."""
        ...

    def __len__(self) -> int:
        """How many windows there are."""
        ...

    def entities(self) -> tuple[Entity, ...]:
        """The tracked entities."""
        ...

    def windows(self, progress: Progress) -> Generator[tuple[SceneWindow, tuple[Entity, ...]]]:
        """Each window, with the entities that came with it."""
        ...

    def ending(self, progress: Progress) -> Ending:
        """What is known after the last window."""
        ...


def words_of(
    description: Description,
    video_id: str,
    calls: ModelCalls | None,
    window_frames: int,
    undetected: Mapping[int, Coverage],
) -> Words:
    """The measured words, with those of models laid over them when a model describes."""
    if calls is not None and calls.has("describe"):
        return _Modelled(Captioner(description, video_id, calls, window_frames, undetected))
    return _Measured(description, undetected)


@dataclass(frozen=True, slots=True)
class _Measured:
    description: Description
    undetected: Mapping[int, Coverage]
    stage: str = "describe"
    grows: bool = False

    @property
    def links(self) -> tuple[IdentityLink, ...]:
        return self.description.links

    @property
    def coverage(self) -> Mapping[str, int]:
        return {}

    @property
    def unanswered(self) -> int:
        return 0

    def __len__(self) -> int:
        return len(self.description.windows)

    def entities(self) -> tuple[Entity, ...]:
        return self.description.entities

    def windows(self, progress: Progress) -> Generator[tuple[SceneWindow, tuple[Entity, ...]]]:
        for window in self.description.windows:
            frames = (replace(frame, coverage=self.undetected.get(frame.index, "ok")) for frame in window.frames)
            yield replace(window, frames=tuple(frames)), ()
            progress((window.index + 1) / len(self))

    def ending(self, progress: Progress) -> Ending:
        progress(1.0)
        return Ending(self.description.events)


@dataclass(frozen=True, slots=True)
class _Modelled:
    captioner: Captioner
    stage: str = "models"
    grows: bool = True

    @property
    def links(self) -> tuple[IdentityLink, ...]:
        return self.captioner.description.links

    @property
    def coverage(self) -> Mapping[str, int]:
        return {state: count for state, count in self.captioner.coverage.items()}

    @property
    def unanswered(self) -> int:
        return self.captioner.unanswered

    def __len__(self) -> int:
        return len(self.captioner.description.windows)

    def entities(self) -> tuple[Entity, ...]:
        return self.captioner.entities()

    def windows(self, progress: Progress) -> Generator[tuple[SceneWindow, tuple[Entity, ...]]]:
        yield from self.captioner.windows(progress)

    def ending(self, progress: Progress) -> Ending:
        end = self.captioner.events(progress)
        return Ending((*self.captioner.description.events, *end.events), end.entities, end.links)


@dataclass(frozen=True, slots=True)
class Tally:
    """What the calls of models come to, by stage."""

    calls: ModelCalls | None
    before: Mapping[str, StageUsage]
    """Of the runs that this one goes on from."""

    @classmethod
    def of(cls, calls: ModelCalls | None, noted: Mapping[str, StageUsage], base: Mapping[str, StageUsage]) -> Tally:
        """A tally that begins with what earlier runs spent.

        Args:
            calls: of this run; their account knows what was spent by runs that were killed.
            noted: with the graph that is made, the base in it.
            base: what was spent on the graph that this one completes.
        """
        if calls is None:
            return cls(None, noted)
        spent = {role: _stage(one.model, one.usage, one.has_price) for role, one in calls.spent_before.items()}
        known = {role: _sum(base.get(role), spent.get(role)) for role in base.keys() | spent.keys()}
        # The note with the graph may be older than the account, and the account may be in another cache folder.
        for role, one in noted.items():
            if role not in known or _number(one, "calls") > _number(known[role], "calls"):
                known[role] = one
        return cls(calls, known)

    def stages(self) -> dict[str, StageUsage]:
        """Each stage that spent anything, in the order of the stages."""
        spent: Mapping[str, Usage] = {} if self.calls is None else self.calls.usage
        found: dict[str, StageUsage] = {}
        for role in INDEX_ROLES:
            now, before = spent.get(role), self.before.get(role)
            if now is None and before is None:
                continue
            mine = None
            if self.calls is not None and now is not None:
                mine = _stage(self.calls.name(role), now, self.calls.has_price(role))
            found[role] = _sum(before, mine)
        return found

    def keep(self, writer: GraphWriter, video_id: str, unanswered: int = 0) -> None:
        """Note it with the video, and how much was not answered; nothing happens when no model was asked."""
        if (stages := self.stages()) or unanswered:
            writer.write_usage(video_id, stages, unanswered=unanswered)

    def progress(self, stage: str) -> str:
        """The stage with the calls that are done, when there are any."""
        if self.calls is None or not (self.calls.usage or self.calls.replayed):
            return stage
        kept = f", {self.calls.replayed} kept" if self.calls.replayed else ""
        return f"{stage} ({self.calls.total().calls} calls{kept})"


def _stage(model: str, usage: Usage, has_price: bool) -> StageUsage:
    return {
        "model": model,
        "calls": usage.calls,
        "input_tokens": usage.input_tokens,
        "output_tokens": usage.output_tokens,
        "cost_usd": usage.cost_usd if has_price or not usage.calls else None,
    }


def _sum(before: StageUsage | None, after: StageUsage | None) -> StageUsage:
    """Both together, by the later model; without a price when one of them has none."""
    parts = [one for one in (before, after) if one is not None]
    priced = all(one.get("cost_usd", 0.0) is not None for one in parts)
    return {
        "model": parts[-1].get("model", ""),
        **{name: sum(_number(one, name) for one in parts) for name in ("calls", "input_tokens", "output_tokens")},
        "cost_usd": round(sum(_number(one, "cost_usd") for one in parts), 6) if priced else None,
    }


def _number(usage: StageUsage, name: str) -> float:
    value = usage.get(name, 0)
    assert isinstance(value, int | float)  # written by this module
    return value
