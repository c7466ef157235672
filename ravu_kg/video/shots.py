"""Shot cuts in a stream of frames that may lie 0.2 s apart.

So far apart, a person who walks through a still scene changes more pixels than some cuts do, so PySceneDetect's
content score alone does not tell them apart, and its adaptive detector only knows two frames later. Here a cut must
have that score and also exchange the colours of the picture (motion mostly moves them around), far more than the two
steps before it did. The answer is there at once, which is when tracks have to end.

Hard cuts only: fades and dissolves are not found, nor a second cut within two frames of one.
"""

from __future__ import annotations

from collections import deque

import cv2
import numpy as np
from scenedetect import FrameTimecode  # pyright: ignore[reportMissingTypeStubs]  # typed inside, without a marker
from scenedetect.detectors import ContentDetector  # pyright: ignore[reportMissingTypeStubs]

from ravu_kg.types import FloatArray, Image, VideoFrame

# Chosen on the project's test clips (all single shots) and on stretches of them put together: at 5 frames a second
# and more no false cut, and 171 of 175 true ones.
_CONTENT = 15.0
_EXCHANGED = 0.4
_RISE = 2.2
_NOISE = 0.04
_STEPS_BEFORE = 2
_LONG_SIDE_PX = 128


class ShotDetector:
    """Tells for each frame, in time order, whether a new shot starts with it."""

    def __init__(self) -> None:
        self._before: tuple[Image, FloatArray] | None = None
        """The picture before, small, and its colours."""
        self._exchanges: deque[float] = deque(maxlen=_STEPS_BEFORE)

    def starts_shot(self, frame: VideoFrame) -> bool:
        """True for the first frame of each new shot but the video's first."""
        small = _shrunk(frame.image)
        colors = _color_shares(small)
        before, self._before = self._before, (small, colors)
        if before is None:
            return False
        exchanged = 1.0 - float(np.minimum(colors, before[1]).sum())
        usual = max(self._exchanges, default=0.0) + _NOISE
        self._exchanges.append(exchanged)
        # In this order: the content score takes ten times as long.
        return exchanged >= _EXCHANGED and exchanged >= _RISE * usual and _is_changed(before[0], small)


def _is_changed(before: Image, small: Image) -> bool:
    content = ContentDetector(threshold=_CONTENT, min_scene_len=0)
    # Only the order of the pictures matters to the content score, not their time.
    return any([content.process_frame(FrameTimecode(at, fps=30.0), one) for at, one in enumerate((before, small))])


def _shrunk(image: Image) -> Image:
    """A small blue-green-red copy, as the library expects."""
    height_px, width_px = image.shape[:2]
    factor = _LONG_SIDE_PX / max(height_px, width_px)
    if factor < 1:
        size = max(1, round(width_px * factor)), max(1, round(height_px * factor))
        # In two steps: averaging over large areas costs more than all the rest, plain sampling flickers.
        if factor < 1 / 4:
            image = np.asarray(cv2.resize(image, (size[0] * 2, size[1] * 2)), dtype=np.uint8)
        image = np.asarray(cv2.resize(image, size, interpolation=cv2.INTER_AREA), dtype=np.uint8)
    return np.asarray(cv2.cvtColor(image, cv2.COLOR_RGB2BGR), dtype=np.uint8)


def _color_shares(small: Image) -> FloatArray:
    """Share of the picture that each of 128 colours takes."""
    counts = cv2.calcHist(
        [cv2.cvtColor(small, cv2.COLOR_BGR2HSV)], [0, 1, 2], None, [8, 4, 4], [0, 180, 0, 256, 0, 256]
    )
    return np.asarray(counts / counts.sum(), dtype=np.float32)
