"""Export and import of one video's memory as one file."""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, cast

from ravu_kg import __version__
from ravu_kg.errors import ConfigurationError, UsageError
from ravu_kg.graph import schema
from ravu_kg.graph.bundle.loading import Embed, equals_graph, load_bundle
from ravu_kg.graph.bundle.reading import Bundle
from ravu_kg.graph.bundle.writing import write_bundle
from ravu_kg.graph.embedding import SentenceCache, embed_all
from ravu_kg.graph.writer import GraphWriter
from ravu_kg.memory.library import VideoSummary
from ravu_kg.memory.naming import content_hash
from ravu_kg.memory.opening import one_at_a_time
from ravu_kg.types import replacement_id

if TYPE_CHECKING:
    from ravu_kg.memory import VideoMemory

Progress = Callable[[str, float], None]
"""Told the file and the share of it that is done, 0..1."""


@dataclass(frozen=True, slots=True)
class Exported:
    """A bundle that was written."""

    path: Path
    video_id: str
    title: str
    bytes: int
    records: int


@dataclass(frozen=True, slots=True)
class Imported:
    """What became of a bundle."""

    path: Path
    video_id: str
    title: str
    status: str
    """``imported``, ``replaced`` or ``unchanged``."""
    frame_nodes: int
    events: int
    links_left_out: int
    """Links to entities of videos that are not in this memory."""

    def to_dict(self) -> dict[str, object]:
        """Plain values, for JSON."""
        return {**asdict(self), "path": str(self.path)}


def export_bundle(memory: VideoMemory, video: str, target: Path) -> Exported:
    """Write a video's graph and its vectors into a file, which another memory can import.

    Args:
        memory: an open memory.
        video: path, id or title.
        target: the file; replaced when it is there.

    Raises:
        NotFoundError: no such video.
        UsageError: the video is not complete, several have the name, or the file cannot be written.
        GraphError: Neo4j failed, or the video was changed meanwhile.
    """
    video_id = memory.resolve(video)
    with writable(target):
        manifest = write_bundle(memory.store, video_id, target, __version__)
        size = target.stat().st_size
    return Exported(target, video_id, manifest.title, size, sum(part.records for part in manifest.parts))


def import_bundles(
    memory: VideoMemory,
    sources: Sequence[Path],
    *,
    replace: bool = False,
    reembed: bool = False,
    video_file: Path | None = None,
    progress: Progress | None = None,
) -> list[Imported]:
    """Bring videos from bundles into the memory; every bundle is checked to its end before any is written.

    A video that is there and the same stays. One that cannot be written to its end is not there afterwards, and after
    a kill it is begun anew.

    Args:
        memory: an open memory.
        sources: the bundles.
        replace: put a bundle's graph in the place of another one of the same video and build.
        reembed: make the vectors with the embedder of this memory instead of taking those of the bundle.
        video_file: the video of the one bundle, so that pictures can be shown.
        progress: told the file and the share of it that is written.

    Raises:
        ConfigurationError: a bundle is cut, damaged, of a newer ravu-kg or of another embedder, or the memory has
            another graph of its video.
        UsageError: ``video_file`` is not the bundle's video, or two bundles hold the same video.
        GraphError: Neo4j failed.
    """
    if video_file is not None and len(sources) != 1:
        raise UsageError("Name one bundle together with the file of its video.")
    record = schema.embedder(memory.store)
    if record is None:
        _ = memory.embedder  # makes the schema of an empty graph
    else:
        schema.migrate(memory.store, record.dimensions, record.name)
    newest = schema.newest(memory.store)
    with ExitStack() as stack:
        bundles = [stack.enter_context(Bundle.open(source, newest)) for source in sources]
        for bundle in bundles:
            if not reembed:
                _require_embedder(memory, bundle)
            if video_file is not None:
                _require_content(bundle, video_file)
        _require_different(bundles)
        embed = stack.enter_context(_embedding(memory)) if reembed else None
        found = {video.video_id: video for video in memory.videos()}
        for bundle in bundles:
            _require_room(memory, bundle, found.get(bundle.video_id), replace)
        return [_import(memory, bundle, embed, video_file, progress) for bundle in bundles]


