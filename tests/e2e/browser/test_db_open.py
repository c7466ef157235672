"""``ravu-kg db open``, ``db kit`` and ``db guide`` as commands: what they print, and what they refuse."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
import urllib.error
import urllib.request
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread
from urllib.parse import parse_qs, urlsplit

import pytest
from builders import a_scene, write_scene

from ravu_kg.errors import ServerError
from ravu_kg.memory import VideoMemory
from ravu_kg.memory.browser import paint
from ravu_kg.memory.kit_server import served_kit
from tests.e2e.conftest import Ravu

pytestmark = [pytest.mark.e2e, pytest.mark.neo4j]


@pytest.fixture
def video_id(memory: VideoMemory, unique_video: str) -> str:
    made = a_scene(unique_video, title=f"scene {unique_video}", embedder=memory.embedder.name)
    colors = ("#ff0000", "#0000fa", "not a colour")
    entities = tuple(replace(one, color=color) for one, color in zip(made.entities, colors, strict=True))
    write_scene(memory.store, replace(made, entities=entities))
    return unique_video


def kept(video_id: str, **changes: object) -> str:
    one = {"frame_index": 2, "entity_ids": [f"{video_id}#1"], "event_id": f"{video_id}/1/geometry/0", "video_id": ""}
    return json.dumps({"video_id": video_id, "answer": "Yes.", "evidence": [one | changes]})


def labels(memory: VideoMemory, video_id: str) -> dict[str, list[str]]:
    """Of entities and frame nodes, those for colours alone."""
    query = """
    MATCH (n {videoId: $v}) WHERE n:Entity OR n:FrameNode
    UNWIND [label IN labels(n) WHERE label STARTS WITH 'Color'] AS label
    RETURN label, collect(DISTINCT coalesce(n.entityId, n.id)) AS entities, count(*) AS nodes
    """
    return {str(row["label"]): row["entities"] for row in memory.cypher(query, {"v": video_id}).rows}  # type: ignore[misc]


def test_a_video_is_opened_by_title_and_its_entities_get_the_colours_of_their_boxes(
    memory: VideoMemory, ravu: Ravu, video_id: str
) -> None:
    before = memory.canonical(video_id)
    shown = ravu.json("db", "open", f"scene {video_id}", "--no-launch")
    assert isinstance(shown, dict)
    assert parse_qs(urlsplit(shown["link"]).query)["arg"] == [shown["statement"]]
    assert "password" not in shown
    drawn = memory.cypher(shown["statement"]).rows
    assert len(drawn) == 3
    assert all(len(row["does"]) == 2 for row in drawn)  # type: ignore[arg-type]
    assert labels(memory, video_id) == {"Color1": [f"{video_id}#1"], "Color2": [f"{video_id}#2"]}
    assert memory.canonical(video_id) == before
    assert paint(memory.store, video_id) == 0


def test_an_answer_is_opened_from_a_file_and_from_standard_input(
    memory: VideoMemory, ravu: Ravu, video_id: str
) -> None:
    Path("answer.json").write_text(kept(video_id))
    shown = ravu.json("db", "open", "answer.json", "--no-launch")
    assert isinstance(shown, dict)
    (row,) = memory.cypher(shown["statement"]).rows
    assert [event["properties"]["id"] for event in row["events"]] == [f"{video_id}/1/geometry/0"]  # type: ignore[attr-defined]
    piped = ravu("db", "open", "-", "--no-launch", "--json", stdin=kept(video_id)).stdout
    assert json.loads(piped) == shown


def test_what_a_real_question_prints_can_be_opened(memory: VideoMemory, ravu: Ravu, library: object) -> None:
    answer = ravu("ask", "dog_and_woman", "Is there a dog?", "--json").stdout
    shown = json.loads(ravu("db", "open", "-", "--no-launch", "--json", stdin=answer).stdout)
    assert memory.cypher(shown["statement"]).rows


@pytest.mark.parametrize(
    ("content", "code", "says"),
    [
        ("{", 2, "is no answer of"),
        ('{"video_id": "x", "evidence": []}', 2, "has no evidence to draw"),
        (kept("no-such-video"), 6, "no-such-video"),
    ],
)
def test_a_wrong_answer_is_refused(memory: VideoMemory, ravu: Ravu, content: str, code: int, says: str) -> None:
    Path("answer.json").write_text(content)
    refused = ravu("db", "open", "answer.json", "--no-launch", code=code)
    assert says in refused.stderr
    assert refused.stdout == ""


def test_words_in_an_answer_stay_values(memory: VideoMemory, ravu: Ravu, video_id: str) -> None:
    event = "x'] | z] DETACH DELETE e //"
    shown = json.loads(ravu("db", "open", "-", "--no-launch", "--json", stdin=kept(video_id, event_id=event)).stdout)
    (row,) = memory.cypher(shown["statement"]).rows
    assert row["events"] == []


def test_a_name_that_is_neither_is_told(memory: VideoMemory, ravu: Ravu) -> None:
    assert "No video is named 'absent.json'" in ravu("db", "open", "absent.json", "--no-launch", code=6).stderr


def test_with_a_server_of_ones_own_the_query_is_printed(
    memory: VideoMemory, ravu: Ravu, video_id: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert memory.endpoint is not None
    ravu.env.update(NEO4J_URI=memory.endpoint.bolt_uri, NEO4J_USERNAME="neo4j", NEO4J_PASSWORD=memory.endpoint.password)
    try:
        shown = ravu("db", "open", video_id)
        assert "paste this" in shown.stderr
        assert memory.cypher(shown.stdout).rows
        assert "read the guide as a page" in ravu("db", "guide", video_id, code=2).stderr
    finally:
        for name in ("NEO4J_URI", "NEO4J_USERNAME", "NEO4J_PASSWORD"):
            del ravu.env[name]


def test_the_kit_is_written_where_it_is_wanted(ravu: Ravu) -> None:
    assert ravu("db", "kit", "here").stdout.split() == ["here/style.grass", "here/favourites.zip", "here/guide.md"]
    assert "cannot be written" in ravu("db", "kit", "here/guide.md", code=2).stderr


def test_the_guide_is_served_to_the_browser_alone_until_ctrl_c(
    memory: VideoMemory, memory_env: dict[str, str], video_id: str
) -> None:
    assert memory.endpoint is not None
    command = [Path(sys.executable).with_name("ravu-kg"), "db", "guide", video_id, "--no-launch", "--json"]
    with subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        # A shell in the background makes its children ignore the signal.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    ) as running:
        try:
            assert running.stdout is not None
            printed = "".join(iter(running.stdout.readline, "}\n")) + "}"
            url = parse_qs(urlsplit(json.loads(printed)["link"]).query)["arg"][0]
            assert re.fullmatch(r"http://localhost:\d+/guide\.md", url)
            with urllib.request.urlopen(url, timeout=60) as reply:
                assert reply.headers["Access-Control-Allow-Origin"] == memory.endpoint.browser_url[: -len("/browser/")]
                assert f":param video_id => '{video_id}'" in reply.read().decode()
            with pytest.raises(urllib.error.HTTPError, match="404") as refused:
                urllib.request.urlopen(url.replace("guide.md", "../password"), timeout=60)
            refused.value.close()
        finally:
            running.send_signal(signal.SIGINT)
            try:
                assert running.wait(timeout=60) == 0
            finally:
                running.kill()  # or the end of the block would wait for ever
    with pytest.raises(urllib.error.URLError):
        urllib.request.urlopen(url, timeout=60)


def test_a_server_whose_page_may_not_load_the_guide_is_told(memory: VideoMemory) -> None:
    class Page(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("Content-Security-Policy", "connect-src 'self'")
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, format: str, *args: object) -> None: ...

    assert memory.endpoint is not None
    with HTTPServer(("127.0.0.1", 0), Page) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        older = replace(memory.endpoint, browser_url=f"http://127.0.0.1:{server.server_port}/browser/")
        with pytest.raises(ServerError, match="ravu-kg db stop"), served_kit(older, "v"):
            pytest.fail("it was served")
        server.shutdown()
