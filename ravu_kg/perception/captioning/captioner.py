"""A video put into words by models, on top of the measured describer, whose facts stay.

The order is: :meth:`Captioner.windows`, each of which is complete when it is given, then :meth:`Captioner.events`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Generator, Iterator, Mapping
from dataclasses import dataclass, field, replace

from ravu_kg.models.roles import WORD_ROLES
from ravu_kg.perception.captioning.ahead import made_ahead
from ravu_kg.perception.captioning.asking import Asked, Calls
from ravu_kg.perception.captioning.boxes import convention
from ravu_kg.perception.captioning.chain import Chain, FrameWords
from ravu_kg.perception.captioning.events import Told, find_events, lines_of
from ravu_kg.perception.captioning.linking import Added, Linker
from ravu_kg.perception.captioning.merging import MergedFrame, Merger, rewritten
from ravu_kg.perception.captioning.requests import Life
from ravu_kg.perception.captioning.stretches import ENTITIES_PER_PICTURE, TARGETS, Stretch, Stretches, things_of
from ravu_kg.perception.geometry import Description, life_told, who_is
from ravu_kg.types import (
    Coverage,
    Entity,
    Event,
    FrameNode,
    IdentityLink,
    SceneWindow,
    Span,
    entity_id,
    event_id,
    track_id_in,
)
from ravu_kg.video.overlay import palette

_WINDOWS_AHEAD = 2
Progress = Callable[[float], None]
"""Told the share that is done, 0..1."""


@dataclass(frozen=True, slots=True)
class Ending:
    """What is known when all windows are written."""

    events: tuple[Event, ...]
    entities: tuple[Entity, ...]
    """All entities again, with what they do in their descriptions, and whether some of it is missing."""
    links: tuple[IdentityLink, ...]
    """Between entities that the models added."""


@dataclass(slots=True)
class Captioner:
    """Puts one video into words."""

    description: Description
    """The measured one."""
    video_id: str
    calls: Calls
    window_frames: int
    """N: how many frames a target is seen among, itself included."""
    undetected: Mapping[int, Coverage] = field(default_factory=dict[int, Coverage])
    """Frame indexes in which no model could detect anything, and why."""
    decode: bool = True
    """False for an estimate, which needs no picture."""
    targets: int = TARGETS
    """How many frames a call describes."""
    coverage: dict[Coverage, int] = field(default_factory=dict[Coverage, int])
    """Frames so far by their coverage."""
    _asked: Asked = field(init=False)
    _stretches: Stretches = field(init=False)
    _linker: Linker = field(init=False)
    _sentences: defaultdict[int, list[tuple[int, str]]] = field(
        default_factory=lambda: defaultdict[int, list[tuple[int, str]]](list)
    )
    """Track id -> frame index and sentence of a model, in time order."""

    def __post_init__(self) -> None:
        scene = self.description.scene
        reach = (self.window_frames - 1) // 2
        windows = self.description.windows
        self._asked = Asked(self.calls)
        self._stretches = Stretches(
            scene, things_of(scene, reach + 1), windows.frames_per_window, reach, self.targets, decode=self.decode
        )
        self._linker = Linker(max(scene.tracks, default=0) + 1, scene.perception.cuts_s)

    @property
    def unanswered(self) -> int:
        """How many frames and entities so far lack something that nobody answered, and that may yet be answered."""
        return len(self._asked.unanswered)

    def entities(self) -> tuple[Entity, ...]:
        """The tracked entities, in the colours of their overlays."""
        things = self._stretches.things
        return tuple(
            replace(entity, color=things[str(entity.track_id)].color) if str(entity.track_id) in things else entity
            for entity in self.description.entities
        )

    def windows(self, progress: Progress) -> Generator[tuple[SceneWindow, tuple[Entity, ...]]]:
        """Each window with the words of its frames, and the entities that models added to it, as known so far.

        Raises:
            ProviderError: one that concerns the whole run; the windows before it are complete.
        """
        chain = Chain(self._asked, self._stretches.reach)
        merger = Merger(
            self.description.scene.perception.video,
            self.video_id,
            convention(self.calls.name("describe")),
            self._linker,
        )
        total, done = len(self._stretches), 0
        of_window = -(-self.description.windows.frames_per_window // self._stretches.targets)
        with made_ahead(self._results(chain), _WINDOWS_AHEAD * of_window) as results:
            for window in self.description.windows:
                said: list[tuple[Stretch, list[FrameWords]]] = []
                while sum(len(stretch.targets) for stretch, _ in said) < len(window.frames):
                    said.append(next(results))
                    done += 1
                    progress(done / total)
                yield self._merged(window, said, merger)

    def events(self, progress: Progress) -> Ending:
        """The events of all entities, those that models added among them.

        Raises:
            ProviderError: one that concerns the whole run; also when all requests of a stage failed.
        """
        found: dict[str, list[Told]] = {}
        troubles: dict[str, Coverage] = {}
        if self.calls.has("events"):
            labels = {track_id: track.label for track_id, track in self.description.scene.tracks.items()}
            labels |= {one.track_id: one.label for one in self._linker.added.values()}
            lives = [
                Life(str(track_id), labels[track_id], lines_of(self._sentences[track_id]))
                for track_id in sorted(self._sentences)
            ]
            found, troubles = find_events(self._asked, lives, progress)
        for role in WORD_ROLES:
            self.calls.require_answers(role)
        told = {int(one): events for one, events in found.items()}
        lacking = {entity_id(self.video_id, int(one)): trouble for one, trouble in troubles.items()}
        added = tuple(self._added(one, told.get(track_id, [])) for track_id, one in self._linker.added.items())
        return Ending(
            events=tuple(event for track_id, events in told.items() for event in self._events(track_id, events)),
            entities=tuple(
                replace(entity, coverage=lacking.get(entity.id, "ok"))
                for entity in (
                    *(self._with_events(entity, told.get(entity.track_id)) for entity in self.entities()),
                    *added,
                )
            ),
            links=tuple(
                IdentityLink(
                    earlier_id=entity_id(self.video_id, link.earlier_track),
                    later_id=entity_id(self.video_id, link.later_track),
                    score=link.score,
                    method=link.method,
                    scope=link.scope,
                    status=link.status,
                )
                for link in self._linker.links
            ),
        )

    def _results(self, chain: Chain) -> Generator[tuple[Stretch, list[FrameWords]]]:
        yield from self.calls.in_order(chain.put_into_words, self._stretches)

    def _merged(
        self, window: SceneWindow, said: list[tuple[Stretch, list[FrameWords]]], merger: Merger
    ) -> tuple[SceneWindow, tuple[Entity, ...]]:
        by_frame: defaultdict[int, list[FrameNode]] = defaultdict(list)
        for node in window.nodes:
            by_frame[node.frame_index].append(node)
        frames = {frame.index: frame for frame in window.frames}
        parts: list[MergedFrame] = []
        for _, of_stretch in said:
            merger.begin_stretch()
            for one in of_stretch:
                undetected = self.undetected.get(one.index, "ok")
                parts.append(merger.merged(frames[one.index], by_frame[one.index], one, undetected))
        merged = rewritten(window, parts)
        for frame in merged.frames:
            self.coverage[frame.coverage] = self.coverage.get(frame.coverage, 0) + 1
        present: set[int] = set()
        for node in merged.nodes:
            track_id = track_id_in(node.entity_id)
            if node.source == "model":
                self._sentences[track_id].append((node.frame_index, node.description))
            if track_id in self._linker.added:
                present.add(track_id)
        return merged, tuple(self._added(self._linker.added[one], []) for one in sorted(present))

    # --- entities and events

    def _added(self, one: Added, events: list[Told]) -> Entity:
        start_s, end_s = self._life(one.track_id)
        placed = [(seen.timestamp_s, seen.box) for seen in one.appearances if seen.box is not None]
        return Entity(
            id=entity_id(self.video_id, one.track_id),
            video_id=self.video_id,
            track_id=one.track_id,
            label=one.label,
            description=life_told(
                f"{one.label}{f', {one.look}' if one.look else ''}", start_s, end_s, [event.text for event in events]
            ),
            color=palette(ENTITIES_PER_PICTURE)[(one.track_id - 1) % ENTITIES_PER_PICTURE],
            start_s=start_s,
            end_s=end_s,
            track_timestamps_s=[time_s for time_s, _ in placed],
            track_boxes=[side for _, box in placed for side in (box.x_min, box.y_min, box.x_max, box.y_max)],
        )

    def _with_events(self, entity: Entity, events: list[Told] | None) -> Entity:
        given = any(event.track == entity.track_id for event in self.description.scene.perception.events)
        if not events or given:
            return entity
        who = who_is(self.description.scene, entity.track_id)
        texts = [event.text for event in events]
        return replace(entity, description=life_told(who, entity.start_s, entity.end_s, texts))

    def _events(self, track_id: int, events: list[Told]) -> Iterator[Event]:
        frames = self.description.scene.perception.frames
        start_s, end_s = self._life(track_id)
        first, last = self._first_and_last(track_id)
        seq = 0
        for event in events:
            # Only to the ends of its life, not over frames of which models told nothing.
            first_s = start_s if event.first <= first else frames[event.first].timestamp_s
            last_s = end_s if event.last >= last else frames[event.last + 1].timestamp_s
            first_s, last_s = max(first_s, start_s), min(last_s, end_s)
            if first_s < last_s:
                yield Event(
                    id=event_id(self.video_id, track_id, "model", seq),
                    video_id=self.video_id,
                    entity_id=entity_id(self.video_id, track_id),
                    source="model",
                    seq=seq,
                    start_s=first_s,
                    end_s=last_s,
                    description=event.text,
                )
                seq += 1

    def _first_and_last(self, track_id: int) -> tuple[int, int]:
        """The first and the last frame that has a node of an entity."""
        scene = self.description.scene
        if track_id in scene.tracks:
            shown = scene.frames_of[track_id]
            return int(shown[0]), int(shown[-1])
        seen = self._linker.added[track_id].appearances
        return seen[0].index, seen[-1].index

    def _life(self, track_id: int) -> Span:
        """From the first sight of an entity to just after its last one, half-open."""
        scene = self.description.scene
        if track_id in scene.tracks:
            track = scene.tracks[track_id]
            return track.start_s, scene.present_until_s(track)
        seen = self._linker.added[track_id].appearances
        perception = scene.perception
        end_s = seen[-1].timestamp_s + perception.sample_interval_s
        duration_s = perception.video.duration_s
        return seen[0].timestamp_s, min(end_s, duration_s) if duration_s > seen[-1].timestamp_s else end_s
