"""Stretches of a video: the frames that one chain of calls puts into words, with their overlays (step 3 of the paper).

A stretch has a few consecutive targets and the frames around them, so that each target is seen in a window x_i of N
frames, and neighbours share the pictures. Frames are decoded one after the other, once, and kept as small JPEGs for
as long as a window needs them.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import cv2
import numpy as np

from ravu_kg.perception.describing.scene import Scene
from ravu_kg.types import Box, Image, Picture, SampledFrame, VideoFrame, VideoInfo
from ravu_kg.video.overlay import draw, palette
from ravu_kg.video.reader import frames_at

TARGETS = 3
"""Consecutive targets of one call: with N = 3 they need 5 pictures and not 9."""
ENTITIES_PER_PICTURE = 24
LONGEST_SIDE_PX = 768
_JPEG_QUALITY = 85

Pictures = Callable[[SampledFrame], tuple[Picture, ...]]
"""The pictures of a frame: one for each 24 of its entities, at least one."""


@dataclass(frozen=True, slots=True)
class Thing:
    """A tracked entity as requests name it."""

    id: str
    """Its track id."""
    label: str
    color: str
    """Of its box in the overlays, ``#rrggbb``."""
    batch: int
    """Which picture of a frame shows its box."""


@dataclass(frozen=True, slots=True)
class ShownFrame:
    """A sampled frame as a request shows it."""

    index: int
    timestamp_s: float
    ids: tuple[str, ...]
    """Tracked entities in it."""
    pictures: tuple[Picture, ...]
    """By batch."""


@dataclass(frozen=True, slots=True)
class Stretch:
    """Consecutive targets and the frames around them."""

    window: int
    """The scene window that the targets belong to."""
    targets: tuple[int, ...]
    """Frame indexes, ascending."""
    frames: tuple[ShownFrame, ...]
    """Targets and the frames around them, in time order."""
    things: Mapping[str, Thing]
    """By id: all tracked entities of these frames."""

    def around(self, targets: Sequence[int], reach: int) -> tuple[ShownFrame, ...]:
        """The frames at most so many frames away from one of the targets."""
        return tuple(frame for frame in self.frames if any(abs(frame.index - one) <= reach for one in targets))


def things_of(scene: Scene, reach: int) -> dict[str, Thing]:
    """The tracked entities with their overlay colours, far apart among those that can meet in one request.

    An entity gets the first of the palette's colours that no entity near it in time has; when more than 24 are there
    at once, the further ones start again at the first colour, in another batch.

    Args:
        scene: what is seen when.
        reach: how many frames away from its own an entity can still be in a request.
    """
    colors = palette(ENTITIES_PER_PICTURE)
    things: dict[str, Thing] = {}
    busy_until: list[int] = []
    spans = [
        (int(frames[0]) - reach, track_id, int(frames[-1]) + reach)
        for track_id, frames in scene.frames_of.items()
        if len(frames)
    ]
    for first, track_id, last in sorted(spans):
        place = next((at for at, until in enumerate(busy_until) if until < first), len(busy_until))
        if place == len(busy_until):
            busy_until.append(last)
        busy_until[place] = last
        batch, color = divmod(place, ENTITIES_PER_PICTURE)
        things[str(track_id)] = Thing(str(track_id), scene.tracks[track_id].label, colors[color], batch)
    return things


def tracks_by_frame(scene: Scene) -> dict[int, tuple[int, ...]]:
    """Frame index -> tracks that have a node there, ascending."""
    found: defaultdict[int, list[int]] = defaultdict(list)
    for track_id in sorted(scene.frames_of):
        for index in scene.frames_of[track_id]:
            found[int(index)].append(track_id)
    return {index: tuple(track_ids) for index, track_ids in found.items()}


