"""Situation graphs of STAR, and of Action Genome in its form: relations and actions at key frames."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from statistics import median
from typing import Annotated, cast

from pydantic import Field

from ravu_kg.articles import with_article
from ravu_kg.importers.annotated import (
    AnnotatedVideo,
    OnProblem,
    Problems,
    annotated_id,
    annotated_record,
    stamp,
    windows_of,
)
from ravu_kg.importers.predicates import spoken
from ravu_kg.importers.reading import Finite, Row, Seconds, Words, json_object, read_json
from ravu_kg.importers.reading import rows as rows_of
from ravu_kg.importers.tracks import LONGEST_S, label_of
from ravu_kg.perception.describing.windows import canonical_predicate
from ravu_kg.perception.describing.wording import capitalised, enumerated
from ravu_kg.types import (
    Box,
    Entity,
    Event,
    Frame,
    FrameNode,
    Relation,
    entity_id,
    event_id,
    frame_id,
    frame_node_id,
)
from ravu_kg.video.overlay import palette

KIND = "star"
PERSON = "person"
_USUAL_HZ = 29.97
_SAME_ACTION_S = 2.0
"""An action goes on between two key frames that are at most this far apart, or twice the usual gap."""


class _Asked(Row):
    video_id: Annotated[str, Field(min_length=1, max_length=200)]
    start: Seconds | None = None
    end: Seconds | None = None
    situations: dict[str, object]


class _Situation(Row):
    rel_pairs: list[tuple[Words, Words]] = Field(default_factory=list[tuple[str, str]])
    rel_labels: list[Words] = Field(default_factory=list[str])
    actions: list[Words] = Field(default_factory=list[str])
    bbox_labels: list[Words] = Field(default_factory=list[str])
    bbox: list[tuple[Finite, Finite, Finite, Finite]] = Field(default_factory=list[tuple[float, float, float, float]])


@dataclass(slots=True)
class _Key:
    """A key frame: what the situations of all questions say of it, in their order and once."""

    relations: dict[tuple[str, str, str], None] = field(default_factory=dict[tuple[str, str, str], None])
    actions: dict[str, None] = field(default_factory=dict[str, None])
    boxes: dict[str, Box] = field(default_factory=dict[str, Box])

    @property
    def names(self) -> dict[str, None]:
        return dict.fromkeys(
            [
                *([PERSON] if self.actions else []),
                *(name for one in self.relations for name in (one[0], one[2])),
                *self.boxes,
            ]
        )


@dataclass(slots=True)
class _Video:
    path: Path
    keys: dict[int, _Key] = field(default_factory=dict[int, _Key])
    slowest_hz: float = 0.0
    fastest_hz: float = float("inf")
    """What the spans of the questions leave for the frame rate."""
    end_s: float = 0.0
    """Of the last question."""


def read(
    paths: Sequence[Path],
    *,
    skip_bad: bool,
    on_problem: OnProblem,
    frame_rate: float | None = None,
    size_px: tuple[int, int] | None = None,
) -> Iterator[AnnotatedVideo]:
    """The videos of STAR files; see :class:`ravu_kg.importers.annotated.Reader`.

    Key frames are named by their number in the source. All questions about a video add to its one graph.

    Args:
        paths: files of questions with their situations, a list or an object.
        skip_bad: leave out questions and key frames that cannot be used.
        on_problem: told of them.
        frame_rate: frames a second; by default the usual 29.97, moved where the spans of the questions need another.
        size_px: width and height of the picture, where that is known.

    Raises:
        ConfigurationError: a file cannot be read or used.
    """
    problems = Problems(skip_bad, on_problem)
    videos: dict[str, _Video] = {}
    content = b""
    for path in paths:
        raw, held = read_json(path)
        content += held
        for place, one in _questions(path, raw, problems):
            _take(videos, path, place, one, problems)
    for name, video in videos.items():
        if video.keys:
            rate = frame_rate or min(max(_USUAL_HZ, video.slowest_hz), video.fastest_hz)
            yield _annotated(name, video, rate, size_px or (0, 0), content + f"{rate!r} {size_px}".encode())
        else:
            problems.found(video.path, None, "situations", f"video {name} has no key frame that can be used")


def _questions(path: Path, raw: object, problems: Problems) -> Iterator[tuple[str, _Asked]]:
    if isinstance(raw, list):
        yield from rows_of(path, cast("list[object]", raw), "", _Asked, problems)  # what JSON lists hold
        return
    file = json_object(path, raw, "the file")
    for name, value in file.items():
        for _, one in rows_of(path, [value], name, _Asked, problems):
            yield name, one


def _take(videos: dict[str, _Video], path: Path, place: str, one: _Asked, problems: Problems) -> None:
    video = videos.setdefault(one.video_id, _Video(path))
    numbers: list[int] = []
    for name, value in one.situations.items():
        where = f"{place.strip('.')}.situations.{name}"
        if not name.isdecimal() or len(name) > 9:
            problems.found(path, None, where, f"{name[:40]!r} is no number of a frame")
            continue
        for _, situation in rows_of(path, [value], where, _Situation, problems):
            if _add(video, path, where, int(name), situation, problems):
                numbers.append(int(name))
    # The key frames of a question lie in its span, which tells between which rates the video's is.
    if numbers and one.start is not None and one.end is not None:
        if one.end <= one.start:
            problems.found(path, None, f"{place}.end", f"{one.end:g} s is not after the start, {one.start:g} s")
            return
        video.end_s = max(video.end_s, one.end)
        video.slowest_hz = max(video.slowest_hz, max(numbers) / one.end)
        if one.start > 0:
            video.fastest_hz = min(video.fastest_hz, max(1, min(numbers)) / one.start)


def _add(video: _Video, path: Path, where: str, number: int, one: _Situation, problems: Problems) -> bool:
    if len(one.rel_pairs) != len(one.rel_labels):
        problems.found(
            path, None, f"{where}.rel_labels", f"{len(one.rel_labels)} labels for {len(one.rel_pairs)} pairs"
        )
        return False
    if one.bbox and len(one.bbox) != len(one.bbox_labels):
        problems.found(path, None, f"{where}.bbox", f"{len(one.bbox)} boxes for {len(one.bbox_labels)} labels")
        return False
    if number / _USUAL_HZ > LONGEST_S:
        problems.found(path, None, where, f"frame {number} is hours after the start")
        return False
    key = video.keys.setdefault(number, _Key())
    for (subject, other), label in zip(one.rel_pairs, one.rel_labels, strict=True):
        if subject == other:
            problems.found(path, None, f"{where}.rel_pairs", f"{subject} has a relation to itself")
            continue
        key.relations[label_of(subject), label, label_of(other)] = None
    key.actions.update(dict.fromkeys(action.strip() for action in one.actions))
    for name, sides in zip(one.bbox_labels, one.bbox, strict=False):
        box = Box(*sides)
        if box.x_max <= box.x_min or box.y_max <= box.y_min:
            problems.found(path, None, f"{where}.bbox", "the box has no area")
        else:
            key.boxes[label_of(name)] = box
    return True


def _annotated(name: str, video: _Video, rate: float, size_px: tuple[int, int], content: bytes) -> AnnotatedVideo:
    video_id = annotated_id(KIND, name)
    numbers = sorted(video.keys)
    gaps = [later - earlier for earlier, later in pairwise(numbers)]
    interval_s = median(gaps) / rate if gaps else 1.0
    order = list(dict.fromkeys(label for number in numbers for label in video.keys[number].names))
    track_of = {label: position for position, label in enumerate(order, start=1)}
    frames, nodes, relations = list[Frame](), list[FrameNode](), list[Relation]()
    for index, number in enumerate(numbers):
        key, time_s = video.keys[number], number / rate
        frames.append(Frame(frame_id(video_id, index), video_id, index, number, time_s, _told(key)))
        for label in key.names:
            nodes.append(_node(video_id, index, time_s, label, track_of[label], key))
        for subject, predicate, other in key.relations:
            relations.append(
                Relation(
                    frame_node_id(video_id, index, track_of[subject]),
                    frame_node_id(video_id, index, track_of[other]),
                    canonical_predicate(predicate),
                    spoken(predicate),
                    "annotation",
                    1.0,
                )
            )
    duration_s = max(video.end_s, (numbers[-1] + 1) / rate)
    events = _events(
        video_id, track_of, {number / rate: video.keys[number] for number in numbers}, interval_s, duration_s
    )
    record = annotated_record(
        KIND,
        name,
        title=name,
        width_px=size_px[0],
        height_px=size_px[1],
        duration_s=duration_s,
        frame_rate=rate,
        frames=len(frames),
        annotated_by=stamp(KIND, video.path.name, content),
        sample_interval_s=interval_s,
    )
    return AnnotatedVideo(
        record,
        _entities(video_id, track_of, nodes, events, interval_s, duration_s),
        windows_of(frames, nodes, relations),
        events,
    )


def _node(video_id: str, index: int, time_s: float, label: str, track_id: int, key: _Key) -> FrameNode:
    about = [f"{spoken(predicate)} the {other}" for subject, predicate, other in key.relations if subject == label]
    around = [
        f"the {subject} is {spoken(predicate)} it" for subject, predicate, other in key.relations if other == label
    ]
    doing = [action[:1].lower() + action[1:].rstrip(".") for action in key.actions] if label == PERSON else []
    told = f"is {enumerated([*doing, *about])}" if doing or about else "is there"
    sentence = capitalised(f"{with_article(label)} {'; '.join([told, *around])}.")
    return FrameNode(
        id=frame_node_id(video_id, index, track_id),
        video_id=video_id,
        entity_id=entity_id(video_id, track_id),
        frame_index=index,
        timestamp_s=time_s,
        label=label,
        box=key.boxes.get(label),
        confidence=1.0,
        attributes=(),
        description=sentence,
        geometry_attributes=(),
        geometry_description="",
        source="annotation",
    )


def _told(key: _Key) -> str:
    doing = [f"{action.rstrip('.')}" for action in key.actions]
    related = [f"{subject} {spoken(predicate)} {other}" for subject, predicate, other in key.relations]
    return capitalised(f"{'; '.join([*doing, *related]) or 'nothing is told'}.")


def _events(
    video_id: str, track_of: Mapping[str, int], keys: Mapping[float, _Key], interval_s: float, duration_s: float
) -> tuple[Event, ...]:
    """Runs of one action over consecutive key frames; each lasts for one more interval, within the video."""
    reach_s = max(_SAME_ACTION_S, 2 * interval_s)
    seen: defaultdict[str, list[float]] = defaultdict(list)
    for time_s, key in keys.items():
        for action in key.actions:
            seen[f"A person is {action[:1].lower()}{action[1:].rstrip('.')}."].append(time_s)
    spans: list[tuple[float, float, str]] = []
    for sentence, times_s in seen.items():
        start_s = last_s = times_s[0]
        for time_s in times_s[1:]:
            if time_s - last_s > reach_s:
                spans.append((start_s, min(last_s + interval_s, duration_s), sentence))
                start_s = time_s
            last_s = time_s
        spans.append((start_s, min(last_s + interval_s, duration_s), sentence))
    return tuple(
        Event(
            id=event_id(video_id, track_of[PERSON], "annotation", seq),
            video_id=video_id,
            entity_id=entity_id(video_id, track_of[PERSON]),
            source="annotation",
            seq=seq,
            start_s=start_s,
            end_s=end_s,
            description=sentence,
        )
        for seq, (start_s, end_s, sentence) in enumerate(sorted(spans))
    )


def _entities(
    video_id: str,
    track_of: Mapping[str, int],
    nodes: Sequence[FrameNode],
    events: Sequence[Event],
    interval_s: float,
    duration_s: float,
) -> tuple[Entity, ...]:
    times_s: defaultdict[str, list[float]] = defaultdict(list)
    for node in nodes:
        times_s[node.label].append(node.timestamp_s)
    ends_s = {label: min(held[-1] + interval_s, duration_s) for label, held in times_s.items()}
    does = [event.description.rstrip(".") for event in events]
    return tuple(
        Entity(
            id=entity_id(video_id, track_id),
            video_id=video_id,
            track_id=track_id,
            label=label,
            description=_life(label, times_s[label][0], ends_s[label], does if label == PERSON else []),
            color=color,
            start_s=times_s[label][0],
            end_s=ends_s[label],
            track_timestamps_s=(),
            track_boxes=(),
        )
        for (label, track_id), color in zip(track_of.items(), palette(len(track_of)), strict=True)
    )


def _life(label: str, start_s: float, end_s: float, does: Sequence[str]) -> str:
    told = f": {'; '.join(does)}" if does else ""
    return f"{capitalised(label)}, from {start_s:.1f} s to {end_s:.1f} s{told}."
