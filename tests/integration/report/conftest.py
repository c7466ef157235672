"""A small filmed scene in the graph, and an answer about it."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import av
import numpy as np
import pytest

from ravu_kg.graph.store import Store
from ravu_kg.memory import VideoMemory
from ravu_kg.reasoning.plan import Plan
from ravu_kg.reasoning.records import Answer, CoverageReport, Evidence, ModelStep, StepTrace
from ravu_kg.settings import Settings
from ravu_kg.types import Usage, entity_id, frame_node_id
from ravu_kg.types import video_id as id_of
from ravu_kg.video.reader import probe
from tests.builders import Scene, a_scene, write_scene

SIZE = (320, 180)
SECONDS = 6


@dataclass(frozen=True)
class Filmed:
    """A video that is indexed, with its file."""

    video_id: str
    file: Path
    memory: VideoMemory

    def answer(self, *frames: float, text: str = "They meet.", question: str = "Who meets?") -> Answer:
        """An answer with evidence at some seconds, about the first two entities."""
        evidence = tuple(
            Evidence(
                timestamp_s=time_s,
                frame_index=int(time_s),
                entity_ids=(entity_id(self.video_id, 1), entity_id(self.video_id, 2)),
                step="found",
                score=0.9,
                text=text,
                node_id=frame_node_id(self.video_id, int(time_s), 1),
                video_id=self.video_id,
            )
            for time_s in frames
        )
        step = {"function": "localize_node", "arguments": {"query": "who meets"}, "save_as": "found"}
        parameters = {"video_id": self.video_id, "embedding": [0.25] * 768}
        return Answer(
            answer=text,
            option=None,
            margin=0.0,
            method={"planner": "rules"},
            evidence=evidence,
            plan=Plan.model_validate({"question": question, "steps": [step]}),
            trace=(StepTrace("found", "localize_node", "reasoning/x", {}, 3, 0.01, "RETURN $video_id", parameters),),
            usage=Usage(2, 1234, 56, 0.0123),
            coverage=CoverageReport(6, 6, 0, 0),
            intervals=((1.0, 2.5),),
            video_id=self.video_id,
            question=question,
            model_steps=(
                ModelStep("plan", "made:up", Usage(1, 1000, 50, 0.0100), 1.0, True),
                ModelStep("answer", "made:up", Usage(1, 234, 6, 0.0023), 0.5, True),
            ),
        )


def film(path: Path, *, seconds: int = SECONDS, size: tuple[int, int] = SIZE) -> Path:
    """Stripes that move, ten frames a second; no two films are the same video."""
    width, height = size
    with av.open(str(path), "w") as container:
        container.metadata["comment"] = uuid.uuid4().hex
        stream = container.add_stream("libx264", rate=10)
        stream.width, stream.height, stream.pix_fmt = width, height, "yuv420p"
        columns = np.arange(width)
        for number in range(seconds * 10):
            stripes = ((columns + number * 3) // 4 % 2 * 200 + 20).astype(np.uint8)
            image = np.repeat(np.tile(stripes, (height, 1))[..., None], 3, axis=2)
            container.mux(stream.encode(av.VideoFrame.from_ndarray(image)))
        container.mux(stream.encode())
    return path


MakeFilmed = Callable[..., Filmed]


def make_filmed(memory: VideoMemory, file: Path, text: str | None = None, title: str = "a film") -> Filmed:
    """A film and its graph; every text of the graph may be replaced by another."""
    video_id = id_of(probe(film(file)).content_hash)
    width_px, height_px = SIZE
    scene = a_scene(
        video_id, uri=str(file), title=title, width_px=width_px, height_px=height_px, duration_s=float(SECONDS)
    )
    scene = replace(scene, entities=tuple(replace(one, **_track()) for one in scene.entities))
    write_scene(memory.store, scene if text is None else _saying(scene, text))
    return Filmed(video_id, file, memory)


@pytest.fixture(scope="module")
def memory(store: Store, tmp_path_factory: pytest.TempPathFactory) -> VideoMemory:
    return VideoMemory(Settings(cache=tmp_path_factory.mktemp("cache")), store)


@pytest.fixture(scope="module")
def film_on_disk(memory: VideoMemory, tmp_path_factory: pytest.TempPathFactory) -> Filmed:
    """One film for all tests that only look."""
    return make_filmed(memory, tmp_path_factory.mktemp("film") / "film.mp4")


@pytest.fixture
def filmed(memory: VideoMemory, tmp_path: Path) -> MakeFilmed:
    """Makes a film of its own for a test."""

    def make(text: str | None = None, title: str = "a film", name: str = "film.mp4") -> Filmed:
        return make_filmed(memory, tmp_path / name, text, title)

    return make


def _track() -> dict[str, tuple[float, ...]]:
    """To the right by one pixel a second, as the scene's frame nodes."""
    times_s = tuple(step / 5 for step in range(26))
    boxes = tuple(side for time_s in times_s for side in (10 + time_s, 10.0, 50 + time_s, 90.0))
    return {"track_timestamps_s": times_s, "track_boxes": boxes}


def _saying(scene: Scene, text: str) -> Scene:
    return replace(
        scene,
        entities=tuple(replace(one, label=text, description=text) for one in scene.entities),
        events=tuple(replace(one, description=text) for one in scene.events),
        windows=tuple(
            replace(
                window,
                frames=tuple(replace(one, description=text) for one in window.frames),
                nodes=tuple(replace(one, description=text, label=text) for one in window.nodes),
                relations=tuple(replace(one, predicate=text, text=text) for one in window.relations),
            )
            for window in scene.windows
        ),
    )
