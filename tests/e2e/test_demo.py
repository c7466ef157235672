from __future__ import annotations

import tomllib
from importlib.resources import files

import pytest

from ravu_kg.memory import VideoMemory
from tests.e2e.conftest import MakeClip, Ravu

pytestmark = [pytest.mark.e2e, pytest.mark.neo4j]

QUESTIONS = tomllib.loads((files("ravu_kg") / "demo" / "questions.toml").read_text(encoding="utf-8"))["question"]


@pytest.fixture
def without_weights(ravu: Ravu) -> Ravu:
    """The command line on a machine where no detector weights can be had."""
    return Ravu({**ravu.env, "RAVU_KG_MODELS__DETECT": "people+motion"})


def test_the_demo_answers_every_question_and_a_second_run_changes_nothing(without_weights: Ravu, memory: VideoMemory):
    shown = without_weights("demo").stdout
    expected = [one for one in QUESTIONS if one["facts"] != "own"]
    assert len({one["kind"] for one in expected}) >= 5
    assert sum(one["facts"] in ("found", "measured") for one in expected) >= 2
    for question in expected:
        assert question["text"] in shown
    assert "tracks made by hand" in shown
    assert "ravu-kg db stop" in shown
    assert shown.count("http://127.0.0.1:") == len(expected)
    ids = [one.video_id for one in memory.videos() if one.title == "bikes"]
    before = [memory.canonical(one) for one in ids]

    answers = without_weights.json("demo")
    for question, answer in zip(expected, answers, strict=True):  # type: ignore[arg-type]
        assert answer["evidence"], question
        assert question["expect"].lower() in answer["answer"].lower()
    assert [memory.canonical(one) for one in ids] == before


def test_the_demo_runs_on_the_user_s_own_clip(without_weights: Ravu, make_clip: MakeClip):
    shown = without_weights("demo", make_clip("own.mp4")).stdout
    for question in QUESTIONS:
        assert (question["text"] in shown) == (question["facts"] == "own" or question["text"] in OWN)
    assert "tracks made by hand" not in shown


OWN = {one["text"] for one in QUESTIONS if one["facts"] == "own"}
