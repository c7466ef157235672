"""Entities, what they do, and frames as pictures: what other programs look up."""

from __future__ import annotations

import io
import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import cast

from ravu_kg.errors import NotFoundError, UsageError
from ravu_kg.graph.reader import GraphReader, VideoRow
from ravu_kg.graph.store import Store
from ravu_kg.reasoning.models.pictures import EvidencePictures
from ravu_kg.reasoning.models.requests import tag
from ravu_kg.reasoning.records import Moment
from ravu_kg.types import Box, VideoInfo

MOST = 1000
SMALLEST_SIDE_PX = 64


@dataclass(frozen=True, slots=True)
class FoundEntity:
    """An entity that was looked for."""

    video_id: str
    title: str
    """Of the video."""
    entity_id: str
    identity_id: str
    label: str
    description: str
    start_s: float
    end_s: float
    events: int
    """How many it has."""
    text: str = ""
    """The sentence that is nearest to what was looked for."""
    time_s: float | None = None
    """Of the sentence."""

    def to_dict(self) -> dict[str, object]:
        """Plain values, for JSON."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class EntityEvent:
    """Something that an entity does."""

    event_id: str
    source: str
    start_s: float
    end_s: float
    description: str

    def to_dict(self) -> dict[str, object]:
        """Plain values, for JSON."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class Boxed:
    """An entity in a frame."""

    entity_id: str
    label: str
    description: str
    color: str
    box: tuple[float, float, float, float]
    """Left, top, right and bottom, displayed pixels."""
    given_name: str | None = None
    """By a person."""


@dataclass(frozen=True, slots=True)
class FramePicture:
    """A sampled frame with the boxes of its entities drawn on it."""

    video_id: str
    title: str
    frame_index: int
    time_s: float
    coverage: str
    entities: tuple[Boxed, ...]
    width_px: int
    height_px: int
    png: bytes

    def to_dict(self) -> dict[str, object]:
        """Plain values for JSON, without the picture itself."""
        return {name: value for name, value in asdict(self).items() if name != "png"}


def entities_called(
    store: Store, label: str | None, video_id: str | None, limit: int, moments: Sequence[Moment] = ()
) -> list[FoundEntity]:
    """Entities with a label, then those of moments that were found by meaning, best first; at most ``limit``.

    Raises:
        UsageError: a limit that makes no sense.
    """
    _check_limit(limit)
    found = {one.entity_id: one for one in _entities(store, video_id, label, None, limit)}
    by_entity: dict[str, Moment] = {}
    for moment in moments:
        by_entity.setdefault(moment.entity_id, moment)
    more = {one.entity_id: one for one in _entities(store, video_id, None, list(by_entity), MOST)} if by_entity else {}
    entities = [*found.values(), *(more[one] for one in by_entity if one in more and one not in found)]
    return [_with_moment(one, by_entity.get(one.entity_id)) for one in entities[:limit]]


def entity_events(store: Store, entity_id: str, limit: int) -> tuple[FoundEntity, list[EntityEvent]]:
    """The entity and what it does, in order of time.

    Raises:
        NotFoundError: no such entity.
        UsageError: a limit that makes no sense.
    """
    _check_limit(limit)
    entities = _entities(store, entity_id.partition("#")[0], None, [entity_id], 1)
    if not entities:
        raise NotFoundError(
            f"No entity has the id {entity_id!r}. An id looks like 0123456789abcdef#3; `ravu-kg videos show VIDEO` "
            "lists those of a video."
        )
    rows = store.read("programs/events_of_entity", entity_id=entity_id, limit=limit).rows
    return entities[0], [EntityEvent(**cast("dict[str, str]", row)) for row in rows]  # pyright: ignore[reportArgumentType] -- typed by the template


