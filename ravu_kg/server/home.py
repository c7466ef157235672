"""The home folder of an embedded server: where each file lies, and reading and writing them."""

from __future__ import annotations

import errno
import json
import os
import secrets
import shutil
import tempfile
from dataclasses import asdict, dataclass
from pathlib import Path

from ravu_kg.errors import ServerError
from ravu_kg.server.configuring import Ports
from ravu_kg.server.processes import ProcessRecord

PREFERRED_PORTS = Ports(bolt=27687, http=27474)
"""Not Neo4j's own, so that another server of the user's can have those."""
_NEEDED_BYTES = 200 * 2**20


@dataclass(frozen=True, slots=True)
class Marker:
    """What a home remembers between starts."""

    version: str
    """Of the server that wrote the data."""
    ports: Ports
    """Kept, so that links stay valid."""


class Home:
    """One home folder."""

    def __init__(self, path: Path) -> None:
        self.path = path.expanduser().absolute()
        self.lock = self.path / "start.lock"
        self.data = self.path / "data"
        self.incoming = self.path / "incoming"
        """A home of its own, in which a dump becomes data before that takes the place of the present data."""
        self._previous = self.path / "data-before-load"
        self.settings = self.path / "conf" / "neo4j.conf"
        self.java_arguments = self.path / "conf" / "java.args"
        self.console = self.path / "logs" / "console.log"
        self.log = self.path / "logs" / "neo4j.log"
        self.password_file = self.path / "password"
        self._marker = self.path / "server.json"
        self._process = self.path / "process.json"

    @property
    def has_data(self) -> bool:
        """Whether a server has ever written data here."""
        return any((data / "databases" / "system").exists() for data in (self.data, self._previous))

    @property
    def data_bytes(self) -> int:
        """Size of the data on disk."""
        total = 0
        for folder, _, names in os.walk(self.data):
            for name in names:
                try:
                    total += (Path(folder) / name).stat().st_blocks * 512
                except FileNotFoundError:
                    continue  # a running server removes files
        return total

    def prepare(self) -> None:
        """Make the folder, for the user alone, and see that it can be written and has room.

        Raises:
            ServerError: it cannot be used.
        """
        try:
            for folder in (self.path, *(self.path / name for name in ("conf", "logs", "import"))):
                folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            self.path.chmod(0o700)
            with tempfile.TemporaryFile(dir=self.path):  # without a name: several commands may look at once
                pass
        except OSError as error:
            raise unusable(self.path, error) from error
        free = shutil.disk_usage(self.path).free
        if free < _NEEDED_BYTES:
            raise ServerError(
                f"The disk of the database's home {self.path} is full: {free // 2**20} MB free, "
                f"{_NEEDED_BYTES // 2**20} MB needed. "
                "Make room, or choose another home folder with RAVU_KG_SERVER__HOME."
            )

    def password(self) -> str:
        """The password, made on first use and readable by the user alone.

        Raises:
            ServerError: there is data but its password is lost.
        """
        password = _read(self.password_file).strip()
        if password:
            self.password_file.chmod(0o600)
            return password
        if self.has_data:
            raise ServerError(
                f"The database in {self.path} has a password, but {self.password_file} is gone. "
                "Write the password back into that file, or delete the data: ravu-kg db reset"
            )
        # Hexadecimal: one that starts with a hyphen is an option to Neo4j's own tool.
        password = secrets.token_hex(24)
        _write_private(self.password_file, password + "\n")
        return password

    def read_marker(self) -> Marker | None:
        """What the last start left; None in a new home or when it is unreadable."""
        try:
            found = json.loads(_read(self._marker))
            return Marker(str(found["version"]), Ports(int(found["ports"]["bolt"]), int(found["ports"]["http"])))
        except (ValueError, KeyError, TypeError, OverflowError, RecursionError):
            return None

    def write_marker(self, marker: Marker) -> None:
        """Remember for the next start."""
        _write_private(self._marker, json.dumps(asdict(marker)))

    def read_process(self) -> ProcessRecord | None:
        """The server that was started last and not stopped."""
        try:
            found = json.loads(_read(self._process))
            return ProcessRecord(int(found["pid"]), float(found["started_at"]))
        except (ValueError, KeyError, TypeError, OverflowError, RecursionError):
            return None

    def write_process(self, record: ProcessRecord | None) -> None:
        """Note the running server; None when it has ended."""
        if record is None:
            self._process.unlink(missing_ok=True)
        else:
            _write_private(self._process, json.dumps(asdict(record)))

    def write_private(self, path: Path, text: str) -> None:
        """Write a file that only the user can read."""
        _write_private(path, text)

    def begin_log(self) -> None:
        """Drop what earlier servers said; their longer story stays in ``debug.log``."""
        self.log.unlink(missing_ok=True)
        self.console.unlink(missing_ok=True)

    def last_log_lines(self, count: int = 12) -> str:
        """The end of what the server said since its start: the Java runtime's words, then the server's."""
        lines: list[str] = []
        for path in (self.console, self.log):
            lines += [line for line in _read(path).splitlines() if line.strip()]
        return "\n".join(lines[-count:])

    def settle(self) -> None:
        """Bring back the data if a change of it was interrupted; only for who holds the lock."""
        if self._previous.is_dir() and not self.data.is_dir():
            self._previous.rename(self.data)
        shutil.rmtree(self._previous, ignore_errors=True)
        self.data.mkdir(exist_ok=True, mode=0o700)

    def replace_data(self, data: Path) -> None:
        """Put a folder in the place of the data; interrupted, the data is the old or the new one as a whole."""
        self.data.rename(self._previous)
        data.rename(self.data)
        shutil.rmtree(self._previous, ignore_errors=True)

    def keep_version(self, version: str) -> None:
        """Note which version the data is of, in a home that no server has been started in."""
        if self.read_marker() is None:
            self.write_marker(Marker(version, PREFERRED_PORTS))

    def delete_data(self) -> None:
        """Delete everything but the ports that links point to."""
        for name in (
            "data",
            "data-before-load",
            "incoming",
            "logs",
            "conf",
            "import",
            "run",
            "plugins",
            "licenses",
            "certificates",
        ):
            shutil.rmtree(self.path / name, ignore_errors=True)
        self.password_file.unlink(missing_ok=True)
        self._process.unlink(missing_ok=True)


def unusable(path: Path, error: OSError) -> ServerError:
    """The error for a home that cannot be written."""
    cause = "the disk is full" if error.errno == errno.ENOSPC else (error.strerror or str(error))
    return ServerError(
        f"The database's home {path} cannot be written: {cause}. "
        "Make it writable, or choose another home folder with RAVU_KG_SERVER__HOME."
    )


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except (FileNotFoundError, NotADirectoryError):
        return ""
    except OSError as error:
        raise ServerError(f"{path} cannot be read: {error.strerror}. It should belong to you; give it back.") from error


def _write_private(path: Path, text: str) -> None:
    # Written beside and moved: a reader or a crash never sees half a file.
    beside = path.with_name(f".{path.name}.{os.getpid()}")
    descriptor = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        file.write(text)
    beside.replace(path)
