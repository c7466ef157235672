"""``ravu-kg mcp`` as a client sees it: the SDK's own client, over standard input and output, on the real server."""

from __future__ import annotations

import base64
import io
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from anyio.from_thread import BlockingPortal, start_blocking_portal
from mcp import Client
from mcp.client.stdio import StdioServerParameters
from mcp.types import CallToolResult, ImageContent, TextContent
from PIL import Image

from ravu_kg.memory import VideoMemory
from tests.e2e.conftest import Ravu

pytestmark = [pytest.mark.e2e, pytest.mark.neo4j]

RAVU = [str(Path(sys.executable).with_name("ravu-kg"))]


@dataclass
class Connected:
    """A client with a server of its own, for code that does not wait for things itself."""

    client: Client
    portal: BlockingPortal

    def result(self, tool: str, **arguments: object) -> CallToolResult:
        return self.portal.call(self.client.call_tool, tool, arguments)

    def __call__(self, tool: str, **arguments: object) -> dict[str, Any]:
        """What a tool gives."""
        result = self.result(tool, **arguments)
        assert not result.is_error, text_of(result)
        assert result.structured_content is not None
        return result.structured_content

    def refusal(self, tool: str, **arguments: object) -> str:
        """What a tool says about a call that cannot be carried out."""
        result = self.result(tool, **arguments)
        assert result.is_error
        return text_of(result)


@pytest.fixture(scope="module")
def call(_opened: VideoMemory, memory_env: dict[str, str]) -> Iterator[Connected]:
    """Calls tools through the SDK's own client."""
    parameters = StdioServerParameters(command=RAVU[0], args=["mcp"], env=memory_env)
    with (
        start_blocking_portal() as portal,
        portal.wrap_async_context_manager(Client(parameters, read_timeout_seconds=120)) as client,
    ):
        yield Connected(client, portal)


def text_of(result: CallToolResult) -> str:
    return "\n".join(part.text for part in result.content if isinstance(part, TextContent))


def test_the_tools_say_what_they_do_and_what_they_take(call: Connected) -> None:
    assert call.client.server_info is not None
    assert call.client.server_info.name == "ravu-kg"
    tools = {tool.name: tool for tool in call.portal.call(call.client.list_tools).tools}
    assert set(tools) == {"list_videos", "ask", "find_entities", "events_of_entity", "cypher", "frame_image"}
    for tool in tools.values():
        assert tool.description
        assert tool.annotations is not None
        assert tool.annotations.read_only_hint
        assert tool.input_schema["additionalProperties"] is False
        assert all(one.get("description") for one in tool.input_schema["properties"].values())
    assert "HAS_EVENT" in str(tools["cypher"].description)


def test_a_client_finds_its_way_from_a_video_to_a_picture(call: Connected, street: str) -> None:
    (video,) = [one for one in call("list_videos")["videos"] if one["video_id"] == street]
    assert (video["title"], video["status"], video["entities"]) == ("street", "ready", 20)

    answer = call("ask", video="street", question="How many taxis are there?")
    assert answer["count"] == 1
    assert answer["evidence"]

    taxi = call("find_entities", text="taxi", video=street)["entities"][0]
    assert taxi["label"] == "taxi"
    events = call("events_of_entity", entity_id=taxi["entity_id"])["events"]
    assert "A taxi drives past from left to right, close to the camera." in [one["description"] for one in events]

    query = "MATCH (e:Entity {videoId: $v}) WHERE e.label = 'taxi' RETURN e.id AS id, e.tStart AS since"
    rows = call("cypher", query=query, parameters={"v": street})
    assert rows["rows"] == [{"id": taxi["entity_id"], "since": 1.6}]
    assert rows["truncated"] is False

    result = call.result("frame_image", video="street", time_s=2.1, longest_side_px=320)
    shown = json.loads(text_of(result))
    (image,) = [part for part in result.content if isinstance(part, ImageContent)]
    with Image.open(io.BytesIO(base64.b64decode(image.data))) as picture:
        assert picture.format == "PNG"
        assert picture.size == (320, 136) == (shown["width_px"], shown["height_px"])
    assert shown["time_s"] == 2.0
    assert taxi["entity_id"] in [one["entity_id"] for one in shown["entities"]]


