"""Reading video files by presentation time.

Time 0 is the first displayed frame. Pictures are upright (rotation and mirroring from the file applied once) and
have square pixels. A file is read as a stream: memory does not grow with its length, except for one number a
frame (its presentation time).

A file that breaks off or is damaged in the middle is read as far as it can be decoded; its duration is that of
the frames that are there. Packets that do not decode are skipped, counted and reported by one warning in the log.
"""

from __future__ import annotations

import hashlib
import logging
import math
import struct
from array import array
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import cast

import av
import numpy as np
from av.container import InputContainer
from av.error import FFmpegError
from av.packet import Packet
from av.sidedata.sidedata import SideData
from av.stream import Disposition
from av.video.frame import VideoFrame as DecodedFrame
from av.video.reformatter import VideoReformatter
from av.video.stream import VideoStream
from numpy.typing import NDArray

from ravu_kg.errors import VideoError
from ravu_kg.types import Image, VideoFrame, VideoInfo
from ravu_kg.video.sampling import TICK_TOLERANCE_S, is_due

_log = logging.getLogger(__name__)

_DECODE_ON_S = 2.0
"""A target this close ahead is reached by decoding on; a seek would mostly land on the same I-frame."""
_DEMUX_RETRIES = 50
"""Unreadable packets in a row after which a file is taken to end."""


def probe(path: Path) -> VideoInfo:
    """What a file holds, measured from its packets; the whole file is read once for its hash and once for its times.

    Raises:
        VideoError: there is no such file, or it holds no picture that can be decoded.
    """
    content_hash = _content_hash(path)
    with _opened(path) as source:
        duration_s = float(source.times[-1]) + source.last_frame_s
        return VideoInfo(
            path=path,
            content_hash=content_hash,
            width_px=source.placement.width_px,
            height_px=source.placement.height_px,
            duration_s=duration_s,
            frame_rate=len(source.times) / duration_s if duration_s > 0 else 0.0,
            rotation_deg=source.placement.rotation_deg,
        )


def frame_times(path: Path) -> NDArray[np.float64]:
    """Seconds of every frame of a file, ascending; nothing but the first frame is decoded.

    Raises:
        VideoError: as :func:`probe`.
    """
    with _opened(path) as source:
        return np.asarray(source.times, dtype=np.float64)


def read_frames(
    video: VideoInfo, rate_hz: float | None, *, start_s: float = 0.0, end_s: float | None = None
) -> Iterator[VideoFrame]:
    """The first frame at or after each tick ``k / rate_hz``, in time order, of those in [start_s, end_s).

    A frame is given once even where a gap makes it the first for several ticks. Reading [a, b) and then [b, c)
    gives the frames of [a, c). Frames between the ticks are not converted, and only decoded where others need them.

    Args:
        video: from :func:`probe`.
        rate_hz: ticks a second, None for every frame.
        start_s: first moment of interest; the file is not decoded from its beginning for it.
        end_s: end of the stretch, None for the end of the video.

    Raises:
        VideoError: the file can no longer be read.
    """
    with _opened(video.path) as source:
        previous_s: float | None = None
        for position, timestamp_s, decoded in source.frames_from(start_s, rate_hz):
            if end_s is not None and timestamp_s >= end_s:
                break
            if previous_s is None and position > 0:
                previous_s = float(source.times[position - 1])
            due = timestamp_s >= start_s and is_due(previous_s, timestamp_s, rate_hz)
            previous_s = timestamp_s
            if due:
                yield VideoFrame(position, timestamp_s, source.picture(decoded))


def frames_at(video: VideoInfo, timestamps_s: Sequence[float]) -> Iterator[VideoFrame]:
    """The frame on display at each of the given times, in the order of the times.

    The time of a frame gives that frame; a time after the end gives the last frame, one before 0 the first.

    Raises:
        VideoError: the file can no longer be read.
    """
    with _opened(video.path) as source:
        frames: Iterator[tuple[int, float, DecodedFrame]] = iter(())
        shown: tuple[int, float, DecodedFrame] | None = None
        ahead: tuple[int, float, DecodedFrame] | None = None
        for target_s in timestamps_s:
            reached_s = target_s + TICK_TOLERANCE_S
            if shown is None or not shown[1] <= max(reached_s, 0.0) <= shown[1] + _DECODE_ON_S:
                frames = source.frames_from(max(target_s, 0.0))
                shown, ahead = next(frames, None), next(frames, None)
            while ahead is not None and ahead[1] <= reached_s:
                shown, ahead = ahead, next(frames, None)
            if shown is None:
                raise VideoError(f"{video.path}: no frame can be decoded near {target_s:.3f} s. {_COPY_AGAIN}")
            yield VideoFrame(shown[0], shown[1], source.picture(shown[2]))


_COPY_AGAIN = "Copy or download the file again, or convert it with a video tool."


