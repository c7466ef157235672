from __future__ import annotations

import os
import socket
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from ravu_kg.errors import ServerError
from ravu_kg.server import EmbeddedServer, ServerConfig
from ravu_kg.server.home import Home
from ravu_kg.server.processes import (
    ProcessRecord,
    answers_bolt,
    find_by_argument,
    find_recorded,
    free_port,
    is_alive,
    is_free,
    port_owner,
    spawn,
    terminate,
)

SLEEP = "import time; print('started', flush=True); time.sleep(60)"


@pytest.fixture
def sleeper(tmp_path: Path) -> Iterator[tuple[ProcessRecord, str]]:
    """A running process and an argument that only it has."""
    marker = f"--marker={tmp_path}"
    record = spawn([sys.executable, "-c", SLEEP, marker], tmp_path / "log")
    yield record, marker
    process = psutil.Process(record.pid) if psutil.pid_exists(record.pid) else None
    if process is not None and is_alive(process):
        process.kill()
        process.wait()


def test_a_spawned_process_has_its_own_session_and_writes_to_its_log(
    sleeper: tuple[ProcessRecord, str], tmp_path: Path
) -> None:
    record, _ = sleeper

    assert os.getsid(record.pid) == record.pid != os.getsid(0)
    deadline = time.monotonic() + 20
    while (tmp_path / "log").read_text() != "started\n":
        assert time.monotonic() < deadline
        time.sleep(0.02)


def test_flags_from_the_environment_do_not_reach_the_server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JDK_JAVA_OPTIONS", "-Xmx1m")
    record = spawn(
        [sys.executable, "-c", "import os; print('JDK_JAVA_OPTIONS' in os.environ, flush=True)"], tmp_path / "log"
    )
    psutil.Process(record.pid).wait(timeout=30)

    assert (tmp_path / "log").read_text() == "False\n"


def test_a_program_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(ServerError, match="nothing-here cannot be started"):
        spawn([str(tmp_path / "nothing-here")], tmp_path / "log")


def test_a_process_is_found_by_its_record_and_by_its_argument(sleeper: tuple[ProcessRecord, str]) -> None:
    record, marker = sleeper

    by_record, by_argument = find_recorded(record, marker), find_by_argument(marker)

    assert by_record is not None
    assert by_argument is not None
    assert by_record.pid == by_argument.pid == record.pid


def test_another_process_with_the_recorded_id_is_not_taken_for_it(sleeper: tuple[ProcessRecord, str]) -> None:
    record, marker = sleeper

    assert find_recorded(ProcessRecord(record.pid, record.started_at - 100), marker) is None
    assert find_recorded(record, "--marker=another") is None


def test_stopping_leaves_a_foreign_process_with_a_reused_id_alone(
    sleeper: tuple[ProcessRecord, str], tmp_path: Path
) -> None:
    record, _ = sleeper
    home = Home(tmp_path / "home")
    home.prepare()
    home.write_process(record)
    server = EmbeddedServer(ServerConfig(home=home.path))

    assert not server.status().running
    assert server.stop() is False
    assert is_alive(psutil.Process(record.pid))
    assert home.read_process() is None


def test_a_terminated_child_counts_as_dead_at_once(sleeper: tuple[ProcessRecord, str]) -> None:
    record, marker = sleeper
    process = psutil.Process(record.pid)

    process.kill()
    deadline = time.monotonic() + 20
    while is_alive(process):
        assert time.monotonic() < deadline
        time.sleep(0.01)

    assert find_recorded(record, marker) is None
    assert find_by_argument(marker) is None
    assert terminate(process, 1.0)


def test_terminating_waits_and_says_when_it_was_in_vain(tmp_path: Path) -> None:
    stubborn = "import signal, time; signal.signal(15, signal.SIG_IGN); print('ready', flush=True); time.sleep(60)"
    record = spawn([sys.executable, "-c", stubborn], tmp_path / "log")
    process = psutil.Process(record.pid)
    deadline = time.monotonic() + 20
    while (tmp_path / "log").read_text() != "ready\n":
        assert time.monotonic() < deadline
        time.sleep(0.02)

    assert not terminate(process, 0.2)
    assert is_alive(process)
    process.kill()
    assert terminate(process, 5.0)


def test_a_process_that_does_not_listen_does_not_answer(sleeper: tuple[ProcessRecord, str]) -> None:
    assert not answers_bolt(psutil.Process(sleeper[0].pid), free_port())


def test_a_port_in_use_is_not_free_and_its_owner_is_known() -> None:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        port: int = listener.getsockname()[1]

        assert not is_free(port)
        assert free_port(preferred=port) != port
        assert port_owner(port).endswith(f"(process {os.getpid()})")
    assert port_owner(port) == "another program"


def test_the_preferred_port_is_given_unless_it_is_spoken_for() -> None:
    port = free_port()

    assert free_port(preferred=port) == port
    assert free_port(preferred=port, taken=frozenset({port})) != port
