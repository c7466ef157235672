"""COCO-video JSON, with a box an annotation as `ravu-kg export coco` writes it, or with a track an annotation."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated

from pydantic import Field

from ravu_kg.importers.annotated import AnnotatedVideo, OnProblem, Problems, refuse, stamp
from ravu_kg.importers.reading import (
    Finite,
    FrameNumber,
    Positive,
    Row,
    Seconds,
    TrackId,
    Words,
    json_list,
    json_object,
    read_json,
    rows,
)
from ravu_kg.importers.tracks import (
    LONGEST_S,
    AnnotatedTrack,
    Sheet,
    annotate,
    box_inside,
    check_length,
    frames_of_rate,
    label_of,
)
from ravu_kg.types import Box

KIND = "coco"
_SAME_S = 1e-3
_Side = Annotated[int, Field(gt=0, lt=100_000)]


class _Video(Row):
    id: int
    name: str | None = None
    file_name: str | None = None
    width: _Side | None = None
    height: _Side | None = None
    fps: Positive | None = None
    duration: Positive | None = None
    length: Annotated[int, Field(gt=0, lt=2**31)] | None = None


class _Image(Row):
    id: int
    video_id: int
    frame_id: FrameNumber
    source_frame: FrameNumber | None = None
    timestamp: Seconds | None = None
    width: _Side | None = None
    height: _Side | None = None


class _Category(Row):
    id: int
    name: Words


class _Box(Row):
    image_id: int
    category_id: int
    track_id: TrackId | None = None
    instance_id: TrackId | None = None
    bbox: tuple[Finite, Finite, Finite, Finite]
    score: Annotated[float, Field(gt=0, le=1)] | None = None


class _Path(Row):
    """Of YouTube-VIS: one thing with a box, or none, in each frame."""

    id: TrackId
    video_id: int
    category_id: int
    bboxes: list[tuple[Finite, Finite, Finite, Finite] | None]


@dataclass(slots=True)
class _Read:
    path: Path
    content: bytes
    problems: Problems
    frame_rate: float | None
    categories: dict[int, str] = field(default_factory=dict[int, str])
    images: dict[int, _Image] = field(default_factory=dict[int, _Image])
    of_video: defaultdict[int, list[_Image]] = field(default_factory=lambda: defaultdict[int, list[_Image]](list))


def read(
    paths: Sequence[Path],
    *,
    skip_bad: bool,
    on_problem: OnProblem,
    sample_interval_s: float = 1.0,
    frame_rate: float | None = None,
) -> Iterator[AnnotatedVideo]:
    """The videos of COCO-video files; see :class:`ravu_kg.importers.annotated.Reader`.

    The time of an image is its ``timestamp``; without one its ``source_frame``, or ``frame_id``, over the frame rate.

    Args:
        paths: files, each of one or more videos.
        skip_bad: leave out rows that cannot be used.
        on_problem: told of them.
        sample_interval_s: seconds between two sampled frames.
        frame_rate: frames a second of videos that do not say it.

    Raises:
        ConfigurationError: a file cannot be read or used, or nothing says a frame rate.
    """
    problems = Problems(skip_bad, on_problem)
    for path in paths:
        raw, content = read_json(path)
        file = json_object(path, raw, "the file")
        known = _Read(path, content, problems, frame_rate)
        for sheet in _sheets(known, file):
            if any(track.by_time for track in sheet.boxes.values()):
                yield annotate(sheet, sample_interval_s=sample_interval_s)
            else:
                problems.found(path, None, "annotations", f"video {sheet.external_id} has none that can be used")


def _sheets(known: _Read, file: Mapping[str, object]) -> Iterator[Sheet]:
    path, problems = known.path, known.problems
    for place, category in rows(path, json_list(path, file, "categories"), "categories", _Category, problems):
        if category.id in known.categories:
            problems.found(path, None, f"{place}.id", f"{category.id} is used twice")
        else:
            known.categories[category.id] = label_of(category.name)
    for place, image in rows(path, json_list(path, file, "images", needed=False), "images", _Image, problems):
        if image.id in known.images:
            problems.found(path, None, f"{place}.id", f"{image.id} is used twice")
        else:
            known.images[image.id] = image
            known.of_video[image.video_id].append(image)
    sheets: dict[int, Sheet] = {}
    for place, video in rows(path, json_list(path, file, "videos"), "videos", _Video, problems):
        if video.id in sheets:
            problems.found(path, None, f"{place}.id", f"{video.id} is used twice")
        else:
            sheets[video.id] = _sheet(known, place, video)
    _annotations(known, sheets, json_list(path, file, "annotations"))
    yield from sheets.values()


def _sheet(known: _Read, place: str, video: _Video) -> Sheet:
    images = known.of_video[video.id]
    name = video.name or (Path(video.file_name).stem if video.file_name else "") or str(video.id)
    width = video.width or next((image.width for image in images if image.width), None)
    height = video.height or next((image.height for image in images if image.height), None)
    rate = video.fps or known.frame_rate or _rate(images)
    missing = [
        told
        for told, value in (("width", width), ("height", height), ("fps (or the option --fps)", rate))
        if value is None
    ]
    if width is None or height is None or rate is None:
        refuse(known.path, f"field {place}: it has no {', '.join(missing)}.")
    last = max((_number(image) for image in images), default=(video.length or 1) - 1)
    check_length(known.path, last + 1, rate, place)
    times_s, numbers = _frames(images, last, rate)
    return Sheet(
        file=known.path,
        kind=KIND,
        external_id=name,
        title=name,
        width_px=width,
        height_px=height,
        times_s=times_s,
        frame_numbers=numbers,
        duration_s=video.duration or (times_s[-1] + 1 / rate),
        frame_rate=rate,
        annotated_by=stamp(KIND, known.path.name, known.content + f"{rate!r}".encode()),
    )


def _frames(images: Sequence[_Image], last: int, rate: float) -> tuple[list[float], list[int]]:
    """The frames of a video: all of the source where the images' times are those of an even rate, else the images."""
    times_s, numbers = frames_of_rate(last + 1, rate)
    timed = {_number(image): image.timestamp for image in images if image.timestamp is not None}
    if all(abs(time_s - times_s[number]) <= max(_SAME_S, 0.5 / rate) for number, time_s in timed.items()):
        for number, time_s in timed.items():
            times_s[number] = time_s
        return times_s, numbers
    return sorted(timed.values()), sorted(timed)


