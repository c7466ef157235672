"""What other programs get from the memory: data frames, a retriever of neo4j-graphrag, entities and pictures."""

from __future__ import annotations

import io
import sys
from collections.abc import Iterator

import pytest
from neo4j_graphrag.generation import GraphRAG
from neo4j_graphrag.llm import OpenAILLM
from neo4j_graphrag.retrievers.base import Retriever
from neo4j_graphrag.types import RetrieverResultItem
from PIL import Image

from ravu_kg.errors import GraphError, MissingExtraError, NotFoundError, UsageError
from ravu_kg.graph.store import Record
from ravu_kg.memory import VideoMemory
from tests.model_server import ModelServer, Received, Reply

pytestmark = [pytest.mark.e2e, pytest.mark.neo4j]


# --- data frames


def test_entities_events_and_relations_are_frames_that_belong_together(memory: VideoMemory, street: str) -> None:
    entities, events, relations = (memory.to_frame(one, "street") for one in ("entities", "events", "relations"))
    assert len(entities) == entities["entity_id"].nunique() == 20
    assert set(entities["video_id"]) == {street}
    assert set(events["entity_id"]) <= set(entities["entity_id"])
    assert set(relations["subject_id"]) | set(relations["object_id"]) <= set(entities["entity_id"])
    assert len(events) == entities["events"].sum()
    assert (events["end_s"] >= events["start_s"]).all()
    counts = memory.details(street).counts
    assert (len(events), len(relations)) == (counts.events, counts.relations)
    taxi = entities[entities["label"] == "taxi"].iloc[0]
    assert (taxi["start_s"], taxi["end_s"]) == (1.6, 3.2)


def test_without_a_video_the_tables_are_of_all_complete_ones(memory: VideoMemory, street: str) -> None:
    everything = memory.to_frame("entities")
    assert (everything["video_id"] == street).sum() == 20
    assert set(everything["video_id"]) <= {one.video_id for one in memory.videos() if one.status == "ready"}


def test_any_query_and_template_becomes_a_frame_without_vectors(memory: VideoMemory, street: str) -> None:
    frame = memory.to_frame(
        "MATCH (n:FrameNode {videoId: $video_id}) WHERE n.t >= $since RETURN n.t AS t, n.embedding AS vector, n",
        "street",
        {"since": 8.0},
    )
    assert sorted(set(frame["t"])) == [8.0, 9.0]
    assert set(frame["vector"]) == {"<768 floats>"}
    assert frame["n"][0]["properties"]["embedding"] == "<768 floats>"
    assert len(memory.to_frame("explore/crowding", "street")) == 10


def test_a_frame_that_is_cut_off_says_so(memory: VideoMemory, street: str) -> None:
    with pytest.warns(UserWarning, match="first 5 rows"):
        frame = memory.to_frame("entities", "street", limit=5)
    assert len(frame) == 5
    assert frame.attrs["truncated"] is True


@pytest.mark.parametrize(
    ("query", "error"),
    [
        ("MATCH (n) DETACH DELETE n", UsageError),
        ("MATCH (e:Entity) RETURN e.tstart", UsageError),
        ("entitys", GraphError),
        ("explore/nothing", NotFoundError),
        ("explore/crowding", UsageError),  # of which video?
    ],
)
def test_what_is_no_reading_query_becomes_no_frame(
    memory: VideoMemory, street: str, query: str, error: type[Exception]
) -> None:
    before = memory.canonical(street)
    with pytest.raises(error):
        memory.to_frame(query)
    with pytest.raises(NotFoundError):
        memory.to_frame("entities", "nowhere")
    assert memory.canonical(street) == before


# --- neo4j-graphrag


@pytest.fixture
def language_model() -> Iterator[tuple[ModelServer, OpenAILLM]]:
    """neo4j-graphrag's own model class, which talks to a local server."""
    with ModelServer(lambda received: Reply(f"It is at {_last_second(received)} seconds.")) as server:
        yield server, OpenAILLM("gpt-4o-mini", api_key="test-key", base_url=f"{server.url}/v1")


def _last_second(received: Received) -> str:
    """The first second that the context names."""
    return received.texts[-1].partition("street, ")[2].partition(" s,")[0]


def test_graphrag_answers_from_the_memory(
    memory: VideoMemory, street: str, language_model: tuple[ModelServer, OpenAILLM]
) -> None:
    server, model = language_model
    rag = GraphRAG(memory.as_retriever("street"), model)
    said = rag.search("When does a taxi drive past?", retriever_config={"top_k": 3}, return_context=True)
    assert said.answer in ("It is at 2.0 seconds.", "It is at 3.0 seconds.")
    assert said.retriever_result is not None
    assert len(said.retriever_result.items) == 3
    (request,) = server.received
    context = request.texts[-1]
    assert "When does a taxi drive past?" in context
    assert "A taxi drives past from left to right, close to the camera." in context
    for item in said.retriever_result.items:
        assert item.content in context