@pytest.mark.parametrize(
    ("tool", "arguments", "says"),
    [
        ("ask", {"video": "street"}, "question: Field required"),
        ("ask", {"question": ["How many?"]}, "question: Input should be a valid string"),
        ("ask", {"question": "x" * 3000}, "question: String should have at most 2000"),
        ("ask", {"questoin": "How many cars are there?"}, "did you mean `question`"),
        ("ask", {"question": "Who comes?", "video": "nowhere"}, "No video is named 'nowhere'"),
        ("find_entities", {"text": "dog", "limit": "many"}, "limit: Input should be a valid integer"),
        ("find_entities", {"text": "dog", "limit": 0}, "limit: Input should be greater"),
        ("events_of_entity", {"entity_id": "0123456789abcdef#999"}, "No entity has the id"),
        ("events_of_entity", {}, "entity_id: Field required"),
        ("cypher", {"query": "MATCH (n) DETACH DELETE n"}, "change something"),
        ("cypher", {"query": "LOAD CSV FROM 'file:///x' AS row RETURN row"}, "more than read"),
        ("cypher", {"query": "MATCH (e:Entity) RETURN e.tstart"}, "did you mean `tStart`"),
        ("cypher", {"query": "RETURN $v AS v"}, "needs a value for $v"),
        ("cypher", {"query": "RETURN 1", "parameters": "v=1"}, "parameters: Input should be a valid dictionary"),
        ("frame_image", {"video": "street", "time_s": 999}, "999 s is outside"),
        ("frame_image", {"video": "street", "time_s": -1}, "time_s: Input should be greater"),
        ("frame_image", {"video": "street", "time_s": 2, "entity_ids": ["nobody#1"]}, "Not in the frame at 2.0 s"),
        ("delete", {"video": "street"}, "There is no tool 'delete'; there are list_videos"),
    ],
)
def test_a_call_that_is_wrong_is_told_why(
    call: Connected, street: str, tool: str, arguments: dict[str, object], says: str
) -> None:
    assert says in call.refusal(tool, **arguments)


def test_wrong_calls_change_nothing_and_the_server_goes_on(call: Connected, street: str, memory: VideoMemory) -> None:
    before = memory.canonical(street)
    for query in ("MATCH (n) DETACH DELETE n", "CREATE (:Attack)", "MATCH (e:Entity) SET e.label = 'gone'"):
        call.refusal("cypher", query=query)
    assert memory.canonical(street) == before
    assert call("cypher", query="RETURN 1 AS one")["rows"] == [{"one": 1}]


def test_a_video_whose_file_has_moved_has_no_pictures(call: Connected, street: str, memory: VideoMemory) -> None:
    path = Path(str(memory.reader.video(street).uri))
    away = path.rename(path.with_suffix(".moved"))
    try:
        assert "is not there any more" in call.refusal("frame_image", video=street, time_s=2)
    finally:
        away.rename(path)


def test_nothing_but_the_protocol_is_on_standard_output(memory: VideoMemory, memory_env: dict[str, str]) -> None:
    hello = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "initialize",
        "params": {
            "protocolVersion": "2025-06-18",
            "capabilities": {},
            "clientInfo": {"name": "test", "version": "1"},
        },
    }
    ready = {"jsonrpc": "2.0", "method": "notifications/initialized"}
    asked = {
        "jsonrpc": "2.0",
        "id": 2,
        "method": "tools/call",
        "params": {"name": "list_videos", "arguments": {}},
    }
    with subprocess.Popen(
        [*RAVU, "mcp"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, **memory_env},
    ) as server:
        assert server.stdin is not None
        assert server.stdout is not None
        assert server.stderr is not None
        server.stdin.write("".join(json.dumps(one) + "\n" for one in (hello, ready, asked)))
        server.stdin.flush()
        lines = [json.loads(server.stdout.readline()) for _ in range(2)]
        server.stdin.close()
        assert server.stdout.read() == ""
        assert "Traceback" not in server.stderr.read()
    assert server.returncode == 0
    assert [line["id"] for line in lines] == [1, 2]
    assert all(line["jsonrpc"] == "2.0" for line in lines)


def test_wrong_settings_are_told_before_a_client_waits(ravu: Ravu) -> None:
    told = Ravu({**ravu.env, "RAVU_KG_SAMPLE_INTERVAL_S": "never"})("mcp", code=3)
    assert told.stdout == ""
    assert "sample_interval_s" in told.stderr


def test_without_the_library_the_extra_is_named(ravu: Ravu, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "ravu_kg.cli.mcp_server", raising=False)
    monkeypatch.setitem(sys.modules, "mcp.server.mcpserver", None)
    assert "ravu-kg[mcp]" in ravu("mcp", code=3).stderr
