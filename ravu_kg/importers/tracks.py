"""Tracks, relations and events that were annotated, into the graph: measured and worded as those of an indexed video.

What boxes tell (places, motion, near and far, events of motion) is measured by the describer that indexing uses, with
the source ``geometry``; annotated relations and events keep ``annotation``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from ravu_kg.articles import with_article
from ravu_kg.importers.annotated import AnnotatedVideo, Problems, annotated_id, annotated_record, refuse
from ravu_kg.perception.geometry import describe
from ravu_kg.perception.observing import leaves
from ravu_kg.types import (
    Box,
    GivenEvent,
    GivenRelation,
    Perception,
    SampledFrame,
    SceneWindow,
    Source,
    Track,
    TrackEnd,
    TrackLink,
    VideoInfo,
)
from ravu_kg.video.sampling import sample_positions

LONGEST_S = 24 * 3600.0
"""A video is taken for no longer than a day: a frame number beyond that is an error."""
MOST_FRAMES = 200_000
"""Sampled frames of one video."""
_STILL_SEEN_S = 0.5
_WINDOW_FRAMES = 60


@dataclass(slots=True)
class Sheet:
    """What was annotated in one video; a reader fills it."""

    file: Path
    kind: str
    external_id: str
    title: str
    width_px: int
    height_px: int
    times_s: Sequence[float]
    """Of the source frames that may be sampled, ascending."""
    frame_numbers: Sequence[int]
    """0-based in the source; of the same frames."""
    duration_s: float
    frame_rate: float
    annotated_by: str
    boxes: dict[int, AnnotatedTrack] = field(default_factory=lambda: dict[int, AnnotatedTrack]())
    relations: list[GivenRelation] = field(default_factory=list[GivenRelation])
    events: list[GivenEvent] = field(default_factory=list[GivenEvent])
    links: list[TrackLink] = field(default_factory=list[TrackLink])
    tracker: str = "annotation"
    source: Source = "annotation"
    """``geometry`` where a tracker joined detections to tracks."""

    @property
    def video_id(self) -> str:
        """Of the graph."""
        return annotated_id(self.kind, self.external_id)


@dataclass(slots=True)
class AnnotatedTrack:
    """The boxes of one thing."""

    track_id: int
    """As the annotation has it."""
    label: str
    by_time: dict[float, tuple[Box, float]] = field(default_factory=dict[float, tuple[Box, float]])
    """Seconds -> box, confidence."""


def frames_of_rate(count: int, frame_rate: float) -> tuple[list[float], list[int]]:
    """Times and numbers of a video's frames when they come at an even rate."""
    return [number / frame_rate for number in range(count)], list(range(count))


def check_length(file: Path, count: int, frame_rate: float, field_name: str) -> None:
    """Refuse what is no length of a video, before frames are made of it.

    Raises:
        ConfigurationError: it is longer than a day.
    """
    if count / frame_rate > LONGEST_S:
        refuse(
            file,
            f"field {field_name}: {count:,} frames at {frame_rate:g} a second last longer than {LONGEST_S / 3600:g} h.",
        )


def box_inside(
    problems: Problems, file: Path, line: int | None, field_name: str, box: Box, width_px: int, height_px: int
) -> Box | None:
    """The part of a box inside the picture; None, with a problem told, where nothing is.

    Raises:
        ConfigurationError: nothing is inside, and bad rows are not left out.
    """
    if box.x_max <= box.x_min or box.y_max <= box.y_min:
        problems.found(file, line, field_name, "the box has no area")
        return None
    inside = box.clip(width_px, height_px)
    if inside.area <= 0:
        problems.found(file, line, field_name, f"the box is outside the picture of {width_px} x {height_px} pixels")
        return None
    return inside


