"""Run folders: begun, gone on with, torn, of another version, or of something else."""

from __future__ import annotations

import json
import threading
from dataclasses import replace
from pathlib import Path

import pytest

from ravu_kg.errors import ConfigurationError, UsageError
from ravu_kg.evaluation.results import Result
from ravu_kg.evaluation.runs import MANIFEST, RESULTS, Setup, open_run, read_run

SETUP = Setup("own", 3, "abc", "text", "captions", "captions:x", "test", {"answer": "extractive"}, {"seconds": 5})


def a_result(name: str, **changes: object) -> Result:
    result = Result(name, "v", "TN", "T", "why", ("a", "b"), 0, "answered", 0, "a")
    return replace(result, **changes)  # type: ignore[arg-type]


def begun(path: Path, *names: str) -> None:
    with open_run(path, SETUP, "1.0", "mine") as writer:
        writer.add(*(a_result(name) for name in names))


def test_a_run_goes_on_where_it_stopped(tmp_path: Path):
    path = tmp_path / "deep" / "run"
    begun(path, "q1")
    with open_run(path, SETUP, "1.1") as writer:
        assert list(writer.done) == ["q1"]
        writer.add(a_result("q2"), a_result("q3"))
    run = read_run(path)
    assert [one.id for one in run.results] == ["q1", "q2", "q3"]
    assert (run.name, run.complete, run.setup, run.manifest.version) == ("mine", True, SETUP, "1.0")


@pytest.mark.parametrize("torn", ['{"id": "q2", "vid', "x", '{"id": "q2"}', "\x00" * 40])
def test_a_line_that_was_cut_off_is_dropped_and_its_question_asked_again(tmp_path: Path, torn: str):
    begun(tmp_path / "run", "q1")
    with (tmp_path / "run" / RESULTS).open("a", encoding="utf-8") as file:
        file.write(torn)  # without its end, as when the program was killed
    assert [one.id for one in read_run(tmp_path / "run").results] == ["q1"]
    with open_run(tmp_path / "run", SETUP, "1.0") as writer:
        assert list(writer.done) == ["q1"]
        writer.add(a_result("q2"))
    assert [one.id for one in read_run(tmp_path / "run").results] == ["q1", "q2"]


def test_a_whole_line_that_cannot_be_read_is_not_passed_over(tmp_path: Path):
    begun(tmp_path / "run", "q1")
    with (tmp_path / "run" / RESULTS).open("a", encoding="utf-8") as file:
        file.write("{}\n")
    with pytest.raises(ConfigurationError, match=r"results.jsonl, line 2 cannot be read"):
        read_run(tmp_path / "run")


def test_another_run_is_not_mixed_in(tmp_path: Path):
    begun(tmp_path / "run", "q1")
    with (
        pytest.raises(ConfigurationError, match=r"begun with method 'text', not 'ravu'; seed 0, not 7"),
        open_run(tmp_path / "run", replace(SETUP, method="ravu", seed=7), "1.0"),
    ):
        pass
    with (
        pytest.raises(ConfigurationError, match="begun with other questions"),
        open_run(tmp_path / "run", replace(SETUP, digest="other"), "1.0"),
    ):
        pass
    assert [one.id for one in read_run(tmp_path / "run").results] == ["q1"]


@pytest.mark.parametrize("change", [{"format": 0}, {"format": 2, "setup": {"new": 1}}])
def test_a_run_of_another_version_is_refused_unread(tmp_path: Path, change: dict[str, object]):
    begun(tmp_path / "run", "q1")
    file = tmp_path / "run" / MANIFEST
    file.write_text(json.dumps({**json.loads(file.read_text(encoding="utf-8")), **change}), encoding="utf-8")
    before = (tmp_path / "run" / RESULTS).read_bytes()
    with pytest.raises(ConfigurationError, match=rf"another version \(format {change['format']}, here 1\)"):
        read_run(tmp_path / "run")
    with pytest.raises(ConfigurationError, match="another version"), open_run(tmp_path / "run", SETUP, "1.0"):
        pass
    assert (tmp_path / "run" / RESULTS).read_bytes() == before


def test_a_damaged_manifest_is_told_from_another_version(tmp_path: Path):
    begun(tmp_path / "run", "q1")
    file = tmp_path / "run" / MANIFEST
    manifest = json.loads(file.read_text(encoding="utf-8"))
    manifest["setup"]["seed"] = "many"
    file.write_text(json.dumps(manifest), encoding="utf-8")
    with pytest.raises(ConfigurationError, match=r"run.json is damaged: setup.seed"):
        read_run(tmp_path / "run")


def test_a_folder_of_something_else_is_left_alone(tmp_path: Path):
    (tmp_path / "letter.txt").write_text("mine", encoding="utf-8")
    with pytest.raises(UsageError, match=r"is no run folder, but holds letter.txt"), open_run(tmp_path, SETUP, "1.0"):
        pass
    with pytest.raises(ConfigurationError, match="holds no run"):
        read_run(tmp_path)


def test_a_file_in_the_place_of_the_folder(tmp_path: Path):
    (tmp_path / "run").write_text("mine", encoding="utf-8")
    with pytest.raises(ConfigurationError, match="cannot be written"), open_run(tmp_path / "run", SETUP, "1.0"):
        pass


def test_a_second_process_does_not_write_to_the_same_run(tmp_path: Path):
    with (
        open_run(tmp_path / "run", SETUP, "1.0"),
        pytest.raises(UsageError, match="Another process"),
        open_run(tmp_path / "run", SETUP, "1.0"),
    ):
        pass


def test_results_of_many_threads_keep_to_their_lines(tmp_path: Path):
    with open_run(tmp_path / "run", SETUP, "1.0") as writer:
        threads = [
            threading.Thread(target=lambda at=at: [writer.add(a_result(f"{at}/{n}")) for n in range(50)])
            for at in range(8)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert len(read_run(tmp_path / "run").results) == 400
