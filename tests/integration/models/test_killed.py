"""A process that makes calls is killed, and another goes on with the same store."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from tests.model_server import ModelServer, Received, Reply

ITEMS, THREADS = 60, 8
PROGRAM = f"""
from pydantic import BaseModel
from ravu_kg.models.calls import ModelCalls
from ravu_kg.models.roles import INDEX_ROLES
from ravu_kg.settings import load
from ravu_kg.types import ModelRequest

class Graph(BaseModel):
    words: list[str]

with ModelCalls.open(load(), INDEX_ROLES) as calls:
    ask = lambda item: calls.ask("graph", ModelRequest("Give words.", (f"window {{item}}",)), Graph).words[0]
    for said in calls.in_order(ask, range({ITEMS})):
        print(said, flush=True)
    print("replayed", calls.replayed)
"""


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with ModelServer(lambda received: Reply({"words": [window_of(received)]}), delay_s=0.1) as server:
        yield server


def window_of(received: Received) -> str:
    return received.texts[0].splitlines()[0]


@pytest.fixture
def environment(server: ModelServer, tmp_path: Path) -> dict[str, str]:
    return {
        **os.environ,
        "OPENAI_API_KEY": "test-key",
        "RAVU_KG_CACHE": str(tmp_path),
        "RAVU_KG_MODELS__DESCRIBE": "openai:gpt-4o-mini",
        "RAVU_KG_PROVIDERS__OPENAI__BASE_URL": server.url + "/v1",
        "RAVU_KG_CALLS__CONCURRENCY": str(THREADS),
    }


def start(environment: dict[str, str], folder: Path) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", PROGRAM],
        cwd=folder,
        env=environment,
        stdout=subprocess.PIPE,
        text=True,
        # A shell in the background makes its children ignore the signal.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )


def stored(folder: Path) -> int:
    with closing(sqlite3.connect(folder / "replies.sqlite")) as connection:
        return connection.execute("SELECT count(*) FROM reply").fetchone()[0]


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT], ids=["killed", "interrupted"])
def test_only_calls_whose_reply_was_not_stored_are_made_again(
    server: ModelServer, environment: dict[str, str], tmp_path: Path, how: signal.Signals
):
    first = start(environment, tmp_path)
    with first.stdout:  # type: ignore[union-attr]
        deadline_s = time.monotonic() + 60
        while len(server.received) < ITEMS // 2 and time.monotonic() < deadline_s:
            time.sleep(0.01)
        os.kill(first.pid, how)
        assert first.wait(30) != 0
    before = [window_of(one) for one in server.received]
    kept = stored(tmp_path)
    assert len(before) - THREADS <= kept < ITEMS

    second = start(environment, tmp_path)
    said, _ = second.communicate(timeout=60)
    assert second.returncode == 0
    assert said.splitlines() == [*(f"window {item}" for item in range(ITEMS)), f"replayed {kept}"]
    again = [window_of(one) for one in server.received[len(before) :]]
    assert len(again) == len(set(again)) == ITEMS - kept
    assert len(set(again) & set(before)) <= THREADS
    assert stored(tmp_path) == ITEMS
