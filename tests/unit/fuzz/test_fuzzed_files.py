"""Files from anywhere are taken, or refused with the error that is meant for them; nothing else ever comes out."""

from __future__ import annotations

import hashlib
import json
import math
import tempfile
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example as once
from hypothesis import given
from hypothesis import strategies as st

from ravu_kg.errors import ConfigurationError, PlanError
from ravu_kg.graph.bundle.format import FILES, MANIFEST
from ravu_kg.graph.bundle.reading import Bundle
from ravu_kg.graph.templates import TemplateLibrary, param_lines
from ravu_kg.graph.values import example
from ravu_kg.perception.given_tracks import read_tracks
from ravu_kg.reasoning.plan import load_plan, read_plan
from ravu_kg.server.home import Home
from ravu_kg.settings import load
from tests.unit.fuzz.strategies import JSON, as_json, attempt, fuzz, nearly, nearly_text

INT64 = 2**63
TRACKS = {
    "tracks": [
        {"id": 1, "label": "dog", "boxes": [{"t": 0.0, "box": [1, 2, 30, 40], "confidence": 0.5}]},
        {"id": 2, "label": "ball", "boxes": [{"t": 0, "box": [5, 5, 9, 9]}, {"t": 1.5, "box": [6, 5, 10, 9]}]},
    ],
    "relations": [{"subject": 1, "predicate": "chases", "object": 2, "start": 0, "end": 1}],
    "events": [{"track": 1, "start": 0, "end": 1, "description": "runs"}],
}
MOT = "# frame, id, ...\n1,3,10,20,30,40,0.9,-1,-1,-1\n2,3,11,20,30,40,1\n2,4,50.5,60,20,20,-1\n"
PLAN = {
    "question": "What does the dog do after the woman leaves?",
    "planner": "file",
    "steps": [
        {
            "function": "localize_node",
            "arguments": {"query": "the woman leaves", "state": {"subject": "the woman", "is": "leaves"}},
            "save_as": "anchor",
        },
        {
            "function": "sample_entity_events",
            "arguments": {
                "node": "the dog",
                "sample_start_time": "$anchor.end_s",
                "events_to_sample": {"direction": "after", "count": 3},
            },
            "save_as": "events",
        },
    ],
}
TEMPLATE = """// name: reasoning/made_up
// mode: read
// summary: Nodes of one video.
// param video_id: STRING - the video
// param limit: INTEGER - how many
// returns node_id: STRING - the node
// returns t: FLOAT - seconds
MATCH (n:FrameNode {videoId: $video_id})
RETURN n.id AS node_id, n.t AS t
ORDER BY node_id
LIMIT $limit
"""
TOML = """
profile = "offline"
sample_interval_s = 1.0

[models]
detect = "motion"

[calls]
retries = 3

[providers.openai]
base_url = "http://127.0.0.1:1/v1"
"""


@pytest.fixture(scope="module")
def folder() -> Iterator[Path]:
    with tempfile.TemporaryDirectory() as made:
        yield Path(made)


@given(nearly(TRACKS).map(as_json) | nearly_text(as_json(TRACKS)))
@fuzz
def test_tracks_as_json(folder: Path, text: str) -> None:
    _tracks(folder / "tracks.json", text.encode("utf-8", "surrogatepass"))


@given(nearly_text(MOT).map(lambda text: text.encode("utf-8", "surrogatepass")) | st.binary(max_size=200))
@fuzz
def test_tracks_as_text(folder: Path, content: bytes) -> None:
    _tracks(folder / "tracks.txt", content)


def _tracks(path: Path, content: bytes) -> None:
    path.write_bytes(content)
    given, refusal = attempt(ConfigurationError, lambda: read_tracks(path))
    if given is None:
        assert str(path) in refusal
        return
    for track in given.tracks:
        assert -INT64 <= track.track_id < INT64
        boxes = [*track.by_frame.items(), *track.by_time]
        assert boxes
        for at, detection in boxes:
            box = detection.box
            assert 0 <= at < INT64
            assert math.isfinite(sum((box.x_min, box.y_min, box.x_max, box.y_max)))
            assert box.x_max > box.x_min
            assert box.y_max > box.y_min
            assert 0 < detection.confidence <= 1
        track.label.encode()
    for described in (*(one.predicate for one in given.relations), *(one.description for one in given.events)):
        described.encode()


