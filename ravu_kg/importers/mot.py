"""Tracks and detections of the MOT Challenge: text with one box a line, the sequence's facts beside it."""

from __future__ import annotations

import configparser
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ravu_kg.importers.annotated import AnnotatedVideo, OnProblem, Problems, refuse, stamp
from ravu_kg.importers.reading import as_text, read_bytes
from ravu_kg.importers.tracks import (
    AnnotatedTrack,
    Sheet,
    annotate,
    box_inside,
    check_length,
    frames_of_rate,
)
from ravu_kg.perception.given_tracks import MotBox, TrackRowError, mot_box
from ravu_kg.protocols import Tracker
from ravu_kg.types import Detection, VideoFrame

KIND = "mot"
_FILES = ("gt/gt.txt", "gt.txt", "det/det.txt", "det.txt")
_PLAIN_FOLDERS = ("gt", "det")
_CLASS_COLUMNS = 2
"""After the confidence MOT16 and later have class and visibility, MOT15 x, y and z."""
_CLASSES = {
    1: "person",
    2: "rider",
    3: "car",
    4: "bicycle",
    5: "motorbike",
    6: "vehicle",
    7: "person",
    8: "distractor",
    9: "occluder",
    10: "occluder",
    11: "occluder",
    12: "reflection",
}
_PERSON = 1
_LEAST_CONFIDENCE = 0.05


@dataclass(frozen=True, slots=True)
class _Sequence:
    name: str
    width_px: int
    height_px: int
    frame_rate: float
    frames: int | None


def read(
    paths: Sequence[Path],
    *,
    skip_bad: bool,
    on_problem: OnProblem,
    sample_interval_s: float = 1.0,
    frame_rate: float | None = None,
    size_px: tuple[int, int] | None = None,
    name: str | None = None,
    make_tracker: Callable[[], Tracker] | None = None,
) -> Iterator[AnnotatedVideo]:
    """The sequences of MOT files or folders; see :class:`ravu_kg.importers.annotated.Reader`.

    Args:
        paths: files of tracks or detections, or folders of sequences.
        skip_bad: leave out lines that cannot be used.
        on_problem: told of them.
        sample_interval_s: seconds between two sampled frames.
        frame_rate: frames a second, where no ``seqinfo.ini`` says it; it wins over one that does.
        size_px: width and height likewise.
        name: of the sequence; by default that of ``seqinfo.ini`` or of the folder.
        make_tracker: joins detections without ids (-1) to tracks; without it they are refused.

    Raises:
        ConfigurationError: a file cannot be read or used, or nothing says its frame rate and size.
    """
    problems = Problems(skip_bad, on_problem)
    for path in paths:
        file = _file_in(path)
        facts = _facts(file, frame_rate, size_px, name)
        content = read_bytes(file)
        boxes = list(_boxes(file, as_text(file, content), facts, problems))
        last = max((one.frame for _, one in boxes), default=0)
        frames = facts.frames or last
        check_length(file, frames, facts.frame_rate, "frame")
        times_s, numbers = frames_of_rate(frames, facts.frame_rate)
        told = f"{facts.name} {facts.width_px}x{facts.height_px} {facts.frame_rate!r} {facts.frames}"
        sheet = Sheet(
            file=file,
            kind=KIND,
            external_id=facts.name,
            title=facts.name,
            width_px=facts.width_px,
            height_px=facts.height_px,
            times_s=times_s,
            frame_numbers=numbers,
            duration_s=frames / facts.frame_rate,
            frame_rate=facts.frame_rate,
            annotated_by=stamp(KIND, file.name, content + told.encode()),
        )
        if boxes and all(one.track_id == -1 for _, one in boxes):
            _join(sheet, boxes, make_tracker)
        else:
            _fill(sheet, boxes, problems)
        yield annotate(sheet, sample_interval_s=sample_interval_s)


def _file_in(path: Path) -> Path:
    if not path.is_dir():
        return path
    found = next((path / one for one in _FILES if (path / one).is_file()), None)
    if found is None:
        refuse(path, f"the folder has none of {', '.join(_FILES)}.")
    return found


def _facts(file: Path, frame_rate: float | None, size_px: tuple[int, int] | None, name: str | None) -> _Sequence:
    folder = file.parent.parent if file.parent.name in _PLAIN_FOLDERS else file.parent
    info = next((one / "seqinfo.ini" for one in (file.parent, folder) if (one / "seqinfo.ini").is_file()), None)
    section = _Info(info)
    width, height = size_px or (section.number("imWidth"), section.number("imHeight"))
    rate = frame_rate or section.number("frameRate")
    missing = [
        option
        for option, known in (("its frame rate (--fps)", rate), ("its picture size (--size)", width and height))
        if not known
    ]
    if missing:
        refuse(file, f"nothing says {' and '.join(missing)}: there is no seqinfo.ini beside it that does.")
    named = name or section.text("name")
    if not named:
        named = folder.name if f"{file.parent.name}/{file.name}" in _FILES or file.name in _FILES else file.stem
    frames = section.number("seqLength")
    return _Sequence(named, int(width), int(height), float(rate), int(frames) or None)


