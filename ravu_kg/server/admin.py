"""Neo4j's own tool for a database that is not running: its password, and dumping and loading it."""

from __future__ import annotations

import subprocess
import tempfile
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from ravu_kg.errors import ServerError
from ravu_kg.server.configuring import Java, quoted
from ravu_kg.server.home import Home

_LAST_LINES = 8
_CHUNK = 1 << 20


class AdminTool:
    """Runs the tool on the files of one home, whose settings and Java arguments are written."""

    def __init__(self, home: Home, java: Java) -> None:
        self._home = home
        self._java = java

    def set_password(self, password: str) -> None:
        """Set the password of a new database: the default one never works, not even for a moment.

        Raises:
            ServerError: the tool failed; the message ends with what it said.
        """
        with self._running("set-password", "dbms", "set-initial-password", password, what="The password") as tool:
            tool.communicate()

    def dump(self, target: IO[bytes]) -> None:
        """Write an archive of the database; the server must not be running.

        Raises:
            ServerError: the tool failed.
        """
        with self._running("dump", "database", "dump", "neo4j", "--to-stdout", what="The dump") as tool:
            assert tool.stdout is not None
            while chunk := tool.stdout.read(_CHUNK):
                target.write(chunk)

    def load(self, source: IO[bytes]) -> None:
        """Fill a home without data from such an archive.

        Raises:
            ServerError: the tool failed.
        """
        command = ("database", "load", "neo4j", "--from-stdin", "--overwrite-destination=true")
        with self._running("load", *command, what="The load") as tool:
            assert tool.stdin is not None
            try:
                while chunk := source.read(_CHUNK):
                    tool.stdin.write(chunk)
                tool.stdin.close()
            except BrokenPipeError:
                return  # the tool has given up: what it said tells why

    def import_full(
        self, nodes: Sequence[tuple[str, Path]], relationships: Sequence[tuple[str, Path]], jars: Sequence[Path]
    ) -> None:
        """Make the database of a home without data from Parquet files, whose columns say what they are.

        Args:
            nodes: label and file.
            relationships: type and file.
            jars: what the tool needs beyond the server's own class path.

        Raises:
            ServerError: the tool failed, or a file refers to a node that is not there.
        """
        command = (
            "database",
            "import",
            "full",
            "neo4j",
            "--input-type=parquet",
            "--overwrite-destination=true",
            f"--report-file={self._home.log.with_name('import.report')}",
            *(f"--nodes={label}={path}" for label, path in nodes),
            *(f"--relationships={type_}={path}" for type_, path in relationships),
        )
        with self._running("import", *command, what="The import", jars=jars) as tool:
            tool.communicate()

    @contextmanager
    def _running(
        self, name: str, *command: str, what: str, jars: Sequence[Path] = ()
    ) -> Generator[subprocess.Popen[bytes]]:
        """The running tool; when the work with it is done its end is waited for and looked at."""
        arguments = self._home.settings.with_name(f"{name}.args")
        java_arguments = self._home.java_arguments.read_text(encoding="utf-8")
        if jars:  # the class path is the last line
            java_arguments = "".join(
                (java_arguments.rstrip()[:-1], *(f":{quoted(str(jar))[1:-1]}" for jar in jars), '"\n')
            )
        # In a file, since a process list shows arguments, passwords too, to every user of the machine.
        lines = "\n".join(map(quoted, ("org.neo4j.cli.AdminTool", *command)))
        self._home.write_private(arguments, java_arguments + lines + "\n")
        with tempfile.TemporaryFile() as said:
            process = subprocess.Popen(
                [self._java.executable, f"@{arguments}"],
                env={"NEO4J_HOME": str(self._home.path), "NEO4J_CONF": str(self._home.settings.parent)},
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=said,
            )
            try:
                with process:
                    yield process
            except BaseException:
                process.kill()
                raise
            finally:
                arguments.unlink(missing_ok=True)
            if process.returncode != 0:
                said.seek(0)
                lines = said.read().decode("utf-8", "replace").splitlines()[-_LAST_LINES:]
                raise ServerError(f"{what} failed ({self._java.executable}):\n" + "\n".join(lines))
