"""Annotated videos into the graph: embedded together, several written at once, resumed after an interruption."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, nullcontext
from dataclasses import asdict, dataclass
from dataclasses import replace as changed
from pathlib import Path
from threading import Lock
from typing import Literal

import numpy as np

from ravu_kg.errors import ConfigurationError, RavuError
from ravu_kg.graph import rows, schema
from ravu_kg.graph.embedding import SentenceCache, embed_all
from ravu_kg.graph.store import Store
from ravu_kg.graph.writer import GraphWriter
from ravu_kg.importers.annotated import AnnotatedVideo, renamed
from ravu_kg.memory.lasting import prepare, settle
from ravu_kg.memory.opening import one_at_a_time
from ravu_kg.memory.records import Report, Stopwatch
from ravu_kg.protocols import Embedder
from ravu_kg.types import FloatArray, replacement_id

WRITERS = 4
"""Videos that are written at once: the server works while rows are made here."""
_SENTENCES_AT_A_TIME = 10_000
ImportStatus = Literal["imported", "replaced", "unchanged"]


@dataclass(frozen=True, slots=True)
class ImportResult:
    """What importing one video came to."""

    video_id: str
    title: str
    status: ImportStatus
    frames: int
    entities: int
    frame_nodes: int
    relations: int
    events: int
    links: int
    waiting: tuple[str, ...] = ()
    """What people decided or corrected before and what nothing fits any more: it is kept, and tried again next time."""

    def to_dict(self) -> dict[str, object]:
        """Plain values, for JSON."""
        return asdict(self)


def load(
    store: Store,
    embedder: Embedder,
    cache: SentenceCache | None,
    videos: Iterable[AnnotatedVideo],
    *,
    replace: bool = False,
    progress: Report | None = None,
    watch: Stopwatch | None = None,
    locks: Path | None = None,
    writers: int = WRITERS,
) -> list[ImportResult]:
    """Write annotated videos into the graph.

    Doing it again changes nothing, and after an interruption it goes on. Into a graph without frame nodes the
    indexes of searches are made after the videos: that takes half the time.

    Args:
        store: an open store with the schema for the embedder.
        embedder: makes the vectors.
        cache: vectors of earlier runs, and where the new ones go.
        videos: what is written; each must be another one.
        replace: put a video in the place of one that is there with another annotation, which can be asked until then.
        progress: told the stage and how much of it is done, as far as the videos are a sequence.
        watch: gets the seconds of ``embed``, ``write`` and ``index``.
        locks: the cache folder of the memory, so that no other process writes one of the videos meanwhile.
        writers: videos that are written at once.

    Returns:
        A result for each video, in their order.

    Raises:
        ConfigurationError: a video is there with another annotation, or comes twice; videos of a sequence are all
            looked at before any is written.
        ProviderError: the embedder failed.
        GraphError: Neo4j failed; what is written stays, and the next run goes on from there.
    """
    loader = _Loader(store, embedder, cache, replace, watch or Stopwatch(), locks)
    report = progress or _silent
    if isinstance(videos, Sequence):
        loader.check(videos)
    total = len(videos) if isinstance(videos, Sequence) else 0
    results: list[ImportResult] = []
    with loader.indexes_after(report):
        for group in _groups(videos):
            loader.check(group)
            vectors = loader.embed(group, _within(report, "embedding", len(results), len(group), total))
            results += loader.write(
                group, vectors, writers, _within(report, "writing", len(results), len(group), total)
            )
    return results


class _Loader:
    def __init__(
        self,
        store: Store,
        embedder: Embedder,
        cache: SentenceCache | None,
        replaces: bool,
        watch: Stopwatch,
        locks: Path | None,
    ) -> None:
        self._store = store
        self._embedder = embedder
        self._cache = cache
        self._replaces = replaces
        self._watch = watch
        self._locks = locks
        self._unchanged: dict[str, bool] = {}
        """By video: whether it is there already; False for what is written or to be written."""
        self._there: set[str] = set()
        """Complete videos that are replaced."""
        self._stale: set[str] = set()
        """What an interrupted import of another file left: nobody has asked it anything yet."""

    def check(self, videos: Sequence[AnnotatedVideo]) -> None:
        """Find out what is there; nothing is written yet.

        Raises:
            ConfigurationError: a video is there with another annotation, or comes twice.
        """
        seen: set[str] = set()
        for video in videos:
            record = video.record
            if record.id in seen:
                raise ConfigurationError(
                    f"Video {record.id} ({record.title}) comes twice in what is imported. Import it from one file."
                )
            seen.add(record.id)
            if record.id in self._unchanged:
                continue
            found = self._store.read("ingest/video_state", video_id=record.id).rows
            state = found[0] if found else None
            same = state is not None and state["pipeline"] == rows.pipeline_of(record)
            if state is not None and state["status"] == "ready":
                if not same and not self._replaces:
                    raise ConfigurationError(
                        f"Video {record.id} ({record.title}) is in the memory with another annotation than "
                        f"{record.detector}. Nothing of it was changed. Put this one in its place with --replace."
                    )
                self._there.add(record.id)
            elif state is not None and not same:
                self._stale.add(record.id)
            self._unchanged[record.id] = same and state is not None and state["status"] == "ready"

    def embed(self, group: Sequence[AnnotatedVideo], progress: Callable[[float], None]) -> list[FloatArray]:
        """Vectors of the sentences of each video, as they come in :attr:`AnnotatedVideo.sentences`."""
        texts = [list(video.sentences) if not self._unchanged[video.record.id] else [] for video in group]
        every = [text for of_video in texts for text in of_video]
        with self._watch.time("embed"):
            vectors = embed_all(every, self._embedder, self._cache, progress)
        ends = np.cumsum([len(of_video) for of_video in texts]).tolist()
        return [vectors[end - len(of_video) : end] for of_video, end in zip(texts, ends, strict=True)]

    def write(
        self,
        group: Sequence[AnnotatedVideo],
        vectors: Sequence[FloatArray],
        writers: int,
        progress: Callable[[float], None],
    ) -> list[ImportResult]:
        """Write a group, several videos at once."""
        finished, lock = 0, Lock()

        def one(video: AnnotatedVideo, of_video: FloatArray) -> ImportResult:
            nonlocal finished
            result = self._video(video, of_video)
            with lock:
                finished += 1
                progress(finished / len(group))
            return result

        with self._watch.time("write"):
            if len(group) == 1:
                return [one(group[0], vectors[0])]
            pool = ThreadPoolExecutor(max_workers=writers, thread_name_prefix="import")
            try:
                return list(pool.map(one, group, vectors))
            finally:
                pool.shutdown(wait=True, cancel_futures=True)

    @contextmanager
    def indexes_after(self, report: Report) -> Generator[None]:
        """In a graph without frame nodes leave the indexes of searches until the block has ended."""
        if self._store.read("library/frame_nodes").rows[0]["found"]:
            yield
            return
        schema.drop_search_indexes(self._store)
        try:
            yield
        except RavuError:
            self._make_indexes(report)  # what is written by then can be asked
            raise
        # After Ctrl-C the next command makes them.
        self._make_indexes(report)

    def _make_indexes(self, report: Report) -> None:
        report("making the indexes", 0.0)
        with self._watch.time("index"):
            schema.make_search_indexes(self._store, self._embedder.dimensions)
        report("making the indexes", 1.0)

    def _video(self, video: AnnotatedVideo, vectors: FloatArray) -> ImportResult:
        video_id = video.record.id
        if self._unchanged[video_id]:
            return _result(video, "unchanged")
        with one_at_a_time(self._locks, video_id) if self._locks else nullcontext():
            return self._written(video, vectors)

    def _written(self, video: AnnotatedVideo, vectors: FloatArray) -> ImportResult:
        video_id, writer = video.record.id, GraphWriter(self._store)
        named = changed(video.record, embedder=self._embedder.name, embedding_dimensions=self._embedder.dimensions)
        video = changed(video, record=named)
        if video_id in self._stale:
            writer.delete(video_id)
        takes_place = video_id in self._there
        if takes_place:
            writer.take_place(video_id)  # when an import was interrupted on its last step
            old = self._store.read("reasoning/video", video_id=video_id).rows[0]
            file = {name: None if old[name] is None else str(old[name]) for name in ("uri", "content_hash")}
            kept = changed(video.record, uri=file["uri"], content_hash=file["content_hash"])
            video = renamed(changed(video, record=kept), replacement_id(video_id))
        graph_id = video.record.id
        done = writer.begin(video.record, video.entities, video.links)
        at = 0
        for window in video.windows:
            part = vectors[at : at + len(window.nodes)]
            at += len(window.nodes)
            if window.index >= done:
                writer.write_window(graph_id, window, part)
        writer.write_events(graph_id, video.events, vectors[at:])
        waiting: tuple[str, ...] = ()
        if takes_place:
            prepare(self._store, graph_id, self._vectors)
        writer.finish(graph_id)
        if takes_place:
            writer.take_place(video_id)
            waiting = settle(self._store, video_id, self._vectors)
        return changed(_result(video, "replaced" if takes_place else "imported"), video_id=video_id, waiting=waiting)

    def _vectors(self, texts: Sequence[str]) -> FloatArray:
        return embed_all(texts, self._embedder, self._cache)


def _groups(videos: Iterable[AnnotatedVideo]) -> Iterator[list[AnnotatedVideo]]:
    """Videos whose sentences are embedded together."""
    group: list[AnnotatedVideo] = []
    held = 0
    for video in videos:
        count = sum(len(window.nodes) for window in video.windows) + len(video.events)
        if group and held + count > _SENTENCES_AT_A_TIME:
            yield group
            group, held = [], 0
        group.append(video)
        held += count
    if group:
        yield group


def _result(video: AnnotatedVideo, status: ImportStatus) -> ImportResult:
    return ImportResult(
        video_id=video.record.id,
        title=video.record.title,
        status=status,
        frames=video.record.frame_count,
        entities=len(video.entities),
        frame_nodes=sum(len(window.nodes) for window in video.windows),
        relations=sum(len(window.relations) for window in video.windows),
        events=len(video.events),
        links=len(video.links),
    )


def _within(report: Report, stage: str, done: int, group: int, total: int) -> Callable[[float], None]:
    """The progress of a group of videos as that of all; of the group alone when nobody knows how many there are."""

    def told(share: float) -> None:
        report(stage, (done + share * group) / total if total else share)

    return told


def _silent(_stage: str, _share: float) -> None:
    """Nobody wants to know."""
