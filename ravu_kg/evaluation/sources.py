"""Where the memory of an evaluation comes from: captions or other annotation, given tracks, or a detector."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import cast

from ravu_kg.errors import ConfigurationError, UsageError
from ravu_kg.graph.embedding import SentenceCache, embed_all
from ravu_kg.importers import captions
from ravu_kg.importers.annotated import AnnotatedVideo, Problem
from ravu_kg.importers.loading import load
from ravu_kg.memory import VideoMemory
from ravu_kg.memory.records import Report, Stopwatch

TRACKS = "tracks"
DETECTOR = "detector"
ANNOTATIONS = ("captions", "vidor", "mot", "star", "video_memory", "cvat", "coco")
"""Kinds of annotation, as ``ravu-kg import`` names them."""
GRAPHS = (*ANNOTATIONS, TRACKS, DETECTOR)
_VIDEO_ENDINGS = (".mp4", ".mkv", ".webm", ".mov", ".avi", ".m4v")
_TRACK_ENDINGS = (".tracks.json", ".json", ".txt")
_Read = Callable[..., Iterable[AnnotatedVideo]]
"""A reader of a kind, whose further options are its own."""


@dataclass(frozen=True, slots=True)
class Loaded:
    """What loading came to."""

    videos: int
    added: int
    """Of them those that were not there before."""
    frame_nodes: int
    elapsed_s: Mapping[str, float]
    """By stage."""


@dataclass(slots=True)
class Graph:
    """Videos of the memory by the name that a data set knows them by."""

    name: str
    videos: Mapping[str, str] = field(default_factory=dict[str, str])
    """Name -> id in the graph."""
    pipelines: Mapping[str, str] = field(default_factory=dict[str, str])
    """Id -> what found and described what is in it."""

    def pipeline(self, names: Sequence[str]) -> str:
        """What made the graphs of some videos."""
        found = sorted({self.pipelines[self.videos[name]] for name in names if name in self.videos})
        return "; ".join(found[:3]) + ("; ..." if len(found) > 3 else "")


def fill(
    memory: VideoMemory,
    graph: str,
    files: Sequence[Path],
    *,
    skip_bad: bool = False,
    frame_rate: float | None = None,
    on_problem: Callable[[Problem], None] | None = None,
    progress: Report | None = None,
) -> Loaded:
    """Put videos into the memory; those that are there stay as they are.

    Args:
        memory: of the evaluation.
        graph: one of :data:`GRAPHS`.
        files: annotation files; for ``detector`` and ``tracks`` videos, or folders of them. Tracks lie beside their
            video as ``NAME.tracks.json``, ``NAME.json`` or ``NAME.txt``.
        skip_bad: leave out rows of annotation that cannot be used.
        frame_rate: frames a second of the videos, for kinds of annotation that do not tell.
        on_problem: is told of each of these.
        progress: told the stage and how much of it is done.

    Raises:
        UsageError: no such graph, or there is no file.
        ConfigurationError: a file cannot be used.
        VideoError: a file cannot be read as a video.
        ProviderError: the embedder or a model failed.
        GraphError: Neo4j failed.
    """
    if graph in (DETECTOR, TRACKS):
        return _index(memory, graph, files, progress)
    if graph not in ANNOTATIONS:
        raise UsageError(f"There is no graph {graph!r}. There are: {', '.join(GRAPHS)}.")
    watch = Stopwatch()
    with SentenceCache(memory.settings.cache / "sentences.sqlite") as cache, watch.time("read"):
        read = _reader(memory, graph, cache)
        options = {} if frame_rate is None else {"frame_rate": frame_rate}
        videos = list(read(files, skip_bad=skip_bad, on_problem=on_problem or _ignored, **options))
    with SentenceCache(memory.settings.cache / "sentences.sqlite") as cache:
        done = load(
            memory.store,
            memory.embedder,
            cache,
            videos,
            progress=progress,
            watch=watch,
            locks=memory.settings.cache,
        )
    added = [one for one in done if one.status != "unchanged"]
    return Loaded(len(done), len(added), sum(one.frame_nodes for one in added), watch.elapsed_s)


def graph_of(memory: VideoMemory, name: str) -> Graph:
    """The videos that are in the memory from one source.

    Raises:
        UsageError: no such graph.
    """
    if name not in GRAPHS:
        raise UsageError(f"There is no graph {name!r}. There are: {', '.join(GRAPHS)}.")
    _ = memory.embedder  # makes the schema of a new graph
    videos: dict[str, str] = {}
    pipelines: dict[str, str] = {}
    for row in memory.store.read("evaluation/videos").rows:
        video_id, build = str(row["video_id"]), row["build"]
        kind, _, external = video_id.partition(":")
        if name in ANNOTATIONS:
            if not external or kind != name or build is not None:
                continue
            called = str(row["external_id"] or external)
        elif external or build != (TRACKS if name == TRACKS else None):
            continue
        else:
            called = str(row["title"])
        videos[called] = video_id
        pipelines[video_id] = str(row["pipeline"])
    return Graph(name, videos, pipelines)


def _reader(memory: VideoMemory, kind: str, cache: SentenceCache) -> _Read:
    if kind == captions.KIND:
        return partial(captions.read, vectors=lambda nouns: embed_all(nouns, memory.embedder, cache))
    module = import_module(f"ravu_kg.importers.{kind}")  # ANNOTATIONS names them
    return cast("_Read", module.read)  # every module of importers that is a kind has one


def _index(memory: VideoMemory, graph: str, files: Sequence[Path], progress: Report | None) -> Loaded:
    videos = list(_video_files(files))
    watch, added, nodes = Stopwatch(), 0, 0
    for number, path in enumerate(videos, start=1):
        tracks = _tracks_of(path) if graph == TRACKS else None
        with watch.time("index"):
            done = memory.index(
                path,
                tracks=tracks,
                build=TRACKS if graph == TRACKS else None,
                progress=_numbered(progress, number, len(videos)),
            )
        if done.status != "unchanged":
            added, nodes = added + 1, nodes + done.frame_nodes
    return Loaded(len(videos), added, nodes, watch.elapsed_s)


def _video_files(files: Sequence[Path]) -> Iterator[Path]:
    for path in files:
        if not path.is_dir():
            yield path
            continue
        found = sorted(one for one in path.iterdir() if one.suffix.lower() in _VIDEO_ENDINGS)
        if not found:
            raise ConfigurationError(f"{path} holds no video. Check the path.")
        yield from found


def _tracks_of(video: Path) -> Path:
    for ending in _TRACK_ENDINGS:
        if (beside := video.with_name(video.stem + ending)).is_file():
            return beside
    names = " or ".join(video.stem + ending for ending in _TRACK_ENDINGS)
    raise ConfigurationError(f"There are no tracks beside {video}: {names} is looked for.")


def _numbered(progress: Report | None, number: int, total: int) -> Report | None:
    if progress is None:
        return None
    return lambda stage, share: progress(f"video {number} of {total}: {stage}", share)


def _ignored(_problem: Problem) -> None:
    """Nobody wants to know."""
