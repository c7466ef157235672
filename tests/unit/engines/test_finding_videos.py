from __future__ import annotations

from pathlib import Path

import pytest

from ravu_kg.engines.finding import find_videos


@pytest.fixture(autouse=True)
def library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("b.MP4", "a.mkv", "notes.txt", "day 1/c.avi", "day 1/.hidden.mp4", ".thumbs/d.mp4", "odd[1].mp4"):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.touch()
    (tmp_path / "empty").mkdir()
    monkeypatch.chdir(tmp_path)
    return tmp_path


def names(*given: str | Path) -> list[str]:
    found = find_videos([Path(one) for one in given])
    assert all(one.problem is None for one in found)
    return [one.path.as_posix() for one in found]


def test_a_folder_stands_for_the_videos_in_and_below_it_but_for_hidden_ones():
    assert names(".") == ["a.mkv", "b.MP4", "day 1/c.avi", "odd[1].mp4"]


def test_a_pattern_stands_for_what_it_matches_at_any_depth(library: Path):
    assert names("*.m*") == ["a.mkv", "odd[1].mp4"]
    assert names("**/*.avi") == ["day 1/c.avi"]
    assert names(library / "?.mkv") == [(library / "a.mkv").as_posix()]


def test_a_file_with_signs_of_a_pattern_in_its_name_is_that_file():
    assert names("odd[1].mp4") == ["odd[1].mp4"]


def test_a_video_that_is_named_twice_is_done_once_and_the_order_named_holds():
    assert names("day 1", "b.MP4", ".", "./b.MP4") == ["day 1/c.avi", "b.MP4", "a.mkv", "odd[1].mp4"]


def test_a_file_that_is_named_itself_may_have_any_suffix():
    assert names("notes.txt", "a.mkv") == ["notes.txt", "a.mkv"]


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("empty", "holds no video files"),
        ("*.webm", "there is no such file, and nothing matches"),
        ("missing.mp4", "there is no such file. Check the path."),
    ],
)
def test_what_is_no_video_is_a_problem_of_its_own(given: str, said: str):
    good, bad = find_videos([Path("a.mkv"), Path(given)])
    assert good.problem is None
    assert bad.problem is not None
    assert said in str(bad.problem)
    assert given in str(bad.problem)
