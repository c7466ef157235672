"""How entities look to an appearance model: measured once from the files of videos, and kept in the graph.

Nothing of it is made while a video is indexed: it costs tens of milliseconds a box, and only those who ask who is who
across videos need it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

import numpy as np

from ravu_kg.errors import MissingExtraError, ProviderError, VideoError
from ravu_kg.graph.store import Store, Vector
from ravu_kg.plugins import load_appearance_model
from ravu_kg.protocols import AppearanceModel
from ravu_kg.settings import Settings
from ravu_kg.types import Box, FloatArray, Image, VideoInfo

if TYPE_CHECKING:
    from ravu_kg.memory.records import Report

_BOXES = 3
"""Of an entity: the largest of each third of its stay."""
_SMALLEST_PX = 8.0
_PIXELS_HELD = 50_000_000
"""So much of cut-out pictures waits for the model at a time."""

Opened = Callable[[str], VideoInfo]
"""The file of a video by its id; raises VideoError."""


@dataclass(frozen=True, slots=True)
class Seen:
    """What measuring came to."""

    model: str | None
    """None when there is no model on this machine: colours have to do."""
    entities: int
    """Measured now."""
    notes: tuple[str, ...]
    """Why there is no model, and which videos could not be looked at."""


def measure(
    store: Store, settings: Settings, video_ids: Sequence[str], opened: Opened, progress: Report | None = None
) -> Seen:
    """Measure the entities of videos that the appearance model of the settings has not seen yet.

    Args:
        store: the graph.
        settings: name the model.
        video_ids: whose entities.
        opened: gives the file of a video.
        progress: told how much is done.

    Raises:
        ConfigurationError: there is no such model.
        GraphError: Neo4j failed. What was measured before is kept.
    """
    try:
        model = load_appearance_model(settings.models.appear, settings.providers)
    except (MissingExtraError, ProviderError) as error:
        return Seen(None, 0, (f"Looks are compared by colours. {error}",))
    entities, notes = 0, list[str]()
    for position, video_id in enumerate(video_ids):
        if progress is not None:
            progress("looking at entities", position / len(video_ids))
        rows = store.read("identities/to_be_seen", video_id=video_id, model=model.name).rows
        if not rows:
            continue
        try:
            entities += _measure_video(store, model, rows, opened(video_id))
        except VideoError as error:
            notes.append(f"Colours alone for one video: {error}")
    return Seen(model.name, entities, tuple(notes))


def _measure_video(store: Store, model: AppearanceModel, rows: Sequence[Mapping[str, object]], file: VideoInfo) -> int:
    from ravu_kg.video.reader import frames_at  # opens libraries that other commands do without

    wanted = sorted(
        (time_s, str(row["entity_id"]), box)
        for row in rows
        for time_s, box in _clearest(_numbers(row["timestamps_s"]), _numbers(row["boxes"]))
    )
    sums: dict[str, FloatArray] = {}
    crops: list[tuple[str, Image]] = []
    frames = frames_at(file, [time_s for time_s, _, _ in wanted])
    for (_, entity_id, box), frame in zip(wanted, frames, strict=True):
        if (crop := _cut_out(frame.image, box)) is not None:
            crops.append((entity_id, crop))
        if sum(crop.size for _, crop in crops) > _PIXELS_HELD:
            _add(sums, model, crops)
            crops = []
    _add(sums, model, crops)
    found = [(one, vector / np.linalg.norm(vector)) for one, vector in sums.items()]
    written = [{"entity_id": one, "appearance": Vector(vector.tolist())} for one, vector in found]
    store.write("identities/write_appearances", rows=written, model=model.name)
    return len(written)


def _add(sums: dict[str, FloatArray], model: AppearanceModel, crops: Sequence[tuple[str, Image]]) -> None:
    if not crops:
        return
    for (entity_id, _), vector in zip(crops, model.embed([crop for _, crop in crops]), strict=True):
        sums[entity_id] = sums[entity_id] + vector if entity_id in sums else vector


def _clearest(times_s: Sequence[float], boxes: Sequence[float]) -> list[tuple[float, Box]]:
    """The largest box of each third of a stay."""
    whole = [Box(*boxes[4 * place : 4 * place + 4]) for place in range(len(times_s))]
    parts = [part for part in np.array_split(np.arange(len(times_s)), _BOXES) if len(part)]
    best = [max((int(place) for place in part), key=lambda place: whole[place].area) for part in parts]
    return [(times_s[place], whole[place]) for place in best]


def _cut_out(image: Image, box: Box) -> Image | None:
    clipped = box.clip(image.shape[1], image.shape[0])
    if clipped.width < _SMALLEST_PX or clipped.height < _SMALLEST_PX:
        return None
    x_min, y_min, x_max, y_max = (round(side) for side in (clipped.x_min, clipped.y_min, clipped.x_max, clipped.y_max))
    return np.ascontiguousarray(image[y_min:y_max, x_min:x_max])


def _numbers(value: object) -> list[float]:
    return cast("list[float]", value)  # a column declared LIST<FLOAT>
