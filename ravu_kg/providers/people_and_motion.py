"""People and everything else that moves, where no weights can be had: both of OpenCV's detectors in one.

A person is named as such; what moves apart from people is a moving object. It needs nothing, so it always works.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ravu_kg.providers.detector_options import no_model, only
from ravu_kg.providers.motion import MotionDetector
from ravu_kg.providers.people import PeopleDetector
from ravu_kg.types import Detection, VideoFrame

_SHARED = 0.5
"""A moving box that shares so much of itself or of a person's box with it is that person."""


def create(model: str, options: Mapping[str, object]) -> PeopleAndMotionDetector:
    """Entry point ``people+motion``.

    Raises:
        ConfigurationError: a model or an option was given; it has neither.
    """
    no_model("people+motion", model)
    only("people+motion", options, ())
    return PeopleAndMotionDetector()


class PeopleAndMotionDetector:
    """Standing people, and moving regions without a person, of frames from one video in time order."""

    name = "people+motion"
    stateful = True

    def __init__(self) -> None:
        self._people = PeopleDetector()
        self._motion = MotionDetector()

    def detect(self, frames: Sequence[VideoFrame]) -> list[list[Detection]]:
        """Boxes of people, strongest first, then of what else moves, largest first."""
        return [
            [*people, *(one for one in moving if not _is_one_of(one, people))]
            for people, moving in zip(self._people.detect(frames), self._motion.detect(frames), strict=True)
        ]


def _is_one_of(moving: Detection, people: Sequence[Detection]) -> bool:
    return any(
        moving.box.intersection(person.box) >= _SHARED * min(moving.box.area, person.box.area) for person in people
    )
