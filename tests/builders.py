"""Small, valid records for tests: every argument has a default, and ids follow from content and position."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path

import numpy as np

from ravu_kg.graph.store import Store
from ravu_kg.graph.writer import GraphWriter
from ravu_kg.types import (
    Box,
    Entity,
    Event,
    FloatArray,
    Frame,
    FrameNode,
    IdentityLink,
    Relation,
    SameAs,
    SceneWindow,
    Source,
    VideoRecord,
    entity_id,
    event_id,
    frame_id,
    frame_node_id,
)

EMBEDDER = "test"
DIMENSIONS = 768


def a_video(video_id: str = "0123456789abcdef", **changes: object) -> VideoRecord:
    values: dict[str, object] = {
        "id": video_id,
        "build": None,
        "content_hash": video_id * 4,
        "external_id": None,
        "uri": f"/videos/{video_id}.mp4",
        "title": f"clip {video_id}",
        "width_px": 640,
        "height_px": 360,
        "duration_s": 6.0,
        "frame_rate": 25.0,
        "frame_count": 6,
        "sample_interval_s": 1.0,
        "tracking_rate_hz": 5.0,
        "detector": "motion",
        "tracker": "box-matching",
        "describer": "measured:1",
        "embedder": EMBEDDER,
        "embedding_dimensions": DIMENSIONS,
    }
    return VideoRecord(**{**values, **changes})  # type: ignore[arg-type]


def a_frame(video_id: str, index: int = 0, **changes: object) -> Frame:
    values: dict[str, object] = {
        "id": frame_id(video_id, index),
        "video_id": video_id,
        "index": index,
        "source_frame": index * 25,
        "timestamp_s": float(index),
        "description": f"Frame {index}.",
    }
    return Frame(**{**values, **changes})  # type: ignore[arg-type]


def an_entity(video_id: str, track_id: int = 1, **changes: object) -> Entity:
    values: dict[str, object] = {
        "id": entity_id(video_id, track_id),
        "video_id": video_id,
        "track_id": track_id,
        "label": "person",
        "description": f"person {track_id}",
        "color": "#e6194b",
        "start_s": 0.0,
        "end_s": 5.0,
        "track_timestamps_s": (0.0, 5.0),
        "track_boxes": (10.0, 10.0, 50.0, 90.0, 20.0, 10.0, 60.0, 90.0),
    }
    return Entity(**{**values, **changes})  # type: ignore[arg-type]


def a_node(video_id: str, frame_index: int = 0, track_id: int = 1, **changes: object) -> FrameNode:
    values: dict[str, object] = {
        "id": frame_node_id(video_id, frame_index, track_id),
        "video_id": video_id,
        "entity_id": entity_id(video_id, track_id),
        "frame_index": frame_index,
        "timestamp_s": float(frame_index),
        "label": "person",
        "box": Box(10.0 + frame_index, 10.0, 50.0 + frame_index, 90.0),
        "confidence": 0.9,
        "attributes": ("red", "left"),
        "description": f"A person {track_id} in red stands on the left in frame {frame_index}.",
        "geometry_attributes": ("red", "left"),
        "geometry_description": f"A person {track_id} in red stands on the left in frame {frame_index}.",
        "source": "geometry",
    }
    return FrameNode(**{**values, **changes})  # type: ignore[arg-type]


def a_relation(subject: FrameNode, object_: FrameNode, predicate: str = "left_of", **changes: object) -> Relation:
    values: dict[str, object] = {
        "subject_id": subject.id,
        "object_id": object_.id,
        "predicate": predicate,
        "text": predicate.replace("_", " "),
        "source": "geometry",
        "confidence": 1.0,
    }
    return Relation(**{**values, **changes})  # type: ignore[arg-type]


def a_same_as(earlier: FrameNode, later: FrameNode) -> SameAs:
    return SameAs(earlier.id, later.id, later.timestamp_s - earlier.timestamp_s, 1.0, "track")


def an_event(video_id: str, track_id: int = 1, seq: int = 0, source: Source = "geometry", **changes: object) -> Event:
    values: dict[str, object] = {
        "id": event_id(video_id, track_id, source, seq),
        "video_id": video_id,
        "entity_id": entity_id(video_id, track_id),
        "source": source,
        "seq": seq,
        "start_s": float(seq * 2),
        "end_s": float(seq * 2 + 2),
        "description": f"Person {track_id} does thing {seq}.",
    }
    return Event(**{**values, **changes})  # type: ignore[arg-type]


def a_link(video_id: str, earlier_track: int = 1, later_track: int = 2, **changes: object) -> IdentityLink:
    values: dict[str, object] = {
        "earlier_id": entity_id(video_id, earlier_track),
        "later_id": entity_id(video_id, later_track),
        "score": 0.83,
        "method": "appearance",
        "scope": "reentry",
        "status": "auto",
    }
    return IdentityLink(**{**values, **changes})  # type: ignore[arg-type]


def vectors(count: int, dimensions: int = DIMENSIONS, seed: int = 0) -> FloatArray:
    """Unit vectors, the same for the same seed."""
    values = np.random.default_rng(seed).normal(size=(count, dimensions)).astype(np.float32)
    return values / np.linalg.norm(values, axis=1, keepdims=True)


@dataclass(frozen=True)
class Scene:
    """A whole small video with everything that the graph keeps of it."""

    video: VideoRecord
    entities: tuple[Entity, ...]
    links: tuple[IdentityLink, ...]
    windows: tuple[SceneWindow, ...]
    events: tuple[Event, ...]
    dimensions: int = field(default=DIMENSIONS)
    seed: int = 0
    """Scenes of one seed have the same vectors."""

    def embeddings(self, window: SceneWindow) -> FloatArray:
        return vectors(len(window.nodes), self.dimensions, seed=1000 * self.seed + window.index)

    @property
    def event_embeddings(self) -> FloatArray:
        return vectors(len(self.events), self.dimensions, seed=99)


def a_scene(
    video_id: str,
    *,
    frame_count: int = 6,
    tracks: Sequence[int] = (1, 2, 3),
    window_frames: int = 2,
    dimensions: int = DIMENSIONS,
    **changes: object,
) -> Scene:
    """Each track is in each frame, related to the next one; tracks 1 and 2 are linked."""
    windows: list[SceneWindow] = []
    for start in range(0, frame_count, window_frames):
        indexes = range(start, min(start + window_frames, frame_count))
        nodes = [a_node(video_id, index, track) for index in indexes for track in tracks]
        by_id = {node.id: node for node in nodes}
        relations = [
            a_relation(by_id[frame_node_id(video_id, i, a)], by_id[frame_node_id(video_id, i, b)])
            for i in indexes
            for a, b in pairwise(tracks)
        ]
        same_as = [
            a_same_as(a_node(video_id, index - 1, track), a_node(video_id, index, track))
            for index in indexes
            if index > 0
            for track in tracks
        ]
        frames = tuple(a_frame(video_id, index) for index in indexes)
        windows.append(SceneWindow(len(windows), frames, tuple(nodes), tuple(relations), tuple(same_as)))
    record = a_video(video_id, frame_count=frame_count, embedding_dimensions=dimensions, **changes)
    links = (a_link(video_id, tracks[0], tracks[1]),) if len(tracks) > 1 else ()
    events = tuple(an_event(video_id, track, seq) for track in tracks for seq in range(2))
    return Scene(record, tuple(an_entity(video_id, t) for t in tracks), links, tuple(windows), events, dimensions)


def write_scene(store: Store, scene: Scene, *, windows: int | None = None) -> int:
    """What indexing does, up to a number of windows; says how many were written before."""
    writer = GraphWriter(store)
    done = writer.begin(scene.video, scene.entities, scene.links)
    for window in scene.windows[done:windows]:
        writer.write_window(scene.video.id, window, scene.embeddings(window))
    if windows is None:
        writer.write_events(scene.video.id, scene.events, scene.event_embeddings)
        writer.finish(scene.video.id)
    return done


def save_tiny_appearance_model(folder: Path) -> Path:
    """Weights, made at random, of the smallest model of timm."""
    import timm
    import torch
    from safetensors.torch import save_file

    torch.manual_seed(3)
    path = folder / "test_vit.safetensors"
    save_file(timm.create_model("test_vit", num_classes=0).state_dict(), path)
    return path
