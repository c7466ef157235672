"""Indexing one video: perceive, describe, embed, write; each stage timed, and resumed after an interruption.

Imports everything that looks at pictures: loaded only when a video is indexed.
"""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

from ravu_kg.graph.embedding import SentenceCache, embed_all
from ravu_kg.graph.store import Store
from ravu_kg.graph.writer import GraphWriter
from ravu_kg.memory.lasting import prepare, settle
from ravu_kg.memory.naming import GIVEN, given_name
from ravu_kg.memory.pipeline import describer, tracking_rate_hz
from ravu_kg.memory.records import IndexResult, ModelRun, Report, StageUsage, Stopwatch
from ravu_kg.memory.words import Tally, Words, words_of
from ravu_kg.models.calls import ModelCalls
from ravu_kg.perception.captioning.detection import ModelDetector, PacedTracker
from ravu_kg.perception.detecting import DetectionCache
from ravu_kg.perception.gaps import with_gaps
from ravu_kg.perception.geometry import describe
from ravu_kg.perception.observing import LEAST_BOXES
from ravu_kg.perception.pipeline import perceive, perceive_given
from ravu_kg.plugins import choose_detector, load_detector, load_tracker
from ravu_kg.protocols import Detector, Embedder
from ravu_kg.settings import Settings
from ravu_kg.types import Coverage, Event, FloatArray, Perception, VideoInfo, VideoRecord, replacement_id

_EVENTS_AT_A_TIME = 1_000


