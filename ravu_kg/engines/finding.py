"""Which video files are meant: files, folders with all below them, and patterns that no shell has filled in."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from glob import has_magic
from pathlib import Path

from ravu_kg.errors import VideoError

SUFFIXES = frozenset(
    f".{kind}"
    for kind in (
        *("3gp", "asf", "avi", "flv", "m2ts", "m4v", "mjpeg", "mjpg", "mkv", "mov", "mp4", "mpeg", "mpg", "mts"),
        *("ogv", "ts", "vob", "webm", "wmv", "y4m"),
    )
)
"""By which a video is known in a folder; a file that is named itself may have any."""


@dataclass(frozen=True, slots=True)
class Source:
    """A video file, or why there is none."""

    path: Path
    problem: VideoError | None = None


def find_videos(named: Sequence[Path]) -> list[Source]:
    """The video files that are meant, each once, in the order named; those of a folder or pattern by their paths.

    A folder stands for the video files in it and below it, but for hidden ones. A pattern (``*``, ``?``, ``[...]``,
    ``**`` for any folders) stands for what it matches, unless a file has that very name.
    """
    found: dict[Path, Source] = {}
    for one in named:
        for source in _meant(one):
            found.setdefault(source.path.resolve(), source)
    return list(found.values())


def _meant(named: Path) -> Iterator[Source]:
    if named.is_dir():
        yield from _in_folder(named)
    elif not named.exists() and has_magic(str(named)):
        matches = list(Path(named.anchor).glob(str(named.relative_to(named.anchor))))
        inside = (source for one in matches if one.is_dir() for source in _in_folder(one) if source.problem is None)
        yield from _sorted([*(Source(one) for one in matches if one.is_file()), *inside]) or [
            Source(named, VideoError(f"{named}: there is no such file, and nothing matches it as a pattern."))
        ]
    elif not named.exists():
        yield Source(named, VideoError(f"{named}: there is no such file. Check the path."))
    else:
        yield Source(named)


def _in_folder(folder: Path) -> list[Source]:
    try:
        files = [
            one
            for one in folder.rglob("*")
            if one.suffix.lower() in SUFFIXES
            and one.is_file()
            and not any(part.startswith(".") for part in one.relative_to(folder).parts)
        ]
    except OSError as error:
        return [Source(folder, VideoError(f"{folder}: the folder cannot be read ({error.strerror})."))]
    return _sorted(Source(one) for one in files) or [
        Source(folder, VideoError(f"{folder}: this folder holds no video files, known by {_KNOWN}."))
    ]


def _sorted(sources: Iterable[Source]) -> list[Source]:
    return sorted(sources, key=lambda source: source.path)


_KNOWN = ", ".join(sorted(SUFFIXES))