@dataclass(frozen=True)
class _Placement:
    """How a decoded picture becomes the displayed one: scaled to square pixels, then turned or mirrored."""

    scaled_width_px: int
    scaled_height_px: int
    transposed: bool
    mirrored_x: bool
    mirrored_y: bool
    rotation_deg: int

    @property
    def width_px(self) -> int:
        return self.scaled_height_px if self.transposed else self.scaled_width_px

    @property
    def height_px(self) -> int:
        return self.scaled_width_px if self.transposed else self.scaled_height_px

    @classmethod
    def of(cls, frame: DecodedFrame, pixel_aspect: Fraction) -> _Placement:
        # The display matrix sends (x, y) to (a x + c y, b x + d y); files hold multiples of 90 degrees.
        a, b, c, d = _display_matrix(frame)
        transposed = abs(b) > abs(a)
        sign = -1 if a * d - b * c < 0 else 1  # a mirrored picture: the angle that is left without the mirror
        angle_deg = math.degrees(math.atan2(sign * b, sign * a))
        return cls(
            scaled_width_px=max(1, round(frame.width * pixel_aspect)),
            scaled_height_px=frame.height,
            transposed=transposed,
            mirrored_x=(c if transposed else a) < 0,
            mirrored_y=(b if transposed else d) < 0,
            rotation_deg=round(angle_deg / 90) * 90 % 360,
        )

    def apply(self, frame: DecodedFrame, reformatter: VideoReformatter) -> Image:
        rgb = reformatter.reformat(
            frame, width=self.scaled_width_px, height=self.scaled_height_px, format="rgb24", threads=1
        ).to_ndarray()
        image = np.asarray(rgb, dtype=np.uint8)
        if self.transposed:
            image = image.transpose(1, 0, 2)
        if self.mirrored_x:
            image = image[:, ::-1]
        if self.mirrored_y:
            image = image[::-1]
        return np.ascontiguousarray(image)


