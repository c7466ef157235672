from __future__ import annotations

import json
import threading
import time
from pathlib import Path

import pytest

from ravu_kg.providers import abilities
from ravu_kg.providers.abilities import FILE_NAME, Abilities, Memory


@pytest.fixture(autouse=True)
def file(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    monkeypatch.setenv("RAVU_KG_CACHE", str(tmp_path))
    abilities.forget()
    return tmp_path / FILE_NAME


def test_what_was_found_is_known_to_all_that_use_the_model(file: Path) -> None:
    first, second = Memory("http://a/v1", "m"), Memory("http://a/v1", "m")
    first.learn(Abilities(api="chat"))
    second.learn(Abilities(form="json_object"))
    assert first.get() == second.get() == Abilities(api="chat", form="json_object")
    assert Memory("http://a/v1", "other").get() == Abilities()
    abilities.forget()
    assert Memory("http://a/v1", "m").get() == Abilities(api="chat", form="json_object")


def test_nothing_is_written_when_nothing_is_new(file: Path) -> None:
    memory = Memory("http://a/v1", "m")
    memory.learn(Abilities())
    assert not file.exists()
    memory.learn(Abilities(api="chat"))
    stamp = file.stat().st_mtime_ns
    memory.learn(Abilities(api="chat"))
    assert file.stat().st_mtime_ns == stamp


def test_an_entry_holds_for_thirty_days(file: Path) -> None:
    Memory("http://a/v1", "m").learn(Abilities(api="chat"))
    Memory("http://b/v1", "m").learn(Abilities(api="chat"))
    written = json.loads(file.read_text())
    written["endpoints"]["http://a/v1 m"]["found_at_s"] -= 31 * 24 * 3600
    written["endpoints"]["http://b/v1 m"]["found_at_s"] -= 29 * 24 * 3600
    file.write_text(json.dumps(written))
    abilities.forget()
    assert Memory("http://a/v1", "m").get() == Abilities()
    assert Memory("http://b/v1", "m").get() == Abilities(api="chat")


def test_what_others_wrote_meanwhile_is_kept(file: Path) -> None:
    memory = Memory("http://a/v1", "m")
    entry = {"form": "prompt", "found_at_s": time.time()}
    file.write_text(json.dumps({"endpoints": {"http://z/v1 m": entry}}))
    memory.learn(Abilities(api="chat"))
    assert set(json.loads(file.read_text())["endpoints"]) == {"http://a/v1 m", "http://z/v1 m"}


def test_an_unknown_word_makes_a_file_damaged_not_dangerous(file: Path) -> None:
    entry = {"form": "telepathy", "found_at_s": time.time()}
    file.write_text(json.dumps({"endpoints": {"http://a/v1 m": entry}}))
    assert Memory("http://a/v1", "m").get() == Abilities()


def test_threads_that_learn_at_once_leave_a_whole_file(file: Path) -> None:
    memories = [Memory("http://a/v1", f"m{number}") for number in range(8)]
    threads = [threading.Thread(target=memory.learn, args=(Abilities(api="chat"),)) for memory in memories]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(json.loads(file.read_text())["endpoints"]) == 8
