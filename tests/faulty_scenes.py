"""A small video in which all fits, and faults to plant in it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import reduce
from typing import NamedTuple

from ravu_kg.memory.linting import Check
from ravu_kg.types import Box, Entity, Event, FrameNode
from tests.builders import Scene, a_frame, a_node, a_relation, a_scene, an_entity, an_event

LENGTH_S = 6
TICKS = [tick / 5 for tick in range(LENGTH_S * 5)]
LEFT_PX = {1: 20.0, 2: 540.0, 3: 280.0}
LABELS = {1: "person", 2: "person", 3: "dog"}
Change = Callable[[Scene], Scene]


def box(track: int, time_s: float) -> Box:
    """The dog walks to the right, the others stay."""
    left = LEFT_PX[track] + (10 * time_s if track == 3 else 0)
    return Box(left, 100.0, left + 60, 220.0)


def entity(video_id: str, track: int, boxes: dict[float, Box] | None = None, **changes: object) -> Entity:
    """An entity with its track, of which some boxes may be others."""
    placed = [(boxes or {}).get(tick, box(track, tick)) for tick in TICKS]
    values: dict[str, object] = {
        "label": LABELS[track],
        "description": f"{LABELS[track].capitalize()} {1 if track == 3 else track}, from 0.0 s to 6.0 s.",
        "start_s": 0.0,
        "end_s": 6.0,
        "track_timestamps_s": tuple(TICKS),
        "track_boxes": tuple(side for one in placed for side in (one.x_min, one.y_min, one.x_max, one.y_max)),
    }
    return an_entity(video_id, track, **{**values, **changes})


def node(video_id: str, index: int, track: int) -> FrameNode:
    said = {1: "A person stands still, near the dog.", 2: "A person stands still.", 3: "A dog walks, near a person."}
    return a_node(video_id, index, track, label=LABELS[track], box=box(track, index), description=said[track])


def event(video_id: str, track: int, seq: int, span: tuple[float, float], text: str = "Something happens.") -> Event:
    return an_event(video_id, track, seq, start_s=span[0], end_s=span[1], description=text)


def clean(video_id: str) -> Scene:
    """Two people and a dog, all in the picture for six seconds; everything fits."""
    scene = a_scene(video_id, window_frames=LENGTH_S, duration_s=6.0)
    windows = tuple(
        replace(
            window,
            frames=tuple(
                a_frame(video_id, one.index, description="Person 1 stands still; person 2 stands still; dog 1 walks.")
                for one in window.frames
            ),
            nodes=tuple(node(video_id, one.frame_index, int(one.entity_id[-1])) for one in window.nodes),
        )
        for window in scene.windows
    )
    events = tuple(
        event(video_id, track, seq, span) for track in (1, 2, 3) for seq, span in enumerate([(0.0, 2.4), (2.4, 6.0)])
    )
    return replace(
        scene, entities=tuple(entity(video_id, one) for one in (1, 2, 3)), links=(), windows=windows, events=events
    )


def with_entity(track: int, boxes: dict[float, Box] | None = None, **changes: object) -> Change:
    def change(scene: Scene) -> Scene:
        new = entity(scene.video.id, track, boxes, **changes)
        return replace(scene, entities=tuple(new if one.id == new.id else one for one in scene.entities))

    return change


def with_relation(subject: int, predicate: str, other: int, indexes: tuple[int, ...], **changes: object) -> Change:
    def change(scene: Scene) -> Scene:
        video = scene.video.id
        added = {
            i: a_relation(node(video, i, subject), node(video, i, other), predicate, **{"source": "model", **changes})
            for i in indexes
        }
        windows = [
            replace(window, relations=(*window.relations, *(added[f.index] for f in window.frames if f.index in added)))
            for window in scene.windows
        ]
        return replace(scene, windows=tuple(windows))

    return change


def with_frame(index: int, **changes: object) -> Change:
    def change(scene: Scene) -> Scene:
        def changed(one: object) -> object:
            return replace(one, **changes) if one.index == index else one  # type: ignore[attr-defined,type-var]

        windows = [replace(window, frames=tuple(map(changed, window.frames))) for window in scene.windows]
        return replace(scene, windows=tuple(windows))  # type: ignore[arg-type]

    return change


def with_sentence(index: int, track: int, text: str) -> Change:
    def change(scene: Scene) -> Scene:
        windows = [
            replace(
                window,
                nodes=tuple(
                    replace(one, description=text)
                    if (one.frame_index, one.entity_id[-1]) == (index, str(track))
                    else one
                    for one in window.nodes
                ),
            )
            for window in scene.windows
        ]
        return replace(scene, windows=tuple(windows))

    return change


def without_node(index: int, track: int) -> Change:
    """An entity that is not seen in one frame, which is no fault while nobody names it."""

    def change(scene: Scene) -> Scene:
        gone = node(scene.video.id, index, track).id
        windows = [
            replace(
                window,
                nodes=tuple(one for one in window.nodes if one.id != gone),
                relations=tuple(one for one in window.relations if gone not in (one.subject_id, one.object_id)),
                same_as=tuple(one for one in window.same_as if gone not in (one.earlier_id, one.later_id)),
            )
            for window in scene.windows
        ]
        return replace(scene, windows=tuple(windows))

    return change


def with_events(track: int, *spans: tuple[float, float], **changes: object) -> Change:
    def change(scene: Scene) -> Scene:
        new = tuple(
            replace(event(scene.video.id, track, seq, span), **changes)  # type: ignore[arg-type]
            for seq, span in enumerate(spans)
        )
        return replace(scene, events=(*(one for one in scene.events if one.entity_id != new[0].entity_id), *new))

    return change


def with_all(*changes: Change) -> Change:
    return lambda scene: reduce(lambda changed, change: change(changed), changes, scene)


class Fault(NamedTuple):
    change: Change
    check: Check
    span: tuple[float, float]
    tracks: tuple[int, ...]
    said: str


WITH_DOG = {tick: box(3, tick) for tick in TICKS}
AWAY = {tick: Box(400.0, 100.0, 460.0, 220.0) for tick in TICKS if tick > 3}

FAULTS: dict[str, Fault] = {
    "blocked": Fault(with_frame(2, coverage="blocked"), "uncovered", (2.0, 3.0), (), "a model declined"),
    "failed at the end": Fault(with_frame(5, coverage="failed"), "uncovered", (5.0, 6.0), (), "could not be described"),
    "not told of": Fault(
        with_all(with_frame(2, coverage="failed"), with_events(1, (0.0, 2.0), (3.0, 6.0), source="model")),
        "uncovered",
        (2.0, 3.0),
        (),
        "could not be described",
    ),
    "video goes on": Fault(
        lambda scene: replace(scene, video=replace(scene.video, duration_s=9.0)),
        "uncovered",
        (6.0, 9.0),
        (),
        "at 5.0 s of 9.0 s",
    ),
    "two labels": Fault(
        with_entity(1, WITH_DOG), "duplicate", (0.0, 5.8), (1, 3), "person #1 and dog #3 have the same box"
    ),
    "jump": Fault(with_entity(1, AWAY), "jump", (3.0, 3.2), (1,), "380 px away"),
    "outside": Fault(
        with_entity(1, {t: Box(-31.0, 100, 50, 220) for t in TICKS if 2 <= t <= 2.4}),
        "outside",
        (2.0, 2.4),
        (1,),
        "31 px beyond the left border",
    ),
    "empty": Fault(with_entity(1, {2.0: Box(50, 100, 50, 220)}), "outside", (2.0, 2.0), (1,), "without any area"),
    "holding from afar": Fault(
        with_relation(1, "is_holding", 2, (1, 2, 3)),
        "contradiction",
        (1.0, 3.0),
        (1, 2),
        "'is holding' person #2 (model) in 3 frames, but the boxes are 460 px apart",
    ),
    "annotated": Fault(
        with_relation(1, "hug", 2, (4,), source="annotation"), "contradiction", (4.0, 4.0), (1, 2), "hug"
    ),
    "on the other side": Fault(
        with_relation(2, "to_the_left_of", 1, (0,)), "contradiction", (0.0, 0.0), (2, 1), "wholly to the right of"
    ),
    "next to from afar": Fault(with_relation(1, "next_to", 2, (5,)), "contradiction", (5.0, 5.0), (1, 2), "apart"),
    "overlap": Fault(with_events(1, (0.0, 3.0), (2.0, 6.0)), "event", (2.0, 3.0), (1,), "share 1.0 s"),
    "within another": Fault(with_events(1, (0.0, 6.0), (1.0, 2.0)), "event", (1.0, 2.0), (1,), "share 1.0 s"),
    "gap": Fault(with_events(1, (0.0, 2.0), (4.0, 6.0)), "event", (2.0, 4.0), (1,), "nothing for 2.0 s"),
    "gap before": Fault(with_events(1, (2.0, 6.0)), "event", (0.0, 2.0), (1,), "nothing for 2.0 s"),
    "gap after": Fault(with_events(1, (0.0, 5.0)), "event", (5.0, 6.0), (1,), "nothing for 1.0 s"),
    "out of time": Fault(with_events(1, (0.0, 6.0), (8.0, 9.0)), "event", (8.0, 9.0), (1,), "seen from 0.0 s to 6.0 s"),
    "mark of nobody": Fault(with_frame(2, description="A dog #3 runs to #7."), "absent", (2.0, 2.0), (), "#7"),
    "mark": Fault(
        with_all(without_node(2, 2), with_frame(2, description="#1 waves at #2.")), "absent", (2.0, 2.0), (2,), "#2"
    ),
    "name": Fault(without_node(2, 2), "absent", (2.0, 2.0), (2,), "person 2"),
    "sentence": Fault(
        with_all(without_node(2, 3), with_frame(2, description="Person 1 stands.")),
        "absent",
        (2.0, 2.0),
        (1,),
        "names a dog",
    ),
    "event's words": Fault(
        with_all(
            with_entity(3, start_s=4.0),
            with_events(3, (4.0, 6.0)),
            with_events(1, (0.0, 2.4), (2.4, 6.0), description="A person feeds the dog."),
        ),
        "absent",
        (0.0, 2.4),
        (1,),
        "feeds the dog",
    ),
}
