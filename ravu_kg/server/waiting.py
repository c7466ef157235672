"""Waiting for a server that was started: until it answers, or has told why it cannot."""

from __future__ import annotations

import time
from pathlib import Path

import psutil

from ravu_kg.errors import AuthenticationError, ServerError, UnavailableError
from ravu_kg.server.configuring import HOST, Ports
from ravu_kg.server.fetching import Progress
from ravu_kg.server.home import Home
from ravu_kg.server.processes import answers_bolt, is_alive, is_free, terminate
from ravu_kg.server.records import USERNAME

START_TIMEOUT_S = 600.0
STOP_TIMEOUT_S = 90.0

_RELEASE_TIMEOUT_S = 10.0
_REPORT_EVERY_S = 3.0


def await_answer(process: psutil.Process, home: Home, ports: Ports, report: Progress) -> None:
    """Wait until the server has answered a query.

    Raises:
        ServerError: it died or takes too long.
        AuthenticationError: it refuses the password in the home.
    """
    from ravu_kg.server.probe import wait_for_bolt  # the driver is paid for only by who starts a server

    uri = f"bolt://{HOST}:{ports.bolt}"
    started = time.monotonic()
    watch = _Watch(process, home, started, report)
    try:
        while not answers_bolt(process, ports.bolt):
            watch.look()
            time.sleep(0.1)
        report("Neo4j listens; waiting for the answer to a first query")
        wait_for_bolt(uri, USERNAME, home.password(), START_TIMEOUT_S, still_starting=watch.look)
    except AuthenticationError as error:
        raise wrong_password(home) from error
    except UnavailableError as error:
        raise ServerError(f"Neo4j was started but does not answer: {error}. See {home.log}") from error
    except KeyboardInterrupt:
        terminate(process, STOP_TIMEOUT_S)
        raise
    report(f"Neo4j answers at {uri} after {time.monotonic() - started:.1f} s")


def wrong_password(home: Home) -> AuthenticationError:
    """The error for a server that refuses the password in its home."""
    return AuthenticationError(
        f"The embedded Neo4j refuses the password in {home.password_file}. If it was changed, "
        "write the new one into that file."
    )


def await_release(ports: Ports) -> None:
    """Let a crashed server's last threads go: they hold its ports and files a moment longer than itself."""
    deadline = time.monotonic() + _RELEASE_TIMEOUT_S
    while not (is_free(ports.bolt) and is_free(ports.http)) and time.monotonic() < deadline:
        time.sleep(0.1)


class _Watch:
    """Looks after a server that is starting."""

    def __init__(self, process: psutil.Process, home: Home, started: float, report: Progress) -> None:
        self._process = process
        self._home = home
        self._started = started
        self._report = report
        self._last_report = started

    def look(self) -> None:
        """Report now and then.

        Raises:
            ServerError: the server died, or takes too long.
        """
        now = time.monotonic()
        if not is_alive(self._process):
            self._home.write_process(None)
            raise ServerError(_why_it_died(self._home.last_log_lines(), self._home.log))
        if now - self._started > START_TIMEOUT_S:
            terminate(self._process, STOP_TIMEOUT_S)
            raise ServerError(
                f"Neo4j did not answer within {START_TIMEOUT_S:.0f} s. Last it said:\n"
                f"{self._home.last_log_lines()}\nAll of it: {self._home.log}"
            )
        if now - self._last_report >= _REPORT_EVERY_S:
            self._last_report = now
            self._report(f"Waiting for Neo4j to answer ({now - self._started:.0f} s)")


def _why_it_died(said: str, log: Path) -> str:
    hints = {
        "Address already in use": "A port was taken while it started: try again, or set other ports.",
        "No space left on device": "The disk is full: make room, or choose another home folder.",
        "has been locked by another process": "Another server uses this data: stop it first.",
    }
    hint = next((text for sign, text in hints.items() if sign in said), "")
    return f"Neo4j ended while starting. {hint}\nLast it said:\n{said}\nAll of it: {log}"
