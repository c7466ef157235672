"""The stage functions that every engine runs: detect in a chunk, and take a video through all other stages."""

from __future__ import annotations

from collections.abc import Callable
from types import TracebackType
from typing import TYPE_CHECKING, Self

from ravu_kg.engines.records import (
    Chunking,
    Detected,
    DetectTask,
    Failure,
    IndexTask,
    Outcome,
    Split,
    Task,
    Written,
)
from ravu_kg.errors import RavuError
from ravu_kg.memory import IndexResult, VideoMemory
from ravu_kg.memory.naming import DEFAULT_BUILD
from ravu_kg.models.roles import has_model
from ravu_kg.settings import Settings
from ravu_kg.types import VideoInfo, video_id

if TYPE_CHECKING:
    from ravu_kg.memory.indexing import Detectors

Report = Callable[[str, float], None]


class Worker:
    """One of several, with models and a connection that live as long as it does."""

    def __init__(self, memory: VideoMemory, chunking: Chunking | None) -> None:
        """A worker for the videos of a memory, which it closes.

        Args:
            memory: where graphs are written.
            chunking: which videos are detected in chunks; None for none.
        """
        self._memory = memory
        self._chunking = chunking

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._memory.close()

    def load(self) -> None:
        """Load the models that every task needs.

        Raises:
            ConfigurationError: the graph holds vectors of another embedder.
            ProviderError: weights cannot be had.
        """
        _ = self._memory.embedder

    def do(self, task: Task, report: Report) -> Outcome:
        """Do a task; what goes wrong with its video is an outcome as well."""
        try:
            if isinstance(task, DetectTask):
                apart = self._chunking is not None and self._chunking.apart
                return detect(self._memory.settings, self._memory.detectors, task, report, hands_over=apart)
            done = index(self._memory, task, self._chunking, report)
            return done if isinstance(done, Split) else Written(done, self._memory.store.bookmarks)
        except RavuError as error:
            return Failure.of(error)


def index(memory: VideoMemory, task: IndexTask, chunking: Chunking | None, report: Report) -> IndexResult | Split:
    """Take a video through all stages, or tell that it is to be detected in chunks before.

    Raises:
        RavuError: as :meth:`VideoMemory.index`.
    """
    from ravu_kg.video.reader import probe

    order = task.order
    if task.split is None:
        report("reading", 0.0)
        video = probe(task.path)
        if chunking is not None and (split := _split(memory, video, task, chunking)) is not None:
            return split
    else:
        video = task.split.video
        for detected in task.detected:
            _keep(memory.settings, video, detected)
    return memory.index_video(
        video,
        tracks=order.tracks,
        build=order.build,
        replace=order.replace,
        models=order.models,
        progress=report,
    )


def detect(settings: Settings, detectors: Detectors, task: DetectTask, report: Report, *, hands_over: bool) -> Detected:
    """Detect in a chunk and keep what is found in the cache folder of this machine.

    Args:
        settings: which detector, and how often it looks.
        detectors: that are loaded.
        task: the chunk.
        report: told how far it is.
        hands_over: what is found comes back as well.

    Raises:
        VideoError: the file cannot be read any more.
        ProviderError: the detector failed or cannot be had.
    """
    from ravu_kg.perception.chunks import detect_chunk
    from ravu_kg.perception.detecting import DetectionCache

    detector, _ = detectors.find(settings)
    found = detect_chunk(
        task.video,
        detector,
        task.start_s,
        task.end_s,
        tracking_rate_hz=settings.tracking_rate_hz,
        cache=DetectionCache(settings.cache / "detections", task.video.content_hash, detector.name),
        progress=lambda share: report("detecting", share),
    )
    return Detected(detector.name, found if hands_over else {})


def _split(memory: VideoMemory, video: VideoInfo, task: IndexTask, chunking: Chunking) -> Split | None:
    """The chunks of a video that is worth it: one that is not done, by a detector that looks at single pictures."""
    from ravu_kg.perception.chunks import chunks_of

    if task.whole and not chunking.apart:
        return None
    order, settings = task.order, memory.settings
    if not order.replace and order.models.from_stage is None:
        known = video_id(video.content_hash, None if order.build == DEFAULT_BUILD else order.build)
        if any(one.video_id == known and one.status == "ready" for one in memory.videos()):
            return None
    chunks = chunks_of(video.duration_s, chunking.least_s, chunking.most)
    in_one_go = (
        order.tracks is not None
        or has_model(settings, "detect")
        or order.models.anew("detect")  # what is kept is not used then, and chunks hand over what they keep
        or (len(chunks) < 2 and not chunking.apart)
        or memory.detectors.find(settings)[0].stateful
    )
    if in_one_go:
        chunks = ()
    return Split(video, chunks) if chunks or chunking.apart else None


def _keep(settings: Settings, video: VideoInfo, detected: Detected) -> None:
    from ravu_kg.perception.detecting import DetectionCache

    cache = DetectionCache(settings.cache / "detections", video.content_hash, detected.detector)
    for stretch, found in detected.found.items():
        if not cache.knows(stretch):
            cache.save(stretch, {time_s: list(boxes) for time_s, boxes in found.items()})
