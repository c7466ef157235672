"""Detections of a stream of frames, kept on disk per stretch of video so that an interrupted run goes on."""

from __future__ import annotations

import hashlib
import os
import shutil
import tempfile
from collections import deque
from collections.abc import Generator, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TypeVar

import numpy as np

from ravu_kg.archives import DAMAGED
from ravu_kg.cores import cores
from ravu_kg.protocols import Detector
from ravu_kg.types import Box, Detection, VideoFrame

_T = TypeVar("_T")

STRETCH_S = 20.0
"""Length of the stretches that detections are kept for; batches of frames never reach over their borders."""
_BATCH = 4
_VERSION = "1"

Found = dict[float, list[Detection]]
"""Time of a frame -> its detections."""


class DetectionCache:
    """Detections of one video by one detector, a file for each 20 s of video.

    A file is written in one step when its stretch is complete; one that cannot be read counts as missing.
    """

    def __init__(self, folder: Path, content_hash: str, detector_name: str) -> None:
        # The name of a detector may hold characters that a file name must not.
        detector = hashlib.sha256(f"{_VERSION}\n{detector_name}".encode()).hexdigest()[:16]
        self._folder = folder / f"{content_hash[:16]}-{detector}"

    def load(self, stretch: int) -> Found:
        """What is known of a stretch; empty when nothing is."""
        try:
            with self._path(stretch).open("rb") as file, np.load(file, allow_pickle=False) as stored:
                times = stored["times_s"].tolist()
                counts, boxes = stored["counts"].tolist(), stored["boxes"].tolist()
                labels, confidences = stored["labels"].tolist(), stored["confidences"].tolist()
        except (*DAMAGED, OSError):
            return {}
        rows = zip(boxes, labels, confidences, strict=True)
        every = [Detection(Box(*box), str(label), float(confidence)) for box, label, confidence in rows]
        found: Found = {}
        at = 0
        for time_s, count in zip(times, counts, strict=True):
            found[float(time_s)] = every[at : at + count]
            at += count
        return found

    def save(self, stretch: int, found: Found) -> None:
        """Keep a complete stretch. Without room on the disk nothing is kept: the run goes on, only slower next time."""
        every = [detection for time_s in sorted(found) for detection in found[time_s]]
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            handle, name = tempfile.mkstemp(dir=self._folder, suffix=".part")
        except OSError:
            return
        try:
            with os.fdopen(handle, "wb") as file:
                np.savez(
                    file,
                    times_s=np.array(sorted(found), dtype=np.float64),
                    counts=np.array([len(found[time_s]) for time_s in sorted(found)], dtype=np.int64),
                    boxes=np.array(
                        [(d.box.x_min, d.box.y_min, d.box.x_max, d.box.y_max) for d in every], dtype=np.float64
                    ).reshape(-1, 4),
                    labels=np.array([d.label for d in every], dtype=np.str_),
                    confidences=np.array([d.confidence for d in every], dtype=np.float64),
                )
            Path(name).replace(self._path(stretch))
        except OSError:
            Path(name).unlink(missing_ok=True)

    def knows(self, stretch: int) -> bool:
        """Whether a stretch is kept."""
        return self._path(stretch).exists()

    def forget(self) -> None:
        """Remove all that is kept of this video by this detector."""
        shutil.rmtree(self._folder, ignore_errors=True)

    def _path(self, stretch: int) -> Path:
        return self._folder / f"{stretch:06d}.npz"


def detections_of(
    frames: Iterable[VideoFrame], detector: Detector, cache: DetectionCache | None
) -> Iterator[tuple[VideoFrame, list[Detection]]]:
    """Each frame with its detections, in order; frames found in the cache are not given to the detector.

    A detector that depends on the frames before sees all of them, and nothing of it is cached.

    Raises:
        ProviderError: the model failed.
    """
    if detector.stateful:
        cache = None
    stretch = -1
    known: Found = {}
    is_new = False
    waiting: list[VideoFrame] = []
    for frame in frames:
        at = int(frame.timestamp_s // STRETCH_S)
        if at != stretch:
            yield from _detected(waiting, detector, known)
            waiting = []
            if cache is not None and is_new:
                cache.save(stretch, known)
            stretch, is_new = at, False
            known = {} if cache is None else cache.load(at)
        waiting.append(frame)
        is_new = is_new or frame.timestamp_s not in known
        if len(waiting) == _BATCH:
            yield from _detected(waiting, detector, known)
            waiting = []
    yield from _detected(waiting, detector, known)
    if cache is not None and is_new:
        cache.save(stretch, known)


def ahead(items: Iterable[_T], count: int) -> Generator[_T]:
    """The same items in the same order, made by a thread of their own up to ``count`` ahead of their use.

    Decoding, detecting and tracking use the cores in turns; side by side none waits for the others. What making an
    item raises is raised where it would have been used. Close it when it is left before its end, by Ctrl-C too: the
    item that is being made is then the last one. With one core there is no such thread.
    """
    if cores() == 1:
        yield from items
        return
    end = object()
    iterator = iter(items)
    pool = ThreadPoolExecutor(max_workers=1)
    try:
        coming = deque(pool.submit(next, iterator, end) for _ in range(count))
        while (item := coming.popleft().result()) is not end:
            coming.append(pool.submit(next, iterator, end))
            yield item  # pyright: ignore[reportReturnType]  # anything but the end is an item
    finally:
        pool.shutdown(cancel_futures=True)


def _detected(
    frames: list[VideoFrame], detector: Detector, known: Found
) -> Iterator[tuple[VideoFrame, list[Detection]]]:
    unknown = [frame for frame in frames if frame.timestamp_s not in known]
    if unknown:
        known.update(zip((frame.timestamp_s for frame in unknown), detector.detect(unknown), strict=True))
    for frame in frames:
        yield frame, known[frame.timestamp_s]
