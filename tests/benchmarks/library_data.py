"""A made-up library of any size: whole graphs of videos, with vectors drawn around real sentence embeddings."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np

from ravu_kg.graph import rows
from ravu_kg.graph.bulk.files import ImportFiles, ImportPlan
from ravu_kg.graph.embedding import SentenceCache, embed_all
from ravu_kg.graph.writer import GraphWriter, window_statements
from ravu_kg.plugins import load_embedder
from ravu_kg.protocols import Embedder
from ravu_kg.server import cache_dir
from ravu_kg.settings import load
from ravu_kg.types import FloatArray, SceneWindow
from tests.benchmarks.machine import test_data
from tests.builders import Scene, a_frame, a_node, a_relation, a_same_as, a_video, an_entity, an_event

FRAMES, TRACKS = 20, 5
PER_VIDEO = FRAMES * TRACKS
LABELS = ("person", "dog", "car", "ball", "bicycle")
SENTENCES = 2000
QUESTIONS = 100
SPREAD = 0.35
"""Length of what is added to a sentence's vector of length 1: what is drawn lies at a cosine of about 0.94 of it."""
TOPICS = 8
"""So many of the sentences a video is about."""


@dataclass(frozen=True)
class Real:
    """Sentences of real captions and questions with their vectors."""

    embedder: Embedder
    sentences: list[str]
    vectors: FloatArray
    questions: FloatArray

    @property
    def dimensions(self) -> int:
        return self.vectors.shape[1]


def real_sentences() -> Real:
    """Embedded once, then kept in the cache folder."""
    settings = load()
    embedder = load_embedder(settings.models.embed, settings.providers)
    said = json.loads((test_data() / "nextqa_captions" / "captions_event_10w_1fps.json").read_text(encoding="utf-8"))
    captions = sorted({text for texts in said.values() for text in texts if 15 < len(text) < 200})
    chosen = [captions[place] for place in np.linspace(0, len(captions) - 1, min(SENTENCES, len(captions))).astype(int)]
    with (test_data() / "nextqa" / "val.csv").open(encoding="utf-8") as file:
        questions = [row["question"] for row, _ in zip(csv.DictReader(file), range(QUESTIONS), strict=False)]
    with SentenceCache(cache_dir() / "benchmark-sentences.sqlite") as cache:
        return Real(embedder, chosen, embed_all(chosen, embedder, cache), embed_all(questions, embedder, cache))


