"""Memories of the VideoAgent system as JSON and NumPy files: raw tracks, captions of segments, vectors of tracks.

A folder holds ``tracking.json``, and may hold ``captions.json``, ``embeddings.npz``, ``reid.json`` and the video.
"""

from __future__ import annotations

import io
import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, cast

import numpy as np
from pydantic import Field

from ravu_kg.archives import DAMAGED
from ravu_kg.errors import VideoError
from ravu_kg.importers.annotated import (
    AnnotatedVideo,
    OnProblem,
    Problems,
    refuse,
    stamp,
)
from ravu_kg.importers.reading import Finite, FrameNumber, Row, TrackId, Words, json_object, read_bytes, read_json, rows
from ravu_kg.importers.reentry import SeenTrack, link_reentries
from ravu_kg.importers.tracks import (
    AnnotatedTrack,
    Sheet,
    annotate,
    box_inside,
    check_length,
    frames_of_rate,
    label_of,
)
from ravu_kg.types import (
    Box,
    Entity,
    Event,
    FloatArray,
    FrameNode,
    SameAs,
    SceneWindow,
    entity_id,
    event_id,
    frame_node_id,
    track_id_in,
)

KIND = "video-memory"
WEARER = "camera wearer"
SEGMENT_S = 2.0
"""Of video in a captioned segment: its frames over this are the frame rate."""
_TRACKS, _REFERENCE, _CAPTIONS, _VECTORS = "tracking.json", "reid.json", "captions.json", "embeddings.npz"
_KEY = re.compile(r"track_(?P<model>[a-z0-9]+)")
_MOST_VECTORS = 100_000
_KEPT = ("dinov2", "clip")
"""Of several models, the vectors of the first of these are kept at the entity."""


class _Seen(Row):
    id: TrackId
    category: Words
    bbox: tuple[Finite, Finite, Finite, Finite]


class _Segment(Row):
    segment: Annotated[int, Field(ge=0)]
    start_frame: FrameNumber
    end_frame: FrameNumber
    caption: Annotated[str, Field(max_length=2_000)]


@dataclass(frozen=True, slots=True)
class _Size:
    width_px: int
    height_px: int
    frame_rate: float | None


def read(
    paths: Sequence[Path],
    *,
    skip_bad: bool,
    on_problem: OnProblem,
    sample_interval_s: float = 1.0,
    frame_rate: float | None = None,
    size_px: tuple[int, int] | None = None,
) -> Iterator[AnnotatedVideo]:
    """The memories of some folders, one video a folder; see :class:`ravu_kg.importers.annotated.Reader`.

    Raw tracks are the entities, and those that are one thing by their vectors are linked as re-entries. Captions are
    events, and in each frame the sentence, of who wears the camera.

    Args:
        paths: folders with a ``tracking.json``.
        skip_bad: leave out boxes and segments that cannot be used.
        on_problem: told of them.
        sample_interval_s: seconds between two sampled frames.
        frame_rate: frames a second; by default that of the video in the folder, or what makes a segment last 2 s.
        size_px: width and height; by default those of the video in the folder, or as far as the boxes reach.

    Raises:
        ConfigurationError: a file cannot be read or used, or nothing says the frame rate.
    """
    problems = Problems(skip_bad, on_problem)
    for path in paths:
        folder = path if path.is_dir() else path.parent
        yield _memory(folder, problems, sample_interval_s, frame_rate, size_px)


def seen_tracks(folder: Path) -> tuple[list[SeenTrack], dict[int, int]]:
    """The tracks of a folder as they are compared, and the reference: track id -> re-identified object.

    Boxes of the reference are those of the tracks, so a track is the object that most of its boxes are.

    Raises:
        ConfigurationError: a file cannot be read or used.
    """
    problems = Problems(False, lambda _: None)
    frames, _ = _frames(folder / _TRACKS, problems)
    objects, _ = _frames(folder / _REFERENCE, problems)
    votes: dict[int, Counter[int]] = {}
    for number, boxes in frames.items():
        there = {(one.bbox, one.category): one.id for _, one in objects.get(number, ())}
        for _, one in boxes:
            if (thing := there.get((one.bbox, one.category))) is not None:
                votes.setdefault(one.id, Counter())[thing] += 1
    spans: dict[int, list[int]] = {}
    for number, boxes in frames.items():
        for _, one in boxes:
            spans.setdefault(one.id, []).append(number)
    vectors = _vectors(folder / _VECTORS)[0]
    tracks = [SeenTrack(one, min(held), max(held), vectors.get(one, {})) for one, held in sorted(spans.items())]
    return tracks, {track_id: vote.most_common(1)[0][0] for track_id, vote in votes.items()}


