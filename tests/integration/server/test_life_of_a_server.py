"""One embedded server from its first start to its reset, in the fewest starts that show it all."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import neo4j
import psutil
import pytest

from ravu_kg.errors import AuthenticationError, GraphError, ServerError
from ravu_kg.server import DEFAULT_VERSION, EmbeddedServer, Endpoint, ServerConfig, ServerStatus
from ravu_kg.server.processes import free_port, is_alive, is_free

pytestmark = pytest.mark.neo4j

START = """
import json, sys
from pathlib import Path
from ravu_kg.server import EmbeddedServer, ServerConfig

home, version, bolt, http = sys.argv[1:]
config = ServerConfig(Path(home), version, int(bolt), int(http), heap_mb=512, page_cache_mb=64)
said = []
endpoint = EmbeddedServer(config).start(said.append)
print(json.dumps({"pid": endpoint.pid, "bolt_uri": endpoint.bolt_uri, "said": said}))
"""


@dataclass(frozen=True)
class Life:
    """What was seen."""

    home: Path
    ports: tuple[int, int]
    started_by_two: list[dict[str, object]]
    started_again: Endpoint
    started_again_s: float
    running: ServerStatus
    modes: dict[str, int]
    command_line: list[str]
    refused: GraphError
    recovered: Endpoint
    recovered_lines: list[str]
    found_without_record: Endpoint
    nodes_after_crash: int
    stopped: tuple[bool, bool]
    stop_s: float
    after_stop: ServerStatus
    ports_free: bool
    died: GraphError
    data_after_reset: int


@pytest.fixture(scope="module")
def life(tmp_path_factory: pytest.TempPathFactory) -> Life:
    home = tmp_path_factory.mktemp("life") / "a home"
    version = os.environ.get("RAVU_KG_TEST_NEO4J_VERSION") or DEFAULT_VERSION
    bolt = free_port()
    http = free_port(taken=frozenset({bolt}))
    config = ServerConfig(home, version, bolt, http, heap_mb=512, page_cache_mb=64)
    server = EmbeddedServer(config)
    try:
        command = [sys.executable, "-c", START, str(home), version, str(bolt), str(http)]
        both = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(2)]
        by_two = [json.loads(process.communicate(timeout=400)[0]) for process in both]

        before = time.monotonic()
        again = server.start()
        again_s = time.monotonic() - before
        running = server.status()
        paths = (home, home / "password", home / "conf" / "neo4j.conf", home / "conf" / "java.args")
        modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in paths}
        process = psutil.Process(again.pid)
        command_line = process.cmdline()
        query(again, "CREATE (:Kept)")

        process.kill()
        while is_alive(process):
            time.sleep(0.05)
        (home / "password").write_text("changed-elsewhere")
        refused = error_of(server)
        (home / "password").write_text(again.password)
        (home / "process.json").unlink()
        found = server.start()
        lines: list[str] = []
        recovered = server.start(lines.append)
        nodes = query(recovered, "MATCH (n:Kept) RETURN count(n)")

        before = time.monotonic()
        stopped = server.stop()
        stop_s = time.monotonic() - before
        after_stop = server.status()
        ports_free = is_free(bolt) and is_free(http)
        died = error_of(EmbeddedServer(ServerConfig(home, version, bolt, http, heap_mb=1)))
        stopped_twice = (stopped, server.stop())
        server.reset()
        return Life(
            home=home,
            ports=(bolt, http),
            started_by_two=by_two,
            started_again=again,
            started_again_s=again_s,
            running=running,
            modes=modes,
            command_line=command_line,
            refused=refused,
            recovered=recovered,
            recovered_lines=lines,
            found_without_record=found,
            nodes_after_crash=nodes,
            stopped=stopped_twice,
            stop_s=stop_s,
            after_stop=after_stop,
            ports_free=ports_free,
            died=died,
            data_after_reset=server.status().data_bytes,
        )
    finally:
        server.stop()


def query(endpoint: Endpoint, text: str) -> int:
    with neo4j.GraphDatabase.driver(endpoint.bolt_uri, auth=(endpoint.username, endpoint.password)) as driver:
        records, _, _ = driver.execute_query(text)  # type: ignore[arg-type]
        return records[0][0] if records else 0


def error_of(server: EmbeddedServer) -> GraphError:
    with pytest.raises(GraphError) as caught:
        server.start()
    return caught.value


def test_two_commands_at_once_start_one_server_that_outlives_them(life: Life) -> None:
    pids = {found["pid"] for found in life.started_by_two}

    assert pids == {life.started_again.pid}
    assert sum("Starting Neo4j" in str(found["said"]) for found in life.started_by_two) == 1
    assert {found["bolt_uri"] for found in life.started_by_two} == {f"bolt://127.0.0.1:{life.ports[0]}"}


def test_starting_a_running_server_only_looks(life: Life) -> None:
    assert life.started_again_s < 2.0


def test_the_status_of_a_running_server_says_how_to_reach_it(life: Life) -> None:
    assert life.running.running
    assert life.running.endpoint == life.started_again
    assert life.running.endpoint.browser_url == f"http://127.0.0.1:{life.ports[1]}/browser/"
    assert life.running.home == life.home
    assert 100_000 < life.running.data_bytes < 50_000_000


def test_only_the_user_can_read_the_password_which_no_process_list_shows(life: Life) -> None:
    assert life.modes == {"a home": 0o700, "password": 0o600, "neo4j.conf": 0o600, "java.args": 0o600}
    assert life.started_again.password not in " ".join(life.command_line)


def test_a_password_changed_elsewhere_is_told_with_the_file_to_correct(life: Life) -> None:
    assert isinstance(life.refused, AuthenticationError)
    assert str(life.home / "password") in str(life.refused)


def test_a_killed_server_is_started_anew_with_its_data_at_the_same_address(life: Life) -> None:
    assert life.recovered.pid != life.started_again.pid
    assert life.recovered.bolt_uri == life.started_again.bolt_uri
    assert life.recovered.browser_url == life.started_again.browser_url
    assert life.nodes_after_crash == 1


def test_a_server_whose_record_was_lost_is_found_and_kept(life: Life) -> None:
    assert life.found_without_record == life.recovered
    assert life.recovered_lines == []


def test_a_stop_is_clean_quick_and_done_once(life: Life) -> None:
    assert life.stopped == (True, False)
    assert life.stop_s < 30
    assert (life.after_stop.running, life.after_stop.endpoint) == (False, None)
    assert life.ports_free


def test_a_server_that_dies_while_starting_is_told_with_its_last_words_and_their_place(life: Life) -> None:
    assert isinstance(life.died, ServerError)
    assert "heap" in str(life.died)
    assert str(life.home / "logs" / "neo4j.log") in str(life.died)


def test_a_reset_leaves_no_data(life: Life) -> None:
    assert life.data_after_reset == 0
    assert not (life.home / "password").exists()
