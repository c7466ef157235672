"""A video's graph as a stream of lines and vectors, and these as a bundle."""

from __future__ import annotations

import hashlib
import zipfile
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import cast

import numpy as np

from ravu_kg.errors import GraphError, NotFoundError, UsageError
from ravu_kg.graph import schema
from ravu_kg.graph.bundle.format import (
    FORMAT_VERSION,
    MANIFEST,
    RECORDS,
    VECTOR_TYPE,
    VECTORS,
    VIDEO,
    Embedder,
    Manifest,
    PartSummary,
    file_of,
    line_of,
)
from ravu_kg.graph.store import Store

_PAGE = 2000
_ENTITY_PAGE = 100  # an entity carries its whole track
_SEPARATORS = {"entities": "#"}
_NOT_TAKEN = frozenset({"operation"})
"""Refers to a record of this memory's own history of decisions."""


def write_bundle(store: Store, video_id: str, target: Path, program_version: str) -> Manifest:
    """Write a complete video's graph into a file, a page at a time.

    Args:
        store: an open store.
        video_id: the video.
        target: is there afterwards as a whole or not at all; an existing file is replaced.
        program_version: for the manifest.

    Raises:
        NotFoundError: no such video.
        UsageError: the video is not complete.
        GraphError: Neo4j failed, a vector is missing, or the video was changed meanwhile.
        OSError: the file cannot be written.
    """
    before = _state(store, video_id)
    record = schema.embedder(store)
    if record is None or record.status != "ready":
        raise GraphError("The vectors of this graph are not complete. Finish them first: ravu-kg reembed")
    embedder = Embedder(name=record.name, dimensions=record.dimensions)
    parts: list[PartSummary] = []
    beside = target.with_name(f".{target.name}.part")
    try:
        with zipfile.ZipFile(beside, "w", zipfile.ZIP_DEFLATED) as archive:
            parts.append(_write_part(archive, VIDEO, [line_of(_video(store, video_id))]))
            for name in RECORDS:
                parts.append(_write_part(archive, file_of(name), lines(store, video_id, name)))
            for name in VECTORS:
                rows = _vectors(store, video_id, name, record.dimensions)
                parts.append(_write_part(archive, file_of(name), rows))
            if _state(store, video_id) != before:
                raise GraphError(f"Video {video_id} was changed while it was exported. Export it again.")
            manifest = Manifest(
                format="ravu-kg bundle",
                format_version=FORMAT_VERSION,
                ravu_kg=program_version,
                schema_version=schema.newest(store),
                created_at=datetime.now(UTC).isoformat(timespec="seconds"),
                video_id=video_id,
                title=before[2],
                embedder=embedder,
                parts=tuple(parts),
            )
            archive.writestr(MANIFEST, manifest.model_dump_json(indent=2))
        beside.replace(target)
    finally:
        beside.unlink(missing_ok=True)
    return manifest


def lines(store: Store, video_id: str, part: str) -> Iterator[bytes]:
    """The lines of a part, in the order of their ids.

    Raises:
        GraphError: Neo4j failed.
    """
    if part == "identity_links":
        for row in store.read("bundle/identity_links", video_id=video_id).rows:
            yield line_of(_record(row))
        return
    for row in _pages(store, part, video_id):
        if "records" in row:
            ends = cast("list[dict[str, object]]", row["records"])  # as the template declares
            found = [{"earlier": row["id"], "later": end["to"], "properties": end["properties"]} for end in ends]
            # Two relations may have the same ends: the whole line decides.
            yield from sorted(line_of(_record(one)) for one in found)
        else:
            yield line_of(_record(row))


def _state(store: Store, video_id: str) -> tuple[object, object, str]:
    rows = store.read("bundle/video", video_id=video_id).rows
    if not rows:
        raise NotFoundError(f"The graph has no video {video_id}. 'ravu-kg videos list' shows them all.")
    properties = cast("Mapping[str, object]", rows[0]["properties"])  # as the template declares
    if rows[0]["status"] != "ready":
        raise UsageError(
            f"{properties['title']} ({video_id}) is not complete (status {rows[0]['status']}). "
            "Index or import it to its end first."
        )
    return rows[0]["status"], rows[0]["revision"], str(properties["title"])


def _video(store: Store, video_id: str) -> dict[str, object]:
    row = store.read("bundle/video", video_id=video_id).rows[0]
    return _record({"id": video_id, "properties": row["properties"], "times": row["times"]})


def _record(row: Mapping[str, object]) -> dict[str, object]:
    """A row as a record: no property without a value, no time without a name."""
    record = dict(row)
    properties = cast("Mapping[str, object]", record["properties"])  # as the templates declare
    kept = {name: value for name, value in properties.items() if value is not None and name not in _NOT_TAKEN}
    kept.pop("id", None)
    record["properties"] = kept
    if "next" in record:
        following = cast("list[str]", record["next"])
        record["next"] = following[0] if following else None
    times = [name for name in cast("list[str]", record.pop("times", [])) if name in kept]
    return {**record, "times": sorted(times)} if times else record


def _pages(store: Store, part: str, video_id: str) -> Iterator[Mapping[str, object]]:
    separator = _SEPARATORS.get(part, "/")
    after, before = f"{video_id}{separator}", f"{video_id}{chr(ord(separator) + 1)}"
    limit = _ENTITY_PAGE if part == "entities" else _PAGE
    while rows := store.read(f"bundle/{part}", after=after, before=before, limit=limit).rows:
        yield from rows
        after = str(rows[-1]["id"])


def _vectors(store: Store, video_id: str, part: str, dimensions: int) -> Iterator[bytes]:
    for row in _pages(store, part, video_id):
        vector = np.asarray(row["embedding"] or (), dtype=VECTOR_TYPE)
        if vector.shape != (dimensions,):
            raise GraphError(f"{row['id']} has no vector of {dimensions} numbers. Make them anew: ravu-kg reembed")
        yield vector.tobytes()


def _write_part(archive: zipfile.ZipFile, file: str, chunks: Iterable[bytes]) -> PartSummary:
    digest = hashlib.sha256()
    records = size = 0
    info = zipfile.ZipInfo(file)
    # Vectors are noise to a compressor.
    info.compress_type = zipfile.ZIP_STORED if file.endswith(".f32") else zipfile.ZIP_DEFLATED
    with archive.open(info, "w", force_zip64=True) as entry:
        for chunk in chunks:
            entry.write(chunk)
            digest.update(chunk)
            records += 1
            size += len(chunk)
    return PartSummary(file=file, records=records, bytes=size, sha256=digest.hexdigest())
