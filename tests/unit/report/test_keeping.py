"""What cannot be written is refused before anything is asked."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from ravu_kg.cli.frame import cli
from ravu_kg.cli.keeping import write_page
from ravu_kg.errors import UsageError

ASK = ["ask", "holiday", "Who is there?"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([*ASK, "--blur-faces"], "--blur-faces belongs to"),
        ([*ASK, "--clip", "clip.avi"], "name the file clip.mp4"),
        ([*ASK, "--clip", "nowhere/clip.mp4"], "is not there"),
        ([*ASK, "--report", "nowhere/out.html"], "is not there"),
        ([*ASK, "--report", "."], "is a folder"),
        ([*ASK, "--save-frames", "file.txt"], "is a file"),
        (["ask", "holiday", "--report", "out.html"], "belong to one question"),
        (["videos", "report", "holiday", "-o", "."], "is a folder"),
        (["videos", "report", "holiday", "-o", "nowhere/out.html"], "is not there"),
        (["videos", "report", "holiday"], "Missing option"),
    ],
)
def test_a_place_that_cannot_be_written_is_refused_at_once(
    arguments: list[str], said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("RAVU_KG_SERVER__HOME", str(tmp_path / "home"))
    Path("file.txt").write_text("mine")

    result = CliRunner().invoke(cli, arguments)

    assert result.exit_code == 2
    assert said in result.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["file.txt"]  # nothing was started or written


def test_a_page_is_written_whole_or_not_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    file = tmp_path / "page.html"
    file.write_text("before")

    def full(self: Path, target: Path) -> Path:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "replace", full)
    with pytest.raises(UsageError, match="No space left"):
        write_page(file, "after")
    assert file.read_text() == "before"
    assert list(tmp_path.iterdir()) == [file]
