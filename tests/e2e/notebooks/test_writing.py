"""The worked examples of ``cypher/WRITING.md`` and of the guide, through the read-only gate, on the demo clip."""

from __future__ import annotations

import io
import re
import zipfile
from xml.etree import ElementTree

import pytest

from ravu_kg.graph.catalogue import example_parameters, favourites
from ravu_kg.graph.templates import TemplateLibrary, parameters_used, templates_root
from ravu_kg.memory import VideoMemory
from ravu_kg.memory.browser import DEMO_VIDEO, guide, style
from tests.explore_examples import index_demo
from tests.writing_examples import PAGE, statements, with_results


@pytest.fixture
def video_id(memory: VideoMemory) -> str:
    return index_demo(memory)


@pytest.mark.e2e
@pytest.mark.neo4j
def test_each_example_says_what_the_page_says(memory: VideoMemory, video_id: str) -> None:
    assert len(list(statements())) == 10
    made = with_results(lambda query: memory.cypher(query, {"video_id": video_id}))
    assert made == PAGE.read_text(encoding="utf-8"), "write them anew: python -m tests.writing_examples"


@pytest.mark.e2e
@pytest.mark.neo4j
def test_each_query_of_the_guide_finds_something_in_the_demo_clip(memory: VideoMemory, video_id: str) -> None:
    blocks = re.findall(r"```cypher\n(.*?)```", guide(video_id), re.DOTALL)
    queries = [block for block in blocks if not block.startswith(":")]
    assert len(queries) >= 7
    for query in queries:
        assert memory.cypher(query, {"video_id": video_id}).rows, query


@pytest.mark.e2e
@pytest.mark.neo4j
def test_each_favourite_runs_with_the_numbers_that_the_browser_makes(memory: VideoMemory, video_id: str) -> None:
    literals = example_parameters(video_id)
    asked = memory.cypher(f"RETURN {', '.join(f'{literal} AS `{name}`' for name, literal in literals.items())}").rows[0]
    values = {name: float(value) if type(value) is int else value for name, value in asked.items()}
    with zipfile.ZipFile(io.BytesIO(favourites(TemplateLibrary.load()))) as archive:
        texts = {name: archive.read(name).decode() for name in archive.namelist()}
    whole = {name: text for name, text in texts.items() if "toInteger($" in text}  # the rest is run as it is elsewhere
    assert len(whole) >= 15
    for name, text in whole.items():
        assert memory.cypher(text, {one: values[one] for one in parameters_used(text)}).columns, name


def test_the_guide_sets_every_parameter_that_a_favourite_takes() -> None:
    taken = {p.name for one in TemplateLibrary.load() if one.name.startswith("explore/") for p in one.parameters}
    values = example_parameters(DEMO_VIDEO)
    assert taken <= set(values)
    block = " ".join(guide().split())
    assert f":params {{ {', '.join(f'{name}: {literal}' for name, literal in values.items())} }}" in block


def test_the_picture_of_the_graph_names_all_that_the_style_colours() -> None:
    picture = ElementTree.parse(templates_root() / "model.svg")
    words = {text.text for text in picture.iter("{http://www.w3.org/2000/svg}text")}
    assert words >= {one for one in re.findall(r"^node\.(\w+)", style(), re.MULTILINE) if not one.startswith("Color")}
    assert words >= {"HAS_FRAME", "HAS_ENTITY", "CONTAINS", "APPEARS_AS", "HAS_EVENT", "NEXT", "SAME_AS", "REL"}
