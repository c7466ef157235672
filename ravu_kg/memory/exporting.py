"""A video's tracks for other programs: MOT text, and COCO-video JSON."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, cast

import numpy as np
from numpy.typing import NDArray

from ravu_kg import __version__
from ravu_kg.errors import UsageError, VideoError
from ravu_kg.memory.bundles import writable
from ravu_kg.memory.library import VideoSummary
from ravu_kg.memory.naming import content_hash

if TYPE_CHECKING:
    from ravu_kg.memory import VideoMemory

_DIGITS = 3


@dataclass(frozen=True, slots=True)
class TrackedBox:
    """One box of one entity."""

    source_frame: int
    """0-based in the source."""
    timestamp_s: float
    track_id: int
    label: str
    box: tuple[float, float, float, float]
    """x_min, y_min, x_max, y_max in displayed pixels."""
    confidence: float | None
    """0..1; None between two sampled frames."""


def export_mot(memory: VideoMemory, video: str, target: Path) -> int:
    """Write a video's tracks as MOT text; gives how many boxes.

    ``frame, id, left, top, width, height, confidence, -1, -1, -1``: frames of the source from 1, displayed pixels, a
    confidence of -1 where it is not known. ``index --tracks`` reads it back; labels are lost.

    Raises:
        NotFoundError: no such video.
        UsageError: the video is not complete, has no track, or the file cannot be written.
    """
    boxes = tracked_boxes(memory, _complete(memory, video))
    lines = [_mot_line(one) for one in boxes]
    _write(target, "".join(lines))
    return len(lines)


def export_coco(memory: VideoMemory, video: str, target: Path) -> int:
    """Write a video's tracks as COCO-video JSON; gives how many boxes.

    ``videos``, ``images`` (each with ``video_id``, ``frame_id`` from 0 among the images, ``source_frame`` and
    ``timestamp`` in seconds), ``categories``, ``tracks`` and ``annotations`` (``bbox`` is left, top, width, height;
    ``track_id``, and ``instance_id`` with the same value; ``score`` where it is known).

    Raises:
        NotFoundError: no such video.
        UsageError: the video is not complete, has no track, or the file cannot be written.
    """
    summary = _complete(memory, video)
    boxes = tracked_boxes(memory, summary)
    _write(target, json.dumps(_coco(summary, boxes), ensure_ascii=False, allow_nan=False))
    return len(boxes)


def tracked_boxes(memory: VideoMemory, video: VideoSummary) -> list[TrackedBox]:
    """All boxes of a video's tracks, by frame and track.

    Raises:
        UsageError: the video has no track.
    """
    store, video_id = memory.store, video.video_id
    frame_at = _frame_numbers(memory, video)
    found = store.read("export/confidences", video_id=video_id).rows
    confidences = {(row["entity_id"], row["t"]): cast(float, row["confidence"]) for row in found}
    by_place: dict[tuple[int, int], TrackedBox] = {}
    for row in store.read("export/tracks", video_id=video_id).rows:
        times_s = np.asarray(row["timestamps_s"], dtype=np.float64)
        places = np.asarray(row["boxes"], dtype=np.float64).reshape(-1, 4)
        track_id = cast(int, row["track_id"])  # as the template declares
        for frame, time_s, place in zip(frame_at(times_s), times_s.tolist(), places.tolist(), strict=True):
            one = TrackedBox(
                frame,
                time_s,
                track_id,
                str(row["label"]),
                cast("tuple[float, float, float, float]", tuple(place)),  # four columns
                confidences.get((row["entity_id"], time_s)),
            )
            by_place.setdefault((frame, track_id), one)
    if not by_place:
        raise UsageError(f"{video.title} ({video_id}) has no track: nothing was found in it.")
    return [by_place[place] for place in sorted(by_place)]


def _frame_numbers(memory: VideoMemory, video: VideoSummary) -> Callable[[NDArray[np.float64]], list[int]]:
    """Times to the numbers of the source's frames.

    From the frame rate, when that is right for every sampled frame; else from the file; else, without the file, between
    the sampled frames.
    """
    records = [row["record"] for row in memory.store.read("export/frames", video_id=video.video_id).rows]
    frames = sorted(cast("list[dict[str, float]]", records), key=lambda record: record["t"])  # as it declares
    known_s = np.array([record["t"] for record in frames], dtype=np.float64)
    known = np.array([record["sourceFrame"] for record in frames], dtype=np.float64)
    if np.array_equal(np.rint(known_s * video.frame_rate), known):
        return lambda times_s: np.rint(times_s * video.frame_rate).astype(int).tolist()
    every_s = _times_of_file(video)
    if every_s is not None:
        return lambda times_s: _nearest(every_s, times_s)
    return lambda times_s: np.rint(np.interp(times_s, known_s, known)).astype(int).tolist()


def _times_of_file(video: VideoSummary) -> NDArray[np.float64] | None:
    from ravu_kg.video.reader import frame_times  # takes a while to import

    path = Path(video.uri or "")
    try:
        if path.is_file() and content_hash(path) == video.content_hash:
            return np.asarray(frame_times(path), dtype=np.float64)
    except (UsageError, VideoError):
        pass  # it cannot be read any more
    return None


def _nearest(every_s: NDArray[np.float64], times_s: NDArray[np.float64]) -> list[int]:
    after = np.clip(np.searchsorted(every_s, times_s), 1, max(1, len(every_s) - 1))
    before = after - 1
    nearer = times_s - every_s[before] <= every_s[np.minimum(after, len(every_s) - 1)] - times_s
    return np.where(nearer, before, after).tolist()


def _mot_line(one: TrackedBox) -> str:
    left, top, right, bottom = one.box
    numbers = ",".join(f"{value:.{_DIGITS}f}" for value in (left, top, right - left, bottom - top))
    sure = -1 if one.confidence is None else round(max(one.confidence, 10**-_DIGITS), _DIGITS)
    return f"{one.source_frame + 1},{one.track_id},{numbers},{sure:g},-1,-1,-1\n"


def _coco(video: VideoSummary, boxes: Iterable[TrackedBox]) -> dict[str, object]:
    boxes = list(boxes)
    categories = {label: number for number, label in enumerate(sorted({one.label for one in boxes}), start=1)}
    times_s = {one.source_frame: one.timestamp_s for one in reversed(boxes)}
    images = {frame: number for number, frame in enumerate(sorted(times_s), start=1)}
    size = {"width": video.width_px, "height": video.height_px}
    rate = {"fps": video.frame_rate, "duration": video.duration_s}
    return {
        "info": {"description": f"Tracks of {video.title} ({video.video_id}) by ravu-kg {__version__}"},
        "videos": [{"id": 1, "name": video.title, **size, "length": len(images), **rate}],
        "images": [
            {
                "id": number,
                "video_id": 1,
                "frame_id": number - 1,
                "source_frame": frame,
                "timestamp": times_s[frame],
                "file_name": f"{video.video_id}/{frame:06d}.jpg",
                **size,
            }
            for frame, number in images.items()
        ],
        "categories": [{"id": number, "name": label} for label, number in categories.items()],
        "tracks": [
            {"id": track_id, "video_id": 1, "category_id": categories[label]}
            for track_id, label in sorted({(one.track_id, one.label) for one in boxes})
        ],
        "annotations": [
            _annotation(number, one, images[one.source_frame], categories[one.label])
            for number, one in enumerate(boxes, start=1)
        ],
    }


def _annotation(number: int, one: TrackedBox, image_id: int, category_id: int) -> dict[str, object]:
    left, top, right, bottom = one.box
    known: dict[str, object] = {} if one.confidence is None else {"score": one.confidence}
    return {
        "id": number,
        "image_id": image_id,
        "video_id": 1,
        "category_id": category_id,
        "track_id": one.track_id,
        "instance_id": one.track_id,
        "bbox": [left, top, right - left, bottom - top],
        "area": (right - left) * (bottom - top),
        "iscrowd": 0,
        **known,
    }


def _complete(memory: VideoMemory, name: str) -> VideoSummary:
    video_id = memory.resolve(name)
    summary = next(video for video in memory.videos() if video.video_id == video_id)
    if summary.status != "ready":
        raise UsageError(f"{summary.title} ({video_id}) is not complete (status {summary.status}).")
    return summary


def _write(target: Path, text: str) -> None:
    beside = target.with_name(f".{target.name}.part")
    with writable(target):
        try:
            beside.write_text(text, encoding="utf-8")
            beside.replace(target)
        finally:
            beside.unlink(missing_ok=True)
