"""What the embedded server says when it cannot start: nothing is launched here."""

from __future__ import annotations

import socket
from pathlib import Path

import pytest
from filelock import FileLock

from ravu_kg.errors import ServerError
from ravu_kg.server import EmbeddedServer, Endpoint, ServerConfig, browser_link, embedded
from ravu_kg.server.configuring import Ports
from ravu_kg.server.home import Home, Marker

ENDPOINT = Endpoint(
    bolt_uri="bolt://127.0.0.1:20001",
    browser_url="http://127.0.0.1:20002/browser/",
    username="neo4j",
    password="s3cret-word",
    version="2026.09.0",
    pid=1,
)


def test_a_link_fills_the_browsers_editor_and_names_the_server_but_not_the_password() -> None:
    link = browser_link(ENDPOINT, "MATCH (n {id: 'a/1'})\nRETURN n & 1")

    assert link == (
        "http://127.0.0.1:20002/browser/?cmd=edit&arg=MATCH%20%28n%20%7Bid%3A%20%27a%2F1%27%7D%29%0ARETURN%20n%20%26%201"
        "&dbms=bolt%3A%2F%2Fneo4j%40127.0.0.1%3A20001"
    )


def test_the_password_is_not_shown_when_an_endpoint_is_printed() -> None:
    assert "s3cret-word" not in repr(ENDPOINT)


def test_a_home_that_was_never_used_has_a_status_and_nothing_to_stop(tmp_path: Path) -> None:
    server = EmbeddedServer(ServerConfig(home=tmp_path / "home"))

    status = server.status()

    assert (status.running, status.endpoint, status.data_bytes) == (False, None, 0)
    assert status.version == "2026.09.0"
    assert server.stop() is False
    server.reset()
    assert not (tmp_path / "home").exists()


def test_data_of_another_version_is_not_touched(tmp_path: Path) -> None:
    home = Home(tmp_path / "home")
    home.prepare()
    (home.path / "data" / "databases" / "system").mkdir(parents=True)
    home.write_marker(Marker("5.26.28", Ports(20001, 20002)))
    server = EmbeddedServer(ServerConfig(home=home.path, version="2026.09.0"))

    with pytest.raises(ServerError, match=r"holds data of Neo4j 5\.26\.28, but 2026\.09\.0 was asked for"):
        server.start()
    assert server.status().version == "5.26.28"


def test_an_unknown_version_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ServerError, match="no jar list"):
        EmbeddedServer(ServerConfig(home=tmp_path / "home", version="1.0")).start()


def test_a_home_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")

    with pytest.raises(ServerError, match="file/home cannot be written"):
        EmbeddedServer(ServerConfig(home=tmp_path / "file" / "home")).start()


def test_a_lock_that_another_command_never_gives_back_ends_in_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(embedded, "LOCK_TIMEOUT_S", 0.2)
    home = Home(tmp_path / "home")
    home.prepare()
    said: list[str] = []

    with FileLock(home.lock), pytest.raises(ServerError, match=r"has held .*start\.lock"):
        EmbeddedServer(ServerConfig(home=home.path)).start(said.append)

    assert said == ["Another command is starting or stopping the server; waiting for it"]


def test_a_lock_left_behind_by_a_crash_does_not_hold(tmp_path: Path) -> None:
    home = Home(tmp_path / "home")
    home.prepare()
    home.lock.write_text("left behind")

    assert EmbeddedServer(ServerConfig(home=home.path)).stop() is False


@pytest.mark.parametrize("connector", ["bolt", "http"])
def test_a_configured_port_that_is_taken_is_named_with_its_owner(connector: str, tmp_path: Path) -> None:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        port: int = listener.getsockname()[1]
        ports = {"bolt_port": None, "http_port": None} | {f"{connector}_port": port}
        server = EmbeddedServer(ServerConfig(home=tmp_path / "home", **ports))

        with pytest.raises(ServerError, match=rf"port {port} is taken by .*\(process \d+\)\. Stop it, or set another"):
            server.start()
