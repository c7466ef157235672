"""A park, written by hand: a woman in blue stays, a dog leaves and comes back, a man in red passes through."""

from __future__ import annotations

import hashlib
import re
import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from ravu_kg.graph.store import Store
from ravu_kg.graph.writer import GraphWriter
from ravu_kg.reasoning.judging import stem
from ravu_kg.types import Box, Entity, Event, FloatArray, SceneWindow, entity_id
from tests.builders import DIMENSIONS, a_frame, a_link, a_node, a_video, an_entity, an_event

LENGTH_S = 30


class BagOfWords:
    """An embedder whose similarity is shared words; counts how it is used."""

    name = "test"
    dimensions = DIMENSIONS

    def __init__(self) -> None:
        self.batches: list[list[str]] = []

    def embed(self, texts: Sequence[str], kind: Literal["query", "document"]) -> FloatArray:
        self.batches.append(list(texts))
        vectors = np.full((len(texts), DIMENSIONS), 1e-6, dtype=np.float32)
        for row, text in enumerate(texts):
            for word in re.findall(r"\w+", text.lower()):
                vectors[row, zlib.crc32(stem(word).encode()) % DIMENSIONS] += 1.0
        return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


@dataclass(frozen=True)
class Thing:
    track_id: int
    label: str
    look: str
    start_s: float
    end_s: float
    left_at: Callable[[float], float]
    width_px: float = 60.0
    top_px: float = 150.0
    height_px: float = 150.0

    def box(self, time_s: float) -> Box:
        left = self.left_at(time_s)
        return Box(left, self.top_px, left + self.width_px, self.top_px + self.height_px)

    def is_seen(self, time_s: float) -> bool:
        return self.start_s <= time_s < self.end_s


def dog_place(time_s: float) -> float:
    """Beside the woman at first and at the end, far to the right between."""
    return 170.0 if time_s < 4 or time_s >= 20 else 570.0


THINGS = (
    Thing(1, "person", "a person in blue", 0.0, 30.0, lambda t: 100.0),
    Thing(2, "dog", "a brown dog", 0.0, 8.0, dog_place, width_px=65, top_px=240, height_px=60),
    Thing(3, "dog", "a brown dog", 12.0, 30.0, dog_place, width_px=65, top_px=240, height_px=60),
    Thing(4, "person", "a person in red", 15.0, 22.0, lambda t: 320.0),
    Thing(5, "person", "a person in gray", 25.0, 25.4, lambda t: 480.0),
    Thing(6, "dining table", "a brown dining table", 0.0, 30.0, lambda t: 380.0),
)
EVENTS = (
    (1, 0.0, 10.0, "A person in blue stands still at the left of the picture, near the dog."),
    (1, 10.0, 20.0, "A person in blue throws a ball."),
    (1, 20.0, 30.0, "A person in blue feeds the dog."),
    (2, 0.0, 4.0, "A brown dog stays still at the left of the picture, near a person."),
    (2, 4.0, 8.0, "A brown dog leaves to the right."),
    (3, 12.0, 14.0, "A brown dog enters from the right."),
    (3, 14.0, 30.0, "A brown dog runs to the left, towards a person."),
    (4, 15.0, 17.0, "A person in red enters from the bottom."),
    (4, 17.0, 20.0, "A person in red stands still in the middle of the picture, near the table."),
    (4, 20.0, 22.0, "A person in red leaves to the left."),
)


def _sentence(thing: Thing, time_s: float) -> str:
    doing = next((text for track, a, b, text in EVENTS if track == thing.track_id and a <= time_s < b), "")
    left = thing.left_at(time_s)
    place = "at the right" if left > 400 else "at the left" if left < 200 else "in the middle"
    return doing or f"{thing.look[:1].upper()}{thing.look[1:]} stays still {place} of the picture."


def _entity(video_id: str, thing: Thing) -> Entity:
    times = [round(0.2 * tick, 3) for tick in range(LENGTH_S * 5) if thing.is_seen(0.2 * tick + 1e-9)]
    boxes = [value for time in times for value in (lambda b: (b.x_min, b.y_min, b.x_max, b.y_max))(thing.box(time))]
    return an_entity(
        video_id, thing.track_id, label=thing.label, description=f"{thing.look}.", start_s=thing.start_s,
        end_s=thing.end_s, track_timestamps_s=tuple(times), track_boxes=tuple(boxes),
    )  # fmt: skip


def write_park(
    store: Store,
    video_id: str,
    *,
    things: Sequence[Thing] = THINGS,
    blocked: Sequence[int] = (),
    cuts_s: tuple[float, ...] | None = (),
    duration_s: float = LENGTH_S,
) -> None:
    """Write the clip as the pipeline would."""
    embedder = BagOfWords()
    title = f"park {video_id}"
    writer = GraphWriter(store)
    entities = [_entity(video_id, thing) for thing in things]
    links = [a_link(video_id, 2, 3)] if any(thing.track_id == 3 for thing in things) else []
    record = a_video(
        video_id, title=title, uri=f"/videos/{title}.mp4", duration_s=duration_s, frame_count=LENGTH_S,
        content_hash=hashlib.sha256(video_id.encode()).hexdigest(), cuts_s=cuts_s,
    )  # fmt: skip
    writer.begin(record, entities, links)
    nodes = [
        a_node(
            video_id, index, thing.track_id, label=thing.label, box=thing.box(index),
            attributes=tuple(thing.look.split()), description=_sentence(thing, index),
        )
        for index in range(LENGTH_S)
        for thing in things
        if thing.is_seen(index)
    ]  # fmt: skip
    frames = tuple(
        a_frame(video_id, index, coverage="blocked" if index in blocked else "ok", description=f"Second {index}.")
        for index in range(LENGTH_S)
    )
    window = SceneWindow(0, frames, tuple(nodes), (), ())
    writer.write_window(video_id, window, embedder.embed([node.description for node in nodes], "document"))
    present = {thing.track_id for thing in things}
    events: list[Event] = []
    for track, start_s, end_s, text in EVENTS:
        if track in present:
            seq = sum(1 for one in events if one.entity_id == entity_id(video_id, track))
            events.append(an_event(video_id, track, seq, start_s=start_s, end_s=end_s, description=text))
    writer.write_events(video_id, events, embedder.embed([event.description for event in events], "document"))
    writer.finish(video_id)
