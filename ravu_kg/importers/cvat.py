"""CVAT for video, XML 1.1: one track an element, with a box for each frame that shows it.

The file is read as a stream. Document type declarations are refused, so no entity can be declared, let alone expanded.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import NoReturn
from xml.parsers import expat

from ravu_kg.importers.annotated import AnnotatedVideo, OnProblem, Problems, refuse, stamp
from ravu_kg.importers.reading import as_text, read_bytes
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
from ravu_kg.types import Box, FrameNode, SceneWindow, track_id_in

KIND = "cvat"
_SIDES = ("xtl", "ytl", "xbr", "ybr")
_OUTLINES = ("polygon", "polyline", "points")
_OTHER_SHAPES = ("mask", "cuboid", "skeleton", "ellipse")
_DEEPEST = 50
_LONGEST_TEXT = 500


@dataclass(slots=True)
class _Shape:
    line: int
    frame: int
    box: Box
    attributes: dict[str, str]


@dataclass(slots=True)
class _Track:
    line: int
    track_id: int
    label: str
    shapes: list[_Shape] = field(default_factory=list[_Shape])


def read(
    paths: Sequence[Path],
    *,
    skip_bad: bool,
    on_problem: OnProblem,
    sample_interval_s: float = 1.0,
    frame_rate: float | None = None,
) -> Iterator[AnnotatedVideo]:
    """The videos of CVAT files, one a file; see :class:`ravu_kg.importers.annotated.Reader`.

    Args:
        paths: the files.
        skip_bad: leave out shapes that cannot be used.
        on_problem: told of them.
        sample_interval_s: seconds between two sampled frames.
        frame_rate: frames a second of the video, which CVAT does not write.

    Raises:
        ConfigurationError: a file cannot be read or used, or the frame rate is not given.
    """
    problems = Problems(skip_bad, on_problem)
    for path in paths:
        if frame_rate is None:
            refuse(path, "CVAT does not write the frame rate of the video. Give it with --fps.")
        content = read_bytes(path)
        document = _Document(path, problems)
        document.parse(as_text(path, content))
        sheet = _sheet(document, frame_rate, stamp(KIND, path.name, content + f"{frame_rate!r}".encode()))
        attributes = _fill(document, sheet, problems)
        told = partial(_with_attributes, attributes=attributes)
        yield annotate(sheet, sample_interval_s=sample_interval_s, adjust=told)


class _Document:
    """What of the XML is used, collected while it is parsed."""

    def __init__(self, path: Path, problems: Problems) -> None:
        self.path = path
        self.facts: dict[str, str] = {}
        """By the path under ``meta``: ``task/original_size/width``."""
        self.tracks: list[_Track] = []
        self._problems = problems
        self._open: list[str] = []
        self._text: list[str] = []
        self._track: _Track | None = None
        self._shape: _Shape | None = None
        self._attribute = ""
        self._parser = expat.ParserCreate()
        self._parser.StartElementHandler = self._start
        self._parser.EndElementHandler = self._end
        self._parser.CharacterDataHandler = self._characters
        self._parser.StartDoctypeDeclHandler = self._declared
        self._parser.EntityDeclHandler = self._declared
        self._parser.ExternalEntityRefHandler = self._declared

    def parse(self, text: str) -> None:
        """Read it to its end.

        Raises:
            ConfigurationError: it is no XML, declares a document type, or is no CVAT video.
        """
        try:
            self._parser.Parse(text, True)
        except expat.ExpatError as error:
            what = expat.errors.messages.get(error.code, "malformed")
            refuse(self.path, f"line {error.lineno}, column {error.offset + 1}: not XML: {what}.")
        if not any(name.startswith(("task/", "job/", "project/")) for name in self.facts):
            refuse(self.path, "the XML is not CVAT for video 1.1: it has no annotations/meta/task.")

    def fact(self, name: str) -> str:
        """One of the facts, by the end of its path."""
        return next((text for path, text in self.facts.items() if path.partition("/")[2] == name), "")

    def _declared(self, *_: object) -> NoReturn:
        refuse(
            self.path,
            f"line {self._parser.CurrentLineNumber}: a document type or an entity is declared, which CVAT never does.",
        )

    def _start(self, name: str, attributes: Mapping[str, str]) -> None:
        line = self._parser.CurrentLineNumber
        if not self._open and name != "annotations":
            refuse(self.path, f"line {line}: the XML is not CVAT's: it begins with <{name[:40]}>.")
        self._open.append(name)
        if len(self._open) > _DEEPEST:
            refuse(self.path, f"line {line}: the XML is nested too deeply.")
        self._text = []
        if self._open[1:2] == ["track"]:
            self._in_track(name, attributes, line)
        elif self._open[1:2] == ["image"]:
            refuse(self.path, f"line {line}: this is CVAT for images. Export the task as CVAT for video 1.1.")

    def _in_track(self, name: str, attributes: Mapping[str, str], line: int) -> None:
        if len(self._open) == 2:
            self._track = self._made_track(attributes, line)
        elif len(self._open) == 3:
            self._shape = self._made_shape(name, attributes, line)
        elif name == "attribute":
            self._attribute = attributes.get("name", "")

    def _end(self, name: str) -> None:
        text = "".join(self._text).strip()
        if self._open[1:2] == ["meta"] and text:
            self.facts.setdefault("/".join(self._open[2:]), text)
        if self._shape is not None and name == "attribute" and self._attribute:
            self._shape.attributes[self._attribute[:_LONGEST_TEXT]] = text[:_LONGEST_TEXT]
        if len(self._open) == 3 and self._track is not None and self._shape is not None:
            self._track.shapes.append(self._shape)
            self._shape = None
        if len(self._open) == 2 and self._track is not None:
            self.tracks.append(self._track)
            self._track = None
        self._open.pop()
        self._text = []

    def _characters(self, text: str) -> None:
        self._text.append(text)

    def _made_track(self, attributes: Mapping[str, str], line: int) -> _Track | None:
        track_id = _number(attributes.get("id", ""))
        label = attributes.get("label", "").strip()
        if track_id is None or track_id != int(track_id) or not 0 <= track_id < 2**31:
            self._problems.found(self.path, line, "id", f"{attributes.get('id')!r} is no whole number from 0 on")
            return None
        if not label:
            self._problems.found(self.path, line, "label", "a track needs a label")
            return None
        return _Track(line, int(track_id), label_of(label[:_LONGEST_TEXT]))

    def _made_shape(self, name: str, attributes: Mapping[str, str], line: int) -> _Shape | None:
        if self._track is None or name == "attribute" or attributes.get("outside") == "1":
            return None
        if name in _OTHER_SHAPES:
            self._problems.found(self.path, line, name, "boxes and outlines are read, not this shape")
            return None
        if name != "box" and name not in _OUTLINES:
            return None
        frame = _number(attributes.get("frame", ""))
        if frame is None or frame != int(frame) or frame < 0:
            self._problems.found(self.path, line, "frame", f"{attributes.get('frame')!r} is no frame: 0, 1, 2 ...")
            return None
        box = self._box(attributes, line) if name == "box" else self._outline(attributes, line)
        return None if box is None else _Shape(line, int(frame), box, {})

    def _box(self, attributes: Mapping[str, str], line: int) -> Box | None:
        sides: list[float] = []
        for side in _SIDES:
            value = _number(attributes.get(side, ""))
            if value is None:
                self._problems.found(self.path, line, side, f"{attributes.get(side)!r} is no number")
                return None
            sides.append(value)
        return _turned(Box(*sides), _number(attributes.get("rotation", "0")) or 0.0)

    def _outline(self, attributes: Mapping[str, str], line: int) -> Box | None:
        points = [pair.split(",") for pair in attributes.get("points", "").split(";") if pair]
        numbers = [[_number(value) for value in pair] for pair in points]
        across = [pair[0] for pair in numbers if len(pair) == 2 and pair[0] is not None]
        along = [pair[1] for pair in numbers if len(pair) == 2 and pair[1] is not None]
        if not numbers or len(across) != len(numbers) or len(along) != len(numbers):
            self._problems.found(self.path, line, "points", "not pairs of numbers: x,y;x,y")
            return None
        return Box(min(across), min(along), max(across), max(along))


def _sheet(document: _Document, frame_rate: float, annotated_by: str) -> Sheet:
    path = document.path
    sizes = [_number(document.fact(f"original_size/{side}")) for side in ("width", "height")]
    width, height = (int(side) if side and 0 < side < 100_000 else 0 for side in sizes)
    if not width or not height:
        refuse(path, "field meta/task/original_size: the size of the picture is missing or no number.")
    count = _number(document.fact("size")) or 0
    stop = _number(document.fact("stop_frame"))
    last = max((shape.frame for track in document.tracks for shape in track.shapes), default=0)
    frames = int(max(count, (stop or 0) + 1)) if count or stop else last + 1
    check_length(path, frames, frame_rate, "meta/task/size")
    times_s, numbers = frames_of_rate(frames, frame_rate)
    source = document.fact("source")
    name = document.fact("name") or Path(source).stem or path.stem
    return Sheet(
        file=path,
        kind=KIND,
        external_id=name,
        title=name,
        width_px=width,
        height_px=height,
        times_s=times_s,
        frame_numbers=numbers,
        duration_s=frames / frame_rate,
        frame_rate=frame_rate,
        annotated_by=annotated_by,
    )


_Attributes = dict[int, tuple[list[float], list[tuple[str, ...]]]]
"""By track: times, and what holds from each of them on."""


def _fill(document: _Document, sheet: Sheet, problems: Problems) -> _Attributes:
    held: _Attributes = {}
    for track in document.tracks:
        if track.track_id in sheet.boxes:
            problems.found(document.path, track.line, "id", f"track {track.track_id} is there already")
            continue
        filled = sheet.boxes[track.track_id] = AnnotatedTrack(track.track_id, track.label)
        told: dict[float, tuple[str, ...]] = {}
        for shape in track.shapes:
            if shape.frame >= len(sheet.times_s) or shape.frame / sheet.frame_rate > LONGEST_S:
                message = f"{shape.frame} is after the last frame, {len(sheet.times_s) - 1}"
                problems.found(document.path, shape.line, "frame", message)
                continue
            time_s = sheet.times_s[shape.frame]
            if time_s in filled.by_time:
                message = f"track {track.track_id} has a shape in frame {shape.frame} already"
                problems.found(document.path, shape.line, "frame", message)
                continue
            inside = box_inside(problems, document.path, shape.line, "box", shape.box, sheet.width_px, sheet.height_px)
            if inside is not None:
                filled.by_time[time_s] = inside, 1.0
                told[time_s] = tuple(_told(name, value) for name, value in shape.attributes.items() if _holds(value))
        if any(told.values()):
            times_s = sorted(told)
            held[track.track_id] = times_s, [told[time_s] for time_s in times_s]
    return held


def _with_attributes(window: SceneWindow, attributes: _Attributes) -> SceneWindow:
    return replace(window, nodes=tuple(_told_of(node, attributes) for node in window.nodes))


def _told_of(node: FrameNode, attributes: _Attributes) -> FrameNode:
    known = attributes.get(track_id_in(node.entity_id))
    if known is None:
        return node
    times_s, values = known
    told = values[max(0, bisect_right(times_s, node.timestamp_s) - 1)]
    if not told:
        return node
    sentence = f"{node.description.removesuffix('.')}, {', '.join(told)}."
    return replace(node, attributes=(*node.attributes, *told), description=sentence)


def _holds(value: str) -> bool:
    return value.lower() not in ("", "false", "no", "none", "__undefined__")


def _told(name: str, value: str) -> str:
    """``parked`` of a box that is ticked, ``color red`` of a choice."""
    return label_of(name) if value.lower() in ("true", "yes") else f"{label_of(name)} {value}"


def _turned(box: Box, degrees: float) -> Box:
    """The upright box around one that is turned about its centre."""
    if not degrees % 360:
        return box
    x, y = box.center
    across, along = abs(math.cos(math.radians(degrees))), abs(math.sin(math.radians(degrees)))
    half_width = (box.width * across + box.height * along) / 2
    half_height = (box.width * along + box.height * across) / 2
    return Box(x - half_width, y - half_height, x + half_width, y + half_height)


def _number(text: str) -> float | None:
    try:
        value = float(text)
    except ValueError:
        return None
    return value if math.isfinite(value) else None
