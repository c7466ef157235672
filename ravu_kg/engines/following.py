"""Videos that grow: recordings in a folder, and streams. Their graphs are brought up to date as they do.

A growing video has an id made of its source and its start, which stays. Each time it has grown enough it goes through
all stages; detections are kept, so only new pictures are looked at, and the graph is the one that the whole of it
would have given. The graph that is there can be asked until the new one takes its place. How much it has to grow
rises with its length (a tenth of it), so that all the work together grows with the length alone.
"""

from __future__ import annotations

import hashlib
import re
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from ravu_kg.engines.addresses import shown
from ravu_kg.engines.finding import find_videos
from ravu_kg.engines.recording import Recorder
from ravu_kg.engines.records import Failure, Order
from ravu_kg.errors import RavuError, UsageError, VideoError
from ravu_kg.memory import IndexResult, VideoMemory
from ravu_kg.types import video_id

STEP_S = 20.0
"""A video is indexed again when it has grown by so much, at least."""
_SHARE = 0.1
_POLL_S = 0.25
_STILL_S = 3.0
"""A recording that has not grown for so long is complete, for now."""

Report = Callable[[str, str, float], None]
"""Told the name of a video, the stage and how much of it is done."""


@dataclass(frozen=True, slots=True)
class Grown:
    """What became of a video that has grown."""

    path: Path
    outcome: IndexResult | Failure


def follow_stream(memory: VideoMemory, url: str, order: Order, report: Report) -> Iterator[Grown]:
    """Record a stream and index it as it comes, until Ctrl-C; then what is left of it.

    Yields:
        What became of it, each time it was indexed.

    Raises:
        VideoError: the stream cannot be recorded.
    """
    started_at = datetime.now(UTC)
    name = re.sub(r"[^\w.-]+", "-", shown(url).partition("://")[2]).strip("-") or "stream"
    path = memory.settings.cache / "streams" / f"{name}-{started_at:%Y%m%dT%H%M%S}.mkv"
    identity = _hash(shown(url), started_at.isoformat())
    done_s, told = 0.0, ""
    with Recorder(url, path) as recorder:
        try:
            while True:
                if recorder.reached_s >= done_s + max(STEP_S, _SHARE * done_s):
                    done_s = recorder.reached_s
                    yield _indexed(memory, path, identity, order, report)
                elif recorder.is_broken and recorder.problem is not None:
                    raise recorder.problem
                elif recorder.problem is not None and str(recorder.problem) != told:
                    told = str(recorder.problem)
                    report(path.name, f"waiting: {told}", 0.0)
                time.sleep(_POLL_S)
        except KeyboardInterrupt:
            recorder.stop()
    if recorder.reached_s > done_s:
        yield _indexed(memory, path, identity, order, report)


def follow_folder(memory: VideoMemory, folder: Path, order: Order, report: Report) -> Iterator[Grown]:
    """Index the videos of a folder, new ones and those that grow, until Ctrl-C.

    Yields:
        What became of a video, each time it was indexed.
    """
    known: dict[Path, Growing] = {}
    while True:
        for source in find_videos([folder]):
            if source.problem is not None:
                continue  # no video yet
            try:
                state = source.path.stat()
            except OSError:
                continue  # it was removed just now
            growing = known.setdefault(source.path, Growing())
            if growing.is_due(state.st_size, time.monotonic()):
                identity = _hash(str(source.path.resolve()), f"{state.st_dev}:{state.st_ino}")
                grown = _indexed(memory, source.path, identity, order, report)
                growing.done(state.st_size, time.monotonic())
                if not isinstance(grown.outcome, Failure) or growing.is_still:
                    yield grown
        time.sleep(_POLL_S)


@dataclass(slots=True)
class Growing:
    """How a file grows."""

    size: int | None = None
    changed_s: float = 0.0
    done_size: int = 0
    done_s: float = 0.0
    """When it was indexed, or first seen."""
    is_still: bool = False

    def is_due(self, size: int, now_s: float) -> bool:
        """Whether it is to be indexed: it has grown enough since that was done, or has stopped to grow.

        Args:
            size: in bytes, now.
            now_s: of a clock that never goes back.
        """
        if self.size is None:
            self.done_s = now_s
        if size != self.size:
            self.size, self.changed_s = size, now_s
        self.is_still = now_s - self.changed_s >= _STILL_S
        if size == self.done_size:
            return False
        return self.is_still or (size >= (1 + _SHARE) * self.done_size and now_s - self.done_s >= STEP_S)

    def done(self, size: int, now_s: float) -> None:
        """It was indexed when it had that size."""
        self.done_size, self.done_s = size, now_s


def _indexed(memory: VideoMemory, path: Path, identity: str, order: Order, report: Report) -> Grown:
    from ravu_kg.video.reader import probe

    try:
        video = replace(probe(path), source_hash=identity)
        known = [one for one in memory.videos() if one.video_id == video_id(identity, order.build)]
        same = bool(known) and known[0].status == "ready" and known[0].duration_s == video.duration_s
        result = memory.index_video(
            video,
            build=order.build,
            replace=bool(known) and not same,
            models=order.models,
            progress=lambda stage, share: report(path.name, stage, share),
        )
        return Grown(path, result)
    except RavuError as error:
        return Grown(path, Failure.of(error))


def check(source: Path) -> None:
    """Refuse what cannot be followed.

    Raises:
        VideoError: there is no such folder.
        UsageError: it is a single file.
    """
    if not source.exists():
        raise VideoError(f"{source}: there is no such folder. Give a folder of recordings, or the address of a stream.")
    if not source.is_dir():
        raise UsageError(f"{source} is a single file. Follow the folder it is in: {source.parent}")


def _hash(source: str, start: str) -> str:
    return hashlib.sha256(f"{source}\n{start}".encode("utf-8", "surrogateescape")).hexdigest()
