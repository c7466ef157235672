"""The records that cross module boundaries.

Conventions, everywhere in the package:

* times are seconds from the start of the video, taken from presentation timestamps; intervals are half-open;
* boxes are ``x_min, y_min, x_max, y_max`` in displayed pixels (after rotation), origin top left;
* images are RGB ``uint8`` arrays of shape (height, width, 3);
* scores are in 0..1, and a cosine score is Neo4j's ``(1 + cos) / 2``.
"""

from ravu_kg.types.boxes import (
    Box,
    Boxes,
    FloatArray,
    Image,
    Span,
    overlaps,
)
from ravu_kg.types.graph import (
    Coverage,
    Entity,
    Event,
    Frame,
    FrameNode,
    IdentityLink,
    Relation,
    SameAs,
    SceneWindow,
    VideoRecord,
    entity_id,
    entity_tag,
    event_id,
    frame_id,
    frame_node_id,
    replaced_id,
    replacement_id,
    track_id_in,
    video_id,
)
from ravu_kg.types.model import ModelReply, ModelRequest, Picture, Usage
from ravu_kg.types.seen import (
    Detection,
    GivenEvent,
    GivenRelation,
    LinkScope,
    LinkStatus,
    Perception,
    SampledFrame,
    Source,
    Track,
    TrackedDetection,
    TrackEnd,
    TrackLink,
    VideoFrame,
    VideoInfo,
)

__all__ = [
    "Box",
    "Boxes",
    "Coverage",
    "Detection",
    "Entity",
    "Event",
    "FloatArray",
    "Frame",
    "FrameNode",
    "GivenEvent",
    "GivenRelation",
    "IdentityLink",
    "Image",
    "LinkScope",
    "LinkStatus",
    "ModelReply",
    "ModelRequest",
    "Perception",
    "Picture",
    "Relation",
    "SameAs",
    "SampledFrame",
    "SceneWindow",
    "Source",
    "Span",
    "Track",
    "TrackEnd",
    "TrackLink",
    "TrackedDetection",
    "Usage",
    "VideoFrame",
    "VideoInfo",
    "VideoRecord",
    "entity_id",
    "entity_tag",
    "event_id",
    "frame_id",
    "frame_node_id",
    "overlaps",
    "replaced_id",
    "replacement_id",
    "track_id_in",
    "video_id",
]
