from __future__ import annotations

from fractions import Fraction

import av
import numpy as np
import pytest
from scenes import HEIGHT_PX, RED, WIDTH_PX, frame_of, person

from ravu_kg.types import VideoInfo
from ravu_kg.video.reader import probe


@pytest.fixture(scope="session")
def walk(tmp_path_factory: pytest.TempPathFactory) -> VideoInfo:
    """45 s at 5 frames a second: somebody in red walks to and fro; the second shot, from 30 s on, is on yellow."""
    path = tmp_path_factory.mktemp("walk") / "walk.mp4"
    with av.open(str(path), "w") as container:
        stream = container.add_stream("libx264", rate=5)
        stream.width, stream.height, stream.pix_fmt = WIDTH_PX, HEIGHT_PX, "yuv420p"
        stream.time_base = Fraction(1, 5)
        stream.options = {"preset": "ultrafast", "crf": "12"}
        for step in range(225):
            image = frame_of(step, [(person(150 + 100 * np.sin(step / 15)), RED)]).image
            if step >= 150:
                image = np.where(image == 128, np.array([230, 200, 40], np.uint8), image).astype(np.uint8)
            for packet in stream.encode(av.VideoFrame.from_ndarray(image, format="rgb24")):
                container.mux(packet)
        for packet in stream.encode():
            container.mux(packet)
    return probe(path)
