"""How a video is named: by path, id, the start of an id, or title."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

from ravu_kg.errors import NotFoundError, UsageError
from ravu_kg.types import replaced_id, video_id

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


def find(name: str, videos: Sequence[Named]) -> str:
    """The id of the one video that a name means.

    An existing file comes first: it is known by its content, so its name and place do not matter. Then an id, a title,
    and the start of an id. Where several builds of one video are meant, the default one is. A graph that is to
    take the place of another is named by its id alone while the other is there.

    Raises:
        NotFoundError: no video has that name.
        UsageError: several have it.
    """
    ids = {video.video_id for video in videos}
    videos = [video for video in videos if video.video_id == name or replaced_id(video.video_id) not in ids]
    path = Path(name)
    if path.is_file():
        return _by_content(path, videos)
    candidates = [
        [video for video in videos if video.video_id == name],
        [video for video in videos if video.title == name],
        [video for video in videos if len(name) >= _SHORTEST_PREFIX and video.video_id.startswith(name)],
    ]
    found = next((matches for matches in candidates if matches), list[Named]())
    if not found:
        raise NotFoundError(
            f"No video is named {name!r}, and there is no such file. `ravu-kg videos list` shows what is indexed; "
            "`ravu-kg index FILE` adds a video."
        )
    return _only(name, found)


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


def _by_content(path: Path, videos: Sequence[Named]) -> str:
    wanted = video_id(content_hash(path))
    found = [video for video in videos if video.video_id.partition("~")[0] == wanted]
    if not found:
        raise NotFoundError(f"{path} is not indexed. Index it first: ravu-kg index '{path}'")
    return _only(str(path), found)


def _only(name: str, found: Sequence[Named]) -> str:
    """The one video that was found; among the builds of one video the default one."""
    contents = {video.video_id.partition("~")[0] for video in found}
    if len(contents) == 1:
        found = [video for video in found if video.video_id in contents] or found
    if len(found) > 1:
        listed = "".join(f"\n  {video.video_id}  {video.uri or video.title}" for video in found)
        raise UsageError(f"{len(found)} videos are named {name!r}. Use the id of the one you mean:{listed}")
    return found[0].video_id
