"""Fetching the server's jars into the cache that all homes share."""

from __future__ import annotations

import errno
import hashlib
import os
import shutil
import tempfile
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path

from filelock import FileLock
from platformdirs import user_cache_path

from ravu_kg.errors import ServerError
from ravu_kg.server.lock_list import Jar, LockList, read, read_import

Progress = Callable[[str], None]

_THREADS = 8
_ATTEMPTS = 3
_TIMEOUT_S = 60
_REPORT_EVERY_S = 2.0


def cache_dir() -> Path:
    """The folder of everything that can be fetched again: ``RAVU_KG_CACHE``, else the user's cache folder."""
    chosen = os.environ.get("RAVU_KG_CACHE")
    return Path(chosen).expanduser() if chosen else user_cache_path("ravu-kg", appauthor=False)


def jar_folder() -> Path:
    """Where the jars of all server versions lie, in the Maven layout."""
    return cache_dir() / "neo4j"


def silent(line: str) -> None:
    """Progress that nobody asked for."""


def fetch(version: str, progress: Progress | None = None) -> list[Path]:
    """The jars of a server version in class path order, each one checked against its pinned SHA-256.

    Only what is missing or damaged is fetched, eight at a time, so an interrupted fetch goes on where it stopped. Two
    processes at once fetch once.

    Args:
        version: one of :func:`ravu_kg.server.lock_list.versions`.
        progress: gets a line every few seconds while something is fetched.

    Raises:
        ServerError: no list of that version, a jar cannot be had, or its content is not the pinned one.
    """
    return fetch_list(read(version), progress or silent)


def fetch_import(version: str, progress: Progress | None = None) -> list[Path]:
    """The further jars that the import of Parquet files needs; see :func:`fetch`.

    Raises:
        ServerError: a jar cannot be had, or its content is not the pinned one.
    """
    jars = read_import(version)
    return fetch_list(LockList(version, "", jars), progress or silent)


def fetch_list(locked: LockList, progress: Progress, repositories: dict[str, str] | None = None) -> list[Path]:
    """The jars of any list; ``repositories`` (name to base URL) are asked instead of jgo's own.

    Raises:
        ServerError: see :func:`fetch`.
    """
    folder = jar_folder()
    what = f"Neo4j {locked.server_version}"
    try:
        if _missing(locked.jars, folder):
            folder.mkdir(parents=True, exist_ok=True)
            with FileLock(folder / "fetch.lock"):
                _fetch_missing(what, _missing(locked.jars, folder), folder, progress, repositories)
    except OSError as error:
        cause = "the disk is full" if error.errno == errno.ENOSPC else error
        raise ServerError(
            f"The jars of {what} cannot be kept in {folder}: {cause}. "
            "Make room or give another folder in RAVU_KG_CACHE."
        ) from error
    return [folder / jar.path for jar in locked.jars]


def _missing(jars: Sequence[Jar], folder: Path) -> list[Jar]:
    """The jars that are not there or not intact; a damaged file is removed."""
    with ThreadPoolExecutor(_THREADS) as pool:
        intact = pool.map(_intact, (folder / jar.path for jar in jars), jars)
        return [jar for jar, good in zip(jars, intact, strict=True) if not good]


def _intact(path: Path, jar: Jar) -> bool:
    try:
        with path.open("rb") as file:
            if hashlib.file_digest(file, "sha256").hexdigest() == jar.sha256:
                return True
    except FileNotFoundError:
        return False
    path.unlink(missing_ok=True)
    return False


def _fetch_missing(
    what: str, jars: list[Jar], folder: Path, report: Progress, repositories: dict[str, str] | None
) -> None:
    if not jars:
        return
    # jgo writes straight to a file's final name; an interrupted write must never be taken for a jar.
    incoming = Path(tempfile.mkdtemp(prefix="incoming-", dir=folder))
    started = last_report = time.monotonic()
    report(f"Fetching {what}: {len(jars)} jars into {folder}")
    pool = ThreadPoolExecutor(_THREADS)
    try:
        waiting = [pool.submit(_fetch_one, jar, incoming, folder, repositories) for jar in jars]
        for done, future in enumerate(as_completed(waiting), start=1):
            future.result()
            if time.monotonic() - last_report >= _REPORT_EVERY_S and done < len(jars):
                last_report = time.monotonic()
                report(f"Fetching {what}: {done} of {len(jars)} jars")
        report(f"Fetched {len(jars)} jars of {what} in {time.monotonic() - started:.0f} s")
    finally:
        pool.shutdown(wait=True, cancel_futures=True)
        shutil.rmtree(incoming, ignore_errors=True)


def _fetch_one(jar: Jar, incoming: Path, folder: Path, repositories: dict[str, str] | None) -> None:
    # Costs a third of a second (requests): paid only when something is fetched.
    import requests
    from jgo.maven import MavenContext

    context = MavenContext(repo_cache=incoming, timeout=_TIMEOUT_S, remote_repos=repositories)
    artifact = context.project(jar.group, jar.artifact).at_version(jar.version).artifact(classifier=jar.classifier)
    cause = ""
    for attempt in range(_ATTEMPTS):
        time.sleep(attempt)
        (incoming / jar.path).unlink(missing_ok=True)
        try:
            path = artifact.resolve()
        except (requests.RequestException, RuntimeError) as error:
            cause = f"it could not be fetched ({error})"
            continue
        if _intact(path, jar):
            target = folder / jar.path
            target.parent.mkdir(parents=True, exist_ok=True)
            path.replace(target)
            return
        cause = "its content does not have the pinned SHA-256"
    raise ServerError(f"Neo4j jar {jar}: {cause}, {_ATTEMPTS} times. Check the network connection and try again.")
