from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path

import pytest

from ravu_kg.errors import NotFoundError, UsageError
from ravu_kg.memory.naming import build_of, find


@dataclass(frozen=True)
class Video:
    video_id: str
    title: str
    uri: str | None = None
    content_hash: str | None = None


def id_of(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()[:16]


HOLIDAY = Video("aaaa111122223333", "holiday")
PARTY = Video("aaaa444455556666", "party", "/july/party.mp4")
TWIN = Video("bbbb444455556666", "party", "/may/party.mp4")
ALL = [HOLIDAY, PARTY, TWIN]


@pytest.mark.parametrize("name", ["aaaa111122223333", "holiday", "aaaa1"])
def test_a_video_is_named_by_id_title_or_start_of_its_id(name: str):
    assert find(name, ALL) == HOLIDAY.video_id


def test_an_ambiguous_name_lists_ids_and_files():
    with pytest.raises(UsageError, match="2 videos are named 'party'") as error:
        find("party", ALL)
    listed = [line.split() for line in str(error.value).splitlines()[1:]]
    assert listed == [["aaaa444455556666", "/july/party.mp4"], ["bbbb444455556666", "/may/party.mp4"]]
    with pytest.raises(UsageError, match=r"aaaa111122223333 +holiday\n"):  # without a file its title
        find("aaaa", ALL)


def test_a_file_that_cannot_be_read_is_a_usage_error():
    unreadable = Path("/proc/self/mem")  # even for a user who may read every file
    with pytest.raises(UsageError, match=r"/proc/self/mem cannot be read: .*permissions"):
        find(str(unreadable), ALL)


@pytest.mark.parametrize("name", ["aaa", "unknown", "", "missing.mp4"])
def test_an_unknown_name_says_where_to_look(name: str):
    with pytest.raises(NotFoundError, match="videos list"):
        find(name, ALL)


def test_a_mistyped_title_is_answered_with_the_nearest_one():
    with pytest.raises(NotFoundError, match=r"No video is named 'Holdiay', .*; did you mean `holiday`\? "):
        find("Holdiay", ALL)
    with pytest.raises(NotFoundError, match=r"there is no such file\. "):
        find("unlike all", ALL)


def test_an_existing_file_is_known_by_its_content_whatever_its_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    file = tmp_path / "holiday"
    file.write_bytes(b"content")
    monkeypatch.chdir(tmp_path)
    same = Video(id_of(b"content"), "other name")
    assert find("holiday", [HOLIDAY, same]) == same.video_id
    with pytest.raises(NotFoundError, match=r"holiday is not indexed\. Index it first: ravu-kg index 'holiday'"):
        find("holiday", [HOLIDAY])


def test_a_file_means_its_default_build_and_else_its_only_one(tmp_path: Path):
    file = tmp_path / "clip.mp4"
    file.write_bytes(b"content")
    base = id_of(b"content")
    default, other, third = Video(base, "clip"), Video(f"{base}~other", "clip"), Video(f"{base}~third", "clip")
    assert find(str(file), [default, other]) == base
    assert find(str(file), [other]) == other.video_id
    assert find("clip", [other, default]) == base
    assert find(base[:6], [default, third]) == base
    with pytest.raises(UsageError, match="2 videos"):
        find(str(file), [other, third])


def test_an_exact_title_beats_the_start_of_an_id():
    titled = Video("cccc000000000000", "aaaa1")
    assert find("aaaa1", [HOLIDAY, titled]) == titled.video_id


DEFAULT, OTHER, THIRD = (Video(f"aaaa111122223333{build}", "holiday") for build in ("", "~other", "~third"))
BUILDS = [DEFAULT, OTHER, THIRD, PARTY]


@pytest.mark.parametrize("name", ["holiday", "aaaa1", DEFAULT.video_id, OTHER.video_id])
def test_a_build_is_named_beside_the_video_or_behind_its_name(name: str):
    assert find(name, BUILDS, "other") == OTHER.video_id
    assert find(name, BUILDS, "default") == DEFAULT.video_id
    assert find("holiday~third", BUILDS) == find("aaaa1~third", BUILDS) == THIRD.video_id
    assert find(OTHER.video_id, BUILDS) == OTHER.video_id


def test_a_build_of_a_file_is_found(tmp_path: Path):
    file = tmp_path / "clip~1.mp4"
    file.write_bytes(b"content")
    base = id_of(b"content")
    builds = [Video(base, "clip"), Video(f"{base}~other", "clip")]
    assert find(str(file), builds) == base
    assert find(str(file), builds, "other") == find(f"{file}~other", builds) == f"{base}~other"


@pytest.mark.parametrize(("name", "build"), [("holiday", "fourth"), ("holiday~fourth", None)])
def test_an_unknown_build_names_those_that_there_are(name: str, build: str | None):
    with pytest.raises(NotFoundError, match="holiday has no build 'fourth'; it has: default, other, third"):
        find(name, BUILDS, build)


def test_a_build_of_several_videos_is_ambiguous():
    twins = [Video(f"{one.video_id}~other", "party") for one in (PARTY, TWIN)]
    with pytest.raises(UsageError, match="2 videos are named 'party'"):
        find("party", twins, "other")


def test_what_takes_the_place_of_a_build_is_that_build_once_it_is_alone():
    new = Video("aaaa111122223333~other~~new", "holiday")
    assert build_of(new.video_id) == "other"
    assert build_of("aaaa111122223333~~new") == build_of(DEFAULT.video_id) == "default"
    assert find("holiday", [DEFAULT, OTHER, new], "other") == OTHER.video_id
    assert find("holiday", [DEFAULT, new], "other") == new.video_id
