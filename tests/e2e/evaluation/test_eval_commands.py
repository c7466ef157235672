"""``ravu-kg eval`` as a user runs it: real questions over real captions and clips, in a server of its own."""

from __future__ import annotations

import csv
import json
import os
import signal
import subprocess
import time
from collections.abc import Iterator
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from ravu_kg.evaluation.results import Result
from ravu_kg.evaluation.runs import RESULTS, read_run
from ravu_kg.memory import VideoMemory
from ravu_kg.server import EmbeddedServer, ServerConfig
from tests.e2e.conftest import Ravu
from tests.e2e.test_command_line import PROGRAM
from tests.model_server import Fault, ModelServer, Received, Reply

pytestmark = [pytest.mark.e2e, pytest.mark.neo4j]

VIDEOS = ("2793806282", "4882821564", "2834146886")
ABSENT = "8132842161"
METHODS = ("blind", "all-frames", "text", "ravu", "ravu-hierarchical", "rerank")


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    folder = tmp_path_factory.mktemp("evaluation") / "neo4j"
    yield folder
    EmbeddedServer(ServerConfig(home=folder)).stop()


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory, data_dir: Path) -> Path:
    """Captions of three videos, and the questions of these and of one that is not in the graph."""
    folder = tmp_path_factory.mktemp("files")
    for name in ("captions_30w_1fps", "captions_event_10w_1fps", "objects_3_1fps"):
        content = json.loads((data_dir / "nextqa_captions" / f"{name}.json").read_text(encoding="utf-8"))
        part = {video: content[video] for video in VIDEOS}
        (folder / f"{name}.json").write_text(json.dumps(part), encoding="utf-8")
    with (data_dir / "nextqa" / "val.csv").open(encoding="utf-8", newline="") as file:
        head, *rows = csv.reader(file)
    with (folder / "val.csv").open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([head, *(row for row in rows if row[0] in (*VIDEOS, ABSENT))])
    return folder


@pytest.fixture
def loaded(ravu: Ravu, home: Path, files: Path) -> Any:
    return ravu.json("eval", "load", "captions", *sorted(files.glob("*.json")), "--home", home)


@pytest.fixture
def evaluate(ravu: Ravu, home: Path, files: Path, data_dir: Path, loaded: object) -> Any:
    def run(method: str, folder: str, *more: object) -> Any:
        spans = data_dir / "nextgqa" / "gsub_val.json"
        questions = ("nextqa", files / "val.csv", spans)
        how = ("--method", method, "--graph", "captions", "-o", folder, "--home", home)
        return ravu.json("eval", "run", *questions, *how, *more)

    return run


def answers(folder: str | Path) -> dict[str, Result]:
    """Without the time they took."""
    return {one.id: replace(one, elapsed_s=0.0) for one in read_run(Path(folder)).results}


@pytest.mark.parametrize("method", METHODS)
def test_a_method_answers_every_question_of_the_videos_that_are_there(evaluate: Any, method: str):
    told = evaluate(method, "run")
    results = answers("run")
    there = [one for one in results.values() if one.video in VIDEOS]
    missing = [one for one in results.values() if one.video == ABSENT]
    assert there
    assert missing
    assert told["figures"]["missing"] == told["finished"]["missing"] == len(missing)
    assert told["figures"]["overall"]["count"] == len(there)
    assert {one.outcome for one in there} <= {"answered", "unknown"}
    assert all(one.method["answerer"].startswith("extractive") for one in there)
    known = [one for one in there if one.outcome == "answered"]
    assert known
    assert all(one.option is not None and one.options[one.option] == one.answer for one in known)
    assert all(one.plan["steps"] for one in there)
    if method == "blind":
        assert not any(one.evidence for one in there)
    elif method != "all-frames":
        assert all(len(one.seconds) == len(set(one.seconds)) <= 10 for one in there)
        assert any(one.seconds for one in there)
        assert told["figures"]["grounding"]["iop"]["count"] > 10


