"""The embedded server: a real Neo4j on this machine, for one user, reachable from this machine only."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager

import psutil
from filelock import FileLock, Timeout

from ravu_kg.errors import AuthenticationError, ServerError
from ravu_kg.server import lock_list
from ravu_kg.server.admin import AdminTool
from ravu_kg.server.configuring import HOST, Java, Ports, find_java, java_arguments, settings_text, sized_memory
from ravu_kg.server.fetching import Progress, fetch, silent
from ravu_kg.server.home import PREFERRED_PORTS, Home, Marker, unusable
from ravu_kg.server.processes import (
    ProcessRecord,
    answers_bolt,
    find_by_argument,
    find_recorded,
    free_port,
    is_free,
    kill,
    port_owner,
    spawn,
    terminate,
)
from ravu_kg.server.records import USERNAME, Endpoint, ServerConfig, ServerStatus
from ravu_kg.server.waiting import STOP_TIMEOUT_S, await_answer, await_release, wrong_password

LOCK_TIMEOUT_S = 600.0
_STOPPED_TIMEOUT_S = 15.0


class EmbeddedServer:
    """Starts, finds and stops the server of one home folder. Safe to use from several processes at once."""

    def __init__(self, config: ServerConfig) -> None:
        self._config = config
        self._home = Home(config.home)
        self._argument = f"--home-dir={self._home.path}"

    def start(self, progress: Progress | None = None) -> Endpoint:
        """Start the server unless it runs already, and wait until it answers a query.

        The first start fetches the server and makes a password. Ports are remembered.

        Raises:
            ServerError: it cannot be fetched or started; the message says why and what to do.
            AuthenticationError: the password was changed elsewhere.
        """
        report = progress or silent
        running = self._running_endpoint()
        if running is not None:
            return running
        self._home.prepare()
        with self._locked(report):
            running = self._running_endpoint()
            if running is not None:
                return running
            try:
                process = self._find(search=True)
                ports = self._ports_of_running() if process is not None else None
                if process is None or ports is None:
                    return self._launch_and_await(report)
                await_answer(process, self._home, ports, report)
            except OSError as error:
                raise unusable(self._home.path, error) from error
            return self._endpoint(process.pid, ports)

    def stop(self) -> bool:
        """Stop the server cleanly; False when it was not running.

        Raises:
            ServerError: it does not end.
        """
        if not self._home.path.is_dir():
            return False
        with self._locked(silent):
            return self._end()

    def restart(self, progress: Progress | None = None) -> Endpoint:
        """End the server, by force when it does not end soon, and start it: for one whose database has stopped itself.

        Raises:
            ServerError: it cannot be started.
        """
        report = progress or silent
        report("The database has stopped itself; restarting Neo4j")
        with self._locked(report):
            process = self._find(search=True)
            if process is not None and not terminate(process, _STOPPED_TIMEOUT_S):
                kill(process, STOP_TIMEOUT_S)  # nothing is lost: a start recovers what is committed from the log
        return self.start(report)

    @contextmanager
    def paused(self, progress: Progress | None = None) -> Generator[tuple[Home, AdminTool]]:
        """Work on the data while no server runs: a running one is stopped, and started again afterwards.

        One that has crashed is started and stopped first: Neo4j's tool refuses data that was not closed. Whoever else
        wants to start the server waits.

        Raises:
            ServerError: it does not stop, or does not start again.
        """
        report = progress or silent
        self._home.prepare()
        with self._locked(report):
            self._home.settle()
            self._check_version()
            runs = self._find(search=True) is not None
            if not runs and self._home.has_data and self._home.read_process() is not None:
                self._launch_and_await(report)
            if runs:
                report("Stopping Neo4j: programs that use it lose their connection")
            self._end()
            try:
                yield self._home, AdminTool(self._home, self._configure(self._remembered_ports(), report))
            finally:
                if runs:
                    report("Starting Neo4j again")
                    self._launch_and_await(report)

    def status(self) -> ServerStatus:
        """Whether it runs and how to reach it. Starts nothing and writes nothing."""
        process = self._find(search=False)
        marker = self._home.read_marker()
        return ServerStatus(
            running=process is not None,
            endpoint=self._running_endpoint(),
            home=self._home.path,
            version=marker.version if marker else self._config.version,
            has_data=self._home.has_data,
            data_bytes=self._home.data_bytes,
            log=self._home.log,
        )

    def wrong_password(self) -> AuthenticationError:
        """The error for when the running server refuses the password in the home: it was changed elsewhere."""
        return wrong_password(self._home)

    def reset(self) -> None:
        """Stop the server and delete its data and password. There is no way back.

        Raises:
            ServerError: it does not stop.
        """
        self.stop()
        if self._home.path.is_dir():
            with self._locked(silent):
                self._home.delete_data()

    def _end(self) -> bool:
        process = self._find(search=True)
        if process is None:
            self._home.write_process(None)
            return False
        if not terminate(process, STOP_TIMEOUT_S):
            raise ServerError(
                f"Neo4j (process {process.pid}) did not stop within {STOP_TIMEOUT_S:.0f} s. "
                f"See {self._home.log}; end the process by hand if it hangs."
            )
        self._home.write_process(None)
        return True

    # --- finding ------------------------------------------------------------------------------

    def _running_endpoint(self) -> Endpoint | None:
        """The endpoint if the server runs and speaks Bolt."""
        process = self._find(search=False)
        ports = self._ports_of_running() if process is not None else None
        if process is None or ports is None or not answers_bolt(process, ports.bolt):
            return None
        return self._endpoint(process.pid, ports)

    def _find(self, *, search: bool) -> psutil.Process | None:
        record = self._home.read_process()
        process = find_recorded(record, self._argument) if record else None
        if process is None and search:
            process = find_by_argument(self._argument)
            if process is not None:
                self._home.write_process(ProcessRecord(process.pid, process.create_time()))
        return process

    def _ports_of_running(self) -> Ports | None:
        marker = self._home.read_marker()
        return marker.ports if marker else None

    def _endpoint(self, pid: int, ports: Ports) -> Endpoint:
        marker = self._home.read_marker()
        return Endpoint(
            bolt_uri=f"bolt://{HOST}:{ports.bolt}",
            browser_url=f"http://{HOST}:{ports.http}/browser/",
            username=USERNAME,
            password=self._home.password(),
            version=marker.version if marker else self._config.version,
            pid=pid,
        )

    # --- starting -----------------------------------------------------------------------------

    def _launch_and_await(self, report: Progress) -> Endpoint:
        for last_try in (False, False, True):
            process, ports = self._launch(report)
            try:
                await_answer(process, self._home, ports, report)
            except ServerError:
                # Another program may have taken a port between the look at it and the server's start.
                ports_are_free = is_free(ports.bolt) and is_free(ports.http)
                if last_try or ports_are_free or self._find(search=False) is not None:
                    raise
                report("A port was taken meanwhile; starting once more with others")
            else:
                return self._endpoint(process.pid, ports)
        raise AssertionError("the last try returns or raises")

    def _launch(self, report: Progress) -> tuple[psutil.Process, Ports]:
        self._home.settle()
        self._check_version()
        locked = lock_list.read(self._config.version)
        ports = self._choose_ports(report)
        java = self._configure(ports, report)
        self._set_password(java, report)
        report(f"Starting Neo4j {self._config.version} in {self._home.path}")
        self._home.begin_log()
        record = spawn(
            [
                str(java.executable),
                f"@{self._home.java_arguments}",
                locked.main_class,
                self._argument,
                f"--config-dir={self._home.settings.parent}",
            ],
            self._home.console,
        )
        self._home.write_process(record)
        self._home.write_marker(Marker(self._config.version, ports))
        return psutil.Process(record.pid), ports

    def _configure(self, ports: Ports, report: Progress) -> Java:
        """Write what the server, and Neo4j's own tool, read when they start; gives what runs them."""
        java = find_java(self._config.version)
        jars = fetch(self._config.version, report)
        memory = sized_memory(self._config)
        self._home.write_private(self._home.settings, settings_text(self._config.version, ports, memory))
        self._home.write_private(self._home.java_arguments, java_arguments(java, memory, jars))
        return java

    def _check_version(self) -> None:
        marker = self._home.read_marker()
        if self._home.has_data and marker is not None and marker.version != self._config.version:
            raise ServerError(
                f"{self._home.path} holds data of Neo4j {marker.version}, but {self._config.version} was asked for. "
                "Use that version, choose another home folder with RAVU_KG_SERVER__HOME, or delete the data: "
                "ravu-kg db reset"
            )

    def _choose_ports(self, report: Progress) -> Ports:
        marker = self._home.read_marker()
        if marker is not None and self._home.read_process() is not None:
            await_release(marker.ports)
        remembered = self._remembered_ports()
        bolt = self._choose_port("Bolt", self._config.bolt_port, remembered.bolt, frozenset())
        http = self._choose_port("HTTP", self._config.http_port, remembered.http, frozenset({bolt}))
        ports = Ports(bolt, http)
        if marker is not None and ports != marker.ports:
            report(f"Ports changed: Bolt {bolt}, HTTP {http}. Links made before no longer work.")
        return ports

    def _remembered_ports(self) -> Ports:
        marker = self._home.read_marker()
        return marker.ports if marker else PREFERRED_PORTS

    def _choose_port(self, name: str, configured: int | None, remembered: int, taken: frozenset[int]) -> int:
        if configured is None:
            return free_port(remembered, taken)
        if configured in taken or not is_free(configured):
            raise ServerError(
                f"{name} port {configured} is taken by {port_owner(configured)}. "
                f"Stop it, or set another {name} port in RAVU_KG_SERVER__{name.upper()}_PORT."
            )
        return configured

    def _set_password(self, java: Java, report: Progress) -> None:
        """Before the first start, so that the default password never works."""
        password = self._home.password()
        if not self._home.has_data:
            report("Setting the database's password")
            AdminTool(self._home, java).set_password(password)

    @contextmanager
    def _locked(self, report: Progress) -> Generator[None]:
        """A lock that ends with its holder, so a crashed command leaves none behind."""
        lock = FileLock(self._home.lock)
        try:
            try:
                lock.acquire(timeout=0)
            except Timeout:
                report("Another command is starting or stopping the server; waiting for it")
                lock.acquire(timeout=LOCK_TIMEOUT_S)
        except Timeout as error:
            raise ServerError(
                f"Another command has held {self._home.lock} for {LOCK_TIMEOUT_S:.0f} s. End it and try again."
            ) from error
        except OSError as error:
            raise unusable(self._home.path, error) from error
        try:
            yield
        finally:
            lock.release()
