"""The first load of a large library: bundles into an empty memory by Neo4j's own import, past the server."""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from ravu_kg.errors import ConfigurationError, UsageError
from ravu_kg.graph.bulk.files import ImportFiles, ImportPlan
from ravu_kg.graph.bulk.finishing import finish_import, is_empty
from ravu_kg.graph.bundle.format import Embedder
from ravu_kg.graph.bundle.loading import bundle_statements, link_rows
from ravu_kg.graph.bundle.reading import Bundle
from ravu_kg.graph.store import Store
from ravu_kg.graph.templates import TemplateLibrary
from ravu_kg.memory.opening import open_store, server_config, share_cache
from ravu_kg.server import EmbeddedServer, Endpoint
from ravu_kg.server.first_load import fill
from ravu_kg.server.home import Home
from ravu_kg.settings import Settings

SUFFIX = ".ravu"
_FOLDER = "import"
Progress = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class FirstLoad:
    """What a first load came to."""

    videos: int
    frame_nodes: int
    events: int
    links_left_out: int
    """Links to entities of videos that are not in the bundles."""
    files_bytes: int
    """Of the Parquet files, which are gone again."""
    write_s: float
    """Reading the bundles and writing the files."""
    import_s: float
    """Neo4j's import, the indexes, and the server's starts."""

    def to_dict(self) -> dict[str, object]:
        """Plain values, for JSON."""
        return asdict(self)


def first_load(settings: Settings, sources: Sequence[Path], progress: Progress | None = None) -> FirstLoad:
    """Fill an empty embedded memory from bundles.

    All or nothing: until everything is there and looked over, the memory stays as it is.

    Args:
        settings: of the embedded server.
        sources: bundles, and folders of bundles.
        progress: told in a line what is done.

    Raises:
        ConfigurationError: the settings name a server of the user's own; the memory holds videos; a bundle cannot be
            used, or has vectors of another embedder than the others.
        UsageError: there is no bundle, or two hold the same video.
        MissingExtraError: pyarrow is not installed.
        ServerError: no room, or Neo4j failed.
    """
    if settings.neo4j.uri is not None:
        raise ConfigurationError(
            f"NEO4J_URI is set: {settings.neo4j.uri} is a server of your own, and only the embedded one is filled so. "
            "Unset NEO4J_URI, or use: ravu-kg import bundle"
        )
    report = progress or _silent
    share_cache(settings)
    paths = _bundles(sources)
    config = server_config(settings)
    if not _is_empty(settings):
        raise ConfigurationError(
            f"The memory in {config.home} holds videos already, and a first load is for an empty one. Nothing was "
            "changed. Use: ravu-kg import bundle, or choose another home with RAVU_KG_SERVER__HOME"
        )
    home = Home(config.home)
    home.prepare()
    folder = home.path / _FOLDER / "first-load"
    shutil.rmtree(folder, ignore_errors=True)  # what a killed run has left
    folder.mkdir(parents=True, mode=0o700)
    try:
        started_s = time.monotonic()
        plan, embedder = _written(paths, folder, report)
        written_s = time.monotonic()
        size = plan.size_bytes
        left_out = 0

        def finish(endpoint: Endpoint) -> None:
            nonlocal left_out
            address = (endpoint.bolt_uri, endpoint.username, endpoint.password)
            with Store.connect(*address, database=settings.neo4j.database) as store:
                left_out = finish_import(store, plan, embedder.name, embedder.dimensions, report)

        fill(
            config,
            [(source.name, source.path) for source in plan.nodes],
            [(source.name, source.path) for source in plan.relationships],
            finish,
            lambda: _is_empty(settings),
            report,
        )
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    counts = plan.counts
    done_s = time.monotonic()
    return FirstLoad(
        counts["Video"],
        counts["FrameNode"],
        counts["Event"],
        left_out,
        size,
        round(written_s - started_s, 3),
        round(done_s - written_s, 3),
    )


def _bundles(sources: Sequence[Path]) -> list[Path]:
    found: list[Path] = []
    for source in sources:
        inside = sorted(source.glob(f"*{SUFFIX}")) if source.is_dir() else [source]
        if not inside:
            raise UsageError(f"There is no bundle (*{SUFFIX}) in {source}. Name another folder, or the files.")
        found += inside
    return list(dict.fromkeys(found))


def _written(paths: Sequence[Path], folder: Path, report: Progress) -> tuple[ImportPlan, Embedder]:
    """The files of all bundles, each of which is checked to its end before it is taken."""
    newest = max(int(one.name[7:11]) for one in TemplateLibrary.load() if one.name[7:11].isdecimal())
    files, seen, embedder = ImportFiles(folder), dict[str, Path](), None
    for number, path in enumerate(paths, start=1):
        report(f"Reading {path.name} ({number} of {len(paths)})")
        with Bundle.open(path, newest) as bundle:
            theirs = bundle.manifest.embedder
            if embedder is not None and embedder != theirs:
                raise ConfigurationError(
                    f"{path} holds vectors of {theirs.name} ({theirs.dimensions} numbers each), and {paths[0]} those "
                    f"of {embedder.name} ({embedder.dimensions}). Nothing was changed. Load one kind; the others: "
                    "ravu-kg import bundle --reembed"
                )
            if bundle.video_id in seen:
                raise UsageError(
                    f"{seen[bundle.video_id]} and {path} hold the same video {bundle.video_id}. Give one of them."
                )
            embedder, seen[bundle.video_id] = theirs, path
            for name, parameters in bundle_statements(bundle, bundle.video_id, uri=None):
                files.write(name, **parameters)
            files.write("bundle/links", rows=link_rows(bundle))
    assert embedder is not None  # there is a bundle
    return files.close(), embedder


def _is_empty(settings: Settings) -> bool:
    """Whether the embedded memory holds no video; a server is started for it where there is a database."""
    if not EmbeddedServer(server_config(settings)).status().has_data:
        return True
    store, _ = open_store(settings)
    with store:
        return is_empty(store)


def _silent(line: str) -> None:
    """Progress that nobody asked for."""