@dataclass(frozen=True, slots=True)
class Indexer:
    """The collaborators of one indexing run."""

    settings: Settings
    writer: GraphWriter
    embedder: Embedder
    cache: SentenceCache
    report: Report
    watch: Stopwatch
    run: ModelRun
    calls: ModelCalls | None
    """None without a model for any stage."""
    store: Store
    detectors: Detectors

    def index(
        self,
        video: VideoInfo,
        video_id: str,
        build: str | None,
        tracks: Path | None,
        *,
        replace: bool,
        completes: bool = False,
    ) -> IndexResult:
        """Take the video through all stages.

        Args:
            video: what is indexed.
            video_id: of its graph.
            build: name of the graph beside others of the same video.
            tracks: to use instead of detecting.
            replace: the graph that is there goes when the new one is ready.
            completes: the new graph has what models did not answer when the old one was made, and its cost in it.

        Raises:
            VideoError: it cannot be read to its end.
            ProviderError: the detector, tracker, embedder or a model failed, or the ceiling is reached; what is
                written stays, and so do the replies.
            ConfigurationError: another pipeline indexed it before.
            GraphError: Neo4j failed; what is written stays, and the next run goes on from there.
        """
        seen = self._given(video, tracks) if tracks else self._perceive(video)
        self.report("describing", 0.0)
        with self.watch.time("describe"):
            written_id = replacement_id(video_id) if replace else video_id
            description = describe(seen.perception, written_id)
        words = words_of(description, written_id, self.calls, self.settings.describe_window, seen.undetected)
        base: Mapping[str, StageUsage] = self.writer.usage(video_id) if completes else {}
        tally = Tally.of(self.calls, self.writer.usage(written_id), base)
        try:
            written = self._write(self._record(seen.perception, written_id, build), words, tally, seen.unanswered)
        finally:
            tally.keep(self.writer, written_id, seen.unanswered + words.unanswered)
        waiting: tuple[str, ...] = ()
        if replace:
            with self.watch.time("write"):
                self.writer.take_place(video_id)
            waiting = settle(self.store, video_id, self._vectors)
        if self.calls is not None:
            self.calls.settle()
        return IndexResult(
            video_id=video_id,
            title=video.title,
            entities=written.entities,
            frame_nodes=written.frame_nodes,
            relations=written.relations,
            events=written.events,
            duration_s=video.duration_s,
            elapsed_s=self.watch.elapsed_s,
            detector=seen.perception.detector,
            detector_reason=seen.reason,
            status="indexed",
            describer=describer(self.settings),
            usage=tally.stages(),
            replayed=0 if self.calls is None else self.calls.replayed,
            coverage=words.coverage,
            waiting=waiting,
            untold=written.untold,
            unanswered=seen.unanswered + words.unanswered,
        )

    def _perceive(self, video: VideoInfo) -> _Seen:
        settings = self.settings
        self.report("loading models", 0.5)
        rate_hz = tracking_rate_hz(settings)
        asked, reason, cache_dir = None, "", None
        with self.watch.time("load"):
            tracker = load_tracker(settings.models.track, settings.providers)
            if self.calls is not None and self.calls.has("detect"):
                detector = asked = ModelDetector(self.calls, video)  # what it finds is kept with its replies
                tracker = PacedTracker(tracker, 1 / rate_hz)
            else:
                detector, reason = self.detectors.find(settings)
                cache_dir = settings.cache / "detections"
        if asked is not None:
            with self.watch.time("detect"):
                for reached_s in asked.look_ahead(rate_hz):
                    self.report("detecting", min(1.0, reached_s / video.duration_s) if video.duration_s else 0.0)
        if cache_dir is not None and self.run.anew("detect"):
            DetectionCache(cache_dir, video.identity, detector.name).forget()
        with self.watch.time("perceive"):
            perception = perceive(
                video,
                detector,
                tracker,
                tracking_rate_hz=rate_hz,
                sample_interval_s=settings.sample_interval_s,
                cache_dir=cache_dir,
                progress=lambda share: self.report("watching", share),
                least_boxes=LEAST_BOXES if asked is None else 1,
            )
        undetected: dict[int, Coverage] = {}
        if asked is not None:
            at = {frame.timestamp_s: frame.index for frame in perception.frames}
            undetected = {at[time_s]: why for time_s, why in asked.troubles.items() if time_s in at}
        elif video.source_hash is not None:
            perception, gaps = with_gaps(perception)
            undetected = dict.fromkeys(gaps, "failed")
        return _Seen(perception, reason, undetected, 0 if asked is None else asked.unanswered)

    def _given(self, video: VideoInfo, tracks: Path) -> _Seen:
        with self.watch.time("perceive"):
            perception = perceive_given(
                video,
                tracks,
                tracking_rate_hz=self.settings.tracking_rate_hz,
                sample_interval_s=self.settings.sample_interval_s,
                progress=lambda share: self.report("watching", share),
            )
        # The name tells two files of tracks apart, as it does with two detectors.
        return _Seen(dataclasses.replace(perception, detector=given_name(tracks)), "", {}, 0)

    def _record(self, perception: Perception, video_id: str, build: str | None) -> VideoRecord:
        video = perception.video
        return VideoRecord(
            id=video_id,
            build=build,
            content_hash=video.content_hash,
            external_id=None,
            uri=str(video.path.resolve()),
            title=video.title,
            width_px=video.width_px,
            height_px=video.height_px,
            duration_s=video.duration_s,
            frame_rate=video.frame_rate,
            frame_count=len(perception.frames),
            sample_interval_s=perception.sample_interval_s,
            tracking_rate_hz=self._tracking_rate_hz(perception),
            cuts_s=perception.cuts_s,
            detector=perception.detector,
            tracker=perception.tracker,
            describer=describer(self.settings),
            embedder=self.embedder.name,
            embedding_dimensions=self.embedder.dimensions,
        )

    def _tracking_rate_hz(self, perception: Perception) -> float:
        given = perception.detector.startswith(GIVEN)
        return self.settings.tracking_rate_hz if given else tracking_rate_hz(self.settings)

    def _write(self, record: VideoRecord, words: Words, tally: Tally, unseen: int) -> _Written:
        """Embed and write window by window, then the events."""
        with self.watch.time("write"):
            done = self.writer.begin(record, words.entities(), words.links, grows=words.grows)
        frame_nodes = relations = 0
        windows = words.windows(lambda share: self.report(tally.progress(words.stage), share))
        with closing(windows):
            while True:
                with self.watch.time(words.stage):
                    window, added = next(windows, (None, ()))
                if window is None:
                    break
                self.report("writing", window.index / len(words))
                frame_nodes += len(window.nodes)
                relations += len(window.relations)
                if window.index >= done:
                    vectors = self._vectors([node.description for node in window.nodes])
                    with self.watch.time("write"):
                        # First, so that a window that lacks something is never there without the note that it does.
                        tally.keep(self.writer, record.id, unseen + words.unanswered)
                        self.writer.write_entities(record.id, added)
                        self.writer.write_window(record.id, window, vectors)
        with self.watch.time(words.stage):
            ending = words.ending(lambda share: self.report(tally.progress("events"), share))
        for part in _in_parts(ending.events):
            vectors = self._vectors([event.description for event in part])
            with self.watch.time("write"):
                self.writer.write_events(record.id, part, vectors)
        with self.watch.time("write"):
            self.writer.write_entities(record.id, ending.entities, ending.links)
        prepare(self.store, record.id, self._vectors)
        with self.watch.time("write"):
            self.writer.finish(record.id)
        self.report("writing", 1.0)
        entities = {entity.id for entity in (*words.entities(), *ending.entities)}
        untold = Counter(entity.coverage for entity in ending.entities if entity.coverage != "ok")
        return _Written(len(entities), frame_nodes, relations, len(ending.events), dict(untold))

    def _vectors(self, texts: Sequence[str]) -> FloatArray:
        with self.watch.time("embed"):
            return embed_all(texts, self.embedder, None if self.run.anew("embed") else self.cache)


