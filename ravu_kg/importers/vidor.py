"""VidOR and VidVRD annotation: one JSON file a video, with tracks, categories and relations over spans of frames."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, cast

from pydantic import Field

from ravu_kg.importers.annotated import AnnotatedVideo, OnProblem, Problems, stamp
from ravu_kg.importers.predicates import is_action, spoken
from ravu_kg.importers.reading import (
    Finite,
    FrameNumber,
    Positive,
    Row,
    TrackId,
    Words,
    head,
    json_list,
    json_object,
    read_json,
    rows,
)
from ravu_kg.importers.tracks import (
    AnnotatedTrack,
    Sheet,
    annotate,
    box_inside,
    check_length,
    frames_of_rate,
    label_of,
    mentioned,
)
from ravu_kg.types import Box, GivenEvent, GivenRelation

KIND = "vidor"
_TRACKED = 0.9
"""Confidence of a box that a tracker drew between two drawn by hand."""


class _Head(Row):
    video_id: Annotated[str, Field(min_length=1, max_length=200)]
    frame_count: Annotated[int, Field(gt=0, lt=2**31)]
    fps: Positive
    width: Annotated[int, Field(gt=0, lt=100_000)]
    height: Annotated[int, Field(gt=0, lt=100_000)]


class _Thing(Row):
    tid: TrackId
    category: Words


class _BoundingBox(Row):
    xmin: Finite
    ymin: Finite
    xmax: Finite
    ymax: Finite


class _Placed(Row):
    tid: TrackId
    bbox: _BoundingBox
    generated: int = 0


class _Related(Row):
    subject_tid: TrackId
    object_tid: TrackId
    predicate: Words
    begin_fid: FrameNumber
    end_fid: FrameNumber


def read(
    paths: Sequence[Path], *, skip_bad: bool, on_problem: OnProblem, sample_interval_s: float = 1.0
) -> Iterator[AnnotatedVideo]:
    """The videos of VidOR or VidVRD files; see :class:`ravu_kg.importers.annotated.Reader`.

    Frame numbers count from 0; a relation holds from ``begin_fid`` until before ``end_fid``. Relations that are actions
    are events of their subject, too.
    """
    problems = Problems(skip_bad, on_problem)
    for path in paths:
        yield annotate(_sheet(path, problems), sample_interval_s=sample_interval_s)


def _sheet(path: Path, problems: Problems) -> Sheet:
    raw, content = read_json(path)
    file = json_object(path, raw, "the file")
    facts = head(path, file, _Head)
    check_length(path, facts.frame_count, facts.fps, "frame_count")
    times_s, numbers = frames_of_rate(facts.frame_count, facts.fps)
    sheet = Sheet(
        file=path,
        kind=KIND,
        external_id=facts.video_id,
        title=facts.video_id,
        width_px=facts.width,
        height_px=facts.height,
        times_s=times_s,
        frame_numbers=numbers,
        duration_s=facts.frame_count / facts.fps,
        frame_rate=facts.fps,
        annotated_by=stamp(KIND, path.name, content),
    )
    for place, thing in rows(path, json_list(path, file, "subject/objects"), "subject/objects", _Thing, problems):
        if thing.tid in sheet.boxes:
            problems.found(path, None, f"{place}.tid", f"{thing.tid} is used twice")
            continue
        sheet.boxes[thing.tid] = AnnotatedTrack(thing.tid, label_of(thing.category))
    _boxes(sheet, json_list(path, file, "trajectories"), facts, problems)
    _relations(sheet, file, facts, problems)
    return sheet


def _boxes(sheet: Sheet, trajectories: Sequence[object], facts: _Head, problems: Problems) -> None:
    path = sheet.file
    if len(trajectories) > facts.frame_count:
        problems.found(
            path, None, "trajectories", f"{len(trajectories)} frames, but frame_count is {facts.frame_count}"
        )
    for number, of_frame in enumerate(trajectories[: facts.frame_count]):
        if not isinstance(of_frame, list):
            problems.found(path, None, f"trajectories.{number}", "no list of boxes")
            continue
        boxes = cast("list[object]", of_frame)  # what JSON lists hold
        for place, one in rows(path, boxes, f"trajectories.{number}", _Placed, problems):
            track = sheet.boxes.get(one.tid)
            if track is None:
                problems.found(path, None, f"{place}.tid", f"there is no subject or object {one.tid}")
                continue
            time_s = number / facts.fps
            if time_s in track.by_time:
                problems.found(path, None, f"{place}.tid", f"{one.tid} has a box in frame {number} already")
                continue
            box = Box(one.bbox.xmin, one.bbox.ymin, one.bbox.xmax, one.bbox.ymax)
            inside = box_inside(problems, path, None, f"{place}.bbox", box, facts.width, facts.height)
            if inside is not None:
                track.by_time[time_s] = inside, _TRACKED if one.generated else 1.0


def _relations(sheet: Sheet, file: Mapping[str, object], facts: _Head, problems: Problems) -> None:
    path = sheet.file
    listed = json_list(path, file, "relation_instances", needed=False)
    for place, one in rows(path, listed, "relation_instances", _Related, problems):
        wrong = next(
            (
                name
                for name, tid in (("subject_tid", one.subject_tid), ("object_tid", one.object_tid))
                if tid not in sheet.boxes or not sheet.boxes[tid].by_time
            ),
            None,
        )
        if wrong:
            problems.found(path, None, f"{place}.{wrong}", f"{getattr(one, wrong)} has no box")
        elif one.subject_tid == one.object_tid:
            problems.found(path, None, f"{place}.object_tid", "nothing has a relation to itself")
        elif not one.begin_fid < one.end_fid <= facts.frame_count:
            problems.found(
                path,
                None,
                f"{place}.end_fid",
                f"frames {one.begin_fid} to {one.end_fid} are no span of a video of {facts.frame_count} frames",
            )
        else:
            _relate(sheet, one, facts.fps)


def _relate(sheet: Sheet, one: _Related, fps: float) -> None:
    start_s, end_s = one.begin_fid / fps, one.end_fid / fps
    text = spoken(one.predicate)
    sheet.relations.append(GivenRelation(one.subject_tid, one.object_tid, one.predicate, start_s, end_s, text))
    if is_action(one.predicate):
        whom = mentioned(sheet, one.object_tid, one.subject_tid)
        sheet.events.append(GivenEvent(one.subject_tid, start_s, end_s, f"{text} {whom}"))
