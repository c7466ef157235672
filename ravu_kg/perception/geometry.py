"""The measured describer: a perception put into words without any model.

Boxes give size, place, motion and relations, pixels gave the colours; change points of these are the events. Every
fact says so by its source ``geometry``, except for what came with given tracks, which keeps ``annotation``.
It stands in for the paper's describing, scene graph and event calls (section 3.2), and stays beside them when a
model's words are added.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from ravu_kg.perception.describing.events import TimedAction, actions_of
from ravu_kg.perception.describing.kinds import PEOPLE
from ravu_kg.perception.describing.scene import Scene, survey
from ravu_kg.perception.describing.windows import Windows
from ravu_kg.perception.describing.wording import capitalised
from ravu_kg.types import Entity, Event, IdentityLink, Perception, Track, entity_id, event_id
from ravu_kg.video.overlay import palette

TOLD_EVENTS = 8
"""An entity's description tells at most so many of its events, the first and the last ones."""


@dataclass(frozen=True, slots=True, eq=False)
class Description:
    """Everything that goes into the graph for one video, but for the embeddings."""

    scene: Scene
    """What was measured."""
    entities: tuple[Entity, ...]
    windows: Windows
    """Made one at a time, as often as they are asked for."""
    events: tuple[Event, ...]
    """By entity, then source, then time."""
    links: tuple[IdentityLink, ...]
    track_only: tuple[int, ...]
    """Ids of tracks that no sampled frame shows."""


def describe(perception: Perception, video_id: str, *, window_s: float = 60.0) -> Description:
    """Put a perception into words.

    Args:
        perception: what was seen.
        video_id: id of the video in the graph.
        window_s: length of a window in seconds of sampled frames.

    Returns:
        The description. An entity's interval and its events are half-open: they end one tracking step after the
        last observation, so that the last frame node lies within them.
    """
    scene = survey(perception)
    actions = {track_id: actions_of(scene, track_id) for track_id in scene.tracks}
    return Description(
        scene=scene,
        entities=tuple(_entities(scene, video_id, actions)),
        windows=Windows(scene, video_id, max(1, round(window_s / perception.sample_interval_s))),
        events=tuple(_events(scene, video_id, actions)),
        links=tuple(
            IdentityLink(
                earlier_id=entity_id(video_id, link.earlier_track),
                later_id=entity_id(video_id, link.later_track),
                score=link.score,
                method=link.method,
                scope=link.scope,
                status=link.status,
            )
            for link in perception.links
        ),
        track_only=tuple(track_id for track_id, frames in scene.frames_of.items() if not len(frames)),
    )


def given_sentence(text: str, subject: str) -> str:
    """A given event's words; a bare predicate (``overtakes a car``) gets its subject, for the embedding's sake."""
    words = text.strip().rstrip(".")
    whole = not words[:1].islower() or words.split()[0] in ("a", "an", "the", "another", "two", "some")
    return f"{words if whole else f'{subject} {words}'}."


def who_is(scene: Scene, track_id: int) -> str:
    """A name, the lasting colours, and whom it may be again: ``person 3, in black, probably person 1 again``."""
    wording = scene.wording
    colors = f"{'in ' if scene.tracks[track_id].label in PEOPLE else ''}{' and '.join(wording.colors[track_id])}"
    again = "".join(
        f", probably {wording.names[link.earlier_track]} again"
        for link in scene.perception.links
        if link.later_track == track_id and link.status != "rejected"
    )
    return f"{wording.names[track_id]}{f', {colors}' if wording.colors[track_id] else ''}{again}"


def life_told(who: str, start_s: float, end_s: float, events: Sequence[str]) -> str:
    """An entity's description: who it is, when it is there, and what it does, of many events the first and last."""
    told = [event.rstrip(".") for event in events]
    if len(told) > TOLD_EVENTS:
        told = [*told[: TOLD_EVENTS // 2], "...", *told[-TOLD_EVENTS // 2 :]]
    return f"{capitalised(who)}, from {start_s:.1f} s to {end_s:.1f} s{': ' if told else ''}{'; '.join(told)}."


def _entities(scene: Scene, video_id: str, actions: dict[int, list[TimedAction]]) -> list[Entity]:
    colors = palette(len(scene.tracks))
    return [
        Entity(
            id=entity_id(video_id, track_id),
            video_id=video_id,
            track_id=track_id,
            label=track.label,
            description=_entity_description(scene, track_id, actions[track_id]),
            color=color,
            start_s=track.start_s,
            end_s=scene.present_until_s(track),
            track_timestamps_s=track.timestamps_s.tolist(),
            track_boxes=track.boxes.ravel().tolist(),
            look=_look(track),
        )
        for (track_id, track), color in zip(scene.tracks.items(), colors, strict=True)
    ]


def _look(track: Track) -> list[int] | None:
    """The look of a track in small whole numbers, which take little room in the graph."""
    if track.appearance is None or not track.appearance.any():
        return None
    return [round(float(part)) for part in track.appearance / track.appearance.max() * 127]


def _entity_description(scene: Scene, track_id: int, actions: Sequence[TimedAction]) -> str:
    """Who it is, when it is there and what it does: ``Person 3, in black, from 51.0 s to 69.8 s: enters...``."""
    track = scene.tracks[track_id]
    given = [event.description for event in scene.perception.events if event.track == track_id]
    told = given or [action.text for action in actions]
    return life_told(who_is(scene, track_id), track.start_s, scene.present_until_s(track), told)


def _events(scene: Scene, video_id: str, actions: dict[int, list[TimedAction]]) -> list[Event]:
    given_by_track: defaultdict[int, list[TimedAction]] = defaultdict(list)
    for given in scene.perception.events:
        given_by_track[given.track].append(TimedAction(given.start_s, given.end_s, given.description))
    events: list[Event] = []
    for track_id in scene.tracks:
        subject = capitalised(scene.wording.subject(track_id))
        given = sorted(given_by_track[track_id], key=lambda one: (one.start_s, one.end_s, one.text))
        events += [
            Event(
                id=event_id(video_id, track_id, "annotation", seq),
                video_id=video_id,
                entity_id=entity_id(video_id, track_id),
                source="annotation",
                seq=seq,
                start_s=one.start_s,
                end_s=one.end_s,
                description=given_sentence(one.text, subject),
            )
            for seq, one in enumerate(given)
        ]
        events += [
            Event(
                id=event_id(video_id, track_id, "geometry", seq),
                video_id=video_id,
                entity_id=entity_id(video_id, track_id),
                source="geometry",
                seq=seq,
                start_s=one.start_s,
                end_s=one.end_s,
                description=f"{subject} {one.text}.",
            )
            for seq, one in enumerate(actions[track_id])
        ]
    return events
