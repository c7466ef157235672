"""Joining a video that is known by its annotation to its file; the id stays."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from ravu_kg.errors import UsageError
from ravu_kg.memory.library import VideoSummary
from ravu_kg.memory.opening import one_at_a_time
from ravu_kg.types import VideoInfo, video_id

if TYPE_CHECKING:
    from ravu_kg.memory import VideoMemory

_LENGTH_S, _LENGTH_SHARE = 1.0, 0.01
"""A file's length may differ from the annotation's by a second, or by a hundredth of it."""


@dataclass(frozen=True, slots=True)
class Attached:
    """A video with its file."""

    video_id: str
    title: str
    file: str
    content_hash: str
    status: Literal["attached", "moved", "unchanged"]
    """``moved``: the file was known, at another place."""

    def to_dict(self) -> dict[str, object]:
        """Plain values, for JSON."""
        return asdict(self)


def attach_file(memory: VideoMemory, video: str, path: Path, *, any_length: bool) -> Attached:
    """Note which file a video's annotation is about; raises as :meth:`ravu_kg.memory.VideoMemory.attach`."""
    from ravu_kg.video.reader import probe  # takes a while to import

    graph_id = memory.resolve(video)
    info = probe(path)
    with one_at_a_time(memory.settings.cache, graph_id):
        videos = memory.videos()
        known = next(one for one in videos if one.video_id == graph_id)
        if known.status != "ready":
            raise UsageError(f"{known.title} ({graph_id}) is not complete (status {known.status}). Import it first.")
        uri = str(path.resolve())
        if known.content_hash is None:
            _require_fit(known, info, path, any_length=any_length)
            _require_new(videos, info, path)
        elif known.content_hash != info.content_hash:
            raise UsageError(
                f"{path} is not the file of {known.title} ({graph_id}): that one has other content"
                f"{f', and lay at {known.uri}' if known.uri else ''}. Nothing was changed."
            )
        status = "attached" if known.content_hash is None else "unchanged" if known.uri == uri else "moved"
        if status != "unchanged":
            memory.store.write("library/attach", video_id=graph_id, uri=uri, content_hash=info.content_hash)
        return Attached(graph_id, known.title, uri, info.content_hash, status)


def require_unattached(videos: Sequence[VideoSummary], content_hash: str, path: str | Path) -> None:
    """Refuse to index a file as another video than the annotated or followed one that it belongs to.

    Raises:
        UsageError: a video that has its id from elsewhere has the file.
    """
    known = attached_to(videos, content_hash)
    if known is not None:
        raise UsageError(
            f"{path} is the file of {known.title} ({known.video_id}), which was imported from its annotation, or "
            f"followed while it grew, and can be asked. To index it beside that: ravu-kg index '{path}' --build NAME"
        )


def attached_to(videos: Sequence[VideoSummary], content_hash: str) -> VideoSummary | None:
    """The video that has the file and its id from elsewhere, annotation or the source it was followed from."""
    return next(
        (
            one
            for one in videos
            if one.content_hash == content_hash and one.video_id.partition("~")[0] != video_id(content_hash)
        ),
        None,
    )


def _require_fit(known: VideoSummary, info: VideoInfo, path: Path, *, any_length: bool) -> None:
    told = f"{path} is not the file of {known.title} ({known.video_id})"
    if known.width_px and (known.width_px, known.height_px) != (info.width_px, info.height_px):
        raise UsageError(
            f"{told}: its pictures have {info.width_px} x {info.height_px} pixels, and the annotation is of "
            f"{known.width_px} x {known.height_px}. Nothing was changed."
        )
    longer_s = info.duration_s - known.duration_s
    allowed_s = max(_LENGTH_S, _LENGTH_SHARE * known.duration_s)
    if abs(longer_s) <= allowed_s or (longer_s > 0 and any_length):
        return
    hint = " If the annotation only ends early, add --any-length." if longer_s > 0 else ""
    raise UsageError(
        f"{told}: it lasts {info.duration_s:.1f} s, and the annotation {known.duration_s:.1f} s. Nothing was "
        f"changed.{hint}"
    )


def _require_new(videos: Sequence[VideoSummary], info: VideoInfo, path: Path) -> None:
    there = next(
        (one for one in videos if one.content_hash == info.content_hash and one.build is None),
        None,
    )
    if there is not None:
        raise UsageError(
            f"{path} is in the memory already, as {there.title} ({there.video_id}). A file belongs to one video: "
            f"delete that one first, or index it as a --build beside the annotation."
        )
