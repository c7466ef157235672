"""Indexing one video: perceive, describe, embed, write; each stage timed, and resumed after an interruption.

Imports everything that looks at pictures: loaded only when a video is indexed.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

from ravu_kg.graph.embedding import SentenceCache, embed_all
from ravu_kg.graph.writer import GraphWriter
from ravu_kg.memory.naming import given_name
from ravu_kg.memory.records import IndexResult, Report, Stopwatch
from ravu_kg.perception.geometry import Description, describe
from ravu_kg.perception.pipeline import perceive, perceive_given
from ravu_kg.plugins import Choice, choose_detector, load_detector, load_tracker
from ravu_kg.protocols import Embedder
from ravu_kg.settings import Settings
from ravu_kg.types import Event, Perception, VideoInfo, VideoRecord, replacement_id

DESCRIBER = "geometry"
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

    def index(
        self, video: VideoInfo, video_id: str, build: str | None, tracks: Path | None, *, replace: bool
    ) -> IndexResult:
        """Take the video through all stages; with ``replace`` the graph that is there goes when the new one is complete.

        Raises:
            VideoError: it cannot be read to its end.
            ProviderError: the detector, tracker or embedder failed.
            ConfigurationError: another pipeline indexed it before.
            GraphError: Neo4j failed; what is written stays, and the next run goes on from there.
        """
        perception, reason = self._given(video, tracks) if tracks else self._perceive(video)
        self.report("describing", 0.0)
        with self.watch.time("describe"):
            written_id = replacement_id(video_id) if replace else video_id
            description = describe(perception, written_id)
        frame_nodes, relations = self._write(self._record(perception, written_id, build), description)
        if replace:
            with self.watch.time("write"):
                self.writer.take_place(video_id)
        return IndexResult(
            video_id=video_id,
            title=video.title,
            entities=len(description.entities),
            frame_nodes=frame_nodes,
            relations=relations,
            events=len(description.events),
            duration_s=video.duration_s,
            elapsed_s=self.watch.elapsed_s,
            detector=perception.detector,
            detector_reason=reason,
            status="indexed",
        )

    def _perceive(self, video: VideoInfo) -> tuple[Perception, str]:
        settings = self.settings
        self.report("loading models", 0.5)
        with self.watch.time("load"):
            reference, reason = settings.models.detect, ""
            if reference == "auto":
                choice = choose_detector(settings.providers)
                reference = choice.reference
                reason = _reason(choice)
            detector = load_detector(reference, settings.providers)
            tracker = load_tracker(settings.models.track, settings.providers)
        with self.watch.time("perceive"):
            perception = perceive(
                video,
                detector,
                tracker,
                tracking_rate_hz=settings.tracking_rate_hz,
                sample_interval_s=settings.sample_interval_s,
                cache_dir=settings.cache / "detections",
                progress=lambda share: self.report("watching", share),
            )
        return perception, reason

    def _given(self, video: VideoInfo, tracks: Path) -> tuple[Perception, str]:
        with self.watch.time("perceive"):
            perception = perceive_given(
                video,
                tracks,
                tracking_rate_hz=self.settings.tracking_rate_hz,
                sample_interval_s=self.settings.sample_interval_s,
                progress=lambda share: self.report("watching", share),
            )
        # The name tells two files of tracks apart, as it does with two detectors.
        return dataclasses.replace(perception, detector=given_name(tracks)), ""

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
            tracking_rate_hz=self.settings.tracking_rate_hz,
            detector=perception.detector,
            tracker=perception.tracker,
            describer=DESCRIBER,
            embedder=self.embedder.name,
            embedding_dimensions=self.embedder.dimensions,
        )

    def _write(self, record: VideoRecord, description: Description) -> tuple[int, int]:
        """Embed and write window by window, then the events; gives the numbers of frame nodes and relations."""
        with self.watch.time("write"):
            written = self.writer.begin(record, description.entities, description.links)
        frame_nodes = relations = 0
        for window in description.windows:
            self.report("writing", window.index / len(description.windows))
            frame_nodes += len(window.nodes)
            relations += len(window.relations)
            if window.index >= written:
                with self.watch.time("embed"):
                    vectors = embed_all([node.description for node in window.nodes], self.embedder, self.cache)
                with self.watch.time("write"):
                    self.writer.write_window(record.id, window, vectors)
        for events in _in_parts(description.events):
            with self.watch.time("embed"):
                vectors = embed_all([event.description for event in events], self.embedder, self.cache)
            with self.watch.time("write"):
                self.writer.write_events(record.id, events, vectors)
        with self.watch.time("write"):
            self.writer.finish(record.id)
        self.report("writing", 1.0)
        return frame_nodes, relations


def _reason(choice: Choice) -> str:
    if not choice.refused:
        return "chosen by auto"
    return f"chosen by auto; not to be had here: {', '.join(choice.refused)} (why: ravu-kg doctor)"


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
