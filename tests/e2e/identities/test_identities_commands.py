"""Who is who and what is what, decided at the command line, from the video file to the answer."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.builders import save_tiny_appearance_model
from tests.e2e.conftest import MakeClip, Ravu

pytestmark = [pytest.mark.neo4j, pytest.mark.e2e]

SQUARE = [{"t": time_s, "box": [10 + 50 * time_s, 40, 40 + 50 * time_s, 80]} for time_s in (0.0, 1.0, 1.9)]
"""Where the square of the clip is."""
CORNER = [{"t": time_s, "box": [120, 90, 155, 115]} for time_s in (0.0, 1.0, 1.9)]


def tracks(folder: Path, *boxes: list[dict[str, object]]) -> Path:
    path = folder / f"tracks{len(boxes)}{boxes[0] is SQUARE}.json"
    found = [{"id": number, "label": "umbrella", "boxes": one} for number, one in enumerate(boxes, 1)]
    path.write_text(json.dumps({"tracks": found}), encoding="utf-8")
    return path


def test_from_candidates_to_answers_and_through_another_indexing(
    ravu: Ravu, make_clip: MakeClip, tmp_path: Path
) -> None:
    def index(clip: Path, *boxes: list[dict[str, object]], replace: bool = False) -> str:
        (done,) = ravu.json("index", clip, "--tracks", tracks(tmp_path, *boxes), *(["--replace"] if replace else []))
        return done["video_id"]

    def umbrellas() -> object:
        return ravu.json("ask", "--all", "How many umbrellas are there?")["count"]

    first, second = make_clip("first.mp4"), make_clip("second.mp4")
    a, b = index(first, SQUARE, CORNER), index(second, SQUARE)
    one, other = f"{first}#1", f"{second}#1"

    found = ravu.json("identities", "suggest", first, "--limit", 50)
    scores = {frozenset((two["first"]["entity_id"], two["second"]["entity_id"])): two["score"] for two in found}
    assert scores[frozenset((f"{a}#1", f"{b}#1"))] > 0.9
    before = umbrellas()
    answer = tmp_path / "answer.json"
    answer.write_text(ravu("ask", "--all", "How many umbrellas are there?", "--json").stdout, encoding="utf-8")

    done = ravu.json("identities", "accept", one, other, "--by", "Eva", "--why", "the red one")
    assert umbrellas() == before - 1
    assert [one["stale"] for one in ravu.json("identities", "stale", answer)] == [True]
    ravu("identities", "accept", one, other, code=2)
    ravu("identities", "merge", one, one, code=2)
    ravu("identities", "undo", 999999, code=6)

    ravu("edit", "entity", one, "--name", "Rosy")
    asked = ravu.json("ask", second, "When does Rosy appear?")
    assert asked["evidence"], asked["answer"]
    assert {entity for found in asked["evidence"] for entity in found["entity_ids"]} == {f"{b}#1"}
    shown = ravu("ask", second, "When does Rosy appear?").stdout
    assert "#1 (Rosy)" in shown
    assert "#1 Rosy " in shown  # in the timeline
    assert "#1 Rosy " in ravu("videos", "show", first).stdout
    ravu("edit", "event", f"{a}/1/geometry/0", "--description", "Rosy glides.")

    # What was number 1 is number 2 now.
    (told,) = ravu.json("index", first, "--tracks", tracks(tmp_path, CORNER, SQUARE), "--replace")
    assert told["waiting"] == []
    now = ravu.json("edit", "show", f"{first}#2")
    assert (now["called"], now["events"][0]["description"]) == ("Rosy", "Rosy glides.")
    assert umbrellas() == before - 1
    # And now it is not there at all.
    (told,) = ravu.json("index", first, "--tracks", tracks(tmp_path, CORNER), "--replace")
    assert len(told["waiting"]) == 3
    assert {one["status"] for one in ravu.json("edit", "list", first)} == {"waits"}
    assert "nothing lies any more" in ravu("identities", "history", first).stdout
    assert umbrellas() == before - 1  # of three there are two: one is gone
    index(first, SQUARE, CORNER, replace=True)
    ravu("identities", "undo", done["operation"])
    assert umbrellas() == before

    ravu("videos", "delete", b, "--yes")
    refused = ravu("identities", "accept", one, f"{b}#1", code=6)
    assert "No video is named" in refused.stderr
    counted = ravu.json("cypher", f"MATCH (d:Decision) WHERE d.secondVideoId = '{b}' RETURN count(d) AS n")
    assert "0" in json.dumps(counted)
    ravu("videos", "delete", a, "--yes")
    assert not [one for one in ravu.json("edit", "list") if one["target"].startswith(a)]


def test_an_appearance_model_compares_pictures_when_it_is_there(
    ravu: Ravu, make_clip: MakeClip, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = make_clip("seen_one.mp4"), make_clip("seen_two.mp4")
    ids = [ravu.json("index", clip, "--tracks", tracks(tmp_path, SQUARE))[0]["video_id"] for clip in (first, second)]
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    monkeypatch.setenv("RAVU_KG_MODELS__APPEAR", "timm:test_vit.r160_in1k")
    by_colors = ravu("identities", "suggest", first, "--limit", 500, "--json")
    assert "doctor --fetch appearance" in by_colors.stderr
    assert {one["method"] for one in json.loads(by_colors.stdout)} == {"looks+words+label"}

    monkeypatch.setenv("RAVU_KG_PROVIDERS__TIMM__WEIGHTS", str(save_tiny_appearance_model(tmp_path)))
    found = ravu.json("identities", "suggest", *ids, "--limit", 500)
    (pair,) = [one for one in found if {one["first"]["title"], one["second"]["title"]} == {"seen_one", "seen_two"}]
    assert pair["method"] == "appearance+words+label"
    assert pair["looks"] > 0.99, "the same square of the same pictures"

    second.unlink()  # what was measured is kept; only new entities need the file
    again = ravu.json("identities", "suggest", *ids, "--limit", 500)
    assert [one["score"] for one in again] == [one["score"] for one in found]
