"""The server and data folder of evaluations: never those of the user's memory."""

from __future__ import annotations

import re
from pathlib import Path

import platformdirs

from ravu_kg.errors import UsageError
from ravu_kg.memory.opening import server_config
from ravu_kg.settings import Neo4jSettings, Settings

EMBEDDER = "sentence-transformers:all-MiniLM-L6-v2"
"""Of every method, so that figures compare; it is a sixth of the size of the memory's default."""


def own_settings(settings: Settings, *, embedder: str = "", home: Path | None = None) -> Settings:
    """The settings of an evaluation: those given, but for the server, its data and the embedder.

    Each embedder has a graph of its own. A server that the settings name, or NEO4J_URI, is left alone.

    Args:
        settings: the user's.
        embedder: reference; by default :data:`EMBEDDER`.
        home: folder of the server's data; by default beside that of the user's memory.

    Raises:
        UsageError: the folder is that of the user's memory.
    """
    chosen = embedder or EMBEDDER
    version = settings.server.version
    if home is None:
        slug = re.sub(r"[^A-Za-z0-9.]+", "-", chosen.partition(":")[2] or chosen).strip("-")
        data = Path(platformdirs.user_data_dir("ravu-kg", appauthor=False))
        home = data / "evaluation" / slug / f"neo4j-{version}"
    if home.expanduser().resolve() == server_config(settings).home.expanduser().resolve():
        raise UsageError(f"{home} holds your memory. Evaluations need a folder of their own: name another with --home.")
    server = settings.server.model_copy(update={"home": home, "bolt_port": None, "http_port": None})
    models = settings.models.model_copy(update={"embed": chosen})
    return settings.model_copy(update={"neo4j": Neo4jSettings(), "server": server, "models": models})
