"""Fetching jars, over HTTP from a repository on this machine."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from ravu_kg.errors import ServerError
from ravu_kg.server.fetching import cache_dir, fetch_list, jar_folder
from ravu_kg.server.lock_list import Jar, LockList

CONTENTS = {"one": b"first jar", "two": b"second jar", "three": b"third jar"}


class Repository:
    """A repository of the Maven layout, served on loopback, that notes which jars are asked for."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.asked: list[str] = []
        handler = partial(_Handler, self.asked, directory=str(folder))
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self._thread = threading.Thread(target=self._server.serve_forever)
        self._thread.start()
        self.urls = {"local": f"http://127.0.0.1:{self._server.server_port}"}

    def put(self, jar: Jar, content: bytes) -> None:
        path = self.folder / jar.path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


class _Handler(SimpleHTTPRequestHandler):
    def __init__(self, asked: list[str], *args: object, directory: str) -> None:
        self._asked = asked
        super().__init__(*args, directory=directory)  # type: ignore[arg-type]

    def log_message(self, format: str, *args: object) -> None:
        if self.path.endswith(".jar"):
            self._asked.append(self.path.rsplit("/", 1)[1])


@pytest.fixture
def jars() -> tuple[Jar, ...]:
    return tuple(
        Jar("org.example", name, "1.0", "linux-x86_64" if name == "two" else "", hashlib.sha256(content).hexdigest())
        for name, content in CONTENTS.items()
    )


@pytest.fixture
def repository(tmp_path: Path, jars: tuple[Jar, ...]) -> Iterator[Repository]:
    repository = Repository(tmp_path / "repository")
    for jar in jars:
        repository.put(jar, CONTENTS[jar.artifact])
    yield repository
    repository.close()


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("RAVU_KG_CACHE", str(tmp_path / "cache"))
    assert cache_dir() == tmp_path / "cache"
    return jar_folder()


def locked(jars: tuple[Jar, ...]) -> LockList:
    return LockList("1.0.0", "example.Main", jars)


def test_jars_come_in_class_path_order_with_progress_and_nothing_else_is_left(
    repository: Repository, jars: tuple[Jar, ...], cache: Path
) -> None:
    said: list[str] = []

    paths = fetch_list(locked(jars), said.append, repository.urls)

    assert [path.read_bytes() for path in paths] == list(CONTENTS.values())
    assert paths[1].name == "two-1.0-linux-x86_64.jar"
    assert said[0].startswith("Fetching Neo4j 1.0.0: 3 jars into")
    assert said[-1].startswith("Fetched 3 jars of Neo4j 1.0.0 in")
    assert {path.name for path in cache.iterdir()} == {"org", "fetch.lock"}


def test_what_is_there_is_not_fetched_again(repository: Repository, jars: tuple[Jar, ...]) -> None:
    fetch_list(locked(jars[:2]), print, repository.urls)
    repository.asked.clear()

    fetch_list(locked(jars), print, repository.urls)

    assert repository.asked == ["three-1.0.jar"]


def test_a_damaged_jar_is_removed_and_fetched_again(repository: Repository, jars: tuple[Jar, ...]) -> None:
    paths = fetch_list(locked(jars), print, repository.urls)
    repository.asked.clear()
    paths[0].write_bytes(b"half of")

    fetch_list(locked(jars), print, repository.urls)

    assert paths[0].read_bytes() == CONTENTS["one"]
    assert repository.asked == ["one-1.0.jar"]


def test_a_jar_with_other_content_than_pinned_is_never_kept(
    repository: Repository, jars: tuple[Jar, ...], cache: Path
) -> None:
    repository.put(jars[0], b"something else")

    with pytest.raises(ServerError, match=r"org\.example:one:1\.0: its content does not have the pinned SHA-256"):
        fetch_list(locked(jars), print, repository.urls)

    assert repository.asked.count("one-1.0.jar") == 3
    assert not (cache / jars[0].path).exists()
    assert not list(cache.glob("incoming-*"))


def test_a_jar_that_is_not_to_be_had_is_named(repository: Repository, jars: tuple[Jar, ...]) -> None:
    (repository.folder / jars[1].path).unlink()

    with pytest.raises(ServerError, match=r"org\.example:two:1\.0:linux-x86_64: it could not be fetched.*try again"):
        fetch_list(locked(jars), print, repository.urls)


def test_a_cache_that_cannot_be_written_is_named(
    jars: tuple[Jar, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("RAVU_KG_CACHE", str(tmp_path / "file"))

    with pytest.raises(ServerError, match=r"cannot be kept in .*file/neo4j.*RAVU_KG_CACHE"):
        fetch_list(locked(jars), print)
