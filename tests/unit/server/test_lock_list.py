from __future__ import annotations

import hashlib
import zipfile
from pathlib import Path

import pytest

from ravu_kg.errors import ServerError
from ravu_kg.server import DEFAULT_VERSION, make_lock_list
from ravu_kg.server.lock_list import Jar, LockList, parse, read, render, versions


def test_both_supported_versions_have_a_list() -> None:
    assert versions() == ("2026.09.0", "5.26.28")
    assert versions()[0] == DEFAULT_VERSION


@pytest.mark.parametrize("version", versions())
def test_a_list_names_each_jar_once_with_browser_and_natives_and_no_test_libraries(version: str) -> None:
    locked = read(version)

    paths = [jar.path for jar in locked.jars]
    assert len(paths) == len(set(paths)) > 200
    artifacts = {(jar.artifact, jar.version) for jar in locked.jars}
    assert {("neo4j", version), ("neo4j-server", version), ("neo4j-browser", "5.24.0")} <= artifacts
    natives = {(jar.artifact.rsplit("-", 1)[1], jar.classifier) for jar in locked.jars if jar.classifier}
    assert natives == {
        ("epoll", "linux-x86_64"),
        ("epoll", "linux-aarch_64"),
        ("kqueue", "osx-x86_64"),
        ("kqueue", "osx-aarch_64"),
    }
    assert not [jar for jar in locked.jars if jar.artifact.startswith(("junit", "mockito", "hamcrest"))]


def test_the_entry_point_is_the_one_of_the_version() -> None:
    assert read("2026.09.0").main_class == "org.neo4j.server.Neo4jCommunity"
    assert read("5.26.28").main_class == "org.neo4j.server.CommunityEntryPoint"


def test_an_unknown_version_is_refused_with_those_to_choose_from() -> None:
    with pytest.raises(ServerError, match=r"Neo4j 4\.4\.0 .* 2026\.09\.0, 5\.26\.28"):
        read("4.4.0")


def test_a_list_survives_writing_and_reading() -> None:
    locked = read("5.26.28")

    assert parse("5.26.28", render(locked, "5.24.0")) == locked


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("org.x\tx\t1\t\tnothex", "line 2"),
        ("org.x\tx\t1\t" + "0" * 64, "line 2"),
        ("# only a comment", "no main class or no jars"),
    ],
)
def test_a_broken_list_is_refused(line: str, message: str) -> None:
    with pytest.raises(ServerError, match=message):
        parse("1.0.0", f"# main class: x.Main\n{line}\n")


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A repository as Maven leaves it: the server's jar, and one for a platform."""
    server = tmp_path / "org" / "neo4j" / "neo4j" / "9.9.9" / "neo4j-9.9.9.jar"
    native = tmp_path / "io" / "net" / "lib" / "1.0.Final" / "lib-1.0.Final-linux-x86_64.jar"
    for jar in (server, native):
        jar.parent.mkdir(parents=True)
    with zipfile.ZipFile(native, "w") as archive:
        archive.writestr("a.so", b"native")
    with zipfile.ZipFile(server, "w") as archive:
        archive.writestr("META-INF/services/org.neo4j.server.startup.EntryPoint", "org.neo4j.server.Main\n")
    return tmp_path


def test_a_list_is_made_from_what_maven_fetched(repository: Path) -> None:
    native, server = sorted(repository.rglob("*.jar"))

    locked = make_lock_list.lock("9.9.9", repository, [server, native])

    assert locked == LockList(
        "9.9.9",
        "org.neo4j.server.Main",
        (
            Jar("org.neo4j", "neo4j", "9.9.9", "", hashlib.sha256(server.read_bytes()).hexdigest()),
            Jar("io.net", "lib", "1.0.Final", "linux-x86_64", hashlib.sha256(native.read_bytes()).hexdigest()),
        ),
    )


def test_making_a_list_asks_maven_for_server_tools_and_browser(
    repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # A stand-in for mvn, which users and CI do not have: copies the repository and writes the class path down.
    programs = tmp_path / "programs"
    programs.mkdir()
    mvn = programs / "mvn"
    mvn.write_text(
        f"""#!/bin/sh -e
for argument in "$@"; do
  case $argument in
    -Dmaven.repo.local=*) repository=${{argument#*=}} ;;
    -Dmdep.outputFile=*) output=${{argument#*=}} ;;
  esac
done
mkdir -p "$repository"
cp -r {repository}/org {repository}/io "$repository"
cp pom.xml {tmp_path}/asked.xml
find "$repository" -name '*.jar' | sort -r | paste -s -d: > "$output"
"""
    )
    mvn.chmod(0o755)
    monkeypatch.setenv("PATH", f"{programs}:/usr/bin:/bin")

    path = make_lock_list.make("9.9.9", tmp_path)

    assert [jar.artifact for jar in parse("9.9.9", path.read_text()).jars] == ["neo4j", "lib"]
    asked = (tmp_path / "asked.xml").read_text()
    for part in (
        "<artifactId>neo4j</artifactId><version>9.9.9",
        "neo4j-server",
        "neo4j-browser</artifactId><version>5.24",
    ):
        assert part in asked


def test_jars_without_an_entry_point_make_no_list(repository: Path) -> None:
    native = sorted(repository.rglob("*.jar"))[0]

    with pytest.raises(SystemExit, match="entry point"):
        make_lock_list.lock("9.9.9", repository, [native])
