"""Processes and ports: start one that outlives us, find it again, end it."""

from __future__ import annotations

import os
import random
import signal
import socket
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import psutil

from ravu_kg.errors import ServerError
from ravu_kg.server.configuring import HOST

_START_TIME_TOLERANCE_S = 1.0
_OWN_PORTS = range(20000, 32000)  # below what operating systems hand out for outgoing connections
# Bolt's opening words: magic, then four version proposals; any server answers with the one it takes, or zero.
_BOLT_HANDSHAKE = bytes.fromhex("6060b017 00080805 00020405 00000004 00000003")


@dataclass(frozen=True, slots=True)
class ProcessRecord:
    """What is written down of a started server, enough not to mistake another process for it."""

    pid: int
    started_at: float
    """Creation time as the system gives it; a process that got the same id later has another."""


def spawn(command: list[str], output: Path) -> ProcessRecord:
    """Start a process in its own session, so that neither the end of this one nor Ctrl-C ends it.

    Raises:
        ServerError: it cannot be started.
    """
    environment = {name: value for name, value in os.environ.items() if name not in _JAVA_VARIABLES}
    log = os.open(output, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    null = os.open(os.devnull, os.O_RDONLY)
    try:
        # Not subprocess: its object complains when it goes before the process does, which is what is wanted here.
        pid = os.posix_spawn(
            command[0],
            command,
            environment,
            file_actions=[
                (os.POSIX_SPAWN_DUP2, null, 0),
                (os.POSIX_SPAWN_DUP2, log, 1),
                (os.POSIX_SPAWN_DUP2, log, 2),
            ],
            setsid=True,
        )
    except OSError as error:
        raise ServerError(f"{command[0]} cannot be started: {error}") from error
    finally:
        os.close(log)
        os.close(null)
    return ProcessRecord(pid, psutil.Process(pid).create_time())


# They would add flags to the server's own.
_JAVA_VARIABLES = frozenset({"JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS", "_JAVA_OPTIONS", "CLASSPATH"})


def find_recorded(record: ProcessRecord, marker: str) -> psutil.Process | None:
    """The recorded process if it still runs and is the same: same start, and ``marker`` among its arguments."""
    try:
        process = psutil.Process(record.pid)
        same = abs(process.create_time() - record.started_at) < _START_TIME_TOLERANCE_S
        return process if same and is_alive(process) and marker in process.cmdline() else None
    except psutil.Error:
        return None


def find_by_argument(marker: str) -> psutil.Process | None:
    """The process that has ``marker`` among its arguments: for when its record was lost."""
    for process in psutil.process_iter(["cmdline"]):
        if marker in (process.info["cmdline"] or ()) and is_alive(process):
            return process
    return None


def is_alive(process: psutil.Process) -> bool:
    """Whether it runs; a child that ended and was not waited for does not."""
    try:
        if process.status() != psutil.STATUS_ZOMBIE:
            return process.is_running()
        process.wait(timeout=0)
    except (psutil.NoSuchProcess, psutil.TimeoutExpired):
        pass
    return False


def terminate(process: psutil.Process, timeout_s: float) -> bool:
    """Ask a process to end and wait; False when it still runs afterwards."""
    with suppress(psutil.NoSuchProcess):
        process.send_signal(signal.SIGTERM)
    return _ends(process, timeout_s)


def kill(process: psutil.Process, timeout_s: float) -> bool:
    """End a process by force and wait; False when it still runs afterwards."""
    with suppress(psutil.NoSuchProcess):
        process.kill()
    return _ends(process, timeout_s)


def _ends(process: psutil.Process, timeout_s: float) -> bool:
    """Waits for the end, not for the parent to take note of it: that may be a program that never does."""
    deadline = time.monotonic() + timeout_s
    while is_alive(process):
        if time.monotonic() > deadline:
            return False
        time.sleep(0.05)
    return True


def answers_bolt(process: psutil.Process, port: int, timeout_s: float = 2.0) -> bool:
    """Whether the process speaks Bolt on ``port``: a handshake, without a driver or a login.

    Another server's answer on that port does not count.
    """
    try:
        listening = [found for found in process.net_connections("tcp") if found.status == psutil.CONN_LISTEN]
        if port not in {found.laddr.port for found in listening if found.laddr}:
            return False
    except psutil.Error:
        return False
    try:
        with socket.create_connection((HOST, port), timeout=timeout_s) as connection:
            connection.sendall(_BOLT_HANDSHAKE)
            answer = connection.recv(4)
            return len(answer) == 4 and answer != b"\0\0\0\0"
    except OSError:
        return False


def is_free(port: int) -> bool:
    """Whether the port can be listened on."""
    with socket.socket() as listener:
        # As servers do: a port whose last connections are only just closed is free.
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind((HOST, port))
        except OSError:
            return False
        return True


def free_port(preferred: int | None = None, taken: frozenset[int] = frozenset()) -> int:
    """A free port: the preferred one if it can be had.

    Raises:
        ServerError: none was found.
    """
    if preferred is not None and preferred not in taken and is_free(preferred):
        return preferred
    for port in random.sample(_OWN_PORTS, 200):
        if port not in taken and is_free(port):
            return port
    raise ServerError("No free port was found on 127.0.0.1. Close programs that listen on many ports and try again.")


def port_owner(port: int) -> str:
    """Who listens on the port, in words."""
    try:
        for connection in psutil.net_connections("tcp"):
            if connection.status == psutil.CONN_LISTEN and connection.laddr and connection.laddr.port == port:
                if connection.pid is None:
                    break
                return f"{psutil.Process(connection.pid).name()} (process {connection.pid})"
    except psutil.Error:
        pass  # macOS tells only root
    return "another program"
