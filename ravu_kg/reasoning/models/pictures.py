"""Pictures of the evidence for a model that looks at them: key frames with the boxes of the evidence's entities."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from ravu_kg.errors import VideoError
from ravu_kg.graph.reader import GraphReader, TrackRow, VideoRow
from ravu_kg.reasoning.models.requests import tag
from ravu_kg.reasoning.records import Evidence, Execution
from ravu_kg.types import Box, Image, Picture, VideoInfo

LONGEST_SIDE_PX = 768
JPEG_QUALITY = 80
_SAME_MOMENT_S = 0.05


@dataclass(frozen=True, slots=True)
class Pictured:
    """Pictures in order of time, or why there are none."""

    times_s: tuple[float, ...] = ()
    pictures: tuple[Picture, ...] = ()
    note: str = ""


class EvidencePictures:
    """Takes pictures from the files of videos. A file is looked through once, and again when it was changed."""

    def __init__(self, reader: GraphReader) -> None:
        self._reader = reader
        self._known: dict[tuple[Path, int, int], VideoInfo] = {}

    def of(self, execution: Execution) -> Pictured:
        """One picture for each moment of the evidence."""
        video = self._reader.video(execution.video_id)
        try:
            info = self.file(video)
            times_s = _moments(execution.evidence)
            entity_ids = list(dict.fromkeys(one for shown in execution.evidence for one in shown.entity_ids))
            tracks = {row.entity_id: row for row in self._reader.tracks(entity_ids)}
            pictures = _taken(info, video, execution.evidence, times_s, tracks)
        except VideoError as error:
            return Pictured(note=f"Answered from text alone: {error}")
        return Pictured(times_s, pictures)

    def file(self, video: VideoRow) -> VideoInfo:
        """The file that was indexed.

        Raises:
            VideoError: it is not where it was, or holds something else now.
        """
        from ravu_kg.video.reader import probe  # opens libraries that a question in words does without

        if video.uri is None:
            raise VideoError(
                f"{video.title} has no file. Name the one that belongs to it: "
                f"ravu-kg videos attach {video.video_id} FILE"
            )
        path = Path(video.uri)
        try:
            found = path.stat()
        except OSError as error:
            raise VideoError(f"{path} is not there any more.") from error
        key = (path, found.st_mtime_ns, found.st_size)
        if key not in self._known:
            self._known[key] = probe(path)
        info = self._known[key]
        known = video.content_hash or video.video_id
        if known[:16] != info.content_hash[:16]:
            raise VideoError(f"{path} is not the file that was indexed; it was changed.")
        return info


def _moments(evidence: Sequence[Evidence]) -> tuple[float, ...]:
    times_s: list[float] = []
    for time_s in sorted(one.timestamp_s for one in evidence):
        if not times_s or time_s - times_s[-1] > _SAME_MOMENT_S:
            times_s.append(time_s)
    return tuple(times_s)


def _taken(
    info: VideoInfo,
    video: VideoRow,
    evidence: Sequence[Evidence],
    times_s: Sequence[float],
    tracks: Mapping[str, TrackRow],
) -> tuple[Picture, ...]:
    from ravu_kg.video.overlay import palette
    from ravu_kg.video.reader import frames_at

    colors = dict(zip(tracks, palette(len(tracks)), strict=True))
    pictures: list[Picture] = []
    for time_s, frame in zip(times_s, frames_at(info, times_s), strict=True):
        shown = [one for one in evidence if abs(one.timestamp_s - time_s) <= _SAME_MOMENT_S]
        boxes = {
            entity: box
            for entity in dict.fromkeys(entity for one in shown for entity in one.entity_ids)
            if entity in tracks and (box := _box_at(tracks[entity], time_s, video.sample_interval_s / 2)) is not None
        }
        pictures.append(_picture(frame.image, boxes, colors))
    return tuple(pictures)


def _box_at(track: TrackRow, time_s: float, reach_s: float) -> Box | None:
    """The box nearest in time, if it is near enough to be true still."""
    nearest = min(range(len(track.boxes)), key=lambda at: abs(track.timestamps_s[at] - time_s), default=None)
    if nearest is None or abs(track.timestamps_s[nearest] - time_s) > reach_s:
        return None
    return track.boxes[nearest]


def _picture(image: Image, boxes: Mapping[str, Box], colors: Mapping[str, str]) -> Picture:
    """A small JPEG; boxes are drawn after it was made small, so that their numbers stay readable."""
    import numpy as np
    from PIL import Image as Pictures

    from ravu_kg.video.overlay import draw

    height_px, width_px = image.shape[:2]
    scale = min(1.0, LONGEST_SIDE_PX / max(width_px, height_px))
    small = Pictures.fromarray(image).resize((max(1, round(width_px * scale)), max(1, round(height_px * scale))))
    scaled = [Box(*(value * scale for value in (b.x_min, b.y_min, b.x_max, b.y_max))) for b in boxes.values()]
    drawn = draw(np.asarray(small, dtype=np.uint8), scaled, [colors[one] for one in boxes], [tag(one) for one in boxes])
    buffer = io.BytesIO()
    # Colours at full resolution: thin coloured lines would run into what is beside them.
    Pictures.fromarray(drawn).save(buffer, "JPEG", quality=JPEG_QUALITY, subsampling=0)
    return Picture(buffer.getvalue(), "image/jpeg", small.width, small.height)
