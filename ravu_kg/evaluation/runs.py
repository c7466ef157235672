"""A run: a folder with what was asked how, and one line of JSON for each question that is answered.

A killed run goes on where it stopped: a line that was cut off is dropped and its question asked again.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path

from filelock import FileLock, Timeout
from pydantic import TypeAdapter, ValidationError

from ravu_kg.errors import ConfigurationError, UsageError
from ravu_kg.evaluation.results import Result, from_line

FORMAT = 1
MANIFEST, RESULTS = "run.json", "results.jsonl"
_OTHER_FOLDER = "Give another folder for this run, or delete that one."


@dataclass(frozen=True, slots=True)
class Setup:
    """What was asked how: a run goes on only with the same."""

    dataset: str
    questions: int
    """How many were chosen."""
    digest: str
    """Of the chosen questions, so that other ones are not mixed in."""
    method: str
    graph: str
    """Where the memory came from: captions, tracks, detector or annotation."""
    pipeline: str
    """What found and described what is in the memory; empty for a method that uses none."""
    embedder: str
    roles: Mapping[str, str]
    """Role -> model, or what stands in for one."""
    options: Mapping[str, object] = field(default_factory=dict[str, object])
    """Whatever else changes an answer."""
    types: tuple[str, ...] = ()
    limit: int | None = None
    seed: int = 0


@dataclass(frozen=True, slots=True)
class Manifest:
    """The file ``run.json``."""

    format: int
    version: str
    """Of the product."""
    setup: Setup
    name: str = ""
    """What reports call the run."""


@dataclass(frozen=True, slots=True)
class Run:
    """A run as it was read."""

    path: Path
    manifest: Manifest
    results: tuple[Result, ...]

    @property
    def setup(self) -> Setup:
        """What was asked how."""
        return self.manifest.setup

    @property
    def name(self) -> str:
        """What reports call it."""
        return self.manifest.name or self.path.resolve().name

    @property
    def complete(self) -> bool:
        """Whether every question has its result."""
        return len(self.results) == self.setup.questions


class RunWriter:
    """Adds results to a run; safe in threads."""

    def __init__(self, path: Path, done: Mapping[str, Result]) -> None:
        self.done = done
        """Results of earlier runs, by question."""
        self._lock = threading.Lock()
        self._file = (path / RESULTS).open("a", encoding="utf-8")

    def add(self, *results: Result) -> None:
        """Keep results; whoever kills the program from now on does not lose them."""
        lines = "".join(f"{result.to_line()}\n" for result in results)
        with self._lock:
            self._file.write(lines)
            self._file.flush()

    def close(self) -> None:
        """No more results."""
        self._file.close()


_MANIFEST = TypeAdapter(Manifest)


@contextmanager
def open_run(path: Path, setup: Setup, version: str, name: str = "") -> Generator[RunWriter]:
    """Begin a run in a folder, or go on with the one that is there.

    Args:
        path: the folder; made when it is not there.
        setup: what is asked how.
        version: of the product.
        name: what reports call the run; by default the folder's name.

    Raises:
        ConfigurationError: another run is in the folder, or one of another version, or it cannot be written.
        UsageError: another process writes to it, or it holds something else.
    """
    try:
        path.mkdir(parents=True, exist_ok=True)
        with FileLock(path / "lock", timeout=0):
            done = _resumed(path, setup, version, name)
            writer = RunWriter(path, done)
            try:
                yield writer
            finally:
                writer.close()
    except Timeout as error:
        raise UsageError(f"Another process is writing to {path}. Wait for it, or give another folder.") from error
    except OSError as error:
        if not str(error.filename or "").startswith(str(path)):
            raise
        raise ConfigurationError(f"The run folder {path} cannot be written: {error.strerror}.") from error


def read_run(path: Path) -> Run:
    """A run with its results, complete or not.

    Raises:
        ConfigurationError: there is no run, it is of another version, or a line cannot be read.
    """
    manifest = _manifest(path)
    results = _results(path)
    return Run(path, manifest, tuple(results.values()))


def _resumed(path: Path, setup: Setup, version: str, name: str) -> Mapping[str, Result]:
    if not (path / MANIFEST).exists():
        if others := sorted(one.name for one in path.iterdir() if one.name != "lock"):
            raise UsageError(f"{path} is no run folder, but holds {others[0]}. Give another folder, or an empty one.")
        _write(path / MANIFEST, _MANIFEST.dump_json(Manifest(FORMAT, version, setup, name), indent=2).decode())
        return {}
    known = _manifest(path)
    if changes := _changes(known.setup, setup):
        raise ConfigurationError(f"The run in {path} was begun with {'; '.join(changes)}. {_OTHER_FOLDER}")
    _drop_torn_line(path / RESULTS)
    return _results(path)


def _manifest(path: Path) -> Manifest:
    file = path / MANIFEST
    try:
        text = file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigurationError(f"{path} holds no run: {file.name} cannot be read. Check the path.") from error
    try:
        manifest = _MANIFEST.validate_json(text)
        found: object = manifest.format
    except ValidationError as error:
        found, manifest = _format_in(text), None
        if found == FORMAT:
            first = error.errors()[0]
            where = ".".join(str(part) for part in first["loc"])
            raise ConfigurationError(f"{file} is damaged: {where}: {first['msg']}. {_OTHER_FOLDER}") from error
    if manifest is None or found != FORMAT:
        raise ConfigurationError(
            f"The run in {path} was written by another version (format {found}, here {FORMAT}). Read it with the "
            f"version that wrote it. {_OTHER_FOLDER}"
        )
    return manifest


def _format_in(text: str) -> object:
    try:
        return TypeAdapter(dict[str, object]).validate_json(text).get("format", "unknown")
    except ValidationError:
        return "unknown"


def _results(path: Path) -> dict[str, Result]:
    """By question; a last line without its end does not count."""
    file = path / RESULTS
    if not file.exists():
        return {}
    found: dict[str, Result] = {}
    for number, line in enumerate(_whole_lines(file), start=1):
        try:
            result = from_line(line)
        except ValueError as error:
            raise ConfigurationError(
                f"{file}, line {number} cannot be read, so the run cannot be trusted. {_OTHER_FOLDER}"
            ) from error
        found[result.id] = result
    return found


def _whole_lines(file: Path) -> list[str]:
    text = file.read_bytes().decode("utf-8", "replace")
    return text[: text.rfind("\n") + 1].split("\n")[:-1]


def _drop_torn_line(file: Path) -> None:
    if not file.exists():
        return
    content = file.read_bytes()
    end = content.rfind(b"\n") + 1
    if end < len(content):
        os.truncate(file, end)


def _write(file: Path, text: str) -> None:
    """All of it or nothing."""
    part = file.with_name(f"{file.name}.part")
    part.write_text(text, encoding="utf-8")
    part.replace(file)


def _changes(known: Setup, now: Setup) -> list[str]:
    told = [
        f"{key} {before!r}, not {asdict(now)[key]!r}"
        for key, before in asdict(known).items()
        if before != asdict(now)[key] and key != "digest"
    ]
    if not told and known.digest != now.digest:
        told.append("other questions")
    return told
