"""The pinned lists of the server's jars: which files one Neo4j version runs from, and their SHA-256.

A list is a tab-separated file ``locks/VERSION.tsv`` inside this package, in class path order. How one is made:
:mod:`ravu_kg.server.make_lock_list`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from importlib.resources import files
from pathlib import PurePosixPath

from ravu_kg.errors import ServerError

COLUMNS = ("group", "artifact", "version", "classifier", "sha256")
MAIN_CLASS_PREFIX = "# main class: "


@dataclass(frozen=True, slots=True, order=True)
class Jar:
    """One file of the class path."""

    group: str
    artifact: str
    version: str
    classifier: str
    """Empty for most; the platform for native libraries."""
    sha256: str

    @property
    def path(self) -> PurePosixPath:
        """Place in a repository of the Maven layout."""
        suffix = f"-{self.classifier}" if self.classifier else ""
        name = f"{self.artifact}-{self.version}{suffix}.jar"
        return PurePosixPath(*self.group.split("."), self.artifact, self.version, name)

    def __str__(self) -> str:
        """The coordinate, for messages."""
        return ":".join(part for part in (self.group, self.artifact, self.version, self.classifier) if part)


@dataclass(frozen=True, slots=True)
class LockList:
    """What one version of the server is made of."""

    server_version: str
    main_class: str
    jars: tuple[Jar, ...]


def versions() -> tuple[str, ...]:
    """The server versions that have a list, newest first."""
    names = (entry.name for entry in files("ravu_kg.server").joinpath("locks").iterdir())
    found = [name.removesuffix(".tsv") for name in names if name.endswith(".tsv")]
    return tuple(sorted(found, key=lambda version: [int(part) for part in version.split(".")], reverse=True))


def read(version: str) -> LockList:
    """The list of one server version.

    Raises:
        ServerError: there is no list of that version.
    """
    if version not in versions():
        known = ", ".join(versions())
        raise ServerError(f"Neo4j {version} cannot be embedded: no jar list for it. Choose one of: {known}.")
    text = files("ravu_kg.server").joinpath("locks").joinpath(f"{version}.tsv").read_text(encoding="utf-8")
    return parse(version, text)


def read_import(version: str) -> tuple[Jar, ...]:
    """The further jars that the import of Parquet files needs, which Neo4j's artifacts do not name."""
    file = files("ravu_kg.server").joinpath("locks").joinpath("import").joinpath(f"{version}.tsv")
    return parse(version, file.read_text(encoding="utf-8")).jars if file.is_file() else ()


def parse(version: str, text: str) -> LockList:
    """The list written in ``text``.

    Raises:
        ServerError: a line is not of the format; the message names it.
    """
    main_class = ""
    jars: list[Jar] = []
    for number, line in enumerate(text.splitlines(), start=1):
        if line.startswith(MAIN_CLASS_PREFIX):
            main_class = line.removeprefix(MAIN_CLASS_PREFIX).strip()
        if not line or line.startswith("#"):
            continue
        fields = tuple(line.split("\t"))
        if fields == COLUMNS:
            continue
        if len(fields) != len(COLUMNS) or not re.fullmatch(r"[0-9a-f]{64}", fields[-1]):
            raise ServerError(f"Jar list of Neo4j {version}, line {number}: expected {', '.join(COLUMNS)}: {line!r}")
        jars.append(Jar(*fields))
    if not main_class or not jars:
        raise ServerError(f"Jar list of Neo4j {version} names no main class or no jars.")
    return LockList(version, main_class, tuple(jars))


def render(locked: LockList, browser_version: str) -> str:
    """The text of a list, as :func:`parse` reads it."""
    lines = [
        f"# Class path of Neo4j Community {locked.server_version} with Neo4j Browser {browser_version}, in its order.",
        f"# Made by: python -m ravu_kg.server.make_lock_list {locked.server_version}",
        f"{MAIN_CLASS_PREFIX}{locked.main_class}",
        "\t".join(COLUMNS),
        *("\t".join((jar.group, jar.artifact, jar.version, jar.classifier, jar.sha256)) for jar in locked.jars),
    ]
    return "\n".join(lines) + "\n"