def test_an_item_holds_where_to_look(memory: VideoMemory, street: str) -> None:
    retriever = memory.as_retriever()
    assert isinstance(retriever, Retriever)
    found = retriever.search(query_text="a taxi close to the camera", top_k=2, video="street")
    for item in found.items:
        assert item.metadata is not None
        assert item.metadata["video_id"] == street
        assert item.metadata["entity_id"].startswith(f"{street}#")
        assert 0 < item.metadata["score"] <= 1
        assert "embedding" not in item.metadata
    assert found.metadata is not None
    assert found.metadata["__retriever"] == "MemoryRetriever"
    raw = retriever.get_search_results("a taxi close to the camera", top_k=2, video="street")
    assert [record["time_s"] for record in raw.records] == [item.metadata["time_s"] for item in found.items]  # type: ignore[index]


def test_items_can_be_put_in_other_words(memory: VideoMemory, street: str) -> None:
    def shout(record: Record) -> RetrieverResultItem:
        return RetrieverResultItem(content=str(record["text"]).upper())

    found = memory.as_retriever("street", shout).search(query_text="a bicycle", top_k=1)
    assert found.items[0].content.isupper()


def test_the_retriever_is_a_tool_with_typed_arguments(memory: VideoMemory, street: str) -> None:
    tool = memory.as_retriever("street").convert_to_tool("moments", "Finds moments of a video.")
    arguments = tool.get_parameters()
    assert arguments["required"] == ["query_text"]
    assert {name: one["type"] for name, one in arguments["properties"].items()} == {
        "query_text": "string",
        "top_k": "integer",
        "video": "string",
    }
    assert len(tool.execute(query_text="a bicycle", top_k=2).items) == 2


def test_a_search_that_makes_no_sense_is_refused(memory: VideoMemory, street: str) -> None:
    retriever = memory.as_retriever("street")
    with pytest.raises(UsageError, match="what to search for"):
        retriever.search(query_text=" ")
    for top_k in (0, 101):
        with pytest.raises(UsageError, match="top_k"):
            retriever.search(query_text="a bicycle", top_k=top_k)
    with pytest.raises(NotFoundError):
        retriever.search(query_text="a bicycle", video="nowhere")
    with pytest.raises(NotFoundError):
        memory.as_retriever("nowhere")


def test_without_the_library_the_extra_is_named(memory: VideoMemory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "ravu_kg.memory.retriever", raising=False)
    monkeypatch.setitem(sys.modules, "neo4j_graphrag.retrievers.base", None)
    with pytest.raises(MissingExtraError, match=r"ravu-kg\[graphrag\]"):
        memory.as_retriever()


# --- entities and pictures


def test_entities_are_found_by_label_first_and_then_by_meaning(memory: VideoMemory, street: str) -> None:
    found = memory.find_entities("Bicycle", "street")
    assert [one.label for one in found[:4]] == ["bicycle"] * 4
    assert len({one.entity_id for one in found}) == len(found)
    walker = memory.find_entities("somebody who walks past", "street", limit=1)[0]
    assert walker.label == "person"
    assert walker.text
    assert walker.time_s == 8.0


def test_without_words_all_entities_are_found_in_order(memory: VideoMemory, street: str) -> None:
    found = memory.find_entities(video="street", limit=100)
    assert len(found) == 20
    assert [one.start_s for one in found] == sorted(one.start_s for one in found)
    assert [one.entity_id for one in memory.find_entities(video="street", limit=3)] == [
        one.entity_id for one in found[:3]
    ]


def test_a_picture_shows_the_boxes_in_the_entities_colours(memory: VideoMemory, street: str) -> None:
    picture = memory.frame_image("street", 5.2)
    assert picture.time_s == 5.0
    van = next(one for one in picture.entities if one.label == "van")
    alone = memory.frame_image("street", 5.2, [van.entity_id])
    assert [one.entity_id for one in alone.entities] == [van.entity_id]
    with Image.open(io.BytesIO(alone.png)) as image:
        assert image.size == (picture.width_px, picture.height_px) == (640, 272)
        colors = {color for _, color in image.convert("RGB").getcolors(1_000_000) or []}
    assert tuple(bytes.fromhex(van.color[1:])) in colors
    others = [one for one in picture.entities if one is not van]
    assert others
    assert not any(tuple(bytes.fromhex(one.color[1:])) in colors for one in others)
    small = memory.frame_image("street", 5.2, longest_side_px=200)
    assert (small.width_px, small.height_px) == (200, 85)
