"""Small real video files, made on the spot: each frame's number can be read back from its brightness."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from pathlib import Path

import av
import numpy as np
import pytest

STEP = 8
MakeClip = Callable[..., Path]


def numbered(number: int, width_px: int, height_px: int) -> np.ndarray:
    """Grey level tells the number; the top left quarter is redder, which shows what is up and what is left."""
    picture = np.full((height_px, width_px, 3), 10 + number * STEP % 200, np.uint8)
    picture[: height_px // 2, : width_px // 2, 0] += 45
    return picture


def number_in(image: np.ndarray) -> int:
    """The number of a frame that ``numbered`` made (of fewer than 25)."""
    return round((float(np.median(image[..., 2])) - 10) / STEP)


@pytest.fixture
def make_clip(tmp_path: Path) -> MakeClip:
    """Writes an H.264 file; times are in milliseconds."""

    def make(
        name: str = "clip.mp4",
        *,
        frames: int = 20,
        size: tuple[int, int] = (64, 48),
        times_ms: Sequence[int] | None = None,
        rotation: float | None = None,
        mirrored: bool = False,
        pixel_aspect: Fraction | None = None,
        b_frames: int = 2,
        gop: int = 5,
        codec: str = "libx264",
        container_options: dict[str, str] | None = None,
        audio: bool = False,
    ) -> Path:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        with av.open(str(path), "w", options=container_options or {}) as container:
            stream = container.add_stream(codec, rate=25)
            stream.width, stream.height = size
            stream.pix_fmt = "yuv444p" if size[0] % 2 or size[1] % 2 else "yuv420p"
            stream.codec_context.time_base = Fraction(1, 1000)
            stream.codec_context.gop_size = gop
            if codec == "libx264":
                stream.options = {"bf": str(b_frames), "preset": "ultrafast", "crf": "12", "x264-params": "scenecut=0"}
            if pixel_aspect is not None:
                stream.codec_context.sample_aspect_ratio = pixel_aspect
            if rotation is not None:
                stream.set_display_rotation(rotation, hflip=mirrored)
            for number in range(frames):
                frame = av.VideoFrame.from_ndarray(numbered(number, *size), format="rgb24")
                frame.pts = number * 40 if times_ms is None else times_ms[number]
                frame.time_base = Fraction(1, 1000)
                container.mux(stream.encode(frame))
            container.mux(stream.encode(None))
        return path

    return make


@pytest.fixture
def sound_only(tmp_path: Path) -> Path:
    """A file that holds sound only."""
    path = tmp_path / "sound.mp4"
    with av.open(str(path), "w") as container:
        stream = container.add_stream("aac", rate=16000)
        frame = av.AudioFrame.from_ndarray(np.zeros((1, 1024), np.float32), format="fltp", layout="mono")
        frame.sample_rate = 16000
        container.mux(stream.encode(frame))
        container.mux(stream.encode(None))
    return path
