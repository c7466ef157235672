"""What is written down of the two clips can be true: it is whole, and agrees with where the detector sees things."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from tests.e2e.models.scripts import Script

if TYPE_CHECKING:
    from tests.e2e.conftest import Perceptions

pytestmark = pytest.mark.e2e

CLIPS = ("dog_and_woman", "pouring_coffee")


@pytest.fixture(params=CLIPS)
def script(request: pytest.FixtureRequest) -> Script:
    return Script.load(request.param)


def test_each_second_is_told_whole(script: Script) -> None:
    """Who is in the picture has a box, attributes, a sentence and a mark in the description; nobody else has."""
    for second in script.seconds:
        there = set(second.boxes)
        assert there == set(second.has) == set(second.says)
        assert there == set(re.findall(r"\{(\w+)\}", second.text))
        assert {name for subject, _, other in second.relations for name in (subject, other)} <= there
        assert all(len(sentence.split()) <= 25 for sentence in second.says.values())


def test_events_happen_while_their_thing_is_in_the_picture(script: Script) -> None:
    for event in script.events:
        seen = [second for second in script.seconds if event.first_s <= second.t_s <= event.last_s]
        assert seen
        assert all(event.thing in second.boxes for second in seen)


def test_boxes_are_where_the_detector_sees_something(script: Script, perceptions: Perceptions) -> None:
    perception = perceptions(script.clip)
    assert [round(frame.timestamp_s) for frame in perception.frames] == [second.t_s for second in script.seconds]
    for frame, second in zip(perception.frames, script.seconds, strict=True):
        for name, box in second.boxes.items():
            if label := script.things[name].label:
                seen = [
                    track.box_at(position)
                    for track in perception.tracks
                    if track.label == label
                    for position, t_s in enumerate(track.timestamps_s)
                    if abs(t_s - frame.timestamp_s) < 0.05
                ]
                assert max(box.iou(one) for one in seen) > 0.6, (name, second.t_s)