class Library:
    """Videos by number. Equal numbers give equal videos, whatever the size of the library."""

    def __init__(self, real: Real, videos: int, per_video: int = PER_VIDEO, prefix: str = "lib") -> None:
        self.real = real
        self.videos = videos
        self.frames = per_video // TRACKS
        self._prefix = prefix

    def id_of(self, number: int) -> str:
        return f"{self._prefix}:{number:08d}"

    def vectors(self, number: int) -> FloatArray:
        """(n, d): of a video's frame nodes in the order of frame and track."""
        return self.drawn(number, self.frames * TRACKS)[0]

    def drawn(self, seed: int, count: int) -> tuple[FloatArray, list[str]]:
        """Vectors around some sentences, and these."""
        random = np.random.default_rng([seed, len(self._prefix)])
        topics = random.choice(len(self.real.sentences), TOPICS, replace=False)
        which = topics[random.integers(0, TOPICS, count)]
        noise = random.standard_normal((count, self.real.dimensions), dtype=np.float32)
        noise *= SPREAD / np.sqrt(self.real.dimensions)
        found = self.real.vectors[which] + noise
        found /= np.linalg.norm(found, axis=1, keepdims=True)
        return found, [self.real.sentences[place] for place in which]

    def queries(self, count: int) -> FloatArray:
        """Phrases that somebody might look for: real ones, and ones drawn around real ones."""
        real = self.real.questions[: count // 2]
        random = np.random.default_rng(99)
        which = random.integers(0, len(self.real.vectors), count - len(real))
        noise = random.standard_normal((len(which), self.real.dimensions), dtype=np.float32)
        found = self.real.vectors[which] + noise * np.float32(SPREAD / np.sqrt(self.real.dimensions))
        return np.concatenate([real, found / np.linalg.norm(found, axis=1, keepdims=True)])

    def scene(self, number: int) -> tuple[Scene, FloatArray, FloatArray]:
        """A video's graph, the vectors of its frame nodes and those of its events."""
        video_id, tracks = self.id_of(number), range(1, TRACKS + 1)
        vectors, said = self.drawn(number, self.frames * TRACKS)
        nodes = [
            a_node(
                video_id,
                index,
                track,
                label=LABELS[track - 1],
                description=said[index * TRACKS + track - 1],
                geometry_description=None,
            )
            for index in range(self.frames)
            for track in tracks
        ]
        by_frame = [nodes[start : start + TRACKS] for start in range(0, len(nodes), TRACKS)]
        relations = [a_relation(a, b) for frame in by_frame for a, b in pairwise(frame)]
        same_as = [a_same_as(a, b) for now, then in pairwise(by_frame) for a, b in zip(now, then, strict=True)]
        events = tuple(
            an_event(video_id, track, seq, description=said[4 * seq + track - 1])
            for track in tracks
            for seq in range(4)
        )
        entities = tuple(
            an_entity(video_id, t, label=LABELS[t - 1], end_s=float(self.frames), description=LABELS[t - 1])
            for t in tracks
        )
        record = a_video(
            video_id,
            content_hash=None,
            external_id=video_id,
            frame_count=self.frames,
            duration_s=float(self.frames),
            embedder=self.real.embedder.name,
            embedding_dimensions=self.real.dimensions,
        )
        frames = tuple(a_frame(video_id, index) for index in range(self.frames))
        window = SceneWindow(0, frames, tuple(nodes), tuple(relations), tuple(same_as))
        return Scene(record, entities, (), (window,), events), vectors, vectors[: len(events)]

    def statements(self, number: int) -> Iterator[tuple[str, dict[str, object]]]:
        """What writes the video."""
        scene, vectors, event_vectors = self.scene(number)
        video = scene.video
        yield "ingest/video", {"video_id": video.id, "properties": rows.video_properties(video)}
        yield "ingest/entities", {"video_id": video.id, "rows": [rows.entity_row(entity) for entity in scene.entities]}
        (window,) = scene.windows
        found = window_statements(video.id, window, list(vectors), [self.frames])  # type: ignore[arg-type]
        yield from ((name, dict(parameters)) for name, parameters in found)
        events = [
            rows.event_row(event, vector)  # type: ignore[arg-type]
            for event, vector in zip(scene.events, event_vectors, strict=True)
        ]
        yield "ingest/events", {"rows": events}
        yield "ingest/event_order", {"rows": rows.event_order_rows(scene.events)}

    def into_files(self, folder: Path, *others: Library) -> ImportPlan:
        """The whole library as files for Neo4j's import."""
        files = ImportFiles(folder)
        for library in (self, *others):
            for number in range(library.videos):
                for name, parameters in library.statements(number):
                    files.write(name, **parameters)
        return files.close()

    def through_writer(self, writer: GraphWriter, number: int) -> None:
        """One video as indexing writes it."""
        scene, vectors, event_vectors = self.scene(number)
        writer.begin(scene.video, scene.entities, ())
        for window in scene.windows:
            writer.write_window(scene.video.id, window, vectors)
        writer.write_events(scene.video.id, scene.events, event_vectors)
        writer.finish(scene.video.id)

    def all_vectors(self, path: Path, *others: Library) -> np.memmap[tuple[int, int], np.dtype[np.float32]]:
        """The vectors of all frame nodes in a file, in the order of library, video, frame and track."""
        count = sum(one.videos * one.frames * TRACKS for one in (self, *others))
        found = np.memmap(path, dtype=np.float32, mode="w+", shape=(count, self.real.dimensions))
        place = 0
        for library in (self, *others):
            for number in range(library.videos):
                vectors = library.vectors(number)
                found[place : place + len(vectors)] = vectors
                place += len(vectors)
        return found

    def node_id(self, place: int) -> str:
        """The frame node that a row of :meth:`all_vectors` belongs to."""
        number, inside = divmod(place, self.frames * TRACKS)
        return f"{self.id_of(number)}/{inside // TRACKS}/{inside % TRACKS + 1}"


def exact(vectors: np.ndarray, queries: FloatArray, k: int, chunk: int = 50_000) -> list[set[int]]:
    """The k nearest rows of each query, by comparing with all of them."""
    scores = np.full((len(queries), 0), 0, dtype=np.float32)
    places = np.zeros((len(queries), 0), dtype=np.int64)
    for start in range(0, len(vectors), chunk):
        found = queries @ np.asarray(vectors[start : start + chunk]).T
        scores = np.concatenate([scores, found], axis=1)
        places = np.concatenate(
            [places, np.broadcast_to(np.arange(start, start + found.shape[1]), found.shape)], axis=1
        )
        best = np.argsort(-scores, axis=1)[:, :k]
        scores, places = np.take_along_axis(scores, best, axis=1), np.take_along_axis(places, best, axis=1)
    return [set(map(int, row)) for row in places]