def _annotations(known: _Read, sheets: Mapping[int, Sheet], values: Sequence[object]) -> None:
    if values and all(isinstance(value, dict) and "bboxes" in value for value in values):
        for place, one in rows(known.path, values, "annotations", _Path, known.problems):
            _path(known, sheets, place, one)
        return
    for place, one in rows(known.path, values, "annotations", _Box, known.problems):
        _box(known, sheets, place, one)


def _box(known: _Read, sheets: Mapping[int, Sheet], place: str, one: _Box) -> None:
    def wrong(name: str, message: str) -> None:
        known.problems.found(known.path, None, f"{place}.{name}", message)

    image = known.images.get(one.image_id)
    track_id = one.track_id if one.track_id is not None else one.instance_id
    if image is None:
        return wrong("image_id", f"there is no image {one.image_id}")
    if track_id is None:
        return wrong("track_id", "missing: a box needs a track_id or an instance_id")
    if one.category_id not in known.categories:
        return wrong("category_id", f"there is no category {one.category_id}")
    if image.video_id not in sheets:
        return wrong("image_id", f"image {image.id} is of video {image.video_id}, which is not there")
    sheet = sheets[image.video_id]
    time_s = image.timestamp if image.timestamp is not None else _number(image) / sheet.frame_rate
    if time_s > LONGEST_S:
        return wrong("image_id", f"image {image.id} is at {time_s:,.0f} s")
    return _place(known, sheet, f"{place}.bbox", track_id, one.category_id, time_s, one.bbox, one.score)


def _path(known: _Read, sheets: Mapping[int, Sheet], place: str, one: _Path) -> None:
    sheet = sheets.get(one.video_id)
    if sheet is None:
        return known.problems.found(known.path, None, f"{place}.video_id", f"there is no video {one.video_id}")
    if one.category_id not in known.categories:
        return known.problems.found(known.path, None, f"{place}.category_id", f"no category {one.category_id}")
    for number, box in enumerate(one.bboxes):
        if box is None:
            continue
        if number >= len(sheet.times_s):
            frames = len(sheet.times_s)
            known.problems.found(known.path, None, f"{place}.bboxes.{number}", f"the video has {frames} frames")
            break
        where = f"{place}.bboxes.{number}"
        _place(known, sheet, where, one.id, one.category_id, sheet.times_s[number], box, None)
    return None


def _place(
    known: _Read,
    sheet: Sheet,
    where: str,
    track_id: int,
    category_id: int,
    time_s: float,
    bbox: tuple[float, float, float, float],
    score: float | None,
) -> None:
    left, top, width, height = bbox
    box = Box(left, top, left + width, top + height)
    inside = box_inside(known.problems, known.path, None, where, box, sheet.width_px, sheet.height_px)
    if inside is None:
        return
    label = known.categories[category_id]
    track = sheet.boxes.setdefault(track_id, AnnotatedTrack(track_id, label))
    if track.label != label:
        known.problems.found(known.path, None, where, f"track {track_id} is a {track.label}, not a {label}")
    elif time_s in track.by_time:
        known.problems.found(known.path, None, where, f"track {track_id} has a box in this frame already")
    else:
        track.by_time[time_s] = inside, 1.0 if score is None else score


def _number(image: _Image) -> int:
    return image.frame_id if image.source_frame is None else image.source_frame


def _rate(images: Sequence[_Image]) -> float | None:
    """From times and numbers of the first and last image."""
    timed = sorted((_number(image), image.timestamp) for image in images if image.timestamp is not None)
    if len(timed) < 2 or timed[-1][1] <= timed[0][1]:
        return None
    return (timed[-1][0] - timed[0][0]) / (timed[-1][1] - timed[0][1]) or None
