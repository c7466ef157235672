"""Annotations from files into the memory: all is read and checked first, then written."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from ravu_kg.errors import ConfigurationError
from ravu_kg.graph.embedding import SentenceCache
from ravu_kg.importers.annotated import AnnotatedVideo, OnProblem, Problem
from ravu_kg.importers.loading import ImportResult, load
from ravu_kg.memory import VideoMemory
from ravu_kg.memory.records import Report, Stopwatch

Read = Callable[[OnProblem], Iterable[AnnotatedVideo]]
"""A reader of one kind with its files and options bound."""


@dataclass(frozen=True, slots=True)
class ImportRun:
    """What came of one import."""

    videos: list[ImportResult]
    problems: list[Problem] = field(default_factory=list[Problem])
    """Rows that were left out."""
    elapsed_s: dict[str, float] = field(default_factory=dict[str, float])
    """Seconds by stage: read, embed, write, index."""

    def to_dict(self) -> dict[str, object]:
        """Plain values, for JSON."""
        return {
            "videos": [one.to_dict() for one in self.videos],
            "problems": [
                {"file": str(one.file), "line": one.line, "field": one.field, "message": one.message}
                for one in self.problems
            ],
            "elapsed_s": {stage: round(took, 3) for stage, took in self.elapsed_s.items()},
        }


def import_annotated(
    memory: VideoMemory,
    read: Read,
    *,
    replace: bool = False,
    progress: Report | None = None,
    on_problem: OnProblem | None = None,
) -> ImportRun:
    """Read annotated videos to their end, then write them; nothing is written where something is wrong.

    Args:
        memory: an open memory.
        read: the videos; told of rows that are left out.
        replace: put a video in the place of one that is there with another annotation.
        progress: told the stage and how much of it is done.
        on_problem: told of each row that is left out, when it is met.

    Raises:
        ConfigurationError: a file or a row cannot be used, or a video is there with another annotation.
        ProviderError: the embedder failed or cannot be had.
        GraphError: Neo4j failed; what is written stays, and the same import goes on from there.
    """
    watch, problems = Stopwatch(), list[Problem]()

    def met(problem: Problem) -> None:
        problems.append(problem)
        if on_problem:
            on_problem(problem)

    if progress:
        progress("reading", 0.0)
    with watch.time("read"):
        videos = list(read(met))
    if not videos:
        raise ConfigurationError("Nothing was imported: no video is left that can be used.")
    cache_folder = memory.settings.cache
    embedder = memory.embedder
    with memory.cache_is_writable(), SentenceCache(cache_folder / "sentences.sqlite") as cache:
        done = load(
            memory.store,
            embedder,
            cache,
            videos,
            replace=replace,
            progress=progress,
            watch=watch,
            locks=cache_folder,
        )
    return ImportRun(done, problems, dict(watch.elapsed_s))