def frame_picture(
    store: Store,
    reader: GraphReader,
    video_id: str,
    time_s: float,
    entity_ids: Sequence[str] = (),
    longest_side_px: int | None = None,
) -> FramePicture:
    """The sampled frame nearest to a time, as a PNG with the boxes of its entities in their colours.

    Args:
        store: the graph.
        reader: of the same graph.
        video_id: the video.
        time_s: seconds from its start.
        entity_ids: draw only these; by default all that are in the frame.
        longest_side_px: make a larger picture as small as that.

    Raises:
        UsageError: the time is outside the video, the picture would be tiny, or an entity is not in the frame.
        VideoError: the file has moved or was changed.
        NotFoundError: the video has no frames.
    """
    video = reader.video(video_id)
    if not math.isfinite(time_s) or not 0 <= time_s <= video.duration_s:
        raise UsageError(f"{video.title} goes from 0 to {video.duration_s:.1f} s; {time_s:g} s is outside.")
    if longest_side_px is not None and longest_side_px < SMALLEST_SIDE_PX:
        raise UsageError(f"A picture of {longest_side_px} pixels shows nothing; {SMALLEST_SIDE_PX} are the fewest.")
    rows = store.read("programs/frame_boxes", video_id=video_id, time_s=float(time_s)).rows
    if not rows:
        raise NotFoundError(f"{video.title} ({video_id}) has no frames. Go on indexing it: ravu-kg index '{video.uri}'")
    boxed = [_boxed(row) for row in rows if row["entity_id"] is not None]
    there = [one.entity_id for one in boxed]
    missing = [one for one in entity_ids if one not in there]
    if missing:
        raise UsageError(
            f"Not in the frame at {rows[0]['time_s']:.1f} s of {video.title}: {', '.join(missing)}. "
            f"In it: {', '.join(there) or 'nobody'}."
        )
    if entity_ids:
        boxed = [one for one in boxed if one.entity_id in entity_ids]
    return _drawn(EvidencePictures(reader).file(video), video, rows[0], boxed, longest_side_px)


def _drawn(
    file: VideoInfo, video: VideoRow, row: Mapping[str, object], boxed: Sequence[Boxed], longest_side_px: int | None
) -> FramePicture:
    import numpy as np
    from PIL import Image as Pictures

    from ravu_kg.video.overlay import draw
    from ravu_kg.video.reader import frames_at

    time_s = float(str(row["time_s"]))
    frame = Pictures.fromarray(next(iter(frames_at(file, [time_s]))).image)
    scale = min(1.0, (longest_side_px or max(frame.size)) / max(frame.size))
    if scale < 1:  # before the boxes are drawn, so that their labels stay readable
        frame = frame.resize((max(1, round(frame.width * scale)), max(1, round(frame.height * scale))))
    image = draw(
        np.asarray(frame, dtype=np.uint8),
        [Box(*(side * scale for side in one.box)) for one in boxed],
        [one.color for one in boxed],
        [f"{tag(one.entity_id)} {one.given_name or one.label}" for one in boxed],
    )
    buffer = io.BytesIO()
    Pictures.fromarray(image).save(buffer, "PNG")
    return FramePicture(
        video.video_id,
        video.title,
        int(str(row["frame_index"])),
        time_s,
        str(row["coverage"]),
        tuple(boxed),
        frame.width,
        frame.height,
        buffer.getvalue(),
    )


def _entities(
    store: Store, video_id: str | None, label: str | None, entity_ids: list[str] | None, limit: int
) -> list[FoundEntity]:
    rows = store.read("programs/find_entities", video_id=video_id, label=label, entity_ids=entity_ids, limit=limit).rows
    return [FoundEntity(**cast("dict[str, str]", row)) for row in rows]  # pyright: ignore[reportArgumentType] -- typed by the template


def _with_moment(entity: FoundEntity, moment: Moment | None) -> FoundEntity:
    if moment is None:
        return entity
    return replace(entity, text=moment.text, time_s=moment.timestamp_s)


def _boxed(row: Mapping[str, object]) -> Boxed:
    left, top, right, bottom = cast("list[float]", row["box"])  # typed by the template
    return Boxed(
        str(row["entity_id"]),
        str(row["label"]),
        str(row["description"]),
        str(row["color"]),
        (left, top, right, bottom),
        None if row["given_name"] is None else str(row["given_name"]),
    )


def _check_limit(limit: int) -> None:
    if not 1 <= limit <= MOST:
        raise UsageError(f"The limit is 1 to {MOST:,}, not {limit:,}.")
