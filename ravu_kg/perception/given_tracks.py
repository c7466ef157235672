"""Tracks that are given instead of found: MOT text, or the project's JSON (``TRACKS.md`` beside this file).

MOT text has one box a line, ``frame, id, left, top, width, height[, confidence, ...]``: frames count from 1, sizes
are displayed pixels, further columns are ignored, a confidence of 0 marks a box that is not to be used and one below
0 an unknown one. Every track is a person. A file whose name ends in ``.json`` is the project's JSON, which also has
labels, relations and events.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Self

import numpy as np
from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from ravu_kg.errors import ConfigurationError
from ravu_kg.types import Box, Detection, GivenEvent, GivenRelation, VideoFrame

LONGEST_STEP_S = 2.0
"""Between two given boxes at most this far apart the box moves in a straight line; over a longer gap it is unseen."""

_MOT_LABEL = "person"
_MOT_FIELDS = ("frame", "id", "left", "top", "width", "height", "confidence")
_MOT_REQUIRED = 6


@dataclass(frozen=True, slots=True)
class GivenTrack:
    """One given track: boxes by source frame (MOT) or by time (JSON)."""

    track_id: int
    label: str
    by_frame: Mapping[int, Detection] = field(default_factory=dict[int, Detection])
    """0-based source frame -> box."""
    by_time: tuple[tuple[float, Detection], ...] = ()
    """(seconds, box), ascending."""

    def at(self, frame: VideoFrame, tolerance_s: float) -> Detection | None:
        """The box in a frame, interpolated between timed ones; None when the track is not in it.

        A timed box also holds for a frame up to ``tolerance_s`` away, or a short track could fall between two frames.
        """
        if not self.by_time:
            return self.by_frame.get(frame.source_frame)
        times = [time_s for time_s, _ in self.by_time]
        now_s = frame.timestamp_s
        after = int(np.searchsorted(times, now_s))
        if 0 < after < len(times) and times[after] - times[after - 1] <= LONGEST_STEP_S:
            share = (now_s - times[after - 1]) / (times[after] - times[after - 1])
            return _between(self.by_time[after - 1][1], self.by_time[after][1], share)
        nearest = min((at for at in (after - 1, after) if 0 <= at < len(times)), key=lambda at: abs(times[at] - now_s))
        return self.by_time[nearest][1] if abs(times[nearest] - now_s) <= tolerance_s else None


@dataclass(frozen=True, slots=True)
class GivenTracks:
    """What a file of tracks holds; ids are those of the file."""

    tracks: tuple[GivenTrack, ...]
    relations: tuple[GivenRelation, ...] = ()
    events: tuple[GivenEvent, ...] = ()


def read_tracks(path: Path) -> GivenTracks:
    """The tracks of a file, checked.

    Raises:
        ConfigurationError: the file cannot be read or something in it is wrong; the message names the file, the line
            (MOT text, or JSON that does not parse) and the field.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise ConfigurationError(
            f"{path}: the tracks cannot be read: {error.strerror}. Check the path and its permissions."
        ) from error
    except UnicodeDecodeError as error:
        raise ConfigurationError(f"{path}: not a text file (UTF-8). Give MOT text or the project's JSON.") from error
    given = _from_json(path, text) if path.suffix.lower() == ".json" else _from_mot(path, text)
    if not given.tracks:
        raise ConfigurationError(f"{path}: no track in the file. Give at least one box.")
    return given


# --- MOT text ---------------------------------------------------------------------------------


class TrackRowError(ConfigurationError):
    """A line of MOT text that cannot be used."""

    def __init__(self, path: Path, line: int, field: str, what: str) -> None:
        self.line = line
        self.field = field
        self.what = f"{what}. A line is frame, id, left, top, width, height[, confidence]"
        super().__init__(f"{path}, line {line}, field {field}: {self.what}.")


@dataclass(frozen=True, slots=True)
class MotBox:
    """One line of MOT text."""

    frame: int
    """1-based."""
    track_id: int
    box: Box
    confidence: float
    """As it is written; 1 when the line has none."""
    rest: tuple[str, ...]
    """The columns after the confidence."""


def mot_box(path: Path, line: int, text: str) -> MotBox | None:
    """One line of MOT text; None for an empty line or a comment.

    Raises:
        TrackRowError: it is wrong.
    """
    if not text.strip() or text.lstrip().startswith("#"):
        return None
    row = _MotRow(path, line, [part.strip() for part in text.replace(";", ",").split(",")])
    frame, track_id = row.whole("frame", 1), row.whole("id", None)
    left, top = row.number("left"), row.number("top")
    width, height = row.positive("width"), row.positive("height")
    confidence = row.number("confidence") if row.has("confidence") else 1.0
    box = Box(left, top, left + width, top + height)
    return MotBox(frame, track_id, box, confidence, tuple(row.parts[len(_MOT_FIELDS) :]))


def _from_mot(path: Path, text: str) -> GivenTracks:
    boxes: dict[int, dict[int, Detection]] = {}
    seen: dict[tuple[int, int], int] = {}
    for number, line in enumerate(text.splitlines(), start=1):
        one = mot_box(path, number, line)
        if one is None:
            continue
        key = one.frame, one.track_id
        if key in seen:
            already = f"track {one.track_id} has a box in frame {one.frame} already, on line {seen[key]}"
            raise TrackRowError(path, number, "id", already)
        seen[key] = number
        if one.confidence == 0:
            continue
        known = min(one.confidence, 1.0) if one.confidence > 0 else 1.0
        boxes.setdefault(one.track_id, {})[one.frame - 1] = Detection(one.box, _MOT_LABEL, known)
    return GivenTracks(
        tuple(GivenTrack(track_id, _MOT_LABEL, by_frame=by_frame) for track_id, by_frame in boxes.items())
    )


