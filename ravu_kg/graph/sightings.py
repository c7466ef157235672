"""What an entity was seen as: enough to find it again after its video was indexed anew.

Ids of entities are numbers of tracks: another detector or tracker counts otherwise. So a record about an entity keeps
a few of its boxes with their times, and what they are is looked up by overlap.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import cast

import numpy as np

from ravu_kg.types import Box

LEAST_OVERLAP = 0.3
"""Mean intersection over union from which on an entity is taken for the one that was seen."""
_KEPT = 12
_REACH_S = 0.5
_OTHER_LABEL = 0.9
"""Of two that lie alike, the one with the label of old is meant."""


@dataclass(frozen=True, slots=True)
class Sighting:
    """A label, and boxes at some times (s) in displayed pixels."""

    label: str
    timestamps_s: tuple[float, ...]
    boxes: tuple[Box, ...]

    @classmethod
    def of(cls, label: str, timestamps_s: Sequence[float], boxes: Sequence[float]) -> Sighting:
        """A few moments of a track, its first and last among them; ``boxes`` is flat, four numbers for each time."""
        count = min(_KEPT, len(timestamps_s))
        steps = max(count - 1, 1)
        kept = [round(step * (len(timestamps_s) - 1) / steps) for step in range(count)]
        return cls(
            label,
            tuple(round(timestamps_s[position], 3) for position in kept),
            tuple(Box(*(round(side, 1) for side in boxes[4 * position : 4 * position + 4])) for position in kept),
        )

    @classmethod
    def from_json(cls, text: str) -> Sighting:
        """As :meth:`to_json` wrote it."""
        value = cast("dict[str, list[list[float]]]", json.loads(text))  # written by this module alone
        return cls(
            str(value["label"]),
            tuple(cast("list[float]", value["t"])),
            tuple(Box(*box) for box in value["boxes"]),
        )

    def to_json(self) -> str:
        """For a property of a node."""
        boxes = [[box.x_min, box.y_min, box.x_max, box.y_max] for box in self.boxes]
        return json.dumps({"label": self.label, "t": list(self.timestamps_s), "boxes": boxes})


@dataclass(frozen=True, slots=True)
class Candidate:
    """An entity that may be the one that was seen."""

    entity_id: str
    label: str
    timestamps_s: Sequence[float]
    boxes: Sequence[float]
    """Flat."""

    @classmethod
    def of_row(cls, row: Mapping[str, object]) -> Candidate:
        """A row of ``identities/tracks_of_video``."""
        numbers = cast("dict[str, list[float]]", row)  # columns declared LIST<FLOAT>
        return cls(str(row["entity_id"]), str(row["label"]), numbers["timestamps_s"], numbers["boxes"])


def find(seen: Sighting, candidates: Iterable[Candidate], known_as: str = "") -> str | None:
    """The entity that lies where the one of old was seen; None when none does.

    Args:
        seen: the one of old.
        candidates: the entities of its video.
        known_as: its id; it is meant when another lies exactly as well.

    >>> seen = Sighting.of("dog", [0.0, 1.0], [0, 0, 10, 10, 5, 0, 15, 10])
    >>> find(seen, [Candidate("v#7", "dog", [0.0, 1.0], [1, 0, 11, 10, 6, 0, 16, 10])])
    'v#7'
    """
    scored = [
        (
            _overlap(seen, one) * (1.0 if one.label == seen.label else _OTHER_LABEL),
            one.entity_id == known_as,
            one.entity_id,
        )
        for one in candidates
    ]
    score, _, entity_id = max(scored, default=(0.0, False, ""))
    return entity_id if score >= LEAST_OVERLAP else None


def _overlap(seen: Sighting, candidate: Candidate) -> float:
    """Mean intersection over union over the times of the sighting; 0 where the candidate is not there."""
    times_s = np.asarray(candidate.timestamps_s, dtype=np.float64)
    if not len(times_s) or not seen.timestamps_s:
        return 0.0
    if times_s[0] > seen.timestamps_s[-1] + _REACH_S or times_s[-1] < seen.timestamps_s[0] - _REACH_S:
        return 0.0
    sides = np.asarray(candidate.boxes, dtype=np.float64).reshape(-1, 4)
    total = 0.0
    for time_s, box in zip(seen.timestamps_s, seen.boxes, strict=True):
        if times_s[0] - _REACH_S <= time_s <= times_s[-1] + _REACH_S:
            there = [float(np.interp(time_s, times_s, sides[:, side])) for side in range(4)]
            total += box.iou(Box(*there))
    return total / len(seen.timestamps_s)
