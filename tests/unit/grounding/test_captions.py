from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from ravu_kg.errors import ConfigurationError
from ravu_kg.importers import captions
from ravu_kg.importers.annotated import AnnotatedVideo, Problem
from ravu_kg.importers.phrases import mentions, object_name
from ravu_kg.types import FloatArray


def written(folder: Path, name: str, content: object) -> Path:
    path = folder / f"{name}.json"
    path.write_text(json.dumps(content))
    return path


def read(*paths: Path, skip_bad: bool = False, problems: list[Problem] | None = None) -> list[AnnotatedVideo]:
    found: list[Problem] = [] if problems is None else problems
    return list(captions.read(paths, skip_bad=skip_bad, on_problem=found.append))


SHORT = ["A dog runs on the grass.", "A dog runs on the grass.", "A man throws a ball.", "A dog catches the ball."]
LONG = [
    "A white dog runs over the grass in a park.",
    "A white dog runs over the grass in a park.",
    "A man in a red shirt throws a ball in a park.",
    "A white dog jumps and catches a ball.",
]


def test_a_second_is_a_frame_that_keeps_its_captions(tmp_path: Path) -> None:
    [video] = read(written(tmp_path, "short", {"one": SHORT}), written(tmp_path, "long", {"one": LONG}))

    frames = [frame for window in video.windows for frame in window.frames]
    assert video.record.id == "captions:one"
    assert [(frame.index, frame.timestamp_s) for frame in frames] == [(0, 0.0), (1, 1.0), (2, 2.0), (3, 3.0)]
    assert frames[2].description == f"{SHORT[2]} {LONG[2]}"
    assert video.record.duration_s == 4.0


def test_every_caption_is_the_sentence_of_a_node(tmp_path: Path) -> None:
    [video] = read(written(tmp_path, "short", {"one": SHORT}), written(tmp_path, "long", {"one": LONG}))

    for second in range(4):
        said = {node.description for window in video.windows for node in window.nodes if node.frame_index == second}
        assert said == {SHORT[second], LONG[second]}


def test_nouns_are_entities_over_time(tmp_path: Path) -> None:
    objects = [["a white dog"], ["a white dog", "two trees"], ["a man"], []]
    [video] = read(written(tmp_path, "short", {"one": SHORT}), written(tmp_path, "objects", {"one": objects}))

    by_label = {one.label: one for one in video.entities}
    assert set(by_label) == {"dog", "grass", "man", "ball", "tree"}
    assert (by_label["dog"].start_s, by_label["dog"].end_s) == (0.0, 4.0)
    assert (by_label["tree"].start_s, by_label["tree"].end_s) == (1.0, 2.0)
    assert all(not one.track_timestamps_s for one in video.entities)


def test_nouns_that_mean_the_same_are_one_entity_unless_a_caption_names_both(tmp_path: Path) -> None:
    meanings = {"sofa": (1.0, 0.0), "couch": (0.9, 0.436), "woman": (0.0, 1.0), "girl": (0.1, 0.995)}

    def vectors(nouns: Sequence[str]) -> FloatArray:
        return np.array([meanings.get(noun, (-1.0, 0.0)) for noun in nouns], dtype=np.float32)

    path = written(tmp_path, "c", {"v": ["A woman and a girl on a sofa.", "A woman on a couch.", "A woman on a sofa."]})
    [video] = captions.read([path], skip_bad=False, on_problem=print, vectors=vectors)

    assert sorted(one.label for one in video.entities) == ["girl", "sofa", "woman"]


def test_runs_of_like_captions_are_events_of_whom_they_speak(tmp_path: Path) -> None:
    [video] = read(written(tmp_path, "short", {"one": SHORT}))

    labels = {one.id: one.label for one in video.entities}
    told = [(one.start_s, one.end_s, labels[one.entity_id], one.source) for one in video.events]
    assert told == [(0.0, 2.0, "dog", "annotation"), (2.0, 3.0, "man", "annotation"), (3.0, 4.0, "dog", "annotation")]


def test_the_camera_wearer_is_an_entity(tmp_path: Path) -> None:
    [video] = read(written(tmp_path, "lavila", {"e": ["#C C picks the cup", "#C C puts the cup on the table"]}))

    assert [one.label for one in video.entities] == ["camera wearer", "cup", "table"]


def test_a_caption_that_names_nothing_is_kept(tmp_path: Path) -> None:
    [video] = read(written(tmp_path, "c", {"v": ["Darkness falls slowly."]}))

    assert [(one.label, one.id) for one in video.entities] == [(captions.SCENE, "captions:v#1")]
    assert video.windows[0].nodes[0].description == "Darkness falls slowly."


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("[1, 2]", "does not hold"),
        ("{", "not JSON"),
        ('{"v": {"a": 1}}', "has no list of captions"),
    ],
)
def test_a_file_of_another_form_is_refused(tmp_path: Path, content: str, said: str) -> None:
    path = tmp_path / "bad.json"
    path.write_text(content)

    with pytest.raises(ConfigurationError, match=said):
        read(path)


def test_a_file_that_is_no_text_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "bad.json"
    path.write_bytes(b"\xff\xfe\x00{")

    with pytest.raises(ConfigurationError, match="not UTF-8"):
        read(path)


def test_a_bad_item_is_named_and_its_video_left_out_on_demand(tmp_path: Path) -> None:
    path = written(tmp_path, "c", {"bad": ["A dog.", 3], "good": ["A dog."]})
    problems: list[Problem] = []

    with pytest.raises(ConfigurationError, match=r"bad\.1: a sentence is expected, found 3"):
        read(path)
    assert [one.record.external_id for one in read(path, skip_bad=True, problems=problems)] == ["good"]
    assert [one.field for one in problems] == ["bad.1"]


def test_files_that_disagree_about_the_length_are_told(tmp_path: Path) -> None:
    short, long = written(tmp_path, "a", {"v": SHORT}), written(tmp_path, "b", {"v": [*LONG, *LONG]})

    with pytest.raises(ConfigurationError, match="8 seconds, but 4"):
        read(short, long)


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("A young girl plays with two dogs on a yoga mat.", ["girl", "dog", "mat"]),
        ("A group of children sits on the floor while a teddy bear lies nearby.", ["child", "floor", "teddy bear"]),
        ("#O A man X talks to C", ["man"]),
        ("Family enjoys dinner by the ocean.", ["ocean"]),
        ("", []),
    ],
)
def test_noun_phrases_of_captions(text: str, names: list[str]) -> None:
    found = [one.name for one in mentions(text)]

    assert [name for name in names if name in found] == names


@pytest.mark.parametrize(
    ("phrase", "name"),
    [("a gray dog leash on the floor", "dog leash"), ("two white rabbits", "rabbit"), ("trees", "tree"), ("the", None)],
)
def test_entries_of_object_lists(phrase: str, name: str | None) -> None:
    found = object_name(phrase)

    assert (found.name if found else None) == name


def test_captions_that_share_most_words_are_one_event(tmp_path: Path) -> None:
    said = ["A dog runs on the grass.", "A dog runs on the green grass.", "A man throws a ball."]
    [video] = read(written(tmp_path, "c", {"v": said}))

    assert [(one.start_s, one.end_s) for one in video.events] == [(0.0, 2.0), (2.0, 3.0)]
