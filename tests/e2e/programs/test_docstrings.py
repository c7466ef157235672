"""The examples in the docstrings of the Python API run, on the real server, about the street of the demo clip."""

from __future__ import annotations

import doctest
from pathlib import Path

import pytest

import ravu_kg
from ravu_kg import memory as memory_module
from ravu_kg.memory import VideoMemory

pytestmark = [pytest.mark.e2e, pytest.mark.neo4j]

SILENT = {"close", "delete", "reembed", "check_templates", "draft_cypher", "evidence_link", "diff", "stale", "attach"}
SILENT |= {"prepare", "index_video", "cache_is_writable"}
"""Methods without an example: they end things, take long, need a model, a second build, an annotation or an earlier
answer, or are for programs that index by several processes."""


def examples() -> dict[str, doctest.DocTest]:
    finder = doctest.DocTestFinder(exclude_empty=False)
    found = finder.find(VideoMemory, "VideoMemory", module=memory_module, globs={})
    return {one.name: one for one in found if one.examples}


@pytest.fixture
def here(street: str, street_folder: Path, memory: VideoMemory, monkeypatch: pytest.MonkeyPatch) -> VideoMemory:
    """The memory that holds the street, with the street's files in the working directory."""
    monkeypatch.chdir(street_folder)
    return memory


@pytest.mark.parametrize("name", sorted(examples()))
def test_the_example_of_a_method_runs(name: str, here: VideoMemory) -> None:
    test = examples()[name]
    test.globs.update(memory=here, VideoMemory=VideoMemory)
    said = list[str]()
    outcome = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(test, out=said.append)
    assert outcome.failed == 0, "".join(said)
    assert outcome.attempted > 0


def test_the_example_of_the_package_runs(here: VideoMemory) -> None:
    (test,) = (one for one in doctest.DocTestFinder().find(ravu_kg, "ravu_kg") if one.name == "ravu_kg")
    said = list[str]()
    outcome = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(test, out=said.append)
    assert outcome.failed == 0, "".join(said)
    assert outcome.attempted > 1


def test_every_public_method_has_an_example() -> None:
    public = {name for name, one in vars(VideoMemory).items() if not name.startswith("_") and callable(one)}
    assert public - {name.partition(".")[2] for name in examples()} - SILENT == set()
