"""Deleting a video: its graph, and what the cache folder keeps of it."""

from __future__ import annotations

import shutil
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from filelock import FileLock, Timeout

from ravu_kg.errors import UsageError
from ravu_kg.graph.embedding import SentenceCache
from ravu_kg.graph.store import Store
from ravu_kg.graph.writer import GraphWriter
from ravu_kg.memory.library import summaries
from ravu_kg.models.replies import ReplyStore
from ravu_kg.settings import Settings
from ravu_kg.types import replacement_id


def delete_video(store: Store, settings: Settings, video_id: str, *, keep_cache: bool = False) -> None:
    """Remove a video's graph, its detections, the replies of models about it and the vectors of its sentences.

    Replies that another video asked for as well stay with it, and detections as long as another build of the same video
    is there. A vector of a sentence that other videos have, too, is made again when it is needed.

    Args:
        store: an open store.
        settings: where the cache is.
        video_id: the video.
        keep_cache: leave what makes the next index of it quick.

    Raises:
        NotFoundError: no such video.
        UsageError: it is being indexed or imported.
        GraphError: Neo4j failed; delete again to go on.
    """
    with _nobody_writes(settings.cache, video_id):
        graphs = (video_id, replacement_id(video_id))
        rows = [row for graph in graphs for row in store.read("bundle/sentences", video_id=graph).rows]
        sentences = [str(row["text"]) for row in rows]
        if not keep_cache:
            forget_files(store, settings.cache, video_id, sentences)
        GraphWriter(store).delete(video_id)


def forget_files(store: Store, cache: Path, video_id: str, sentences: list[str]) -> None:
    """Remove what the cache folder keeps of a video. Before its graph, so that deleting again finds the rest."""
    content = video_id.partition("~")[0]
    builds = {video.video_id for video in summaries(store)} - {video_id, replacement_id(video_id)}
    if not any(other.partition("~")[0] == content for other in builds):
        for folder in (cache / "detections").glob(f"{content}-*"):
            shutil.rmtree(folder)
    if (cache / "replies.sqlite").exists():
        with ReplyStore(cache / "replies.sqlite") as replies:
            replies.forget_video(video_id)
    if (cache / "sentences.sqlite").exists():
        with SentenceCache(cache / "sentences.sqlite") as known:
            known.forget(sentences)


@contextmanager
def _nobody_writes(cache: Path, video_id: str) -> Generator[None]:
    """Holds the lock of who writes the video, and removes its file."""
    path = cache / "locks" / f"{video_id}.lock"
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        with FileLock(path, timeout=0):
            yield
            path.unlink(missing_ok=True)
    except Timeout as error:
        raise UsageError(
            f"Video {video_id} is being indexed or imported by another command. End that first, then delete it."
        ) from error
