from __future__ import annotations

import sqlite3
import subprocess
import sys
import threading
from dataclasses import replace
from pathlib import Path

import pytest

from ravu_kg.errors import RefusalError
from ravu_kg.models.replies import ReplyStore, key_of, stage_of
from ravu_kg.types import ModelReply, ModelRequest, Picture

REQUEST = ModelRequest("do", ("a", Picture(b"123", "image/jpeg", 8, 8)), {"title": "graph"}, 100)
REPLY = ModelReply("said", "length", 7, 3, 2)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "new" / "replies.sqlite"


def test_what_was_received_is_there_for_the_next_process(path: Path):
    with ReplyStore(path) as store:
        store.put(b"1", "fake:m", REQUEST, REPLY)
        store.put(b"2", "fake:m", REQUEST, RefusalError("it declined"))
    with ReplyStore(path) as store:
        assert store.get(b"1") == REPLY
        refused = store.get(b"2")
        assert isinstance(refused, RefusalError)
        assert str(refused) == "it declined"
        assert store.get(b"3") is None


@pytest.mark.parametrize(
    "other",
    [
        replace(REQUEST, instructions="do it"),
        replace(REQUEST, parts=("b", REQUEST.parts[1])),
        replace(REQUEST, parts=("a", Picture(b"124", "image/jpeg", 8, 8))),
        replace(REQUEST, parts=tuple(reversed(REQUEST.parts))),
        replace(REQUEST, parts=("a",)),
        replace(REQUEST, schema={"title": "events"}),
        replace(REQUEST, schema=None),
        replace(REQUEST, max_output_tokens=101),
    ],
)
def test_another_request_has_another_key(other: ModelRequest):
    assert key_of("fake:m", other) != key_of("fake:m", REQUEST)


def test_the_key_is_that_of_the_model_and_the_same_in_every_process():
    assert key_of("fake:m", REQUEST) == key_of("fake:m", replace(REQUEST))
    assert key_of("fake:other", REQUEST) != key_of("fake:m", REQUEST)
    code = (
        "from ravu_kg.models.replies import key_of; from ravu_kg.types import ModelRequest, Picture\n"
        "request = ModelRequest('do', ('a', Picture(b'123', 'image/jpeg', 8, 8)), {'title': 'graph'}, 100)\n"
        "print(key_of('fake:m', request).hex())"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == key_of("fake:m", REQUEST).hex()


def test_texts_in_one_part_or_in_two_are_not_the_same():
    one, two = replace(REQUEST, parts=("a", "b")), replace(REQUEST, parts=("ab",))
    assert key_of("fake:m", one) != key_of("fake:m", two)


def test_a_text_that_is_no_unicode_is_kept_as_well(path: Path):
    store = ReplyStore(path, warn=pytest.fail)
    store.put(b"1", "fake:m", replace(REQUEST, parts=("\ud800",)), replace(REPLY, text="a \ud800"))
    kept = store.get(b"1")
    assert isinstance(kept, ModelReply)
    assert kept.text == "a ?"
    store.close()


def test_a_damaged_file_is_set_aside(path: Path):
    path.parent.mkdir()
    path.write_bytes(b"this is no database" * 100)
    said: list[str] = []
    with ReplyStore(path, said.append) as store:
        store.put(b"1", "fake:m", REQUEST, REPLY)
        assert store.get(b"1") == REPLY
    assert (path.parent / "replies.sqlite.damaged-1").read_bytes().startswith(b"this is no database")
    assert len(said) == 1
    assert "replies.sqlite.damaged-1" in said[0]


def test_a_file_that_is_damaged_later_is_set_aside_beside_the_first(path: Path):
    said: list[str] = []
    for number in (1, 2):
        with ReplyStore(path) as store:
            store.put(b"1", "fake:m", REQUEST, REPLY)
        data = bytearray(path.read_bytes())
        data[100:] = b"\xff" * (len(data) - 100)  # behind a good header
        path.write_bytes(data)
        with ReplyStore(path, said.append) as store:
            assert store.get(b"1") is None
            store.put(b"1", "fake:m", REQUEST, REPLY)
            assert store.get(b"1") == REPLY
        assert len(said) == number
    assert sorted(file.name for file in path.parent.glob("*damaged*")) == [
        "replies.sqlite.damaged-1",
        "replies.sqlite.damaged-2",
    ]


def test_a_place_that_cannot_be_written_stops_nothing_and_is_named(tmp_path: Path):
    (tmp_path / "file").write_text("")
    said: list[str] = []
    with ReplyStore(tmp_path / "file" / "replies.sqlite", said.append) as store:
        store.put(b"1", "fake:m", REQUEST, REPLY)
        assert store.get(b"1") is None
    assert "Replies are not kept" in said[0]


def test_many_threads_and_two_stores_share_a_file(path: Path):
    stores = [ReplyStore(path, warn=pytest.fail), ReplyStore(path, warn=pytest.fail)]

    def work(start: int) -> None:
        for number in range(start, start + 25):
            stores[number % 2].put(str(number).encode(), "fake:m", REQUEST, replace(REPLY, input_tokens=number))

    threads = [threading.Thread(target=work, args=(25 * one,)) for one in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    found = [stores[0].get(str(number).encode()) for number in range(200)]
    assert [one.input_tokens for one in found if isinstance(one, ModelReply)] == list(range(200))
    for store in stores:
        store.close()
    with sqlite3.connect(path) as connection:
        assert connection.execute("SELECT count(*) FROM reply").fetchone() == (200,)
    connection.close()


def test_the_nearest_request_is_of_the_same_stage_and_most_like_it(path: Path):
    with ReplyStore(path, warn=pytest.fail) as store:
        assert store.nearest("fake:m", REQUEST) is None
        for number, (stage, text) in enumerate(
            [
                ("graph", "the dog runs to the tree"),
                ("graph", "a woman throws a red ball"),
                ("events", "a woman throws a blue ball"),
            ]
        ):
            store.put(bytes([number]), "fake:m", ModelRequest("do", (text,), {"title": stage}), REPLY)
        near = store.nearest("fake:m", ModelRequest("do", ("a woman throws a blue ball",), {"title": "graph"}))
        assert near is not None
        assert near.stage == "graph"
        assert 0.5 < near.alike < 1
        assert "red ball" in near.difference
        assert "blue ball" in near.difference
        other = store.nearest("fake:m", ModelRequest("do", ("anything",), {"title": "plan"}))
        assert other is not None
        assert other.stage in ("graph", "events")


def test_the_nearest_of_many_long_requests_is_found_soon(path: Path):
    words = [f"word{number}" for number in range(800)]
    with ReplyStore(path, warn=pytest.fail) as store:
        for number in range(100):
            text = " ".join(words[number:] + words[:number])
            store.put(bytes([number]), "fake:m", ModelRequest("do", (text,), {"title": "graph"}), REPLY)
        near = store.nearest("fake:m", ModelRequest("do", (" ".join(words[42:] + words[:42]),), {"title": "graph"}))
    assert near is not None
    assert near.alike == 1


def test_the_stage_is_the_title_of_the_schema():
    assert stage_of(REQUEST) == "graph"
    assert stage_of(replace(REQUEST, schema=None)) == ""


def test_a_video_is_known_by_a_kept_reply_and_not_by_what_was_only_asked(path: Path):
    with ReplyStore(path) as store:
        store.note(b"1", "video")
        assert not store.knows("video")
        store.put(b"1", "fake:m", REQUEST, REPLY)
        assert store.knows("video")
        assert not store.knows("other")