class _Info:
    """A ``seqinfo.ini``, or nothing."""

    def __init__(self, path: Path | None) -> None:
        self._path = path
        self._values: dict[str, str] = {}
        if path is None:
            return
        parser = configparser.ConfigParser(interpolation=None, strict=False)
        try:
            parser.read_string(as_text(path, read_bytes(path)))
        except configparser.Error as error:
            refuse(path, f"not the form of seqinfo.ini: {str(error).splitlines()[0]}.")
        self._values = dict(parser["Sequence"]) if parser.has_section("Sequence") else {}

    def text(self, field: str) -> str:
        return self._values.get(field.lower(), "").strip()

    def number(self, field: str) -> float:
        """Above 0; 0 when it is not told."""
        text = self.text(field)
        if not text:
            return 0.0
        try:
            value = float(text)
        except ValueError:
            value = -1.0
        if self._path is not None and not 0 < value < 2**31:
            refuse(self._path, f"field {field}: {text!r} is no number above 0.")
        return value


def _boxes(file: Path, text: str, facts: _Sequence, problems: Problems) -> Iterator[tuple[int, MotBox]]:
    """Lines with their boxes, those that can be used; boxes are cut off at the borders of the picture."""
    last = facts.frames or int(24 * 3600 * facts.frame_rate)
    for number, line in enumerate(text.splitlines(), start=1):
        try:
            one = mot_box(file, number, line)
        except TrackRowError as error:
            problems.found(file, number, error.field, error.what)
            continue
        if one is None or one.confidence == 0:
            continue
        if one.frame > last:
            problems.found(file, number, "frame", f"{one.frame} is after the last frame, {last}")
            continue
        if not -1 <= one.track_id < 2**31:
            problems.found(file, number, "id", f"{one.track_id} is no id: whole numbers from 0 on, -1 for none")
            continue
        inside = box_inside(problems, file, number, "left", one.box, facts.width_px, facts.height_px)
        if inside is not None:
            yield number, MotBox(one.frame, one.track_id, inside, one.confidence, one.rest)


def _fill(sheet: Sheet, boxes: Sequence[tuple[int, MotBox]], problems: Problems) -> None:
    lines: dict[tuple[int, int], int] = {}
    for line, one in boxes:
        key = (one.frame, one.track_id)
        if one.track_id < 0:
            problems.found(sheet.file, line, "id", "-1 is no track, but others of the file are")
        elif key in lines:
            already = f"track {one.track_id} has a box in frame {one.frame} already, on line {lines[key]}"
            problems.found(sheet.file, line, "id", already)
        else:
            lines[key] = line
            track = sheet.boxes.setdefault(one.track_id, AnnotatedTrack(one.track_id, _label(one)))
            known = min(one.confidence, 1.0) if one.confidence > 0 else 1.0
            track.by_time[(one.frame - 1) / sheet.frame_rate] = one.box, known


def _join(sheet: Sheet, boxes: Sequence[tuple[int, MotBox]], make_tracker: Callable[[], Tracker] | None) -> None:
    """Tracks of detections that have none."""
    if make_tracker is None:
        refuse(sheet.file, "every id is -1: these are detections, not tracks.")
    tracker = make_tracker()
    most = max(one.confidence for _, one in boxes)
    by_frame: dict[int, list[Detection]] = {}
    for _, one in boxes:  # confidences of some detectors go beyond 1
        share = min(max(one.confidence / max(most, 1.0), _LEAST_CONFIDENCE), 1.0)
        by_frame.setdefault(one.frame - 1, []).append(Detection(one.box, _label(one), share))
    nothing = np.zeros((1, 1, 3), np.uint8)
    for number, time_s in zip(sheet.frame_numbers, sheet.times_s, strict=True):
        for tracked in tracker.update(VideoFrame(number, time_s, nothing), by_frame.get(number, [])):
            found = tracked.detection
            track = sheet.boxes.setdefault(tracked.track_id, AnnotatedTrack(tracked.track_id, found.label))
            track.by_time[time_s] = found.box, found.confidence
    sheet.tracker = tracker.name
    sheet.source = "geometry"


def _label(one: MotBox) -> str:
    if len(one.rest) != _CLASS_COLUMNS:
        return _CLASSES[_PERSON]
    try:
        return _CLASSES.get(int(float(one.rest[0])), "thing")
    except ValueError:
        return _CLASSES[_PERSON]
