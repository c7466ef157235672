"""``ravu-kg mcp`` as a client sees it: the SDK's own client, over standard input and output, on the real server."""

from __future__ import annotations

import asyncio
import base64
import io
import json
import os
import subprocess
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
from mcp import Client
from mcp.client.stdio import StdioServerParameters
from mcp.types import CallToolResult, ImageContent, TextContent
from PIL import Image

from ravu_kg.memory import VideoMemory
from tests.e2e.conftest import Ravu

pytestmark = [pytest.mark.e2e, pytest.mark.neo4j]

Talk = Callable[[Client], Awaitable[None]]
Said = Callable[[Talk], None]
RAVU = [str(Path(sys.executable).with_name("ravu-kg"))]


@pytest.fixture
def talk(memory: VideoMemory, memory_env: dict[str, str], tmp_path: Path) -> Said:
    """Runs a conversation with a server of its own."""
    parameters = StdioServerParameters(command=RAVU[0], args=["mcp"], env=memory_env, cwd=tmp_path)

    def run(conversation: Talk) -> None:
        async def connected() -> None:
            async with Client(parameters, read_timeout_seconds=120) as client:
                await conversation(client)

        asyncio.run(connected())

    return run


async def call(client: Client, tool: str, **arguments: object) -> dict[str, object]:
    result = await client.call_tool(tool, arguments)
    assert not result.is_error, text_of(result)
    assert result.structured_content is not None
    return result.structured_content


async def refusal(client: Client, tool: str, **arguments: object) -> str:
    result = await client.call_tool(tool, arguments)
    assert result.is_error
    return text_of(result)


def text_of(result: CallToolResult) -> str:
    return "\n".join(part.text for part in result.content if isinstance(part, TextContent))


def test_a_client_finds_its_way_through_the_memory(talk: Said, street: str) -> None:
    async def conversation(client: Client) -> None:
        assert client.server_info is not None
        assert client.server_info.name == "ravu-kg"
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
        assert set(tools) == {"list_videos", "ask", "find_entities", "events_of_entity", "cypher", "frame_image"}
        for tool in tools.values():
            assert tool.description
            assert tool.annotations is not None
            assert tool.annotations.read_only_hint
            assert tool.input_schema["additionalProperties"] is False
            assert all(one.get("description") for one in tool.input_schema["properties"].values())
        assert "HAS_EVENT" in str(tools["cypher"].description)

        videos = (await call(client, "list_videos"))["videos"]
        assert {"video_id": street, "title": "street"}.items() <= videos_by_id(videos)[street].items()

        answer = await call(client, "ask", video="street", question="How many taxis are there?")
        assert answer["count"] == 1
        assert answer["evidence"]

        found = (await call(client, "find_entities", text="taxi", video=street))["entities"]
        taxi = found[0]  # type: ignore[index]
        assert taxi["label"] == "taxi"
        events = (await call(client, "events_of_entity", entity_id=taxi["entity_id"]))["events"]
        assert "A taxi drives past from left to right, close to the camera." in [
            one["description"]
            for one in events  # type: ignore[attr-defined]
        ]

        rows = await call(
            client,
            "cypher",
            query="MATCH (e:Entity {videoId: $v}) WHERE e.label = 'taxi' RETURN e.id AS id, e.tStart AS since",
            parameters={"v": street},
        )
        assert rows["rows"] == [{"id": taxi["entity_id"], "since": 1.6}]
        assert rows["truncated"] is False

        result = await client.call_tool("frame_image", {"video": "street", "time_s": 2.1, "longest_side_px": 320})
        shown = json.loads(text_of(result))
        (image,) = [part for part in result.content if isinstance(part, ImageContent)]
        with Image.open(io.BytesIO(base64.b64decode(image.data))) as picture:
            assert picture.format == "PNG"
            assert picture.size == (320, 136) == (shown["width_px"], shown["height_px"])
        assert shown["time_s"] == 2.0
        assert taxi["entity_id"] in [one["entity_id"] for one in shown["entities"]]

    talk(conversation)


def videos_by_id(videos: object) -> dict[str, dict[str, object]]:
    assert isinstance(videos, list)
    return {video["video_id"]: video for video in videos}


def test_what_is_wrong_with_a_call_is_said(talk: Said, street: str, memory: VideoMemory) -> None:
    before = memory.canonical(street)

    async def conversation(client: Client) -> None:
        assert "question: Field required" in await refusal(client, "ask", video=street)
        assert "question" in await refusal(client, "ask", question=["How many?"])
        assert "did you mean `question`" in await refusal(client, "ask", questoin="How many cars are there?")
        assert "limit: " in await refusal(client, "find_entities", text="dog", limit="many")
        assert "limit: " in await refusal(client, "find_entities", text="dog", limit=0)
        assert "No video is named 'nowhere'" in await refusal(client, "ask", question="Who comes?", video="nowhere")
        assert "No entity has the id" in await refusal(client, "events_of_entity", entity_id=f"{street}#999")
        assert "change something" in await refusal(client, "cypher", query="MATCH (n) DETACH DELETE n")
        assert "more than read" in await refusal(client, "cypher", query="LOAD CSV FROM 'file:///x' AS row RETURN row")
        assert "did you mean `tStart`" in await refusal(client, "cypher", query="MATCH (e:Entity) RETURN e.tstart")
        assert r"needs a value for $v" in await refusal(client, "cypher", query="RETURN $v AS v")
        assert "is outside" in await refusal(client, "frame_image", video=street, time_s=999)
        assert "Not in the frame" in await refusal(
            client, "frame_image", video=street, time_s=2, entity_ids=[f"{street}#20"]
        )
        assert "There is no tool 'delete'; there are list_videos" in await refusal(client, "delete")
        path = Path(str(memory.reader.video(street).uri))
        away = path.rename(path.with_suffix(".moved"))
        try:
            assert "is not there any more" in await refusal(client, "frame_image", video=street, time_s=2)
        finally:
            away.rename(path)
        # and it goes on working after all that
        assert (await call(client, "cypher", query="RETURN 1 AS one"))["rows"] == [{"one": 1}]

    talk(conversation)
    assert memory.canonical(street) == before


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
