"""A camera over RTSP that hangs up and comes back is one file, with a gap as long as it was away."""

from __future__ import annotations

import time
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import av
import pytest

from ravu_kg.engines.recording import Recorder
from tests.e2e.conftest import MakeClip
from tests.rtsp_camera import RtspCamera
from tests.serving import serving

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(120)]


@pytest.fixture
def camera(make_clip: MakeClip) -> Iterator[RtspCamera]:
    as_cameras_do = {"bf": "0", "g": "5"}  # pictures in the order in which they are shown, often a whole one
    made = RtspCamera([make_clip(f"{seconds}.mp4", seconds=seconds, encoder=as_cameras_do) for seconds in (3.0, 4.0)])
    with serving(made):
        yield made


def until(done: float, recorder: Recorder) -> None:
    for _ in range(400):
        if recorder.reached_s >= done:
            return
        time.sleep(0.1)
    pytest.fail(f"only {recorder.reached_s:.1f} s came: {recorder.problem}")


def test_a_camera_that_hangs_up_is_asked_again(camera: RtspCamera, tmp_path: Path):
    path = tmp_path / "recorded" / "gate.mkv"
    with Recorder(camera.url, path) as recorder:
        until(2.0, recorder)
        until(recorder.reached_s + 2.5, recorder)
        assert not camera.parts
    assert camera.asked.count("PLAY") == 2
    with av.open(str(path)) as recorded:
        times_s = [frame.time for frame in recorded.decode(video=0)]
    assert len(times_s) > 40  # of 70; what is under way when a camera hangs up may be lost
    assert times_s == sorted(times_s)
    assert max(after - before for before, after in pairwise(times_s)) > 0.15  # the pictures lie 0.1 s apart
    assert path.stat().st_mode & 0o077 == 0
