"""What an importer reads: videos with everything that people, or other programs, have noted about them.

A kind of annotation is a module with a function ``read(paths, *, skip_bad, on_problem) -> Iterator[AnnotatedVideo]``.
It yields complete videos in the graph's own types; :func:`ravu_kg.importers.loading.load` writes them.
"""

from __future__ import annotations

import hashlib
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NoReturn, Protocol

from ravu_kg.errors import ConfigurationError
from ravu_kg.types import (
    Entity,
    Event,
    Frame,
    FrameNode,
    IdentityLink,
    Relation,
    SameAs,
    SceneWindow,
    VideoRecord,
    entity_id,
    event_id,
    frame_id,
    frame_node_id,
    track_id_in,
)

WINDOW_FRAMES = 60
"""Frames that are written in one transaction."""
_LONGEST_ID = 100


@dataclass(frozen=True, slots=True)
class AnnotatedVideo:
    """One video with its annotation, as it goes into the graph.

    Facts that were annotated have the source ``annotation``; what was measured in annotated boxes is ``geometry``. The
    record names no embedder: that of the memory is filled in when the video is written.
    """

    record: VideoRecord
    entities: tuple[Entity, ...]
    windows: tuple[SceneWindow, ...]
    events: tuple[Event, ...]
    links: tuple[IdentityLink, ...] = ()

    @property
    def sentences(self) -> Iterator[str]:
        """Everything of it that gets a vector: the sentences of its frame nodes, then those of its events."""
        for window in self.windows:
            for node in window.nodes:
                yield node.description
        for event in self.events:
            yield event.description


@dataclass(frozen=True, slots=True)
class Problem:
    """A row that cannot be used."""

    file: Path
    line: int | None
    """From 1; None where lines mean nothing, as in JSON."""
    field: str
    """What of the row is wrong: a column, an attribute, or a path in JSON such as ``trajectories.12.0.bbox``."""
    message: str

    def __str__(self) -> str:
        line = "" if self.line is None else f", line {self.line}"
        field = f", field {self.field}" if self.field else ""
        return f"{self.file}{line}{field}: {self.message}"


OnProblem = Callable[[Problem], None]


class Reader(Protocol):
    """What each kind offers."""

    def __call__(self, paths: Sequence[Path], *, skip_bad: bool, on_problem: OnProblem) -> Iterator[AnnotatedVideo]:
        """The videos of some files.

        Args:
            paths: the files, or folders where the kind has folders.
            skip_bad: leave out rows that cannot be used; else the first one raises.
            on_problem: told of each such row that is left out.

        Raises:
            ConfigurationError: a file cannot be read, or a row cannot be used.
        """
        ...


class Problems:
    """Where a reader takes its bad rows: they are told and left out, or the first one ends the import."""

    def __init__(self, skip_bad: bool, on_problem: OnProblem) -> None:
        self._skip_bad = skip_bad
        self._on_problem = on_problem

    def found(self, file: Path, line: int | None, field: str, message: str) -> None:
        """Take in one bad row.

        Raises:
            ConfigurationError: bad rows are not to be left out.
        """
        problem = Problem(file, line, field, message)
        if not self._skip_bad:
            raise ConfigurationError(
                f"{problem}. Nothing was imported. Correct it, or leave such rows out with --skip-bad."
            )
        self._on_problem(problem)


def refuse(file: Path, message: str) -> NoReturn:
    """A whole file cannot be used.

    Raises:
        ConfigurationError: always.
    """
    raise ConfigurationError(f"{file}: {message} Nothing was imported.")


def annotated_id(kind: str, external_id: str) -> str:
    """The id of a video that is known only by its annotation: ``vidor:2793806282``.

    Letters that have a meaning in ids (``/``, ``#``, ``~``), spaces and the like become ``_``.
    """
    safe = re.sub(r"[^\w.-]", "_", external_id.strip(), flags=re.ASCII)
    if safe != external_id.strip() or len(safe) > _LONGEST_ID:  # two names that differ keep two ids
        safe = f"{safe[:_LONGEST_ID]}-{hashlib.sha256(external_id.encode('utf-8', 'replace')).hexdigest()[:8]}"
    return f"{kind}:{safe}"


def stamp(kind: str, name: str, content: bytes) -> str:
    """What stands in the place of a detector: the kind, the file and the start of the SHA-256 of what was read.

    Two annotations of one video are told apart by it, so that importing another one needs ``--replace``.
    """
    return f"{kind}:{name}@{hashlib.sha256(content).hexdigest()[:8]}"


