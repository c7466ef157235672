"""How a video is named: by path, id, the start of an id, or title."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

from ravu_kg.errors import NotFoundError, UsageError
from ravu_kg.graph.hints import did_you_mean
from ravu_kg.types import replaced_id, video_id

DEFAULT_BUILD = "default"
"""What the build without a name is called."""
GIVEN = "given:"
"""Start of the name that stands in a detector's place where tracks were given."""
_SHORTEST_PREFIX = 4


class Named(Protocol):
    """What is compared with a name."""

    @property
    def video_id(self) -> str:
        """Id of the video."""
        ...

    @property
    def title(self) -> str:
        """Title of the video."""
        ...

    @property
    def uri(self) -> str | None:
        """Where it was read from."""
        ...

    @property
    def content_hash(self) -> str | None:
        """SHA-256 of its file, hex; None for a video without one."""
        ...


def find(name: str, videos: Sequence[Named], build: str | None = None) -> str:
    """The id of the one video that a name means.

    An existing file comes first: it is known by its content, so its name and place do not matter. Then an id, a title,
    and the start of an id. Where several builds of one video are meant, the default one is; ``holiday~other`` is the
    build ``other`` of what ``holiday`` means. A graph that is to take the place of another is named by its id alone
    while the other is there.

    Args:
        name: of the video.
        videos: all there are.
        build: the build that is meant, whichever the name means; ``default`` is the one without a name.

    Raises:
        NotFoundError: no video has that name, or it has no such build.
        UsageError: several have it.
    """
    ids = {video.video_id for video in videos}
    videos = [video for video in videos if video.video_id == name or replaced_id(video.video_id) not in ids]
    path = Path(name)
    found = _by_content(path, videos) if path.is_file() else _by_name(name, videos)
    if not found and build is None and "~" in name:
        name, _, build = name.rpartition("~")
        return find(name, videos, build)
    if not found:
        hint = did_you_mean(name, (video.title for video in videos))
        raise NotFoundError(
            f"No video is named {name!r}, and there is no such file{f'; {hint}' if hint else '.'} "
            "`ravu-kg videos list` shows what is indexed; `ravu-kg index FILE` adds a video."
        )
    return _only(name, found if build is None else _of_build(name, found, videos, build))


def build_of(video_id: str) -> str:
    """The name of the build that an id is of; ``default`` for the one without a name."""
    return (replaced_id(video_id) or video_id).partition("~")[2] or DEFAULT_BUILD


def content_hash(path: Path) -> str:
    """SHA-256 of a file, hex.

    Raises:
        UsageError: it cannot be read.
    """
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror}. Check its permissions.") from error


def given_name(tracks: Path) -> str:
    """The name of given tracks in the place of a detector's: the file and the start of its SHA-256."""
    return f"{GIVEN}{tracks.name}@{content_hash(tracks)[:8]}"


def _by_content(path: Path, videos: Sequence[Named]) -> list[Named]:
    wanted = video_id(content_hash(path))
    found = [video for video in videos if _content(video) == wanted]
    if not found:
        raise NotFoundError(f"{path} is not indexed. Index it first: ravu-kg index '{path}'")
    return found


def _by_name(name: str, videos: Sequence[Named]) -> list[Named]:
    candidates = [
        [video for video in videos if video.video_id == name],
        [video for video in videos if video.title == name],
        [video for video in videos if len(name) >= _SHORTEST_PREFIX and video.video_id.startswith(name)],
    ]
    return next((matches for matches in candidates if matches), list[Named]())


def _of_build(name: str, found: Sequence[Named], videos: Sequence[Named], build: str) -> list[Named]:
    """Of the videos that were found the graphs of one build."""
    contents = {_content(video) for video in found}
    builds = [video for video in videos if _content(video) in contents]
    wanted = [video for video in builds if build_of(video.video_id) == build]
    if not wanted:
        known = ", ".join(sorted({build_of(video.video_id) for video in builds}))
        raise NotFoundError(f"{name} has no build {build!r}; it has: {known}. `ravu-kg index --build NAME` makes one.")
    return wanted


def _content(video: Named) -> str:
    """What builds of one video have in common; a video that was annotated keeps its id when it gets a file."""
    return video_id(video.content_hash) if video.content_hash else video.video_id.partition("~")[0]


def _only(name: str, found: Sequence[Named]) -> str:
    """The one video that was found; among the builds of one video the default one."""
    contents = {_content(video) for video in found}
    if len(contents) == 1:
        found = [video for video in found if build_of(video.video_id) == DEFAULT_BUILD] or found
    if len(found) > 1:
        listed = "".join(f"\n  {video.video_id}  {video.uri or video.title}" for video in found)
        raise UsageError(f"{len(found)} videos are named {name!r}. Use the id of the one you mean:{listed}")
    return found[0].video_id
