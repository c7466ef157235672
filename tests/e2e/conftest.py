"""A memory of its own for the end-to-end tests: the embedded server as a user gets it, in a folder of its own."""

from __future__ import annotations

import json
import os
import shutil
import uuid
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

import av
import numpy as np
import pytest
from click.testing import CliRunner, Result

from ravu_kg.cli.frame import cli
from ravu_kg.memory import IndexResult, VideoMemory, server_config
from ravu_kg.perception.pipeline import perceive
from ravu_kg.plugins import load_detector, load_tracker
from ravu_kg.server import EmbeddedServer, cache_dir
from ravu_kg.settings import Settings, load
from ravu_kg.types import Perception
from ravu_kg.video.reader import probe

MakeClip = Callable[..., Path]
CLIPS = ("dog_and_woman", "two_men_hug", "kitten_and_ball")


class Perceptions:
    """What is seen in real clips at 5 frames a second; a detector looks at each frame once, whatever the tracker."""

    def __init__(self, data_dir: Path, cache: Path) -> None:
        self._data_dir, self._cache = data_dir, cache
        self._known: dict[tuple[Path, str], Perception] = {}

    def __call__(self, clip: str | Path, tracker: str = "steady") -> Perception:
        """Of a file, or of a clip by its path in the test data (``videos/dog_and_woman.mp4``)."""
        path = self._data_dir / clip
        if (path, tracker) not in self._known:
            self._known[path, tracker] = perceive(
                probe(path),
                load_detector(f"yolox:{self._data_dir / 'detectors' / 'yolox_nano_416.onnx'}", {}),
                load_tracker(tracker, {}),
                tracking_rate_hz=5.0,
                sample_interval_s=1.0,
                cache_dir=self._cache,
            )
        return self._known[path, tracker]


@pytest.fixture(scope="session")
def perceptions(data_dir: Path, tmp_path_factory: pytest.TempPathFactory) -> Perceptions:
    return Perceptions(data_dir, tmp_path_factory.mktemp("detections"))


@pytest.fixture(scope="session")
def memory_env(tmp_path_factory: pytest.TempPathFactory, data_dir: Path) -> Iterator[dict[str, str]]:
    """The environment of a user with their own server, cache and detector.

    ``RAVU_KG_TEST_MEMORY_HOME`` names a home whose server is left running, which spares its start in repeated runs.
    """
    kept = os.environ.get("RAVU_KG_TEST_MEMORY_HOME")
    cache = tmp_path_factory.mktemp("cache")
    for shared in ("neo4j", "encoders"):  # what is fetched once for all
        source = cache_dir() / shared
        source.mkdir(parents=True, exist_ok=True)
        (cache / shared).symlink_to(source, target_is_directory=True)
    env = {
        "RAVU_KG_SERVER__HOME": kept or str(tmp_path_factory.mktemp("home")),
        "RAVU_KG_SERVER__HEAP_MB": "512",
        "RAVU_KG_SERVER__PAGE_CACHE_MB": "128",
        "RAVU_KG_CACHE": str(cache),
        "RAVU_KG_MODELS__DETECT": f"yolox:{data_dir / 'detectors' / 'yolox_nano_416.onnx'}",
    }
    yield env
    with pytest.MonkeyPatch.context() as patch:
        _set(patch, env)
        if not kept:
            EmbeddedServer(server_config(load())).stop()


@pytest.fixture(scope="session")
def settings(memory_env: dict[str, str]) -> Settings:
    with pytest.MonkeyPatch.context() as patch:
        _set(patch, memory_env)
        return load()


@pytest.fixture(scope="session")
def _opened(memory_env: dict[str, str], settings: Settings) -> Iterator[VideoMemory]:
    with pytest.MonkeyPatch.context() as patch:
        _set(patch, memory_env)
        memory = VideoMemory.open(settings)
        _ = memory.embedder
    with memory:
        yield memory


@pytest.fixture
def memory(_opened: VideoMemory, memory_env: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> VideoMemory:
    """The open memory; the environment is that of its user."""
    _set(monkeypatch, memory_env)
    return _opened


@pytest.fixture(scope="session")
def _library(_opened: VideoMemory, memory_env: dict[str, str], data_dir: Path) -> dict[str, IndexResult]:
    with pytest.MonkeyPatch.context() as patch:
        _set(patch, memory_env)
        return {name: _opened.index(data_dir / "videos" / f"{name}.mp4", replace=True) for name in CLIPS}


@pytest.fixture
def library(memory: VideoMemory, _library: dict[str, IndexResult]) -> dict[str, IndexResult]:
    """Three real clips that are indexed once, by title."""
    return _library


@dataclass(frozen=True)
class Ravu:
    """The command line inside this process, which saves starting Python each time."""

    env: dict[str, str]

    def __call__(self, *arguments: object, code: int = 0, stdin: str | None = None) -> Result:
        """Run a command; it must leave with the code."""
        result = CliRunner(env={**self.env}).invoke(cli, [str(one) for one in arguments], input=stdin)
        assert result.exit_code == code, (result.output, result.exception)
        return result

    def json(self, *arguments: object, code: int = 0) -> object:
        """What a command prints with ``--json``."""
        return json.loads(self(*arguments, "--json", code=code).stdout)


@pytest.fixture
def ravu(memory_env: dict[str, str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Ravu:
    _set(monkeypatch, memory_env)
    monkeypatch.chdir(tmp_path)
    return Ravu(memory_env)


@pytest.fixture
def make_clip(tmp_path: Path) -> MakeClip:
    """Writes a clip with a bright square that moves over a grey ground.

    No two are the same video: a comment in the file makes the content of each its own.
    """

    def make(
        name: str = "clip.mp4",
        *,
        seconds: float = 2.0,
        size: tuple[int, int] = (160, 120),
        encoder: Mapping[str, str] = MappingProxyType({}),
    ) -> Path:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        width, height = size
        with av.open(str(path), "w") as container:
            container.metadata["comment"] = uuid.uuid4().hex
            stream = container.add_stream("libx264", rate=10, options=dict(encoder))
            stream.width, stream.height, stream.pix_fmt = width, height, "yuv420p"
            for number in range(round(seconds * 10)):
                image = np.full((height, width, 3), 60, np.uint8)
                left = (10 + number * 5) % (width - 40)
                image[40:80, left : left + 30] = (220, 40, 40)
                container.mux(stream.encode(av.VideoFrame.from_ndarray(image)))
            container.mux(stream.encode())
        return path

    return make


@pytest.fixture
def fresh_cache(tmp_path: Path, memory_env: dict[str, str]) -> dict[str, str]:
    """The environment with an empty cache but for what is fetched."""
    cache = tmp_path / "cache"
    cache.mkdir()
    for shared in ("neo4j", "encoders"):
        (cache / shared).symlink_to(Path(memory_env["RAVU_KG_CACHE"], shared).resolve(), target_is_directory=True)
    return {**memory_env, "RAVU_KG_CACHE": str(cache)}


def copied(source: Path, target: Path) -> Path:
    """A copy of an MP4 under another name that is another video: what players skip makes its content its own."""
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(source, target)
    skipped = uuid.uuid4().bytes
    with target.open("ab") as file:
        file.write((8 + len(skipped)).to_bytes(4, "big") + b"free" + skipped)
    return target


def _set(patch: pytest.MonkeyPatch, env: dict[str, str]) -> None:
    for name, value in env.items():
        patch.setenv(name, value)
