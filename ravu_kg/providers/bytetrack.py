"""ByteTrack as the library ``trackers`` has it: Kalman prediction, strong boxes first, then weak ones."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from supervision import Detections
from trackers import ByteTrackTracker

from ravu_kg.providers.association import as_boxes, require_plain
from ravu_kg.types import Detection, TrackedDetection, VideoFrame


class ByteTrack:
    """The library's tracker with its own thresholds; labels are tracked together.

    The library wants the frame rate, which only the second frame tells; nothing is lost by that, since it names no
    track in its first frame.
    """

    name = "bytetrack"

    def __init__(self) -> None:
        self._tracker: ByteTrackTracker | None = None
        self._first: tuple[float, Detections] | None = None
        self._ids_before = 0
        self._last_id = 0

    def update(self, frame: VideoFrame, detections: Sequence[Detection]) -> list[TrackedDetection]:
        """The tracked detections of this frame by track id; a track is named from its second box on."""
        found = _as_detections(detections)
        if self._tracker is None:
            if self._first is None:
                self._first = (frame.timestamp_s, found)
                return []
            first_s, first_found = self._first
            self._tracker = ByteTrackTracker(frame_rate=1 / (frame.timestamp_s - first_s))
            self._tracker.update(first_found, timestamp=first_s)
        result = self._tracker.update(found, timestamp=frame.timestamp_s)
        if result.tracker_id is None or result.class_id is None:
            return []
        tracked = [
            TrackedDetection(self._ids_before + 1 + int(number), detections[int(position)])
            for position, number in zip(result.class_id, result.tracker_id, strict=True)
            if number >= 0
        ]
        self._last_id = max([self._last_id, *(item.track_id for item in tracked)])
        return sorted(tracked, key=lambda item: item.track_id)

    def reset(self) -> None:
        """Ends all tracks; ids are never used again."""
        self._tracker = None
        self._first = None
        self._ids_before = self._last_id


def create(model: str, options: Mapping[str, object]) -> ByteTrack:
    """Entry point ``bytetrack``.

    Raises:
        ConfigurationError: a model or an option was given; it has neither.
    """
    require_plain("bytetrack", model, options)
    return ByteTrack()


def _as_detections(detections: Sequence[Detection]) -> Detections:
    return Detections(
        xyxy=as_boxes(detections),
        confidence=np.array([detection.confidence for detection in detections], dtype=np.float64),
        # The library may reorder the boxes: each carries its position where a class would be.
        class_id=np.arange(len(detections)),
    )
