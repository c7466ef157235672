"""Who puts a video into words when it is indexed: the measured describer alone, or models on top of it."""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass, replace
from typing import Protocol

from ravu_kg.graph.writer import GraphWriter
from ravu_kg.memory.records import StageUsage
from ravu_kg.models.calls import ModelCalls
from ravu_kg.models.roles import INDEX_ROLES, Role
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

    def stages(self) -> dict[str, StageUsage]:
        """Each stage that spent anything, in the order of the stages."""
        spent: Mapping[str, Usage] = {} if self.calls is None else self.calls.usage
        found: dict[str, StageUsage] = {}
        for role in INDEX_ROLES:
            now, before = spent.get(role), self.before.get(role)
            if now is None and before is None:
                continue
            past = dict(before or {})
            mine = Usage() if now is None else now
            found[role] = {
                "model": past.get("model", "") if self.calls is None or now is None else self.calls.name(role),
                "calls": mine.calls + _number(past, "calls"),
                "input_tokens": mine.input_tokens + _number(past, "input_tokens"),
                "output_tokens": mine.output_tokens + _number(past, "output_tokens"),
                "cost_usd": self._cost_usd(role, mine, past),
            }
        return found

    def _cost_usd(self, role: Role, mine: Usage, past: StageUsage) -> float | None:
        """None when the price of a model is not known."""
        priced = self.calls is None or not mine.calls or self.calls.has_price(role)
        if not priced or past.get("cost_usd", 0.0) is None:
            return None
        return round(mine.cost_usd + _number(past, "cost_usd"), 6)

    def keep(self, writer: GraphWriter, video_id: str) -> None:
        """Note it with the video; nothing happens when no model was asked."""
        if stages := self.stages():
            writer.write_usage(video_id, stages)

    def progress(self, stage: str) -> str:
        """The stage with the calls that are done, when there are any."""
        if self.calls is None or not (self.calls.usage or self.calls.replayed):
            return stage
        kept = f", {self.calls.replayed} kept" if self.calls.replayed else ""
        return f"{stage} ({self.calls.total().calls} calls{kept})"


def _number(usage: StageUsage, name: str) -> float:
    value = usage.get(name, 0)
    assert isinstance(value, int | float)  # written by this module
    return value
