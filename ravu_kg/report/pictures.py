"""Small JPEGs for a page: key frames large, as many of the other sampled frames as the page has room for."""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import cv2

from ravu_kg.errors import VideoError
from ravu_kg.report.footage import Footage
from ravu_kg.types import Image

MOST_PICTURES = 160
ROOM_BYTES = 3_000_000
"""For all pictures of a page; in the page they take a third more."""
_KEY_PX, _KEY_QUALITY = 960, 80
_SMALL_PX, _SMALL_QUALITY = 448, 66


@dataclass(frozen=True, slots=True)
class PagePictures:
    """JPEGs by sampled frame, or why there are none."""

    by_frame: Mapping[int, bytes] = field(default_factory=dict[int, bytes])
    missing: str = ""

    def link(self, frame_index: int) -> str | None:
        """The picture as a ``data:`` address; None where there is none."""
        data = self.by_frame.get(frame_index)
        return None if data is None else "data:image/jpeg;base64," + base64.b64encode(data).decode("ascii")


def take_pictures(footage: Footage, key_frames: Sequence[int], *, room_bytes: int = ROOM_BYTES) -> PagePictures:
    """Take the pictures of a video in one pass through its file.

    Args:
        footage: the video.
        key_frames: indexes of the sampled frames that are shown large.
        room_bytes: all pictures together are kept below this, but for the key frames.
    """
    moments = footage.graph.moments
    times_s = {moment.frame_index: moment.timestamp_s for moment in moments}
    keys = {index for index in key_frames if index in times_s}
    others = spread([index for index in times_s if index not in keys], MOST_PICTURES)
    wanted = sorted(keys | set(others))
    try:
        frames = footage.at([times_s[index] for index in wanted])
        taken = {
            index: _jpeg(frame.image, _KEY_PX, _KEY_QUALITY)
            if index in keys
            else _jpeg(frame.image, _SMALL_PX, _SMALL_QUALITY)
            for index, frame in zip(wanted, frames, strict=True)
        }
    except VideoError as error:
        return PagePictures(missing=str(error))
    while others and sum(len(data) for data in taken.values()) > room_bytes:
        fewer = spread(others, len(others) // 2)
        for index in set(others) - set(fewer):
            del taken[index]
        others = fewer
    return PagePictures(taken)


def spread(indexes: Sequence[int], count: int) -> list[int]:
    """At most ``count`` of them, evenly."""
    if len(indexes) <= count:
        return list(indexes)
    return [indexes[position * len(indexes) // count] for position in range(count)]


def _jpeg(image: Image, longest_px: int, quality: int) -> bytes:
    height_px, width_px = image.shape[:2]
    scale = min(1.0, longest_px / max(width_px, height_px))
    small = cv2.resize(
        image, (max(1, round(width_px * scale)), max(1, round(height_px * scale))), interpolation=cv2.INTER_AREA
    )
    done, data = cv2.imencode(".jpg", cv2.cvtColor(small, cv2.COLOR_RGB2BGR), [cv2.IMWRITE_JPEG_QUALITY, quality])
    assert done  # encoding a picture in memory cannot fail
    return data.tobytes()
