"""Reading a bundle: nothing is taken from it before all of it was looked at. Nothing in it is ever written to disk."""

from __future__ import annotations

import hashlib
import json
import zipfile
from collections.abc import Generator, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import IO, Self, TypeVar, cast

import numpy as np
from pydantic import ValidationError

from ravu_kg.archives import DAMAGED
from ravu_kg.errors import ConfigurationError
from ravu_kg.graph.bundle.format import (
    FILES,
    FORMAT,
    FORMAT_VERSION,
    MANIFEST,
    RECORDS,
    VECTOR_TYPE,
    VECTORS,
    VIDEO,
    EntityRecord,
    EventRecord,
    FrameNodeRecord,
    FrameRecord,
    LinkRecord,
    Manifest,
    PartSummary,
    Record,
    RelationRecord,
    SameAsRecord,
    VideoPart,
    VideoProperties,
    file_of,
    first_problem,
)
from ravu_kg.graph.values import is_mapping
from ravu_kg.types import FloatArray, entity_id, event_id, frame_id, frame_node_id, replaced_id

_MANIFEST_BYTES = 1 << 20
_LINE_BYTES = 1 << 26
"""The longest line: the track of an entity that is seen for a day takes half of it."""
_EXPANSION = 200
"""Text of a graph shrinks to a tenth or a thirtieth; what shrinks more was made to fill a disk."""
_EXPANSION_FROM_BYTES = 1 << 20
_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
_CHUNK = 1 << 20

Json = Mapping[str, object]
_Node = EntityRecord | FrameRecord | FrameNodeRecord | EventRecord
_Record = TypeVar("_Record", bound=Record)