@dataclass(frozen=True, slots=True)
class _Seen:
    perception: Perception
    reason: str
    """Why ``auto`` chose the detector."""
    undetected: Mapping[int, Coverage]
    """Frame indexes in which a model could detect nothing, and why."""
    unanswered: int
    """How many of them may yet be answered."""


@dataclass(frozen=True, slots=True)
class _Written:
    entities: int
    frame_nodes: int
    relations: int
    events: int
    untold: Mapping[str, int]
    """Entities of which some events are missing, by why."""


class Detectors:
    """Detectors that are loaded once for many videos; one that depends on the frames before is made for each."""

    def __init__(self) -> None:
        self._kept: tuple[str, Detector, str] | None = None

    def find(self, settings: Settings) -> tuple[Detector, str]:
        """The detector of the settings, and why ``auto`` chose it.

        Raises:
            ConfigurationError: it is not installed, or none can be loaded.
            ProviderError: its weights cannot be had.
        """
        wanted = repr((settings.models.detect, settings.providers))
        if self._kept is None or self._kept[0] != wanted:
            detector, reason = _find_detector(settings)
            self._kept = None if detector.stateful else (wanted, detector, reason)
            return detector, reason
        return self._kept[1:]


def _find_detector(settings: Settings) -> tuple[Detector, str]:
    reference = settings.models.detect
    if reference != "auto":
        return load_detector(reference, settings.providers), ""
    choice = choose_detector(settings.providers)
    reason = "chosen by auto"
    if choice.refused:
        reason += f"; not to be had here: {', '.join(choice.refused)} (why: ravu-kg doctor)"
    return load_detector(choice.reference, settings.providers), reason


def _in_parts(events: Sequence[Event]) -> Iterator[list[Event]]:
    """All events of some entities at a time: the vectors of a whole long video would take much memory."""
    part: list[Event] = []
    for _, of_entity in groupby(sorted(events, key=lambda event: event.entity_id), key=lambda event: event.entity_id):
        part += of_entity
        if len(part) >= _EVENTS_AT_A_TIME:
            yield part
            part = []
    if part:
        yield part