@given(nearly(PLAN).map(as_json) | nearly_text(as_json(PLAN)))
@fuzz
def test_plans(folder: Path, text: str) -> None:
    path = folder / "plan.json"
    path.write_bytes(text.encode("utf-8", "surrogatepass"))
    plan, refusal = attempt(PlanError, lambda: read_plan(path))
    if plan is None:
        assert str(path) in refusal
    else:
        assert load_plan(plan.to_json()) == plan


@given(nearly_text(TEMPLATE))
@fuzz
def test_templates(folder: Path, text: str) -> None:
    root = folder / "cypher"
    path = root / "reasoning" / "made_up.cypher"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode("utf-8", "surrogatepass"))
    library, refusal = attempt(ConfigurationError, lambda: TemplateLibrary.load(root))
    if library is None:
        assert "made_up.cypher" in refusal
        return
    (template,) = library
    assert template.name == "reasoning/made_up"
    values = template.bind({one.name: example(one.type) for one in template.parameters})
    assert all(f"${one.name}" in template.text or f"`{one.name}`" in template.text for one in template.parameters)
    param_lines(template, values)


@given(nearly_text(TOML))
@once("deep = " + "[" * 5000)
@once("long = " + "1" * 5000)
@fuzz
def test_settings_files(folder: Path, text: str) -> None:
    path = folder / "some.toml"
    path.write_bytes(text.encode("utf-8", "surrogatepass"))
    settings, refusal = attempt(ConfigurationError, lambda: load(config=path))
    assert settings is not None or refusal


@given(
    JSON.map(as_json) | nearly_text('{"pid": 12, "started_at": 1.5, "version": "5", "ports": {"bolt": 1, "http": 2}}')
)
@fuzz
def test_what_a_server_has_left_in_its_home(folder: Path, text: str) -> None:
    home = Home(folder / "home")
    home.path.mkdir(exist_ok=True)
    for name in ("server.json", "process.json"):
        (home.path / name).write_bytes(text.encode("utf-8", "surrogatepass"))
    home.read_marker()
    home.read_process()


# --- bundles ----------------------------------------------------------------------------------

_HASH = hashlib.sha256(b"a video").hexdigest()
_VIDEO = _HASH[:16]
_NODE = {
    "videoId": _VIDEO,
    "entityId": f"{_VIDEO}#1",
    "frameIndex": 0,
    "t": 0.0,
    "label": "dog",
    "confidence": 0.5,
    "attributes": ["brown"],
    "description": "A dog.",
    "source": "geometry",
}
_EVENT = {"videoId": _VIDEO, "entityId": f"{_VIDEO}#1", "source": "model", "seq": 0, "tStart": 0.0, "tEnd": 1.0}
BUNDLE: dict[str, Any] = {
    "video.json": [
        {
            "id": _VIDEO,
            "properties": {
                "contentHash": _HASH,
                "title": "dog",
                "width": 160,
                "height": 120,
                "duration": 2.0,
                "frameRate": 25.0,
                "frameCount": 1,
                "sampleInterval": 1.0,
                "detector": "motion",
                "tracker": "steady",
                "describer": "geometry",
                "embedder": "test",
                "pipeline": "{}",
            },
        }
    ],
    "entities.jsonl": [
        {
            "id": f"{_VIDEO}#1",
            "properties": {
                "videoId": _VIDEO,
                "trackId": 1,
                "label": "dog",
                "description": "dog",
                "color": "#00ff00",
                "tStart": 0.0,
                "tEnd": 1.0,
                "trackT": [0.0],
                "trackBoxes": [1.0, 2.0, 3.0, 4.0],
            },
        }
    ],
    "frames.jsonl": [
        {
            "id": f"{_VIDEO}/0",
            "next": None,
            "properties": {
                "videoId": _VIDEO,
                "index": 0,
                "sourceFrame": 0,
                "t": 0.0,
                "description": "A dog.",
                "coverage": "ok",
            },
        }
    ],
    "frame_nodes.jsonl": [{"id": f"{_VIDEO}/0/1", "properties": _NODE}],
    "events.jsonl": [
        {"id": f"{_VIDEO}/1/model/0", "next": None, "properties": {**_EVENT, "description": "A dog runs."}}
    ],
    "relations.jsonl": [],
    "same_as.jsonl": [],
    "identity_links.jsonl": [],
}
_VECTOR = b"\x00\x00\x80\x3f\x00\x00\x00\x40"
_MANIFEST = {
    "format": "ravu-kg bundle",
    "format_version": 1,
    "ravu_kg": "0.1.0",
    "schema_version": 1,
    "created_at": "2026-01-01T00:00:00+00:00",
    "video_id": _VIDEO,
    "title": "dog",
    "embedder": {"name": "test", "dimensions": 2},
}