def _memory(
    folder: Path,
    problems: Problems,
    sample_interval_s: float,
    frame_rate: float | None,
    size_px: tuple[int, int] | None,
) -> AnnotatedVideo:
    file = folder / _TRACKS
    if not file.is_file():
        refuse(folder, f"the folder has no {_TRACKS}.")
    frames, content = _frames(file, problems)
    segments, told = _segments(folder / _CAPTIONS, problems)
    vectors, held = _vectors(folder / _VECTORS)
    size = _size(folder, frames, size_px)
    rate = frame_rate or size.frame_rate or _rate(segments)
    if rate is None:
        refuse(file, "nothing says the frame rate. Give it with --fps.")
    count = 1 + max((*frames, *(segment.end_frame - 1 for _, segment in segments)), default=0)
    check_length(file, count, rate, "frames")
    times_s, numbers = frames_of_rate(count, rate)
    about = f"{rate!r} {size.width_px}x{size.height_px}".encode()
    sheet = Sheet(
        file=file,
        kind=KIND,
        external_id=folder.resolve().name,
        title=folder.resolve().name,
        width_px=size.width_px,
        height_px=size.height_px,
        times_s=times_s,
        frame_numbers=numbers,
        duration_s=count / rate,
        frame_rate=rate,
        annotated_by=stamp(KIND, folder.resolve().name, content + told + held + about),
    )
    _fill(sheet, frames, problems)
    seen = [
        SeenTrack(track.track_id, min(track.by_time), max(track.by_time), vectors.get(track.track_id, {}))
        for track in sheet.boxes.values()
        if track.by_time
    ]
    sheet.links.extend(link_reentries([track for track in seen if track.vectors]))
    video = annotate(sheet, sample_interval_s=sample_interval_s)
    video = replace(video, entities=tuple(_with_vectors(entity, vectors) for entity in video.entities))
    return _with_captions(video, [segment for _, segment in segments], rate)


_Frames = dict[int, list[tuple[str, _Seen]]]


def _frames(path: Path, problems: Problems) -> tuple[_Frames, bytes]:
    raw, content = read_json(path)
    file = json_object(path, raw, "the file")
    held = json_object(path, file.get("frames"), "field frames")
    frames: _Frames = {}
    for name, boxes in held.items():
        if not name.isdecimal() or len(name) > 9:
            problems.found(path, None, f"frames.{name[:40]}", "no number of a frame")
        elif not isinstance(boxes, list):
            problems.found(path, None, f"frames.{name}", "no list of boxes")
        else:
            listed = cast("list[object]", boxes)  # what JSON lists hold
            frames[int(name)] = list(rows(path, listed, f"frames.{name}", _Seen, problems))
    return dict(sorted(frames.items())), content


def _segments(path: Path, problems: Problems) -> tuple[list[tuple[str, _Segment]], bytes]:
    if not path.is_file():
        return [], b""
    raw, content = read_json(path)
    if not isinstance(raw, list):
        refuse(path, "the file holds no list of segments.")
    found: list[tuple[str, _Segment]] = []
    for place, one in rows(path, cast("list[object]", raw), "", _Segment, problems):
        where = place.strip(".")
        if one.end_frame <= one.start_frame:
            problems.found(path, None, f"{where}.end_frame", f"{one.end_frame} is not after {one.start_frame}")
        elif found and one.start_frame < found[-1][1].end_frame:
            problems.found(path, None, f"{where}.start_frame", f"{one.start_frame} lies in the segment before")
        else:
            found.append((where, one))
    return found, content


