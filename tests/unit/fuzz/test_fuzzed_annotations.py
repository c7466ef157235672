"""Annotations of others are read, or refused row by row, and what is read can be written."""

from __future__ import annotations

import dataclasses
import json
import math
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ravu_kg.errors import ConfigurationError
from ravu_kg.importers import captions, coco, cvat, mot, star, vidor
from ravu_kg.importers.annotated import AnnotatedVideo, Problem
from tests.unit.fuzz.strategies import as_json, attempt, fuzz, nearly, nearly_text

_BOX = {"xmin": 1, "ymin": 2, "xmax": 30, "ymax": 40}
GOOD: dict[str, Any] = {
    "captions": {
        "4010069381": ["a dog runs", "a dog runs", "#C C opens the door"],
        "other": [["dog", "sofa"], ["cat"]],
    },
    "vidor": {
        "video_id": "2793806282",
        "frame_count": 40,
        "fps": 20.0,
        "width": 640,
        "height": 360,
        "subject/objects": [{"tid": 0, "category": "dog"}, {"tid": 1, "category": "ball"}],
        "trajectories": [[{"tid": 0, "bbox": _BOX, "generated": 0}, {"tid": 1, "bbox": _BOX, "generated": 1}]] * 40,
        "relation_instances": [
            {"subject_tid": 0, "object_tid": 1, "predicate": "chase", "begin_fid": 0, "end_fid": 20},
        ],
    },
    "coco": {
        "videos": [{"id": 1, "name": "street", "width": 640, "height": 360, "fps": 10.0, "duration": 2.0}],
        "images": [
            {"id": 1, "video_id": 1, "frame_id": 0, "timestamp": 0.0},
            {"id": 2, "video_id": 1, "frame_id": 1, "timestamp": 1.0},
        ],
        "categories": [{"id": 1, "name": "dog"}],
        "annotations": [
            {"id": 1, "image_id": 1, "category_id": 1, "track_id": 5, "bbox": [1, 2, 30, 40]},
            {"id": 2, "image_id": 2, "category_id": 1, "track_id": 5, "bbox": [2, 2, 30, 40], "score": 0.5},
        ],
    },
    "star": [
        {
            "question_id": "Interaction_T1_13",
            "video_id": "6H78U",
            "start": 0.0,
            "end": 3.0,
            "situations": {
                "000010": {
                    "rel_pairs": [["person", "door"]],
                    "rel_labels": ["in_front_of"],
                    "actions": ["a000"],
                    "bbox_labels": ["person", "door"],
                    "bbox": [[1, 2, 30, 40], [50, 60, 80, 90]],
                }
            },
        }
    ],
}
MOT = "1,1,10,20,30,40,1,1,0.9\n2,1,11,20,30,40,1,1,0.8\n26,2,100,20,30,40,1,1,0.8\n"
CVAT = """<?xml version="1.0" encoding="utf-8"?>
<annotations>
  <version>1.1</version>
  <meta><task><name>street</name><size>30</size><original_size><width>640</width><height>360</height></original_size>
  </task></meta>
  <track id="0" label="dog">
    <box frame="0" outside="0" occluded="0" keyframe="1" xtl="1.0" ytl="2.0" xbr="30.0" ybr="40.0">
      <attribute name="color">brown</attribute>
    </box>
    <box frame="25" outside="0" occluded="1" keyframe="1" xtl="5.0" ytl="2.0" xbr="33.0" ybr="40.0"></box>
    <box frame="29" outside="1" occluded="0" keyframe="1" xtl="5.0" ytl="2.0" xbr="33.0" ybr="40.0"></box>
  </track>
</annotations>
"""
Read = Callable[..., Iterator[AnnotatedVideo]]
READERS: dict[str, tuple[Read, str, dict[str, Any]]] = {
    "captions": (captions.read, "captions.json", {}),
    "vidor": (vidor.read, "2793806282.json", {}),
    "coco": (coco.read, "street.json", {}),
    "star": (star.read, "star.json", {}),
    "mot": (mot.read, "street.txt", {"frame_rate": 25.0, "size_px": (640, 360)}),
    "cvat": (cvat.read, "street.xml", {"frame_rate": 25.0}),
}


def texts(kind: str) -> st.SearchStrategy[str]:
    """What a file of the kind may hold instead."""
    if kind in GOOD:
        return nearly(GOOD[kind]).map(as_json) | nearly_text(as_json(GOOD[kind]))
    return nearly_text(MOT if kind == "mot" else CVAT)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("annotations")


def read(kind: str, folder: Path, text: str, *, skip_bad: bool) -> tuple[list[AnnotatedVideo] | None, str]:
    reader, name, options = READERS[kind]
    path = folder / kind / name
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(text.encode("utf-8", "surrogatepass"))
    problems: list[Problem] = []
    work = lambda: list(reader([path], skip_bad=skip_bad, on_problem=problems.append, **options))  # noqa: E731
    found, refusal = attempt(ConfigurationError, work)
    assert skip_bad or not problems
    assert all(str(path) in str(one) for one in problems)
    return found, refusal


@pytest.mark.parametrize("kind", READERS)
def test_the_annotations_that_are_changed_are_good_ones(kind: str, folder: Path) -> None:
    text = as_json(GOOD[kind]) if kind in GOOD else MOT if kind == "mot" else CVAT
    found, refusal = read(kind, folder, text, skip_bad=False)
    assert found, refusal
    for video in found:
        check(video)


@given(st.one_of([st.tuples(st.just(kind), texts(kind), st.booleans()) for kind in READERS]))
@fuzz
def test_annotations(folder: Path, given: tuple[str, str, bool]) -> None:
    kind, text, skip_bad = given
    found, refusal = read(kind, folder, text, skip_bad=skip_bad)
    assert found is not None or refusal
    for video in found or ():
        check(video)


def check(video: AnnotatedVideo) -> None:
    """Nothing of it would be refused by the graph."""
    entities = {one.id for one in video.entities}
    nodes = {node.id for window in video.windows for node in window.nodes}
    frames = [frame for window in video.windows for frame in window.frames]
    assert [frame.index for frame in frames] == list(range(len(frames))) == list(range(video.record.frame_count))
    assert {node.entity_id for window in video.windows for node in window.nodes} <= entities
    assert {one.entity_id for one in video.events} <= entities
    for window in video.windows:
        assert {end for one in window.relations for end in (one.subject_id, one.object_id)} <= nodes
        assert {end for one in window.same_as for end in (one.earlier_id, one.later_id)} <= nodes
    assert all(one.start_s < one.end_s for one in video.events)
    told = json.dumps(dataclasses.asdict(video), allow_nan=False)  # no NaN, and nothing that is no plain value
    json.loads(told, parse_int=_fits)
    for text in video.sentences:
        assert text.strip()
        text.encode()
    assert math.isfinite(video.record.duration_s)


def _fits(digits: str) -> int:
    assert abs(int(digits)) < 2**63
    return int(digits)