def packed(path: Path, content: dict[str, Any], manifest: dict[str, Any]) -> None:
    """A bundle whose digests are right, whatever it holds."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        parts: list[dict[str, Any]] = []
        for file in FILES:
            records = content.get(file, [])
            if file.endswith(".f32"):
                data = _VECTOR
            else:
                lines = records if isinstance(records, list) else [records]
                data = b"".join(as_json(one).encode() + b"\n" for one in lines)
            count = data.count(b"\n") if not file.endswith(".f32") else 1
            parts.append(
                {"file": file, "records": count, "bytes": len(data), "sha256": hashlib.sha256(data).hexdigest()}
            )
            archive.writestr(file, data)
        archive.writestr(MANIFEST, as_json({**manifest, "parts": parts}) if isinstance(manifest, dict) else "{}")


def test_the_bundle_that_is_changed_is_a_good_one(folder: Path) -> None:
    packed(folder / "good.ravu", BUNDLE, _MANIFEST)
    with Bundle.open(folder / "good.ravu", 1) as bundle:
        assert [record["id"] for record in bundle.records("frame_nodes")] == [f"{_VIDEO}/0/1"]


@given(nearly(BUNDLE), nearly(_MANIFEST) | st.just(_MANIFEST))
@fuzz
def test_bundles_with_other_records(folder: Path, content: Any, manifest: Any) -> None:
    path = folder / "changed.ravu"
    packed(path, content if isinstance(content, dict) else {}, manifest)
    _bundle(path)


_DAMAGE = st.tuples(st.sampled_from(("flip", "cut", "put")), st.integers(0, 10_000), st.binary(min_size=1, max_size=8))


@given(st.lists(_DAMAGE, min_size=1, max_size=4))
@fuzz
def test_bundles_with_other_bytes(folder: Path, damage: list[tuple[str, int, bytes]]) -> None:
    path = folder / "damaged.ravu"
    packed(path, BUNDLE, _MANIFEST)
    content = bytearray(path.read_bytes())
    for how, place, put in damage:
        at = place % len(content)
        if how == "flip":
            content[at] ^= put[0] or 1
        elif how == "cut":
            del content[at : at + put[0] % 40]
        else:
            content[at:at] = put
    path.write_bytes(content)
    _bundle(path)


def _bundle(path: Path) -> None:
    bundle, refusal = attempt(ConfigurationError, lambda: Bundle.open(path, 1))
    if bundle is None:
        assert str(path) in refusal
        return
    with bundle:
        read = {part: list(bundle.records(part)) for part in ("entities", "frames", "frame_nodes", "events")}
        vectors = list(bundle.vectors("frame_node_vectors", 10))
    assert sum(len(rows) for rows in vectors) == len(read["frame_nodes"])
    json.dumps(read, allow_nan=False)
