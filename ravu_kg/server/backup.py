"""Backing up the embedded database in one file, and restoring it, on this version of Neo4j or a later one.

The file is a zip archive, nothing in it compressed again:

``neo4j.dump``
    what ``neo4j-admin database dump`` writes; it can be taken out and loaded by that tool anywhere.
``manifest.json``
    ``format`` (``"ravu-kg database dump"``), ``format_version`` (1), ``neo4j`` (version of the server that wrote the
    data), ``created_at``, and ``bytes`` and ``sha256`` of the dump.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import zipfile
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, Literal, cast

from pydantic import BaseModel, ConfigDict, ValidationError

from ravu_kg.archives import DAMAGED
from ravu_kg.errors import ConfigurationError, ServerError, UsageError
from ravu_kg.server.embedded import EmbeddedServer
from ravu_kg.server.fetching import Progress, silent
from ravu_kg.server.home import Home
from ravu_kg.server.records import Endpoint, ServerConfig

_DUMP, _MANIFEST = "neo4j.dump", "manifest.json"
_MANIFEST_BYTES = 10_000


@dataclass(frozen=True, slots=True)
class Backup:
    """A file with the whole database."""

    path: Path
    neo4j_version: str
    """Of the server that wrote the data."""
    created_at: str
    dump_bytes: int


class _Manifest(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    format: Literal["ravu-kg database dump"]
    format_version: Literal[1]
    neo4j: str
    created_at: str
    bytes: int
    sha256: str


def dump(config: ServerConfig, target: Path, progress: Progress | None = None) -> Backup:
    """Write the whole database into a new file; a running server is stopped for it and started again.

    Raises:
        UsageError: the file exists, or its folder does not.
        ServerError: there is no database yet, or Neo4j failed; the file is not there then.
    """
    if target.exists():
        raise UsageError(f"{target} exists. Give another name, or remove it first.")
    if not target.parent.is_dir():
        raise UsageError(f"There is no folder {target.parent} for the dump. Make it first.")
    report = progress or silent
    server = EmbeddedServer(config)
    if not server.status().has_data:
        raise ServerError(f"There is no database in {config.home} yet. Index a video first.")
    beside = target.with_name(f".{target.name}.{os.getpid()}.part")
    try:
        with zipfile.ZipFile(beside, "x", zipfile.ZIP_STORED) as archive, server.paused(report) as (_, tool):
            report("Dumping the database")
            with archive.open(zipfile.ZipInfo(_DUMP), "w", force_zip64=True) as entry:
                counted = _Counted(entry)
                tool.dump(cast("IO[bytes]", counted))  # it is only written to
            manifest = _Manifest(
                format="ravu-kg database dump",
                format_version=1,
                neo4j=server.status().version,
                created_at=datetime.now(UTC).isoformat(timespec="seconds"),
                bytes=counted.bytes,
                sha256=counted.digest.hexdigest(),
            )
            archive.writestr(_MANIFEST, manifest.model_dump_json(indent=2))
        beside.replace(target)
    except OSError as error:
        raise ServerError(f"The dump {target} cannot be written: {error.strerror or error}.") from error
    finally:
        beside.unlink(missing_ok=True)
    return Backup(target, manifest.neo4j, manifest.created_at, manifest.bytes)


def read_backup(source: Path) -> Backup:
    """What a file of :func:`dump` says of itself.

    Raises:
        ConfigurationError: it is cut, no dump, or of a newer ravu-kg.
    """
    with _opened(source) as archive:
        manifest = _manifest(archive, source)
    return Backup(source, manifest.neo4j, manifest.created_at, manifest.bytes)


def load(
    config: ServerConfig, source: Path, check: Callable[[Endpoint], None], progress: Progress | None = None
) -> Backup:
    """Put the database of a file in the place of the present one; a running server is started again.

    The file becomes a database of its own first, which a server of this version starts and upgrades and ``check`` looks
    at. The present one is untouched, and goes on running, until all of that has gone well: then the two change places.
    Whatever happens before that, a kill too, leaves the present one.

    Args:
        config: the server; its version is that of the dump or later.
        source: a file of :func:`dump`.
        check: called with the address of a server that has the new data; what it raises ends the loading.
        progress: told in a line what is waited for.

    Raises:
        ConfigurationError: the file is cut, no dump, or of a later Neo4j; nothing was touched.
        ServerError: Neo4j cannot use the data, or there is no room for both.
    """
    report = progress or silent
    with _opened(source) as archive:
        manifest = _manifest(archive, source)
        if _numbers(manifest.neo4j) > _numbers(config.version):
            raise ConfigurationError(
                f"{source} is a dump of Neo4j {manifest.neo4j}, and {config.version} cannot read the data of a later "
                f"version. Nothing was changed. Load it with RAVU_KG_SERVER__VERSION={manifest.neo4j}"
            )
        home = Home(config.home)
        home.prepare()
        _require_room(home, manifest.bytes, source)
        trial = EmbeddedServer(replace(config, home=home.incoming, bolt_port=None, http_port=None))
        trial.reset()  # what a killed load has left
        try:
            with trial.paused(report) as (incoming, tool):
                incoming.write_private(incoming.password_file, home.password() + "\n")
                report(f"Loading {source.name}")
                _load(archive, manifest, source, tool.load)
            report("Starting Neo4j on the new data")
            check(trial.start(report))
            trial.stop()
            with EmbeddedServer(config).paused(report) as (home, _):
                home.replace_data(incoming.data)
                home.keep_version(config.version)
        finally:
            trial.reset()
            shutil.rmtree(home.incoming, ignore_errors=True)
    return Backup(source, manifest.neo4j, manifest.created_at, manifest.bytes)


class _Counted:
    """A file that is written, or read, with the number and the digest of its bytes."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self.bytes = 0
        self.digest = hashlib.sha256()

    def write(self, chunk: bytes) -> int:
        self._count(chunk)
        return self._file.write(chunk)

    def read(self, size: int) -> bytes:
        chunk = self._file.read(size)
        self._count(chunk)
        return chunk

    def _count(self, chunk: bytes) -> None:
        self.bytes += len(chunk)
        self.digest.update(chunk)


