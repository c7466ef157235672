from __future__ import annotations

import json
import sys
from pathlib import Path

import click
import pytest
from rich.cells import cell_len

from ravu_kg.cli import output


@pytest.mark.parametrize(
    ("value", "shown"), [(0, "0.0 s"), (7.44, "7.4 s"), (59.99, "60.0 s"), (65.04, "1:05.0"), (3725.5, "1:02:05.5")]
)
def test_times_are_short(value: float, shown: str):
    assert output.seconds(value) == shown


@pytest.mark.parametrize(
    ("count", "noun", "shown"),
    [
        (1, "entity", "1 entity"),
        (0, "reply", "0 replies"),
        (2000, "frame node", "2,000 frame nodes"),
        (2, "box", "2 boxes"),
    ],
)
def test_a_number_fits_its_noun(count: int, noun: str, shown: str):
    assert output.counted(count, noun) == shown


@pytest.mark.parametrize(
    ("count", "shown"), [(1, "1 kB"), (45_678, "46 kB"), (999_999, "1.0 MB"), (12_345_678, "12.3 MB")]
)
def test_small_files_are_not_of_no_size(count: int, shown: str):
    assert output.size(count) == shown


def test_a_table_is_aligned_and_wide_characters_count_double(capsys: pytest.CaptureFixture[str]):
    output.print_table(("name", "n", "text"), [("猫", 1, "a  b\nc"), ("dog", 10, None)], right=("n",))
    assert capsys.readouterr().out.splitlines() == ["name   n  text", "猫     1  a b c", "dog   10"]


def test_json_has_plain_values(capsys: pytest.CaptureFixture[str]):
    output.echo_json({"path": Path("a"), "set": {"b", "a"}, "text": "猫"})
    printed = capsys.readouterr().out
    assert json.loads(printed) == {"path": "a", "set": ["a", "b"], "text": "猫"}
    assert "猫" in printed


def test_progress_without_a_terminal_is_a_line_for_each_quarter_on_stderr(capsys: pytest.CaptureFixture[str]):
    with output.progress_bar("clip.mp4") as report:
        for step in range(101):
            report("watching", step / 100)
        report("writing", 0.5)
    captured = capsys.readouterr()
    assert captured.out == ""
    stages = [line.split(" (")[0] for line in captured.err.splitlines()]
    assert stages == [f"clip.mp4: watching {share}%" for share in (0, 25, 50, 75, 100)] + ["clip.mp4: writing 50%"]


def test_the_status_line_says_each_message_once_without_a_terminal(capsys: pytest.CaptureFixture[str]):
    with output.status_line() as say:
        say("Starting")
        say("Starting")
        say("Ready")
    assert capsys.readouterr().err.splitlines() == ["Starting", "Ready"]


@pytest.fixture
def terminal(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """What rich and click take for a terminal of 40 columns."""
    monkeypatch.setattr(sys.stdin, "isatty", lambda: True)
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "40")


@pytest.mark.usefixtures("terminal")
def test_on_a_terminal_the_last_column_is_wrapped_under_itself(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    output.print_table(("n", "text"), [("1", "one two three four five six seven eight nine")])
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 3
    assert lines[2].startswith("   ")


@pytest.mark.usefixtures("terminal")
def test_on_a_terminal_a_wide_table_is_cut_where_it_may_be(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    row = ("0123456789abcdef", "a title that goes on and on", "yolox:nano")
    output.print_table(("id", "title", "by"), [row, ("1", "猫" * 10, "motion")], shorten=("title", "by"))
    lines = [click.unstyle(line) for line in capsys.readouterr().out.splitlines()]
    assert lines == [
        "id                title       by",
        "0123456789abcdef  a title t…  yolox:nano",
        "1                 猫猫猫猫…   motion",
    ]
    assert max(map(cell_len, lines)) == 40


def test_in_a_pipe_a_wide_table_is_whole(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("COLUMNS", "40")
    output.print_table(("id", "title"), [("0123456789abcdef", "a title that goes on and on")], shorten=("title",))
    assert "a title that goes on and on" in capsys.readouterr().out


@pytest.mark.usefixtures("terminal")
def test_on_a_terminal_progress_is_drawn_on_stderr(capsys: pytest.CaptureFixture[str]):
    with output.progress_bar("clip.mp4") as report:
        report("watching", 0.5)
    with output.status_line() as say:
        say("Starting")
        say("Waiting")
    captured = capsys.readouterr()
    assert captured.out == ""
    assert "clip.mp4" in captured.err


@pytest.mark.usefixtures("terminal")
def test_a_destructive_command_asks_and_no_means_no(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(click, "confirm", lambda question, err: False)
    with pytest.raises(click.exceptions.Exit) as caught:
        output.confirm("Delete it?", yes=False)
    assert caught.value.exit_code == 1
    monkeypatch.setattr(click, "confirm", lambda question, err: True)
    output.confirm("Delete it?", yes=False)