def test_a_run_that_is_killed_goes_on_and_comes_to_the_same(
    evaluate: Any, ravu: Ravu, home: Path, files: Path, data_dir: Path
):
    evaluate("text", "whole")
    arguments = ["eval", "run", "nextqa", files / "val.csv", data_dir / "nextgqa" / "gsub_val.json"]
    arguments += ["--method", "text", "--graph", "captions", "-o", "killed", "--home", home, "--workers", 1]
    process = subprocess.Popen(
        [PROGRAM, *map(str, arguments)],
        env={**os.environ, **ravu.env},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    results = Path("killed") / RESULTS
    deadline_s = time.monotonic() + 120
    while (
        process.poll() is None and not (results.exists() and results.stat().st_size) and time.monotonic() < deadline_s
    ):
        time.sleep(0.01)
    process.send_signal(signal.SIGKILL)
    process.wait(60)
    # However far it came: less than all, and in the middle of a line.
    size = results.stat().st_size
    os.truncate(results, min(size, (Path("whole") / RESULTS).stat().st_size * 2 // 3) - 3)
    kept = answers("killed")
    assert 0 < len(kept) < len(answers("whole"))
    told = evaluate("text", "killed")
    assert told["finished"]["kept"] >= len([one for one in kept.values() if one.outcome != "missing"])
    assert told["finished"]["asked"] > 0
    assert answers("killed") == answers("whole")


def test_several_workers_come_to_the_same_as_one(evaluate: Any):
    evaluate("ravu", "one", "--workers", 1)
    evaluate("ravu", "four", "--workers", 4)
    assert answers("one") == answers("four")


def test_types_and_a_seeded_sample(evaluate: Any):
    evaluate("text", "first", "--types", "C,TN", "--limit", 7, "--seed", 3)
    evaluate("text", "again", "--types", "C,TN", "--limit", 7, "--seed", 3)
    evaluate("text", "other", "--types", "C,TN", "--limit", 7, "--seed", 4)
    assert len(answers("first")) == 7
    assert {one.type for one in answers("first").values()} <= {"CW", "CH", "TN"}
    assert answers("first").keys() == answers("again").keys() != answers("other").keys()


def test_a_report_may_count_questions_of_missing_videos_as_wrong(evaluate: Any, ravu: Ravu):
    evaluate("text", "run")
    without: Any = ravu.json("eval", "report", "run")
    with_them: Any = ravu.json("eval", "report", "run", "--missing-wrong")
    measured = [
        next(row for table in made["tables"] if table["key"] == "table_1" for row in table["rows"] if row["questions"])
        for made in (without, with_them)
    ]
    assert measured[0]["questions"] < measured[1]["questions"] == len(answers("run"))
    assert measured[0]["values"][-1] > measured[1]["values"][-1]


def test_reports_tell_measured_figures_from_quoted_ones(evaluate: Any, ravu: Ravu):
    evaluate("text", "runs/text")
    evaluate("ravu", "runs/ravu", "--name", "<b>ours</b> | x")
    ravu("eval", "report", "runs/ravu", "runs/text", "-o", "report.md")
    ravu("eval", "report", "runs/ravu", "runs/text", "-o", "report.html")
    text = Path("report.md").read_text(encoding="utf-8")
    page = Path("report.html").read_text(encoding="utf-8")
    assert "| Zero-shot: RAVU, overall | 74.4 | 66.6 | 74.6 | 71.9 |" in text
    assert "| **measured** text |" in text
    assert "**measured** \\<b\\>ours\\</b\\> \\| x" in text
    assert "extractive, without a language model" in text
    assert "(the paper: text-embedding-004)" in text
    assert "p = " in text
    assert "<b>ours" not in page
    assert "default-src 'none'" in page
    assert "<script" not in page
    assert "http" not in page.replace("http-equiv", "")


def test_a_difference_lists_what_was_won_and_lost_with_evidence(evaluate: Any, ravu: Ravu):
    evaluate("blind", "blind")
    evaluate("text", "text")
    found: Any = ravu.json("eval", "diff", "blind", "text")
    first, second = answers("blind"), answers("text")
    won = {key for key, one in second.items() if one.right and not first[key].right}
    assert {one["id"] for one in found["won"]} == won
    assert found["paired"]["won"] == len(won)
    assert all(one["second"]["texts"] for one in found["won"])
    assert found["iop"]["difference"] > 0
    assert "Won" in ravu("eval", "diff", "blind", "text").stdout


def test_without_models_nothing_is_paid_and_the_estimate_says_so(evaluate: Any, ravu: Ravu):
    told = evaluate("ravu", "never", "--estimate")
    assert (told["roles"], told["cost_usd"]) == ([], 0.0)
    assert not Path("never").exists()


def test_what_there_is_is_listed(ravu: Ravu):
    told: Any = ravu.json("eval", "methods")
    assert set(METHODS) <= told["methods"].keys()
    assert "clip" in ravu("eval", "methods").stdout


# --- with models ---


class Model:
    """Takes the second option of every question, but for one question that its filter blocks."""

    def __init__(self, blocked: str) -> None:
        self.blocked = blocked

    def __call__(self, received: Received) -> Reply | Fault:
        if any(self.blocked in text for text in received.texts):
            return Fault.refused()
        return Reply({"answer": "the second", "known": True, "confidence": 0.5, "option": 2})


@pytest.mark.parametrize("method", ["blind", "text", "all-frames"])
def test_a_model_answers_from_what_the_method_gives_it_and_what_it_blocks_is_told_apart(
    ravu: Ravu, home: Path, files: Path, loaded: object, method: str, monkeypatch: pytest.MonkeyPatch
):
    with (files / "val.csv").open(encoding="utf-8", newline="") as file:
        asked = [row for row in csv.DictReader(file) if row["video"] == VIDEOS[0]]
    blocked = asked[3]["question"]
    with ModelServer(Model(blocked)) as server:
        monkeypatch.setenv("OPENAI_API_KEY", "sk-test")
        monkeypatch.setenv("RAVU_KG_MODELS__ANSWER", "openai:gpt-4o-mini")
        monkeypatch.setenv("RAVU_KG_MODELS__RERANK", "rules")
        monkeypatch.setenv("RAVU_KG_MODELS__IDENTIFY", "rules")
        monkeypatch.setenv("RAVU_KG_MODELS__COUNT", "rules")
        monkeypatch.setenv("RAVU_KG_MODELS__ANALYZE", "rules")
        monkeypatch.setenv("RAVU_KG_PROVIDERS__OPENAI__BASE_URL", f'"{server.url}/v1"')
        run = ("eval", "run", "nextqa", files / "val.csv", "--method", method, "--graph", "captions", "--home", home)
        cost: Any = ravu.json(*run, "-o", "run", "--estimate")
        assert not [one for one in server.received if one.stage]
        ravu(*run, "-o", "run")
        received = list(server.received)
    results = [one for one in answers("run").values() if one.outcome != "missing"]
    assert cost["roles"][0]["calls"] == pytest.approx(len(results), abs=1)
    assert cost["cost_usd"] > 0
    refused = [one for one in results if one.outcome == "refused"]
    assert [one.question for one in refused] == [blocked]
    assert all(
        one.option == 1 and one.method["answerer"] == "openai:gpt-4o-mini" for one in results if one not in refused
    )
    assert all(one.input_tokens > 0 and one.cost_usd for one in results if one not in refused)
    told = [json.loads(text) for one in received if one.stage == "answer" for text in one.texts]
    data = [one for one in told if "question" in one]
    assert all(len(one["options"]) == 5 for one in data)
    shown = {len(one["evidence"]) for one in data}
    assert shown == {0} if method == "blind" else max(shown) <= 5 if method == "text" else min(shown) > 5
    made: Any = ravu.json("eval", "report", "run")
    names = [row["name"] for row in made["tables"][0]["rows"] if row["origin"] == "measured"]
    assert names == ["run, not blocked", "run, overall"]


# --- bad input ---


@pytest.mark.parametrize(
    ("change", "code", "told"),
    [
        ({"--method": "ravvu"}, 2, "There is no method 'ravvu'"),
        ({"--graph": "caption"}, 2, "There is no graph 'caption'"),
        ({"--types": "TX"}, 2, "No question has the type 'TX'"),
        ({"--graph": "detector"}, 2, "None of the videos of these questions is in the graph from detector"),
        ({"--seconds": "0"}, 2, "0 seconds are no evidence"),
    ],
)
def test_what_makes_no_sense_is_refused_and_leaves_no_run(
    ravu: Ravu, home: Path, files: Path, loaded: object, change: dict[str, str], code: int, told: str
):
    options = {"--method": "text", "--graph": "captions", "-o": "run", "--home": home, **change}
    result = ravu(
        "eval", "run", "nextqa", files / "val.csv", *(part for pair in options.items() for part in pair), code=code
    )
    assert told in result.output
    assert not Path("run").exists()


def test_the_users_memory_is_no_place_for_an_evaluation(ravu: Ravu, files: Path):
    users = ravu.env["RAVU_KG_SERVER__HOME"]
    result = ravu("eval", "load", "captions", *files.glob("*.json"), "--home", users, code=2)
    assert "holds your memory" in result.output


def test_another_run_in_the_folder_is_left_as_it_is(evaluate: Any, ravu: Ravu, home: Path, files: Path, data_dir: Path):
    evaluate("text", "run")
    before = answers("run")
    result = ravu(
        "eval", "run", "nextqa", files / "val.csv", data_dir / "nextgqa" / "gsub_val.json", "--method", "blind",
        "--graph", "captions", "-o", "run", "--home", home, code=3,
    )  # fmt: skip
    assert "begun with method 'text', not 'blind'" in result.output
    assert answers("run") == before


# --- clips ---


def test_clip_and_a_detectors_memory_run_from_the_file_to_the_answer(
    ravu: Ravu, home: Path, data_dir: Path, tmp_path: Path
):
    open_clip, torch = import_module("open_clip"), import_module("torch")
    config = {
        "embed_dim": 16,
        "vision_cfg": {"image_size": 32, "layers": 1, "width": 32, "patch_size": 16, "head_width": 16},
        "text_cfg": {"context_length": 77, "vocab_size": 49408, "width": 16, "heads": 2, "layers": 1},
    }
    (tmp_path / "tiny-of-tests.json").write_text(json.dumps(config), encoding="utf-8")
    open_clip.add_model_config(tmp_path / "tiny-of-tests.json")
    torch.manual_seed(0)
    weights = tmp_path / "weights.pt"
    torch.save(open_clip.model.CLIP(**config).state_dict(), weights)
    own = tmp_path / "own.jsonl"
    question = {"id": "1", "video": "two_men_hug", "question": "what do the men do", "type": "TC", "spans": [[0, 3]]}
    own.write_text(json.dumps({**question, "options": ["hug each other", "cook"], "answer": 0}), encoding="utf-8")
    ravu("eval", "load", "detector", data_dir / "videos" / "two_men_hug.mp4", "--home", home)
    options = ("--graph", "detector", "--home", home, "--seconds", 2)
    told: Any = ravu.json(
        "eval",
        "run",
        "own",
        own,
        "--method",
        "clip",
        "--clip-model",
        f"tiny-of-tests:{weights}",
        "-o",
        "clip",
        *options,
    )
    assert told["figures"]["grounding"]["iop"]["value"] == 1.0
    result = answers("clip")["1"]
    assert len(result.seconds) == 2
    assert result.method["reranker"] == f"open_clip:tiny-of-tests:{weights}"
    assert any(one.text for one in result.evidence)
    ravu("eval", "run", "own", own, "--method", "ravu", "-o", "ravu", *options)
    tables: Any = ravu.json("eval", "report", "clip", "ravu")
    assert {"table_5", "table_6"} <= {table["key"] for table in tables["tables"]}


@pytest.mark.parametrize(
    ("model", "told"),
    [("EVA02-L:x", "Like it are: EVA02-"), ("EVA02-L-14:none", "merged2b_s4b_b131k")],
)
def test_a_clip_model_that_is_not_there(ravu: Ravu, home: Path, files: Path, model: str, told: str):
    arguments = ("--method", "clip", "--graph", "captions", "-o", "run", "--home", home, "--clip-model", model)
    assert told in ravu("eval", "run", "nextqa", files / "val.csv", *arguments, code=3).output


# --- the user's memory ---


def test_captions_are_loaded_once_and_never_into_the_users_memory(
    ravu: Ravu, memory: VideoMemory, home: Path, files: Path, loaded: Any
):
    assert loaded["videos"] == 3
    again = ravu.json("eval", "load", "captions", *sorted(files.glob("*.json")), "--home", home)
    assert again["added"] == 0  # type: ignore[index]
    assert not [video for video in memory.videos() if video.video_id.startswith("captions:")]
    assert not memory.cypher("MATCH (v:Video) WHERE v.id STARTS WITH 'captions:' RETURN v.id AS id").rows


# --- the server ---


def test_the_server_goes_on_running_until_it_is_stopped(ravu: Ravu, home: Path, files: Path, loaded: object):
    said = ravu("eval", "load", "captions", *sorted(files.glob("*.json")), "--home", home).stderr
    assert f"To stop it: ravu-kg eval stop --home {home}" in said
    assert f"Stopped the server of evaluations in {home}" in ravu("eval", "stop", "--home", home).stdout
    assert not EmbeddedServer(ServerConfig(home=home)).status().running
    assert ravu.json("eval", "stop", "--home", home) == {"stopped": False, "running": False}
