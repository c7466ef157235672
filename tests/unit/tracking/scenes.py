"""Scenes without a video: coloured rectangles on grey, with the boxes a perfect detector would give."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from ravu_kg.perception.identity import link_tracks
from ravu_kg.perception.observing import Observer
from ravu_kg.perception.tracking import make_tracks
from ravu_kg.protocols import Tracker
from ravu_kg.types import Box, Detection, SampledFrame, Track, TrackLink, VideoFrame

WIDTH_PX, HEIGHT_PX = 640, 360
STEP_S = 0.2
RED, BLUE, GREEN = (200, 30, 30), (30, 60, 170), (40, 140, 60)

Thing = tuple[Box, tuple[int, int, int]]


def person(x: float, y: float = 100, *, width: float = 60, height: float = 150) -> Box:
    """A person's box with its left upper corner at (x, y)."""
    return Box(x, y, x + width, y + height)


def frame_of(step: int, things: Iterable[Thing], *, step_s: float = STEP_S) -> VideoFrame:
    """A picture of some things; later ones lie in front."""
    image = np.full((HEIGHT_PX, WIDTH_PX, 3), 128, np.uint8)
    for box, color in things:
        inside = box.clip(WIDTH_PX, HEIGHT_PX)
        image[int(inside.y_min) : int(inside.y_max), int(inside.x_min) : int(inside.x_max)] = color
    return VideoFrame(step, step * step_s, image)


def found(box: Box, confidence: float = 0.9, label: str = "person") -> Detection:
    """What a detector reports of a box: the part of it inside the picture."""
    return Detection(box.clip(WIDTH_PX, HEIGHT_PX), label, confidence)


def track(tracker: Tracker, scene: Sequence[Mapping[str, Thing]], *, step_s: float = STEP_S) -> dict[str, list[int]]:
    """For each thing of a scene (one mapping of names a frame) the ids of its track, frame by frame."""
    ids: dict[str, list[int]] = {}
    for step, things in enumerate(scene):
        names = {found(box).box: name for name, (box, _) in things.items()}
        detections = [found(box) for box, _ in things.values()]
        for item in tracker.update(frame_of(step, things.values(), step_s=step_s), detections):
            ids.setdefault(names[item.detection.box], []).append(item.track_id)
    return ids


def observe(
    tracker: Tracker, scene: Sequence[Mapping[str, Thing]], *, cut_at: int | None = None
) -> tuple[tuple[Track, ...], tuple[TrackLink, ...]]:
    """The tracks and links of a scene; every frame of it is a sampled one."""
    observer = Observer(WIDTH_PX, HEIGHT_PX, STEP_S)
    frames: list[SampledFrame] = []
    for step, things in enumerate(scene):
        frame = frame_of(step, things.values())
        if step == cut_at:
            observer.cut()
            tracker.reset()
        tracked = tracker.update(frame, [found(box) for box, _ in things.values() if found(box).box.area > 0])
        observer.observe(frame, tracked, step)
        frames.append(SampledFrame(step, step, frame.timestamp_s))
    tracks = make_tracks(observer.finish((len(scene) - 1) * STEP_S), frames)
    cuts_s = () if cut_at is None else (cut_at * STEP_S,)
    return tracks, link_tracks(tracks, cuts_s, WIDTH_PX, HEIGHT_PX)