@dataclass(frozen=True, slots=True)
class _MotRow:
    path: Path
    line: int
    parts: list[str]

    def has(self, name: str) -> bool:
        return len(self.parts) > _MOT_FIELDS.index(name)

    def number(self, name: str) -> float:
        if not self.has(name):
            raise self.error(name, f"missing: the line has {len(self.parts)} of at least {_MOT_REQUIRED} columns")
        try:
            value = float(self.parts[_MOT_FIELDS.index(name)])
        except ValueError:
            raise self.error(name, f"{self.parts[_MOT_FIELDS.index(name)]!r} is not a number") from None
        if not math.isfinite(value):
            raise self.error(name, f"{value} is not a finite number")
        return value

    def whole(self, name: str, least: int | None) -> int:
        value = self.number(name)
        if value != int(value) or (least is not None and value < least):
            bound = "" if least is None else f" from {least} on"
            raise self.error(name, f"{value:g} is not a whole number{bound}")
        return int(value)

    def positive(self, name: str) -> float:
        value = self.number(name)
        if value <= 0:
            raise self.error(name, f"{value:g} is not above 0")
        return value

    def error(self, name: str, what: str) -> TrackRowError:
        return TrackRowError(self.path, self.line, name, what)


# --- JSON -------------------------------------------------------------------------------------

_Seconds = Annotated[float, Field(ge=0, allow_inf_nan=False)]
_Pixels = Annotated[float, Field(allow_inf_nan=False)]
_Words = Annotated[str, Field(min_length=1, max_length=500, pattern=r"\S")]


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class _TimedBox(_Strict):
    t: _Seconds
    box: tuple[_Pixels, _Pixels, _Pixels, _Pixels]
    confidence: Annotated[float, Field(gt=0, le=1)] = 1.0

    @model_validator(mode="after")
    def _ordered(self) -> Self:
        x_min, y_min, x_max, y_max = self.box
        if x_max <= x_min or y_max <= y_min:
            raise ValueError("a box is x_min, y_min, x_max, y_max with x_max > x_min and y_max > y_min")
        return self


class _JsonTrack(_Strict):
    id: int
    label: _Words
    boxes: Annotated[list[_TimedBox], Field(min_length=1)]

    @model_validator(mode="after")
    def _ascending(self) -> Self:
        for earlier, later in zip(self.boxes, self.boxes[1:], strict=False):
            if later.t <= earlier.t:
                raise ValueError(f"the times of the boxes must ascend, but {later.t:g} follows {earlier.t:g}")
        return self


class _Span(_Strict):
    start: _Seconds
    end: _Seconds

    @model_validator(mode="after")
    def _forward(self) -> Self:
        if self.end <= self.start:
            raise ValueError(f"end ({self.end:g}) must be after start ({self.start:g})")
        return self


class _JsonRelation(_Span):
    subject: int
    predicate: _Words
    object: int


class _JsonEvent(_Span):
    track: int
    description: _Words


class _JsonFile(_Strict):
    tracks: list[_JsonTrack]
    relations: list[_JsonRelation] = Field(default_factory=list[_JsonRelation])
    events: list[_JsonEvent] = Field(default_factory=list[_JsonEvent])

    @model_validator(mode="after")
    def _known_ids(self) -> Self:
        ids = [track.id for track in self.tracks]
        twice = sorted({track_id for track_id in ids if ids.count(track_id) > 1})
        if twice:
            raise ValueError(f"tracks: id {twice[0]} is used twice")
        for position, relation in enumerate(self.relations):
            for name, track_id in (("subject", relation.subject), ("object", relation.object)):
                if track_id not in ids:
                    raise ValueError(f"relations.{position}.{name}: there is no track {track_id}")
            if relation.subject == relation.object:
                raise ValueError(f"relations.{position}.object: a track has no relation to itself")
        for position, event in enumerate(self.events):
            if event.track not in ids:
                raise ValueError(f"events.{position}.track: there is no track {event.track}")
        return self


def _from_json(path: Path, text: str) -> GivenTracks:
    try:
        raw: object = json.loads(text)
    except json.JSONDecodeError as error:
        raise ConfigurationError(
            f"{path}, line {error.lineno}, column {error.colno}: not JSON: {error.msg}. Correct the line."
        ) from error
    except (ValueError, RecursionError) as error:  # a number too long for Python, or brackets nested too deeply
        raise ConfigurationError(f"{path}: not the project's JSON: {error}. Correct the file.") from error
    try:
        file = _JsonFile.model_validate(raw)
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"])
        where = f", field {place}" if place else ""
        raise ConfigurationError(
            f"{path}{where}: {first['msg'].removeprefix('Value error, ')}. "
            f"The format is described in ravu_kg/perception/TRACKS.md."
        ) from error
    return GivenTracks(
        tuple(
            GivenTrack(
                track.id,
                track.label,
                by_time=tuple((b.t, Detection(Box(*b.box), track.label, b.confidence)) for b in track.boxes),
            )
            for track in file.tracks
        ),
        tuple(GivenRelation(r.subject, r.object, r.predicate, r.start, r.end) for r in file.relations),
        tuple(GivenEvent(e.track, e.start, e.end, e.description) for e in file.events),
    )


def _between(first: Detection, second: Detection, share: float) -> Detection:
    def mix(a: float, b: float) -> float:
        return a + (b - a) * share

    box = Box(
        mix(first.box.x_min, second.box.x_min),
        mix(first.box.y_min, second.box.y_min),
        mix(first.box.x_max, second.box.x_max),
        mix(first.box.y_max, second.box.y_max),
    )
    return Detection(box, first.label, mix(first.confidence, second.confidence))