def annotated_record(
    kind: str,
    external_id: str,
    *,
    title: str,
    width_px: int,
    height_px: int,
    duration_s: float,
    frame_rate: float,
    frames: int,
    annotated_by: str,
    sample_interval_s: float = 1.0,
    describer: str = "annotation",
    tracking_rate_hz: float | None = None,
) -> VideoRecord:
    """The record of a video without a file.

    Args:
        kind: of the annotation.
        external_id: what the annotation calls the video.
        title: what the user calls it.
        width_px: displayed pixels; 0 when it is not known.
        height_px: likewise.
        duration_s: of the video, as far as it is known.
        frame_rate: frames a second of the source.
        frames: how many sampled frames it has in the graph.
        annotated_by: see :func:`stamp`.
        sample_interval_s: seconds between two sampled frames.
        describer: ``geometry`` where sentences were measured.
        tracking_rate_hz: boxes a second; None when that is not known, and where there are none.
    """
    return VideoRecord(
        id=annotated_id(kind, external_id),
        build=None,
        content_hash=None,
        external_id=external_id,
        uri=None,
        title=title,
        width_px=width_px,
        height_px=height_px,
        duration_s=duration_s,
        frame_rate=frame_rate,
        frame_count=frames,
        sample_interval_s=sample_interval_s,
        detector=annotated_by,
        tracker="annotation",
        describer=describer,
        embedder="",
        embedding_dimensions=0,
        tracking_rate_hz=tracking_rate_hz,
    )


def windows_of(
    frames: Sequence[Frame],
    nodes: Iterable[FrameNode],
    relations: Iterable[Relation] = (),
    *,
    frames_per_window: int = WINDOW_FRAMES,
) -> tuple[SceneWindow, ...]:
    """Frames with their nodes and relations in windows; consecutive nodes of an entity are chained.

    Args:
        frames: with the indexes 0..n-1, in order.
        nodes: in any order.
        relations: between nodes of one frame.
        frames_per_window: how many frames are written at once.
    """
    by_frame: defaultdict[int, list[FrameNode]] = defaultdict(list)
    for node in nodes:
        by_frame[node.frame_index].append(node)
    frame_of = {node.id: index for index, held in by_frame.items() for node in held}
    related: defaultdict[int, list[Relation]] = defaultdict(list)
    for relation in relations:
        related[frame_of[relation.subject_id]].append(relation)
    last: dict[str, FrameNode] = {}
    windows: list[SceneWindow] = []
    for start in range(0, len(frames), frames_per_window):
        part = frames[start : start + frames_per_window]
        held = [
            node for frame in part for node in sorted(by_frame[frame.index], key=lambda one: track_id_in(one.entity_id))
        ]
        chained: list[SameAs] = []
        for node in held:
            if (before := last.get(node.entity_id)) is not None:
                gap_s = node.timestamp_s - before.timestamp_s
                chained.append(SameAs(before.id, node.id, gap_s, 1.0, "annotation"))
            last[node.entity_id] = node
        told = tuple(relation for frame in part for relation in related[frame.index])
        windows.append(SceneWindow(len(windows), tuple(part), tuple(held), told, tuple(chained)))
    return tuple(windows)


def renamed(video: AnnotatedVideo, new_id: str) -> AnnotatedVideo:
    """The same under another id, for a graph that is to take the place of one that is there."""
    own = set(_ids(video))
    old = video.record.id

    def name(one: str) -> str:
        return new_id + one[len(old) :] if one in own else one

    windows = tuple(
        SceneWindow(
            window.index,
            tuple(replace(frame, id=frame_id(new_id, frame.index), video_id=new_id) for frame in window.frames),
            tuple(
                replace(
                    node,
                    id=frame_node_id(new_id, node.frame_index, track_id_in(node.entity_id)),
                    video_id=new_id,
                    entity_id=name(node.entity_id),
                )
                for node in window.nodes
            ),
            tuple(
                replace(one, subject_id=name(one.subject_id), object_id=name(one.object_id)) for one in window.relations
            ),
            tuple(replace(one, earlier_id=name(one.earlier_id), later_id=name(one.later_id)) for one in window.same_as),
        )
        for window in video.windows
    )
    return AnnotatedVideo(
        replace(video.record, id=new_id),
        tuple(replace(one, id=entity_id(new_id, one.track_id), video_id=new_id) for one in video.entities),
        windows,
        tuple(
            replace(
                one,
                id=event_id(new_id, track_id_in(one.entity_id), one.source, one.seq),
                video_id=new_id,
                entity_id=name(one.entity_id),
            )
            for one in video.events
        ),
        tuple(replace(one, earlier_id=name(one.earlier_id), later_id=name(one.later_id)) for one in video.links),
    )


def _ids(video: AnnotatedVideo) -> Iterator[str]:
    for entity in video.entities:
        yield entity.id
    for window in video.windows:
        for node in window.nodes:
            yield node.id