def annotate(
    sheet: Sheet,
    *,
    sample_interval_s: float,
    adjust: Callable[[SceneWindow], SceneWindow] | None = None,
) -> AnnotatedVideo:
    """A sheet as a video of the graph.

    Track ids are kept, so that a person finds ``#15`` in the file again.

    Args:
        sheet: with boxes inside the picture only.
        sample_interval_s: seconds between two sampled frames.
        adjust: a last word on each window.

    Raises:
        ConfigurationError: nothing is annotated in it.
    """
    tracks = [track for track in sheet.boxes.values() if track.by_time]
    if not tracks:
        refuse(sheet.file, f"no box of video {sheet.external_id} can be used.")
    positions = sample_positions(sheet.times_s, sample_interval_s)
    if len(positions) > MOST_FRAMES:
        refuse(sheet.file, f"video {sheet.external_id} would have {len(positions):,} sampled frames.")
    frames = tuple(
        SampledFrame(index, sheet.frame_numbers[at], sheet.times_s[at]) for index, at in enumerate(positions)
    )
    tracks.sort(key=lambda track: (min(track.by_time), track.track_id))
    info = VideoInfo(Path(sheet.title), "", sheet.width_px, sheet.height_px, sheet.duration_s, sheet.frame_rate)
    seen = Perception(
        video=info,
        frames=frames,
        tracks=tuple(_track(track, sheet) for track in tracks),
        links=tuple(sheet.links),
        cuts_s=(),
        detector=sheet.annotated_by,
        tracker=sheet.tracker,
        sample_interval_s=sample_interval_s,
        relations=tuple(sheet.relations),
        events=tuple(sheet.events),
    )
    description = describe(seen, sheet.video_id, window_s=_WINDOW_FRAMES * sample_interval_s)
    record = annotated_record(
        sheet.kind,
        sheet.external_id,
        title=sheet.title,
        width_px=sheet.width_px,
        height_px=sheet.height_px,
        duration_s=sheet.duration_s,
        frame_rate=sheet.frame_rate,
        frames=len(frames),
        annotated_by=sheet.annotated_by,
        sample_interval_s=sample_interval_s,
        describer="geometry",
        tracking_rate_hz=_rate_hz(tracks),
    )
    windows = tuple(description.windows)
    return AnnotatedVideo(
        replace(record, tracker=sheet.tracker),
        description.entities,
        tuple(adjust(window) for window in windows) if adjust else windows,
        description.events,
        description.links,
    )


def label_of(text: str) -> str:
    """A category as it is read in a sentence: ``traffic_light`` is ``traffic light``."""
    return " ".join(text.replace("_", " ").split())


def mentioned(sheet: Sheet, track_id: int, seen_from: int) -> str:
    """How an event of one track tells of another: ``the dog``, ``a dog`` of several, ``another dog``."""
    label = sheet.boxes[track_id].label
    if label == sheet.boxes[seen_from].label:
        return f"another {label}"
    several = sum(track.label == label for track in sheet.boxes.values()) > 1
    return with_article(label) if several else f"the {label}"


def _track(track: AnnotatedTrack, sheet: Sheet) -> Track:
    times_s = np.array(sorted(track.by_time), dtype=np.float64)
    held = [track.by_time[time_s] for time_s in times_s.tolist()]
    boxes = np.array([(box.x_min, box.y_min, box.x_max, box.y_max) for box, _ in held], dtype=np.float32)
    ended: TrackEnd = "lost"
    if sheet.duration_s - float(times_s[-1]) <= _STILL_SEEN_S:
        ended = "end"
    elif leaves(times_s, boxes, sheet.width_px, sheet.height_px):
        ended = "left"
    return Track(
        track_id=track.track_id,
        label=track.label,
        timestamps_s=times_s,
        boxes=boxes,
        confidences=np.array([confidence for _, confidence in held], dtype=np.float32),
        ended_by=ended,
        appearance=None,
        colors={},
        source=sheet.source,
    )


def _rate_hz(tracks: Sequence[AnnotatedTrack]) -> float | None:
    """How often boxes were drawn: the usual gap between two of one track."""
    gaps = [gap for track in tracks for gap in np.diff(np.array(sorted(track.by_time), dtype=np.float64)).tolist()]
    return round(1 / float(np.median(gaps)), 3) if gaps else None
