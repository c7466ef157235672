"""The embedded Neo4j: fetched, started, stopped and probed.

The probe is a module of its own (:mod:`ravu_kg.server.probe`), since it alone needs the driver.
"""

from ravu_kg.server.embedded import EmbeddedServer
from ravu_kg.server.fetching import cache_dir, fetch
from ravu_kg.server.lock_list import versions
from ravu_kg.server.records import DEFAULT_VERSION, Endpoint, ServerConfig, ServerStatus, browser_link

__all__ = [
    "DEFAULT_VERSION",
    "EmbeddedServer",
    "Endpoint",
    "ServerConfig",
    "ServerStatus",
    "browser_link",
    "cache_dir",
    "fetch",
    "versions",
]
