"""The notebooks run from top to bottom on a real server, and are kept without outputs."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient
from nbformat import NotebookNode

from ravu_kg.memory import VideoMemory
from tests.conftest import ROOT
from tests.explore_examples import index_demo

NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))
_CHOICE = re.compile(r"VIDEO = max\(.*\)\.video_id")
_PATIENCE_S = 240


def read(path: Path) -> NotebookNode:
    return nbformat.read(path, as_version=4)


def code_cells(notebook: NotebookNode) -> list[NotebookNode]:
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


def shown(notebook: NotebookNode, kind: str = "text/plain") -> Iterator[str]:
    """What the cells printed, or returned in one form."""
    for cell in code_cells(notebook):
        for output in cell.outputs:
            if kind in output.get("data", {}):
                yield output["data"][kind]
            elif kind == "text/plain" and "text" in output:
                yield output["text"]


def run(name: str, video_id: str) -> NotebookNode:
    """A notebook as a person runs it, about one video whatever else the memory holds."""
    notebook = read(ROOT / "notebooks" / f"{name}.ipynb")
    chosen = 0
    for cell in code_cells(notebook):
        cell.source, count = _CHOICE.subn(f"VIDEO = {video_id!r}", cell.source)
        chosen += count
    assert chosen == 1, f"{name} chooses its video elsewhere than the test thinks"
    NotebookClient(notebook, timeout=_PATIENCE_S, startup_timeout=_PATIENCE_S, kernel_name="python3").execute()
    return notebook


@pytest.mark.e2e
@pytest.mark.neo4j
# The kernel is another process; these are its client's own.
@pytest.mark.filterwarnings("default::DeprecationWarning", "default::ResourceWarning", "default::UserWarning")
class TestRuns:
    def test_explore_shows_tables_and_draws_a_frame(self, memory: VideoMemory) -> None:
        notebook = run("explore", index_demo(memory))
        tables = "\n".join(shown(notebook))
        assert "A taxi drives past" in tables or "taxi" in tables
        assert "sitting_on" in tables
        (picture,) = [html for html in shown(notebook, "text/html") if "approaching" in html and "<script" in html]
        assert '"bicycle"' in picture
        assert "embedding" not in picture.split("<script")[-1]

    def test_ask_shows_the_answer_with_its_evidence_and_the_key_frame(self, memory: VideoMemory) -> None:
        notebook = run("ask", index_demo(memory))
        texts = "\n".join(shown(notebook))
        assert "10 of 10 sampled frames are known" in texts
        assert "extract_temporal_part" in texts
        assert "a bus | option 0" in texts
        assert len(list(shown(notebook, "image/png"))) == 1

    def test_py2neo_connects_over_bolt_and_makes_data_frames(self, memory: VideoMemory) -> None:
        notebook = run("py2neo", index_demo(memory))
        tables = list(shown(notebook))
        assert any(re.search(r"#1 +bus +0\.0 +1\.2", table) for table in tables)
        assert "A long white bus drives past" in tables[-1]


def test_there_are_three() -> None:
    assert [path.stem for path in NOTEBOOKS] == ["ask", "explore", "py2neo"]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_outputs_are_not_kept(path: Path) -> None:
    notebook = read(path)
    nbformat.validate(notebook)
    assert [cell.source for cell in code_cells(notebook) if cell.outputs or cell.execution_count is not None] == []
    assert "widgets" not in notebook.metadata