def _load(archive: zipfile.ZipFile, manifest: _Manifest, source: Path, load_into: Callable[[IO[bytes]], None]) -> None:
    try:
        with archive.open(_DUMP) as entry:
            counted = _Counted(entry)
            load_into(cast("IO[bytes]", counted))  # it is only read from
    except DAMAGED as error:
        raise _unreadable(source, str(error)) from error
    if (counted.bytes, counted.digest.hexdigest()) != (manifest.bytes, manifest.sha256):
        raise _unreadable(source, "its content is not the one that was written")


def _opened(source: Path) -> zipfile.ZipFile:
    try:
        return zipfile.ZipFile(source)
    except OSError as error:
        raise ConfigurationError(f"The dump {source} cannot be read: {error.strerror}. Check the path.") from error
    except DAMAGED as error:
        raise _unreadable(source, "it is cut, or something else") from error


def _manifest(archive: zipfile.ZipFile, source: Path) -> _Manifest:
    names = sorted(archive.namelist())
    if names != sorted((_DUMP, _MANIFEST)) or archive.getinfo(_MANIFEST).file_size > _MANIFEST_BYTES:
        raise _unreadable(source, "it is something else")
    try:
        manifest = _Manifest.model_validate_json(archive.read(_MANIFEST))
        _numbers(manifest.neo4j)
    except (ValidationError, RecursionError, *DAMAGED) as error:
        raise _unreadable(source, "it was made by another version of ravu-kg, or is damaged") from error
    if archive.getinfo(_DUMP).file_size != manifest.bytes:
        raise _unreadable(source, "it is cut")
    return manifest


def _unreadable(source: Path, why: str) -> ConfigurationError:
    return ConfigurationError(
        f"{source} is no whole dump of 'ravu-kg db dump': {why}. Nothing was changed. Give another file."
    )


def _require_room(home: Home, dump_bytes: int, source: Path) -> None:
    free = shutil.disk_usage(home.path).free
    if free < 2 * dump_bytes:
        raise ServerError(
            f"There is no room in {home.path} for the database in {source} beside the present one: "
            f"{free // 2**20} MB are free. Make room; nothing was changed."
        )


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split("."))
