"""Makes the jar list of a server version: ``python -m ravu_kg.server.make_lock_list 2026.09.0``.

For maintainers only; needs ``mvn`` (Debian package ``maven``) and a repository to fetch from. Maven resolves the
runtime class path of the server, of the import and admin tools that come with it, and of the Browser; each file found
is written down with its SHA-256. The main class is the one that the server's own jar declares as its entry point.
"""

from __future__ import annotations

import hashlib
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Sequence
from pathlib import Path

from ravu_kg.server.lock_list import Jar, LockList, render

BROWSER_VERSION = "5.24.0"
_ENTRY_POINT = "META-INF/services/org.neo4j.server.startup.EntryPoint"
_PROJECT = """<project xmlns="http://maven.apache.org/POM/4.0.0"><modelVersion>4.0.0</modelVersion>
<groupId>local</groupId><artifactId>server</artifactId><version>1</version><packaging>pom</packaging>
<dependencies>{dependencies}</dependencies></project>
"""
_DEPENDENCY = "<dependency><groupId>{}</groupId><artifactId>{}</artifactId><version>{}</version></dependency>"


def main(arguments: Sequence[str] | None = None) -> int:
    """Make the list of each version named, inside this package."""
    for version in sys.argv[1:] if arguments is None else arguments:
        make(version, Path(__file__).parent / "locks")
    return 0


def make(version: str, target: Path) -> Path:
    """Write ``VERSION.tsv`` into the target folder."""
    with tempfile.TemporaryDirectory() as folder:
        repository = Path(folder) / "repository"
        locked = lock(version, repository, class_path(version, Path(folder), repository))
    path = target / f"{version}.tsv"
    path.write_text(render(locked, BROWSER_VERSION), encoding="utf-8")
    return path


def class_path(version: str, folder: Path, repository: Path) -> list[Path]:
    """The jars that Maven puts on the runtime class path, fetched into ``repository``."""
    roots = (
        ("org.neo4j", "neo4j", version),
        ("org.neo4j.app", "neo4j-server", version),
        ("org.neo4j.client", "neo4j-browser", BROWSER_VERSION),
    )
    dependencies = "".join(_DEPENDENCY.format(*root) for root in roots)
    (folder / "pom.xml").write_text(_PROJECT.format(dependencies=dependencies), encoding="utf-8")
    output = folder / "class-path.txt"
    command = ["mvn", "-B", "-q", f"-Dmaven.repo.local={repository}", "dependency:build-classpath"]
    subprocess.run([*command, "-DincludeScope=runtime", f"-Dmdep.outputFile={output}"], cwd=folder, check=True)
    return [Path(entry) for entry in output.read_text(encoding="utf-8").strip().split(":")]


def lock(version: str, repository: Path, jars: Sequence[Path]) -> LockList:
    """The list for jars that lie in a repository of the Maven layout."""
    return LockList(version, _main_class(jars), tuple(_locked(repository, jar) for jar in jars))


def _locked(repository: Path, jar: Path) -> Jar:
    *group, artifact, version, name = jar.relative_to(repository).parts
    classifier = name.removeprefix(f"{artifact}-{version}").removesuffix(".jar").removeprefix("-")
    with jar.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    return Jar(".".join(group), artifact, version, classifier, digest)


def _main_class(jars: Sequence[Path]) -> str:
    for jar in jars:
        with zipfile.ZipFile(jar) as archive:
            if _ENTRY_POINT in archive.namelist():
                return archive.read(_ENTRY_POINT).decode().strip()
    raise SystemExit("No jar declares the server's entry point.")


if __name__ == "__main__":
    raise SystemExit(main())