class _Source:
    """An open file: its video stream and the presentation times of all its frames."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.container, self.stream = _open(path)
        self.broken = 0
        """Packets that could not be read or decoded since the last start from the beginning."""
        self._stamps, self.last_frame_s = self._measure()
        first = next((frame for frame in self._decode_again() if frame.pts is not None), None)
        if first is None or first.pts is None or self._stamps.size == 0:
            self.container.close()
            raise VideoError(f"{path}: the file has a video stream, but no frame of it can be decoded. {_COPY_AGAIN}")
        self._stamps = self._stamps[self._stamps >= first.pts]
        self._origin = first.pts
        self.times = (self._stamps - self._origin) * float(self._time_base)
        """Seconds of each frame from the first displayed one, ascending."""
        self.placement = _Placement.of(first, self.stream.sample_aspect_ratio or Fraction(1))
        self._reformatter = VideoReformatter()  # one for all frames: a frame's own is set up anew each time

    def picture(self, frame: DecodedFrame) -> Image:
        """The displayed picture of a decoded frame."""
        return self.placement.apply(frame, self._reformatter)

    def frames_from(self, start_s: float, rate_hz: float | None = None) -> Iterator[tuple[int, float, DecodedFrame]]:
        """(position in the source, time, frame), ascending, from the last I-frame before a time or earlier.

        With a rate, frames that are due at none of its ticks may be left out.
        """
        due = None if rate_hz is None else self._due(rate_hz)
        if start_s > 0:
            found = False
            for item in self._in_order(self._decode_near(start_s, due)):
                if not found and item[1] > start_s:
                    break  # the index led past the target, or there is none
                found = True
                yield item
            if found:
                return
        yield from self._in_order(self._decode_again(due))

    def _due(self, rate_hz: float) -> frozenset[int]:
        """Presentation times of the frames that are due, in the time base."""
        times_s: list[float] = self.times.tolist()
        stamps: list[int] = self._stamps.tolist()
        steps = zip(stamps, [None, *times_s], times_s, strict=False)
        return frozenset(stamp for stamp, before_s, at_s in steps if is_due(before_s, at_s, rate_hz))

    @property
    def _time_base(self) -> Fraction:
        return self.stream.time_base or Fraction(1, 1_000_000)

    def _measure(self) -> tuple[np.ndarray[tuple[int], np.dtype[np.int64]], float]:
        """Read all packets without decoding: containers lie about duration and frame rate, packets do not."""
        stamps = array("q")
        last = (-(2**63), 0)
        for packet in self._packets():
            stamp = packet.pts if packet.pts is not None else packet.dts
            # Packets outside the edit list serve as references only and are never shown.
            if stamp is not None and packet.size > 0 and not packet.is_discard:
                stamps.append(stamp)
                last = max(last, (stamp, packet.duration or 0))
        ascending = np.unique(np.frombuffer(stamps, dtype=np.int64))
        if last[1] > 0:
            return ascending, float(last[1] * self._time_base)
        if ascending.size > 1:
            return ascending, float(np.median(np.diff(ascending))) * float(self._time_base)
        rate = self.stream.average_rate or self.stream.guessed_rate
        return ascending, float(1 / rate) if rate else 0.0

    def _in_order(self, frames: Iterator[DecodedFrame]) -> Iterator[tuple[int, float, DecodedFrame]]:
        last = self._origin - 1
        for frame in frames:
            if frame.pts is not None and frame.pts > last:
                last = frame.pts
                position = int(np.searchsorted(self._stamps, frame.pts))
                yield position, (frame.pts - self._origin) * float(self._time_base), frame

    def _decode_again(self, due: frozenset[int] | None = None) -> Iterator[DecodedFrame]:
        """All frames from the beginning; opened anew because not every format can seek to its start."""
        self.container.close()
        self.container, self.stream = _open(self.path)
        self.broken = 0
        yield from self._decode(due)

    def _decode_near(self, at_s: float, due: frozenset[int] | None) -> Iterator[DecodedFrame]:
        try:
            offset = self._origin + int(at_s / self._time_base)
            self.container.seek(offset, stream=self.stream, backward=True)
        except FFmpegError:
            return
        yield from self._decode(due)

    def _decode(self, due: frozenset[int] | None) -> Iterator[DecodedFrame]:
        for packet in self._packets():  # the last one is empty and drains the decoder
            if due is not None:
                # What no other frame is predicted from need not be decoded; the due frames stay the same to the bit.
                needed = packet.pts is None or packet.pts in due
                self.stream.codec_context.skip_frame = "DEFAULT" if needed else "NONREF"
            try:
                yield from packet.decode()
            except FFmpegError:
                self.broken += 1

    def _packets(self) -> Iterator[Packet[VideoStream]]:
        packets = self.container.demux(self.stream)
        failures = 0
        while failures < _DEMUX_RETRIES:
            try:
                packet = next(packets)
            except StopIteration:
                return
            except FFmpegError:
                failures += 1
                self.broken += 1
                packets = self.container.demux(self.stream)
                continue
            failures = 0
            yield packet


@contextmanager
def _opened(path: Path) -> Generator[_Source]:
    source = _Source(path)
    try:
        yield source
    finally:
        source.container.close()
        if source.broken:
            _log.warning("%s: skipped %d damaged packets", path, source.broken)


def _open(path: Path) -> tuple[InputContainer, VideoStream]:
    try:
        # The prefix and the list keep names and playlists from opening anything but this local file.
        container = av.open(f"file:{path}", options={"protocol_whitelist": "file"})
    except FFmpegError as error:
        raise VideoError(f"{path}: {_why_not_opened(path, error)}") from error
    streams = [stream for stream in container.streams.video if not stream.disposition & Disposition.attached_pic]
    if not streams:
        kinds = ", ".join(sorted({stream.type for stream in container.streams})) or "nothing"
        container.close()
        raise VideoError(f"{path}: the file holds no video stream (only {kinds}). Give a file with moving pictures.")
    streams[0].thread_type = "AUTO"
    return container, streams[0]


def _why_not_opened(path: Path, error: FFmpegError) -> str:
    if isinstance(error, OSError):
        return f"the file can no longer be read ({error.strerror}). Check that it is still there."
    with path.open("rb") as file:
        start = file.read(12)
    if start[4:8] == b"ftyp":
        return (
            "the file is cut off: its index (the 'moov' part, often at the end) is missing, so no frame can be "
            f"found. {_COPY_AGAIN}"
        )
    return f"the file is not a video in a known format ({error.strerror}). Give a video file, such as MP4 or MKV."


def _content_hash(path: Path) -> str:
    """SHA-256 of the file, which is read as a stream; also where a missing or forbidden file shows."""
    try:
        with path.open("rb") as file:
            digest = hashlib.file_digest(file, "sha256")
            size = file.tell()
    except IsADirectoryError as error:
        raise VideoError(f"{path}: this is a folder. Name the video files in it one by one.") from error
    except FileNotFoundError as error:
        raise VideoError(f"{path}: there is no such file. Check the path.") from error
    except PermissionError as error:
        raise VideoError(f"{path}: no permission to read the file. Change its access rights (chmod u+r).") from error
    except OSError as error:
        raise VideoError(f"{path}: the file cannot be read ({error.strerror}). Check the path and the disk.") from error
    if size == 0:
        raise VideoError(f"{path}: the file is empty (0 bytes). {_COPY_AGAIN}")
    return digest.hexdigest()


def _display_matrix(frame: DecodedFrame) -> tuple[int, int, int, int]:
    """The four numbers of the display matrix that turn and mirror; identity when the file has none."""
    # The stub's container is an unparametrised Mapping.
    data = cast("SideData | None", frame.side_data.get("DISPLAYMATRIX"))
    if data is None:
        return 1, 0, 0, 1
    numbers = struct.unpack("=9i", bytes(data))
    return numbers[0], numbers[1], numbers[3], numbers[4]
