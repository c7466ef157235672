"""The chaos can fail: what is lost is noticed, and its proxy does to a connection what it says."""

from __future__ import annotations

import socket
import sqlite3
import subprocess
import sys
import threading
import time
import zipfile
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tests.chaos.ledger import Ledger, MissedError, NotHereError
from tests.chaos.proxy import Proxy
from tests.chaos.secrecy import ArgumentWatch, holds
from tests.chaos.world import CONCURRENCY, Calls


@pytest.fixture
def ledger() -> Ledger:
    return Ledger(time.monotonic() + 60)


def test_a_case_that_fails_is_lost_and_the_others_go_on(ledger: Ledger, capsys: pytest.CaptureFixture[str]) -> None:
    with ledger.case("killed", "one"):
        raise ValueError("another graph")
    with ledger.case("killed", "two"):
        pass
    with ledger.case("killed", "too late"):
        raise MissedError
    with ledger.case("disk", "three"):
        raise NotHereError("no root")
    assert ledger.lost == 1
    rows = [line.split() for line in ledger.table().splitlines()]
    assert ["killed", "2", "1", "1"] in rows
    assert ["all", "2", "1", "1"] in rows
    assert "left out: disk: three (no root)" in ledger.table()
    assert "another graph" in capsys.readouterr().out


def test_what_there_is_no_time_for_is_told(ledger: Ledger) -> None:
    assert ledger.room_for("disk", "one", 30)
    assert not ledger.room_for("disk", "two", 90)
    assert "left out: disk: two (no time left)" in ledger.table()


class Counted:
    """Calls as the scripted server received them, and replies as a run keeps them."""

    def __init__(self, cache: Path, whole: int) -> None:
        self.server: Any = SimpleNamespace(received=[])
        self.calls = Calls(self.server, cache, whole)
        self._file = cache / "replies.sqlite"
        with closing(sqlite3.connect(self._file)) as connection:
            connection.execute("CREATE TABLE reply (key TEXT)")
            connection.commit()

    def ask(self, *numbers: int) -> None:
        self.server.received += [SimpleNamespace(path="/", raw={"n": n}, protocol="chat") for n in numbers]

    def keep(self, *numbers: int) -> None:
        with closing(sqlite3.connect(self._file)) as connection:
            connection.executemany("INSERT INTO reply VALUES (?)", [(str(n),) for n in numbers])
            connection.commit()


def test_calls_that_were_under_way_may_be_repeated(tmp_path: Path) -> None:
    run = Counted(tmp_path, 10)
    run.ask(*range(6))
    run.keep(*range(4))
    run.calls.disturbed()
    run.ask(*range(4, 10))
    run.keep(*range(4, 10))
    run.calls.ended()


def test_a_call_whose_reply_was_kept_and_that_is_made_again_is_noticed(tmp_path: Path) -> None:
    run = Counted(tmp_path, 10)
    run.ask(*range(6))
    run.keep(*range(4))
    run.calls.disturbed()
    run.ask(3, *range(4, 10))
    run.keep(*range(4, 10))
    with pytest.raises(AssertionError, match="only 6 had no reply"):
        run.calls.ended()


def test_more_repeated_calls_than_were_under_way_are_noticed(tmp_path: Path) -> None:
    run = Counted(tmp_path, 20)
    run.ask(*range(10))
    run.calls.disturbed()
    run.ask(*range(20))
    run.keep(*range(20))
    assert CONCURRENCY < 10
    with pytest.raises(AssertionError, match="10 calls were repeated"):
        run.calls.ended()


@pytest.fixture
def echo() -> Iterator[int]:
    """The port of a server that says everything back."""
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def serve(connection: socket.socket) -> None:
            with connection, suppress(OSError):
                while said := connection.recv(4096):
                    connection.sendall(said)

        def accept() -> None:
            with suppress(OSError):
                while True:
                    threading.Thread(target=serve, args=(listener.accept()[0],), daemon=True).start()

        threading.Thread(target=accept, daemon=True).start()
        yield listener.getsockname()[1]
        with suppress(OSError):
            listener.shutdown(socket.SHUT_RDWR)


def test_the_proxy_forwards_holds_and_cuts(echo: int) -> None:
    with Proxy(echo) as proxy:
        with socket.create_connection(("127.0.0.1", proxy.port), timeout=30) as client:
            client.sendall(b"hello")
            assert client.recv(100) == b"hello"
            proxy.hold()
            client.sendall(b"later")
            client.settimeout(0.3)
            with pytest.raises(TimeoutError):
                client.recv(100)
            client.settimeout(30)
            proxy.go_on()
            assert client.recv(100) == b"later"
            proxy.cut()
            with suppress(ConnectionError):
                assert client.recv(100) == b""
        proxy.refuses = True
        with socket.create_connection(("127.0.0.1", proxy.port), timeout=30) as client, suppress(ConnectionError):
            assert client.recv(100) == b""


def test_the_proxy_cuts_in_the_middle_of_a_message(echo: int) -> None:
    with Proxy(echo) as proxy:
        proxy.cuts_after = 7
        with socket.create_connection(("127.0.0.1", proxy.port), timeout=30) as client:
            client.sendall(b"hello")
            assert client.recv(100) == b"hello"
            client.sendall(b"hello")
            with suppress(ConnectionError):
                assert client.recv(100) in (b"", b"he")


def test_a_marker_is_found_in_files_archives_and_arguments(tmp_path: Path) -> None:

    (tmp_path / "plain").write_bytes(b"x" * (1 << 20) + b"marker123")
    with zipfile.ZipFile(tmp_path / "some.ravu", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a", "marker123" * 3)
    (tmp_path / "other").write_bytes(b"marker12")
    assert [holds(tmp_path / name, b"marker123") for name in ("plain", "some.ravu", "other")] == [True, True, False]
    with ArgumentWatch("marker123") as watch:
        process = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)", "marker123"])
        end_s = time.monotonic() + 30
        while not watch.seen and time.monotonic() < end_s:
            time.sleep(0.1)
        process.kill()
        process.wait()
    assert watch.seen == {sys.executable}


def test_what_fails_outside_of_a_case_is_lost_as_well(ledger: Ledger) -> None:
    with ledger.step("many askers"):
        raise OSError("no such process")
    assert ledger.lost == 1