@contextmanager
def writable(target: Path) -> Generator[None]:
    """Name the file when it cannot be written."""
    try:
        yield
    except OSError as error:
        raise UsageError(f"{target} cannot be written: {error.strerror or error}. Name another file.") from error


def _import(
    memory: VideoMemory, bundle: Bundle, embed: Embed | None, video_file: Path | None, progress: Progress | None
) -> Imported:
    video_id, writer = bundle.video_id, GraphWriter(memory.store)
    with one_at_a_time(memory.settings.cache, video_id):
        writer.take_place(video_id)  # when an import was interrupted on its last step
        known = {video.video_id: video for video in memory.videos()}
        old, unfinished = known.get(video_id), known.get(replacement_id(video_id))
        if old is not None and old.status == "ready" and equals_graph(memory.store, bundle):
            return _imported(bundle, "unchanged", 0)
        if unfinished is not None:
            writer.delete(unfinished.video_id)
        if old is not None and old.status == "importing":
            writer.delete(video_id)
            old = None
        new_id = video_id if old is None else replacement_id(video_id)
        uri = str(video_file.resolve()) if video_file else old.uri if old else None
        try:
            left_out = load_bundle(
                memory.store,
                bundle,
                new_id,
                uri=uri,
                embed=embed,
                progress=(lambda share: progress(bundle.path.name, share)) if progress else None,
            )
        except BaseException:
            _remove(memory, new_id)
            raise
        if old is not None:
            writer.take_place(video_id)
        return _imported(bundle, "imported" if old is None else "replaced", left_out)


def _remove(memory: VideoMemory, video_id: str) -> None:
    if any(video.video_id == video_id and video.status == "importing" for video in memory.videos()):
        GraphWriter(memory.store).delete(video_id)


def _imported(bundle: Bundle, status: str, left_out: int) -> Imported:
    title = bundle.manifest.title
    counts = (bundle.count("frame_nodes"), bundle.count("events"))
    return Imported(bundle.path, bundle.video_id, title, status, *counts, left_out)


def _require_embedder(memory: VideoMemory, bundle: Bundle) -> None:
    record, theirs = schema.embedder(memory.store), bundle.manifest.embedder
    if record is not None and (record.name, record.dimensions) != (theirs.name, theirs.dimensions):
        raise ConfigurationError(
            f"{bundle.path} holds vectors of {theirs.name} ({theirs.dimensions} numbers each), and this memory those "
            f"of {record.name} ({record.dimensions}). Nothing was changed. Import it with --reembed to make its "
            "vectors anew, or bring this memory to that embedder first: ravu-kg reembed"
        )


def _require_content(bundle: Bundle, video_file: Path) -> None:
    properties = cast("Mapping[str, object]", bundle.video()["properties"])  # as it was checked
    if content_hash(video_file) != properties.get("contentHash"):
        raise UsageError(f"{video_file} is not the video of {bundle.path} ({bundle.manifest.title}): other content.")


def _require_different(bundles: Sequence[Bundle]) -> None:
    seen: dict[str, Path] = {}
    for bundle in bundles:
        if bundle.video_id in seen:
            raise UsageError(
                f"{seen[bundle.video_id]} and {bundle.path} hold the same video {bundle.video_id}. Import one of them."
            )
        seen[bundle.video_id] = bundle.path


def _require_room(memory: VideoMemory, bundle: Bundle, known: VideoSummary | None, replace: bool) -> None:
    """Refuse to write over a graph that is there, unless that is wanted."""
    if known is None or known.status == "importing" or replace:
        return
    if known.status == "ready" and equals_graph(memory.store, bundle):
        return
    state = "another graph of it" if known.status == "ready" else f"it, not complete (status {known.status})"
    raise ConfigurationError(
        f"{bundle.path} holds video {bundle.video_id} ({bundle.manifest.title}), and this memory has {state}. Nothing "
        "was changed. Import it with --replace, or delete the video first."
    )


@contextmanager
def _embedding(memory: VideoMemory) -> Generator[Embed]:
    embedder = memory.embedder
    with SentenceCache(memory.settings.cache / "sentences.sqlite") as cache:
        yield lambda texts: embed_all(texts, embedder, cache)
