"""Annotation comes in by the command line: told in full, refused with its place, joined to its file, asked."""

from __future__ import annotations

import json
import secrets
from collections.abc import Callable
from pathlib import Path
from typing import cast

import pytest

from tests.e2e.conftest import Ravu

pytestmark = [pytest.mark.e2e, pytest.mark.neo4j]


def an_annotation(path: Path, video_id: str, **relation: object) -> Path:
    """Two seconds in which an adult watches a dog."""
    boxes = [
        {"tid": tid, "bbox": {"xmin": left, "ymin": 20, "xmax": left + 30, "ymax": 90}, "generated": 0}
        for tid, left in ((0, 10), (1, 100))
    ]
    watch = {"subject_tid": 0, "object_tid": 1, "predicate": "watch", "begin_fid": 0, "end_fid": 20}
    facts = {"video_id": video_id, "frame_count": 20, "fps": 10, "width": 160, "height": 120}
    things = [{"tid": 0, "category": "adult"}, {"tid": 1, "category": "dog"}]
    relations = [watch, *([{**watch, **relation}] if relation else [])]
    file = {**facts, "subject/objects": things, "trajectories": [boxes] * 20, "relation_instances": relations}
    path.write_text(json.dumps(file), encoding="utf-8")
    return path


def test_annotation_comes_in_is_asked_and_gets_its_file(ravu: Ravu, make_clip: Callable[..., Path], tmp_path: Path):
    name = secrets.token_hex(5)
    good = an_annotation(tmp_path / "good.json", name)
    bad = an_annotation(tmp_path / "bad.json", f"{name}b", end_fid=99)
    refused = ravu("import", "vidor", good, bad, code=3)
    assert "bad.json, field relation_instances.1.end_fid: " in refused.stderr
    assert name not in ravu("videos", "list").stdout  # not the good one either
    run = cast("dict[str, list[dict[str, object]]]", ravu.json("import", "vidor", good, bad, "--skip-bad"))
    assert [(one["video_id"], one["status"]) for one in run["videos"]] == [
        (f"vidor:{name}", "imported"),
        (f"vidor:{name}b", "imported"),
    ]
    (problem,) = run["problems"]
    assert problem["field"] == "relation_instances.1.end_fid"
    assert set(run["elapsed_s"]) >= {"read", "embed", "write"}
    again = ravu("import", "vidor", bad, "--skip-bad")
    assert "is there already, the same" in again.stdout
    assert "1 row was left out" in again.stderr

    asked = cast("dict[str, object]", ravu.json("ask", name, "What does the adult watch?"))
    assert "dog" in str(asked["answer"]).lower()

    clip = make_clip("walk.mp4")
    done = cast("dict[str, object]", ravu.json("videos", "attach", name, clip))
    assert (done["video_id"], done["status"]) == (f"vidor:{name}", "attached")
    assert "is its file already" in ravu("videos", "attach", clip, clip).stdout
    assert "--build NAME" in ravu("index", clip, code=2).stderr
    wrong = ravu("videos", "attach", f"{name}b", make_clip("small.mp4", size=(80, 60)), code=2)
    assert "80 x 60 pixels" in wrong.stderr
    for one in (name, f"{name}b"):  # other tests look for the one video with a dog
        ravu("videos", "delete", f"vidor:{one}", "--yes")


def test_options_that_are_missing_or_wrong_are_named(ravu: Ravu, tmp_path: Path):
    path = tmp_path / "gt.txt"
    path.write_text("1,1,10,20,30,60\n")
    assert "--fps" in ravu("import", "mot", path, code=3).stderr
    assert "640x480" in ravu("import", "mot", path, "--fps", 10, "--size", "large", code=2).stderr
    assert "cannot be read" in ravu("import", "coco", tmp_path / "none.json", code=3).stderr
    assert "--name names one sequence" in ravu("import", "mot", path, path, "--name", "x", code=2).stderr
