"""The evidence of an answer as files: annotated pictures, and a short annotated clip."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

import av
import cv2
import numpy as np
from av.container import OutputContainer
from av.video.stream import VideoStream
from PIL import Image as Pictures
from PIL import ImageDraw, ImageFont

from ravu_kg.errors import UsageError
from ravu_kg.reasoning.records import Evidence
from ravu_kg.report.footage import SAME_MOMENT_S, Footage
from ravu_kg.report.formatting import clock
from ravu_kg.types import Box, Image, VideoFrame
from ravu_kg.video.overlay import draw

LONGEST_CLIP_S = 40.0
_BEFORE_S, _AFTER_S, _HOLD_S = 1.0, 1.5, 0.8
_MOST_RATE_HZ = 25.0
_LONGEST_SIDE_PX = 1280
_CAPTION_LINES = 2
_CAPTION_PAPER, _CAPTION_INK, _CAPTION_QUIET, _CAPTION_MARK = "#15181c", "#f2f3f5", "#9aa1ab", "#f5b25c"
_TIME_BASE = Fraction(1, 1000)


@dataclass(frozen=True, slots=True)
class Moment:
    """A time of one video with all the evidence at it."""

    timestamp_s: float
    evidence: tuple[Evidence, ...]

    @property
    def entity_ids(self) -> tuple[str, ...]:
        """Who is meant."""
        return tuple(dict.fromkeys(entity_id for one in self.evidence for entity_id in one.entity_ids))

    @property
    def text(self) -> str:
        """What the evidence says."""
        return " ".join(dict.fromkeys(one.text for one in self.evidence))


def moments_of(evidence: Sequence[Evidence]) -> list[Moment]:
    """Evidence of one video by time."""
    found: list[Moment] = []
    for one in sorted(evidence, key=lambda one: one.timestamp_s):
        if found and one.timestamp_s - found[-1].timestamp_s <= SAME_MOMENT_S:
            found[-1] = Moment(found[-1].timestamp_s, (*found[-1].evidence, one))
        else:
            found.append(Moment(one.timestamp_s, (one,)))
    return found


def annotated(footage: Footage, frame: VideoFrame, entity_ids: Sequence[str], *, scale: float = 1.0) -> Image:
    """A copy of a frame with the boxes of entities and their names."""
    image = frame.image
    if scale != 1.0:
        size = (_even(image.shape[1] * scale), _even(image.shape[0] * scale))
        image = np.asarray(cv2.resize(image, size, interpolation=cv2.INTER_AREA), dtype=np.uint8)
    across, down = image.shape[1] / frame.image.shape[1], image.shape[0] / frame.image.shape[0]
    boxes = footage.boxes(frame.timestamp_s, entity_ids)
    scaled = [Box(b.x_min * across, b.y_min * down, b.x_max * across, b.y_max * down) for b in boxes.values()]
    return draw(image, scaled, [one.color for one in boxes], [one.name for one in boxes])


def save_frames(footage: Footage, evidence: Sequence[Evidence], folder: Path, first: int = 1) -> list[Path]:
    """One annotated PNG for each moment of the evidence, in the video's full size.

    Raises:
        VideoError: the file can no longer be read.
        UsageError: the folder cannot be written to.
    """
    moments = moments_of(evidence)
    saved: list[Path] = []
    frames = footage.at([moment.timestamp_s for moment in moments])
    name = re.sub(r"[^\w.-]+", "_", footage.graph.title)[:60].strip("._") or "video"
    for number, (moment, frame) in enumerate(zip(moments, frames, strict=True), start=first):
        path = folder / f"{number:02d}_{name}_{moment.timestamp_s:08.2f}s.png"
        picture = Pictures.fromarray(annotated(footage, frame, moment.entity_ids))
        try:
            picture.save(path)
        except OSError as error:
            raise UsageError(f"{path} cannot be written: {error.strerror or error}. Give another folder.") from error
        saved.append(path)
    return saved


def write_clip(
    parts: Sequence[tuple[Footage, Sequence[Evidence]]], path: Path, progress: Callable[[str, float], None]
) -> float:
    """A short MP4 of the evidence, part after part in order of time; gives its length in seconds.

    Around each moment of the evidence a stretch is shown with the boxes of who is meant and, below the picture, the
    time and what is said; the picture holds still at the moment itself. Stretches that touch are one.

    Args:
        parts: the videos with their evidence.
        path: the file to write; what is there is replaced when the clip is complete.
        progress: told "clip" and how much of it is done, 0..1.

    Raises:
        UsageError: there is no evidence, or the file cannot be written.
        VideoError: a video's file can no longer be read.
    """
    moments = [(footage, moments_of(evidence)) for footage, evidence in parts if evidence]
    if not moments:
        raise UsageError("There is no evidence to show in a clip. Ask another question.")
    first = moments[0][0]
    width_px, height_px = _fitted(first.info.width_px, first.info.height_px)
    canvas = _Canvas(width_px, height_px)
    rate_hz = min(_MOST_RATE_HZ, max(1.0, first.info.frame_rate))
    unfinished = path.with_name(f".{path.name}.part")
    try:
        with av.open(str(unfinished), "w", format="mp4", options={"movflags": "+faststart"}) as container:
            rate = Fraction(rate_hz).limit_denominator(1001)
            stream = container.add_stream("libx264", rate=rate)  # pyright: ignore[reportUnknownMemberType] -- **kwargs
            stream.width, stream.height, stream.pix_fmt = canvas.width_px, canvas.total_px, "yuv420p"
            stream.options = {"crf": "20", "preset": "veryfast"}
            stream.codec_context.time_base = _TIME_BASE
            shown_s, most_s = 0.0, _longest_s(moments)
            for image, length_s in _pictures(moments, canvas, rate_hz):
                if shown_s >= LONGEST_CLIP_S:
                    break
                frame = av.VideoFrame.from_ndarray(image, format="rgb24")
                frame.pts, frame.time_base = round(shown_s / _TIME_BASE), _TIME_BASE
                _mux(container, stream, frame)
                shown_s += length_s
                progress("clip", min(1.0, shown_s / most_s))
            _mux(container, stream, None)
        unfinished.replace(path)
    except OSError as error:
        raise UsageError(f"{path} cannot be written: {error.strerror or error}. Give another --clip.") from error
    finally:
        if unfinished.is_file():
            unfinished.unlink()
    return shown_s


def _mux(container: OutputContainer, stream: VideoStream, frame: av.VideoFrame | None) -> None:
    for packet in stream.encode(frame):  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType] -- stubs
        container.mux(packet)  # pyright: ignore[reportUnknownMemberType, reportUnknownArgumentType] -- stubs


def _pictures(
    parts: Sequence[tuple[Footage, Sequence[Moment]]], canvas: _Canvas, rate_hz: float
) -> Iterator[tuple[Image, float]]:
    """Every picture of the clip with the seconds that it is shown for."""
    total = sum(len(moments) for _, moments in parts)
    number = 0
    step_s = 1 / rate_hz
    for footage, moments in parts:
        scale = canvas.scale(footage)
        for start_s, end_s, own in _stretches(moments, footage.info.duration_s):
            waiting = list(own)
            told = own[0]
            number += 1
            meant = tuple(dict.fromkeys(entity_id for one in own for entity_id in one.entity_ids))
            for frame in footage.between(start_s, end_s, rate_hz):
                reached = waiting and frame.timestamp_s >= waiting[0].timestamp_s - SAME_MOMENT_S
                if reached:
                    number += told is not waiting[0]
                    told = waiting.pop(0)
                picture = annotated(footage, frame, meant, scale=scale)
                length_s = _HOLD_S if reached else step_s
                caption = _Caption(clock(frame.timestamp_s), f"{number} of {total}", told.text, bool(reached))
                yield canvas.with_caption(picture, caption, footage.graph.title), length_s


def _longest_s(parts: Sequence[tuple[Footage, Sequence[Moment]]]) -> float:
    """How long a clip is at most."""
    stretches = [one for footage, moments in parts for one in _stretches(moments, footage.info.duration_s)]
    return min(LONGEST_CLIP_S, sum(end_s - start_s + _HOLD_S * len(own) for start_s, end_s, own in stretches))


def _stretches(moments: Sequence[Moment], duration_s: float) -> list[tuple[float, float, list[Moment]]]:
    """What is shown: around each moment a little, those that touch joined."""
    found: list[tuple[float, float, list[Moment]]] = []
    for moment in moments:
        start_s = max(0.0, moment.timestamp_s - _BEFORE_S)
        end_s = min(duration_s, moment.timestamp_s + _AFTER_S)
        if found and start_s <= found[-1][1]:
            found[-1] = (found[-1][0], max(end_s, found[-1][1]), [*found[-1][2], moment])
        else:
            found.append((start_s, end_s, [moment]))
    return found


@dataclass(frozen=True, slots=True)
class _Caption:
    time: str
    place: str
    text: str
    is_marked: bool


class _Canvas:
    """Where pictures of any video are laid, with room for the caption below."""

    def __init__(self, width_px: int, height_px: int) -> None:
        self.width_px, self.height_px = width_px, height_px
        self._letter_px = max(13, round(min(width_px, height_px * 1.4) / 34))
        self._font = ImageFont.load_default(self._letter_px)
        self._small = ImageFont.load_default(max(11, round(self._letter_px * 0.8)))
        self._line_px = round(self._letter_px * 1.35)
        self.total_px = _even(height_px + self._line_px * (_CAPTION_LINES + 1) + self._letter_px)
        self._paper = Pictures.new("RGB", (width_px, self.total_px), _CAPTION_PAPER)

    def scale(self, footage: Footage) -> float:
        """How much a video's pictures are made smaller or larger to fit."""
        return min(self.width_px / footage.info.width_px, self.height_px / footage.info.height_px)

    def with_caption(self, picture: Image, caption: _Caption, title: str) -> Image:
        """The picture, and below it when it is and what is said."""
        page = self._paper.copy()
        left, top = (self.width_px - picture.shape[1]) // 2, (self.height_px - picture.shape[0]) // 2
        page.paste(Pictures.fromarray(picture), (left, top))
        pen = ImageDraw.Draw(page)
        margin, y = self._letter_px, self.height_px + self._letter_px // 2
        pen.rectangle(
            (0, self.height_px, round(self._letter_px / 3), self.total_px),
            fill=_CAPTION_MARK if caption.is_marked else _CAPTION_PAPER,
        )
        pen.text((margin, y), caption.time, fill=_CAPTION_MARK if caption.is_marked else _CAPTION_INK, font=self._font)
        aside = f"{title[:60]}   evidence {caption.place}"
        wide = pen.textlength(aside, font=self._small)
        pen.text((self.width_px - margin - wide, y), aside, fill=_CAPTION_QUIET, font=self._small)
        for row, line in enumerate(self._lines(pen, caption.text, self.width_px - 2 * margin), start=1):
            pen.text((margin, y + row * self._line_px), line, fill=_CAPTION_INK, font=self._font)
        return np.asarray(page, dtype=np.uint8)

    def _lines(self, pen: ImageDraw.ImageDraw, text: str, room_px: float) -> list[str]:
        lines = [""]
        for word in text.split():
            longer = f"{lines[-1]} {word}".strip()
            if lines[-1] and pen.textlength(longer, font=self._font) > room_px:
                lines.append(word)
            else:
                lines[-1] = longer
        if len(lines) <= _CAPTION_LINES:
            return lines
        return [*lines[: _CAPTION_LINES - 1], lines[_CAPTION_LINES - 1].rstrip(" .,;") + " …"]


def _fitted(width_px: int, height_px: int) -> tuple[int, int]:
    scale = min(1.0, _LONGEST_SIDE_PX / max(width_px, height_px))
    return _even(width_px * scale), _even(height_px * scale)


def _even(length_px: float) -> int:
    """Players want even sides."""
    return max(2, round(length_px / 2) * 2)