@dataclass(frozen=True, slots=True, eq=False)
class Stretches:
    """All stretches of a video, in time order, as often as they are asked for."""

    scene: Scene
    things: Mapping[str, Thing]
    frames_per_window: int
    reach: int
    """Frames before and after a target that its window shows: (N - 1) / 2."""
    targets: int = TARGETS
    decode: bool = True
    """False gives pictures without data, for an estimate."""

    def __len__(self) -> int:
        return sum(
            -(-len(self._window(start)) // self.targets)
            for start in range(0, len(self.scene.perception.frames), self.frames_per_window)
        )

    def __iter__(self) -> Iterator[Stretch]:
        """Each made when it is asked for, with the pictures decoded up to there."""
        sampled = self.scene.perception.frames
        shown: dict[int, ShownFrame] = {}
        coming = self._shown()
        for window, start in enumerate(range(0, len(sampled), self.frames_per_window)):
            of_window = self._window(start)
            for at in range(0, len(of_window), self.targets):
                targets = tuple(frame.index for frame in of_window[at : at + self.targets])
                wanted = self._around(targets)
                for index in [index for index in shown if index < wanted[0]]:
                    del shown[index]
                while not shown or max(shown) < wanted[-1]:
                    frame = next(coming)
                    shown[frame.index] = frame
                frames = tuple(shown[index] for index in wanted)
                ids = {one for frame in frames for one in frame.ids}
                yield Stretch(window, targets, frames, {one: self.things[one] for one in sorted(ids, key=int)})

    def _window(self, start: int) -> Sequence[SampledFrame]:
        return self.scene.perception.frames[start : start + self.frames_per_window]

    def _around(self, targets: Sequence[int]) -> list[int]:
        """Targets and the frames around them; what lies behind a shot cut tells nothing."""
        frames, cuts_s = self.scene.perception.frames, self.scene.perception.cuts_s
        wanted: set[int] = set()
        for target in targets:
            for index in range(max(0, target - self.reach), min(len(frames), target + self.reach + 1)):
                early, late = sorted((frames[target].timestamp_s, frames[index].timestamp_s))
                if not any(early < cut_s <= late for cut_s in cuts_s):
                    wanted.add(index)
        return sorted(wanted)

    def _shown(self) -> Iterator[ShownFrame]:
        perception = self.scene.perception
        tracks_in = tracks_by_frame(self.scene)
        if self.decode:
            images = frames_at(perception.video, [frame.timestamp_s for frame in perception.frames])
        else:
            images = (VideoFrame(f.source_frame, f.timestamp_s, _NOTHING) for f in perception.frames)
        for frame, image in zip(perception.frames, images, strict=True):
            track_ids = tracks_in.get(frame.index, ())
            boxes = {str(one): self.scene.placed(one, frame.timestamp_s).box for one in track_ids}
            batches = 1 + max((self.things[one].batch for one in boxes), default=0)
            yield ShownFrame(
                index=frame.index,
                timestamp_s=frame.timestamp_s,
                ids=tuple(boxes),
                pictures=tuple(
                    overlay(
                        image.image,
                        perception.video,
                        [(box, self.things[one]) for one, box in boxes.items() if self.things[one].batch == batch],
                    )
                    for batch in range(batches)
                ),
            )


_NOTHING: Image = np.zeros((0, 0, 3), dtype=np.uint8)


def overlay(image: Image, video: VideoInfo, boxes: Sequence[tuple[Box, Thing]]) -> Picture:
    """A frame with coloured boxes and the ids of its entities, at most 768 px on its longest side, as a JPEG.

    A picture without any pixel gives one without data, of the same size.
    """
    scale = min(1.0, LONGEST_SIDE_PX / max(video.width_px, video.height_px))
    width_px, height_px = max(1, round(video.width_px * scale)), max(1, round(video.height_px * scale))
    if not image.size:
        return Picture(b"", "image/jpeg", width_px, height_px)
    small = image if scale == 1.0 else _resized(image, width_px, height_px)
    if boxes:
        scaled = [Box(box.x_min * scale, box.y_min * scale, box.x_max * scale, box.y_max * scale) for box, _ in boxes]
        small = draw(small, scaled, [thing.color for _, thing in boxes], [thing.id for _, thing in boxes])
    return Picture(encoded(small), "image/jpeg", width_px, height_px)


def encoded(image: Image) -> bytes:
    """An RGB picture as a JPEG; the same picture gives the same bytes."""
    done, data = cv2.imencode(".jpg", cv2.cvtColor(image, cv2.COLOR_RGB2BGR), [cv2.IMWRITE_JPEG_QUALITY, _JPEG_QUALITY])
    assert done, "a picture of three 8-bit channels can always be written as a JPEG"
    return data.tobytes()


def _resized(image: Image, width_px: int, height_px: int) -> Image:
    # Averaging over areas takes four times as long, and is only needed where pixels would be left out.
    half_or_more = 2 * width_px >= image.shape[1]
    interpolation = cv2.INTER_LINEAR if half_or_more else cv2.INTER_AREA
    return np.asarray(cv2.resize(image, (width_px, height_px), interpolation=interpolation), dtype=np.uint8)