def _vectors(path: Path) -> tuple[dict[int, dict[str, FloatArray]], bytes]:
    """Vectors by track and model: ``track_NAME`` with the ids in ``track_NAME_ids``; nothing else of the file."""
    if not path.is_file():
        return {}, b""
    content = read_bytes(path)
    found: dict[int, dict[str, FloatArray]] = {}
    try:
        with np.load(io.BytesIO(content), allow_pickle=False) as file:
            for key in file.files:
                match = _KEY.fullmatch(key)
                if match is None or f"{key}_ids" not in file.files:
                    continue
                ids, vectors = np.asarray(file[f"{key}_ids"]), np.asarray(file[key], dtype=np.float32)
                if ids.ndim != 1 or vectors.ndim != 2 or len(ids) != len(vectors) or len(ids) > _MOST_VECTORS:
                    refuse(path, f"field {key}: {vectors.shape} vectors do not fit {ids.shape} ids.")
                lengths = np.linalg.norm(vectors, axis=1)
                if not np.isfinite(lengths).all() or (lengths == 0).any() or ids.dtype.kind not in "iu":
                    refuse(path, f"field {key}: a vector is zero or no number, or an id is no whole number.")
                for track_id, vector in zip(ids.tolist(), vectors / lengths[:, None], strict=True):
                    found.setdefault(int(track_id), {})[match["model"]] = vector
    except (*DAMAGED, OSError) as error:
        refuse(path, f"not a file of NumPy arrays without Python objects: {error}.")
    return found, content


def _size(folder: Path, frames: _Frames, size_px: tuple[int, int] | None) -> _Size:
    video = next(
        (one for one in sorted(folder.iterdir()) if one.stem == folder.resolve().name and _is_video(one)), None
    )
    if video is not None:
        from ravu_kg.video.reader import probe  # takes a while to import

        try:
            info = probe(video)
        except VideoError as error:
            refuse(video, f"{error}")
        return _Size(*(size_px or (info.width_px, info.height_px)), info.frame_rate)
    if size_px is not None:
        return _Size(*size_px, None)
    sides = np.array([one.bbox[2:] for boxes in frames.values() for _, one in boxes], dtype=np.float64).reshape(-1, 2)
    if not len(sides) or not 0 < sides.max() < 100_000:
        refuse(folder / _TRACKS, "no box tells how large the picture is. Give its size with --size.")
    width, height = (max(1, math.ceil(side)) for side in sides.max(axis=0).tolist())
    return _Size(width, height, None)


def _is_video(path: Path) -> bool:
    return path.suffix.lower() in (".mp4", ".avi", ".mkv", ".mov", ".webm")


def _rate(segments: Sequence[tuple[str, _Segment]]) -> float | None:
    return (segments[0][1].end_frame - segments[0][1].start_frame) / SEGMENT_S if segments else None


def _fill(sheet: Sheet, frames: _Frames, problems: Problems) -> None:
    for number, boxes in frames.items():
        time_s = sheet.times_s[number]
        for place, one in boxes:
            label = label_of(one.category)
            track = sheet.boxes.setdefault(one.id, AnnotatedTrack(one.id, label))
            if track.label != label:
                problems.found(sheet.file, None, f"{place}.category", f"{one.id} is a {track.label}, not a {label}")
                continue
            if time_s in track.by_time:
                problems.found(sheet.file, None, f"{place}.id", f"{one.id} has a box in frame {number} already")
                continue
            inside = box_inside(
                problems, sheet.file, None, f"{place}.bbox", Box(*one.bbox), sheet.width_px, sheet.height_px
            )
            if inside is not None:
                track.by_time[time_s] = inside, 1.0


def _with_vectors(entity: Entity, vectors: Mapping[int, Mapping[str, FloatArray]]) -> Entity:
    """The vector of one model stays at the entity, with the name of the model."""
    known = vectors.get(entity.track_id, {})
    model = next((name for name in (*_KEPT, *sorted(known)) if name in known), None)
    if model is None:
        return entity
    return replace(entity, appearance=known[model].tolist(), appearance_model=f"given:{model}")


