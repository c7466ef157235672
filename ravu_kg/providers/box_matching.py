"""The paper's box matching: a box continues the track whose last box it overlaps most (section 3.2)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from ravu_kg.providers.association import as_boxes, best_pairs, overlap, require_plain
from ravu_kg.types import Detection, TrackedDetection, VideoFrame

# Every box makes a track here, so those that only a two-stage tracker can use are left out.
_LEAST_CONFIDENCE = 0.3
_LEAST_OVERLAP = 0.3
_LONGEST_GAP_S = 1.0


class BoxMatchingTracker:
    """Assigns each frame's boxes to the tracks' last boxes by overlap (Hungarian); no motion, no looks."""

    name = "box-matching"

    def __init__(self) -> None:
        self._tracks: dict[int, tuple[float, Detection]] = {}
        self._next_id = 1

    def update(self, frame: VideoFrame, detections: Sequence[Detection]) -> list[TrackedDetection]:
        """The tracked detections of this frame, in the order of the detections: each surer than 0.3 has a track."""
        self._tracks = {
            track_id: (seen_s, last)
            for track_id, (seen_s, last) in self._tracks.items()
            if frame.timestamp_s - seen_s <= _LONGEST_GAP_S
        }
        detections = [detection for detection in detections if detection.confidence >= _LEAST_CONFIDENCE]
        ids = list(self._tracks)
        known = [self._tracks[track_id][1] for track_id in ids]
        similarity = overlap(as_boxes(known), as_boxes(detections))
        same_label = np.array([[a.label == b.label for b in detections] for a in known], dtype=bool)
        pairs = best_pairs(np.where(same_label.reshape(similarity.shape), similarity, 0.0), _LEAST_OVERLAP)
        chosen = {column: ids[row] for row, column in pairs}
        tracked: list[TrackedDetection] = []
        for position, detection in enumerate(detections):
            track_id = chosen.get(position)
            if track_id is None:
                track_id, self._next_id = self._next_id, self._next_id + 1
            self._tracks[track_id] = (frame.timestamp_s, detection)
            tracked.append(TrackedDetection(track_id, detection))
        return tracked

    def reset(self) -> None:
        """Ends all tracks; ids are never used again."""
        self._tracks.clear()


def create(model: str, options: Mapping[str, object]) -> BoxMatchingTracker:
    """Entry point ``box-matching``.

    Raises:
        ConfigurationError: a model or an option was given; it has neither.
    """
    require_plain("box-matching", model, options)
    return BoxMatchingTracker()