class Bundle:
    """An open bundle, checked from end to end. Close it, or use it as a context manager."""

    def __init__(self, path: Path, archive: zipfile.ZipFile, manifest: Manifest) -> None:
        self.path = path
        self.manifest = manifest
        self._archive = archive

    @classmethod
    def open(cls, path: Path, newest_schema: int) -> Self:
        """Open a bundle and check all of it: digests, counts, every record, and what each refers to.

        Args:
            path: the file.
            newest_schema: the newest schema that is understood.

        Raises:
            ConfigurationError: it is cut, damaged, something else, or of a newer ravu-kg; the message says where.
        """
        archive = _opened(path)
        try:
            bundle = cls(path, archive, _manifest(path, archive, newest_schema))
            bundle._check()
        except BaseException:  # Ctrl-C, too
            archive.close()
            raise
        return bundle

    def close(self) -> None:
        """Close the file."""
        self._archive.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @property
    def video_id(self) -> str:
        """The video that it holds."""
        return self.manifest.video_id

    def video(self) -> Json:
        """The record of the video."""
        with self._read(VIDEO) as entry:
            return _parsed(entry.read(_LINE_BYTES))

    def records(self, part: str) -> Iterator[Json]:
        """The records of a part, in order."""
        with self._read(file_of(part)) as entry:
            while line := entry.readline(_LINE_BYTES):
                yield _parsed(line)

    def vectors(self, part: str, count: int) -> Iterator[FloatArray]:
        """The vectors of a part, ``count`` at a time, (n, d)."""
        width = self.manifest.embedder.dimensions
        with self._read(file_of(part)) as entry:
            while chunk := entry.read(count * width * 4):
                yield np.frombuffer(chunk, dtype=VECTOR_TYPE).reshape(-1, width).astype(np.float32)

    def digests(self) -> Mapping[str, str]:
        """SHA-256 of each part of records."""
        known = {part.file: part.sha256 for part in self.manifest.parts}
        return {name: known[file_of(name)] for name in RECORDS}

    def count(self, part: str) -> int:
        """How many records a part has."""
        return next(one.records for one in self.manifest.parts if one.file == file_of(part))

    def problem(self, what: str) -> ConfigurationError:
        """The error for a bundle that cannot be used."""
        return _unusable(self.path, what)

    # --- checking -----------------------------------------------------------------------------

    def _check(self) -> None:
        self._check_sizes()
        for stated in self.manifest.parts:
            self._check_digest(stated)
        with self._read(VIDEO) as entry:
            text = entry.read(_LINE_BYTES)
        video = self._validated(VIDEO, 1, text, VideoPart)
        if video.id != self.manifest.video_id or replaced_id(video.id):
            raise self.problem(f"the manifest is about {self.manifest.video_id}, {VIDEO} about {video.id}")
        known = _Known(video.id, video.properties)
        for part, record in RECORDS.items():
            self._check_records(part, record, known)
        if len(known.frames) != video.properties.frameCount:
            raise self.problem(f"it has {len(known.frames)} frames, and {VIDEO} says {video.properties.frameCount}")
        for part, owner in VECTORS.items():
            self._check_vectors(part, self.count(owner))

    def _check_sizes(self) -> None:
        stated = {part.file: part for part in self.manifest.parts}
        if sorted(stated) != sorted(FILES) or len(self.manifest.parts) != len(FILES):
            raise self.problem("the manifest does not name the files of a bundle")
        for file, part in stated.items():
            info = self._archive.getinfo(file)
            if info.file_size != part.bytes:
                raise self.problem(f"{file} is cut")
            if part.bytes > _EXPANSION_FROM_BYTES and part.bytes > _EXPANSION * max(info.compress_size, 1):
                raise self.problem(f"{file} would grow to {part.bytes / 1e6:.0f} MB; no bundle is packed like that")

    def _check_digest(self, stated: PartSummary) -> None:
        """Before its content is looked at: what a flipped bit made of a record is no fault of the record."""
        digest = hashlib.sha256()
        with self._read(stated.file) as entry:
            while chunk := entry.read(_CHUNK):
                digest.update(chunk)
        if digest.hexdigest() != stated.sha256:
            raise self.problem(f"{stated.file} is not what was written: its digest is another")

    def _check_records(self, part: str, record: type[Record], known: _Known) -> None:
        file = file_of(part)
        count = 0
        with self._read(file) as entry:
            while line := entry.readline(_LINE_BYTES):
                count += 1
                if not line.endswith(b"\n"):
                    raise self.problem(f"{file}, line {count}: it is cut or too long")
                problem = known.add(self._validated(file, count, line, record))
                if problem:
                    raise self.problem(f"{file}, line {count}: {problem}")
        if count != self.count(part):
            raise self.problem(f"{file} has {count} records, and {MANIFEST} says {self.count(part)}")

    def _check_vectors(self, part: str, wanted: int) -> None:
        file = file_of(part)
        width = self.manifest.embedder.dimensions * 4
        if self._archive.getinfo(file).file_size != wanted * width:
            raise self.problem(f"{file} has not one vector of {self.manifest.embedder.dimensions} numbers a record")
        with self._read(file) as entry:
            while chunk := entry.read(width * max(1, _CHUNK // width)):
                rows = np.frombuffer(chunk, dtype=VECTOR_TYPE).reshape(-1, self.manifest.embedder.dimensions)
                if not (np.isfinite(rows).all() and rows.any(axis=1).all()):
                    raise self.problem(f"{file} holds a vector that is zero or no number")

    def _validated(self, file: str, number: int, line: bytes, record: type[_Record]) -> _Record:
        try:
            return record.model_validate_json(line, strict=True)
        except ValidationError as error:
            raise self.problem(f"{file}, line {number}: {first_problem(error)}") from error

    @contextmanager
    def _read(self, file: str) -> Generator[IO[bytes]]:
        try:
            with self._archive.open(file) as entry:
                yield entry
        except (*DAMAGED, OSError) as error:
            raise self.problem(f"{file} is damaged ({error})") from error


@dataclass(slots=True)
class _Known:
    """What the records before one have brought: each refers to those only, and none is there twice."""

    video_id: str
    video: VideoProperties
    entities: set[int] = field(default_factory=set[int])
    frames: set[int] = field(default_factory=set[int])
    nodes: set[int] = field(default_factory=set[int])
    events: set[str] = field(default_factory=set[str])
    _last: dict[type[Record], str] = field(default_factory=dict[type[Record], str])

    def add(self, record: Record) -> str | None:
        """Take a record in; what is wrong with it, or None."""
        match record:
            case EntityRecord():
                self.entities.add(record.properties.trackId)
                return self._named(record, record.id, entity_id(self.video_id, record.properties.trackId))
            case FrameRecord():
                index = record.properties.index
                self.frames.add(index)
                if record.next is not None and record.next != frame_id(self.video_id, index + 1):
                    return "the frame after it is another"
                return self._named(record, record.id, frame_id(self.video_id, index))
            case FrameNodeRecord():
                return self._node(record)
            case EventRecord():
                return self._event(record)
            case RelationRecord() | SameAsRecord():
                if self._at(record.earlier) not in self.nodes or self._at(record.later) not in self.nodes:
                    return f"{record.earlier[:80]} or {record.later[:80]} is no frame node of this bundle"
                return None
            case LinkRecord():
                ends = (record.earlier, record.later)
                if not any(self._track(end) in self.entities for end in ends) or ends[0] == ends[1]:
                    return f"neither {ends[0][:80]} nor {ends[1][:80]} is an entity of this bundle"
                return None
            case _:
                return "it is of no known kind"

    def _node(self, record: FrameNodeRecord) -> str | None:
        known = record.properties
        track = self._track(known.entityId)
        if track not in self.entities or known.frameIndex not in self.frames:
            return f"its entity {known.entityId[:80]} or frame {known.frameIndex} is not in this bundle"
        self.nodes.add(known.frameIndex << 32 | track)
        return self._named(record, record.id, frame_node_id(self.video_id, known.frameIndex, track))

    def _event(self, record: EventRecord) -> str | None:
        known = record.properties
        track = self._track(known.entityId)
        if track not in self.entities:
            return f"its entity {known.entityId[:80]} is not in this bundle"
        if record.next is not None:
            stem, _, number = record.next.rpartition("/")
            if stem != record.id.rpartition("/")[0] or not number.isdecimal():
                return "the event after it is none of the same entity and source"
        return self._named(record, record.id, event_id(self.video_id, track, known.source, known.seq))

    def _named(
        self, record: EntityRecord | FrameRecord | FrameNodeRecord | EventRecord, name: str, own: str
    ) -> str | None:
        if name != own or record.properties.videoId != self.video_id:
            return f"{name[:80]!r} does not belong to video {self.video_id}"
        if name <= self._last.get(type(record), ""):
            return f"{name} is there twice, or out of order"
        self._last[type(record)] = name
        return None

    def _track(self, name: str) -> int:
        """The number of an entity of this video; -1 for any other."""
        stem, _, number = name.rpartition("#")
        return int(number) if stem == self.video_id and _is_number(number) else -1

    def _at(self, name: str) -> int:
        """The position of a frame node of this video; -1 for any other."""
        stem, *numbers = name.rsplit("/", 2)
        if stem != self.video_id or len(numbers) != 2 or not all(map(_is_number, numbers)):
            return -1
        return int(numbers[0]) << 32 | int(numbers[1])


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdecimal() and len(text) <= 10 and str(int(text)) == text


def _parsed(line: bytes) -> Json:
    parsed: object = json.loads(line)
    assert is_mapping(parsed)  # it was checked
    return cast("Json", parsed)


def _opened(path: Path) -> zipfile.ZipFile:
    try:
        archive = zipfile.ZipFile(path)
    except FileNotFoundError as error:
        raise ConfigurationError(f"There is no bundle {path}. Check the path.") from error
    except DAMAGED as error:
        raise _unusable(path, "it is cut, or no bundle at all") from error
    except OSError as error:
        raise ConfigurationError(f"The bundle {path} cannot be read: {error.strerror or error}.") from error
    try:
        names = [info.filename for info in archive.infolist()]
        stray = sorted(set(names) - {*FILES, MANIFEST})
        if stray:
            raise _unusable(path, f"it holds {stray[0][:120]!r}, which is no file of a bundle")
        if len(set(names)) != len(names) or set(names) != {*FILES, MANIFEST}:
            lacking = sorted({*FILES, MANIFEST} - set(names))
            raise _unusable(path, f"it has no {lacking[0]}" if lacking else "it holds a file twice")
        odd = [one.filename for one in archive.infolist() if one.flag_bits & 1 or one.compress_type not in _METHODS]
        if odd:
            raise _unusable(path, f"{odd[0]} is encrypted, or packed in a way that no bundle is")
        if sum(info.compress_size for info in archive.infolist()) > path.stat().st_size:
            raise _unusable(path, "its files overlap")
    except BaseException:  # Ctrl-C, too
        archive.close()
        raise
    return archive


def _manifest(path: Path, archive: zipfile.ZipFile, newest_schema: int) -> Manifest:
    if archive.getinfo(MANIFEST).file_size > _MANIFEST_BYTES:
        raise _unusable(path, f"{MANIFEST} is too long")
    try:
        text = archive.read(MANIFEST)
        raw: object = json.loads(text)
    except (RecursionError, *DAMAGED, OSError) as error:
        raise _unusable(path, f"{MANIFEST} is damaged ({error})") from error
    if not is_mapping(raw) or raw.get("format") != FORMAT:
        raise _unusable(path, f"{MANIFEST} is not that of a bundle")
    version, schema = raw.get("format_version"), raw.get("schema_version")
    if (isinstance(version, int) and version > FORMAT_VERSION) or (isinstance(schema, int) and schema > newest_schema):
        raise ConfigurationError(
            f"{path} was made by a newer ravu-kg (format {version}, schema {schema}; known here: {FORMAT_VERSION} and "
            f"{newest_schema}). Nothing was changed. Upgrade: pip install -U ravu-kg"
        )
    try:
        return Manifest.model_validate_json(text, strict=True)
    except ValidationError as error:
        raise _unusable(path, f"{MANIFEST}: {first_problem(error)}") from error


def _unusable(path: Path, why: str) -> ConfigurationError:
    return ConfigurationError(
        f"{path} cannot be imported: {why}. Nothing was changed. Export the video again, or copy the file again."
    )