# --- captions -----------------------------------------------------------------------------------


def _with_captions(video: AnnotatedVideo, segments: Sequence[_Segment], rate: float) -> AnnotatedVideo:
    """Add who wears the camera: a node with the caption in each captioned frame, and an event a run of one caption."""
    segments = [one for one in segments if sentence_of(one.caption)]
    if not segments:
        return video
    video_id = video.record.id
    track_id = 1 + max(entity.track_id for entity in video.entities)
    wearer = entity_id(video_id, track_id)
    windows: list[SceneWindow] = []
    last: FrameNode | None = None
    for window in video.windows:
        nodes, chain = list(window.nodes), list(window.same_as)
        frames = list(window.frames)
        for at, frame in enumerate(frames):
            number = frame.timestamp_s * rate + 1e-6
            caption = next((one.caption for one in segments if one.start_frame <= number < one.end_frame), None)
            if caption is None:
                continue
            text = sentence_of(caption)
            frames[at] = replace(frame, description=f"{text} {frame.description}")
            node = _node(video_id, frame.index, frame.timestamp_s, track_id, text)
            if last is not None:
                gap_s = node.timestamp_s - last.timestamp_s
                chain.append(SameAs(last.id, node.id, gap_s, 1.0, "annotation"))
            nodes.append(node)
            last = node
        nodes.sort(key=lambda node: (node.frame_index, track_id_in(node.entity_id)))
        windows.append(SceneWindow(window.index, tuple(frames), tuple(nodes), window.relations, tuple(chain)))
    events = _events(video_id, track_id, segments, rate)
    entity = Entity(
        id=wearer,
        video_id=video_id,
        track_id=track_id,
        label=WEARER,
        description=f"Who wears the camera, from {events[0].start_s:.1f} s to {events[-1].end_s:.1f} s.",
        color="#808080",
        start_s=events[0].start_s,
        end_s=events[-1].end_s,
        track_timestamps_s=(),
        track_boxes=(),
    )
    return replace(video, entities=(*video.entities, entity), windows=tuple(windows), events=(*video.events, *events))


def sentence_of(caption: str) -> str:
    """``The camera wearer opens the cabinet.`` of ``#C C opens the cabinet``; empty where nothing is said."""
    words = " ".join(caption.split()).rstrip(".").strip()
    words = re.sub(r"^#\s?C\s?C\b", "The camera wearer", words)
    words = re.sub(r"#\s?[CO]\b", "", re.sub(r"#\s?C\s?C\b", "the camera wearer", words))
    words = " ".join(words.split())
    return f"{words[:1].upper()}{words[1:]}." if words else ""


def _node(video_id: str, index: int, time_s: float, track_id: int, text: str) -> FrameNode:
    return FrameNode(
        id=frame_node_id(video_id, index, track_id),
        video_id=video_id,
        entity_id=entity_id(video_id, track_id),
        frame_index=index,
        timestamp_s=time_s,
        label=WEARER,
        box=None,
        confidence=1.0,
        attributes=(),
        description=text,
        geometry_attributes=(),
        geometry_description="",
        source="annotation",
    )


def _events(video_id: str, track_id: int, segments: Sequence[_Segment], rate: float) -> tuple[Event, ...]:
    spans: list[tuple[int, int, str]] = []
    for one in segments:
        text = sentence_of(one.caption)
        if spans and spans[-1][2] == text and spans[-1][1] == one.start_frame:
            spans[-1] = spans[-1][0], one.end_frame, text
        else:
            spans.append((one.start_frame, one.end_frame, text))
    return tuple(
        Event(
            id=event_id(video_id, track_id, "annotation", seq),
            video_id=video_id,
            entity_id=entity_id(video_id, track_id),
            source="annotation",
            seq=seq,
            start_s=start / rate,
            end_s=end / rate,
            description=text,
        )
        for seq, (start, end, text) in enumerate(spans)
    )
