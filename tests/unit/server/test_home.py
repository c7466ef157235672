from __future__ import annotations

import re
import shutil
import stat
from collections import namedtuple
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from ravu_kg.errors import ServerError
from ravu_kg.server.configuring import Ports
from ravu_kg.server.home import Home, Marker
from ravu_kg.server.processes import ProcessRecord


@pytest.fixture
def home(tmp_path: Path) -> Home:
    home = Home(tmp_path / "home")
    home.prepare()
    return home


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_only_the_user_can_read_folder_and_password(home: Home) -> None:
    password = home.password()

    assert len(password) >= 32
    assert re.fullmatch("[0-9a-f]+", password), "Neo4j's own tool takes a word that starts with a hyphen for an option"
    assert (mode(home.path), mode(home.password_file)) == (0o700, 0o600)


def test_a_folder_that_others_could_read_is_closed(tmp_path: Path) -> None:
    tmp_path.chmod(0o755)

    Home(tmp_path).prepare()

    assert mode(tmp_path) == 0o700


def test_a_password_file_that_others_could_read_is_closed(home: Home) -> None:
    password = home.password()
    home.password_file.chmod(0o644)

    assert home.password() == password
    assert mode(home.password_file) == 0o600


def test_the_password_is_made_once_a_home(home: Home, tmp_path: Path) -> None:
    other = Home(tmp_path / "other")
    other.prepare()

    assert home.password() == home.password() != other.password()


def test_data_without_its_password_is_an_error_that_says_what_to_do(home: Home) -> None:
    (home.path / "data" / "databases" / "system").mkdir(parents=True)

    with pytest.raises(ServerError, match=r"password is gone.*ravu-kg db reset"):
        home.password()


def test_a_home_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")

    with pytest.raises(ServerError, match=r"home .*file/home cannot be written: Not a directory.*choose another"):
        Home(tmp_path / "file" / "home").prepare()


def test_a_full_disk_is_told_before_anything_starts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    usage = namedtuple("usage", "total used free")
    monkeypatch.setattr(shutil, "disk_usage", lambda path: usage(100, 97, 3 * 2**20))

    with pytest.raises(ServerError, match="is full: 3 MB free, 200 MB needed"):
        Home(tmp_path / "home").prepare()


def test_version_ports_and_process_are_remembered(home: Home) -> None:
    marker, record = Marker("5.26.28", Ports(1, 2)), ProcessRecord(77, 12.5)

    home.write_marker(marker)
    home.write_process(record)
    assert (home.read_marker(), home.read_process()) == (marker, record)

    home.write_process(None)
    assert home.read_process() is None


@pytest.mark.parametrize("content", ["", "{", "[]", "{}", '{"version": "5", "ports": 3}', '{"pid": "x"}'])
def test_a_damaged_note_counts_as_none(home: Home, content: str) -> None:
    for name in ("server.json", "process.json"):
        (home.path / name).write_text(content)

    assert home.read_marker() is None
    assert home.read_process() is None


def test_the_last_words_are_those_of_the_last_start(home: Home) -> None:
    assert home.last_log_lines() == ""
    home.log.write_text("old\n")
    home.begin_log()
    home.console.write_text("java: bad flag\n\n")
    home.log.write_text("".join(f"line {n}\n" for n in range(20)))

    assert home.last_log_lines(3).splitlines() == ["line 17", "line 18", "line 19"]
    assert home.last_log_lines(21).splitlines()[0] == "java: bad flag"


def test_deleting_the_data_keeps_the_ports(home: Home) -> None:
    home.password()
    home.write_marker(Marker("5.26.28", Ports(1, 2)))
    (home.path / "data" / "databases" / "system").mkdir(parents=True)
    (home.path / "data" / "databases" / "x").write_bytes(b"x" * 5000)
    assert home.data_bytes >= 5000

    home.delete_data()

    assert not home.has_data
    assert home.data_bytes == 0
    assert not home.password_file.exists()
    assert home.read_marker() == Marker("5.26.28", Ports(1, 2))


def test_a_change_of_the_data_that_breaks_off_half_way_is_taken_back(home: Home, tmp_path: Path) -> None:
    home.settle()
    (home.data / "old").write_text("old")
    new = tmp_path / "new"
    new.mkdir()
    (new / "new").write_text("new")

    home.replace_data(new)
    home.settle()
    assert [path.name for path in home.data.iterdir()] == ["new"]

    with pytest.raises(FileNotFoundError):
        home.replace_data(tmp_path / "none")  # the old data is aside, the new not there yet
    assert not home.data.exists()
    home.settle()
    assert [path.name for path in home.data.iterdir()] == ["new"]
    assert sorted(path.name for path in home.path.iterdir() if "data" in path.name) == ["data"]


def test_several_commands_may_look_at_a_home_at_once(home: Home) -> None:
    with ThreadPoolExecutor(8) as pool:
        for _ in pool.map(lambda _: home.prepare(), range(400)):
            pass
    assert sorted(path.name for path in home.path.iterdir()) == ["conf", "import", "logs"]
