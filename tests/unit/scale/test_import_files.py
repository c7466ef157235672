"""The graph as files for Neo4j's own import: the statements of a load, each row once, and what files cannot hold."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pytest
from pyarrow import parquet

from ravu_kg.errors import GraphError
from ravu_kg.graph import rows
from ravu_kg.graph.bulk.files import ImportFiles, ImportPlan
from ravu_kg.graph.writer import window_statements
from tests.builders import Scene, a_scene

VIDEO = "0123456789abcdef"


def load(files: ImportFiles, scene: Scene, *, again: bool = False) -> None:
    video_id = scene.video.id
    files.write("ingest/video", video_id=video_id, properties=rows.video_properties(scene.video))
    files.write("ingest/entities", video_id=video_id, rows=[rows.entity_row(one) for one in scene.entities])
    for window in scene.windows:
        vectors = list(scene.embeddings(window))
        for name, parameters in window_statements(video_id, window, vectors, [window.index]):  # type: ignore[arg-type]
            files.write(name, **parameters)
            if again and name in ("ingest/relations", "ingest/same_as", "ingest/frame_order"):
                files.write(name, **parameters)


def table(plan: ImportPlan, name: str) -> list[dict[str, object]]:
    sources = [one for one in (*plan.nodes, *plan.relationships) if one.name == name]
    return [row for one in sources for row in parquet.read_table(one.path).to_pylist()]


def test_nodes_and_relationships_are_there_once_with_their_types(tmp_path: Path) -> None:
    scene = a_scene(VIDEO)
    files = ImportFiles(tmp_path)
    load(files, scene, again=True)
    plan = files.close()
    assert dict(plan.counts) == {"Video": 1, "Entity": 3, "Frame": 6, "FrameNode": 18}
    counts = {
        name: len(table(plan, name))
        for name in ("HAS_ENTITY", "HAS_FRAME", "CONTAINS", "APPEARS_AS", "NEXT", "REL", "SAME_AS")
    }
    assert counts == {
        "HAS_ENTITY": 3, "HAS_FRAME": 6, "CONTAINS": 18, "APPEARS_AS": 18, "NEXT": 5, "REL": 12, "SAME_AS": 15
    }  # fmt: skip
    (node, *_) = table(plan, "FrameNode")
    assert {"id:ID(FrameNode)", "t:double", "frameIndex:long", "attributes:string[]", "embedding:float[]"} <= set(node)
    assert np.allclose(node["embedding:float[]"], scene.embeddings(scene.windows[0])[0])
    assert table(plan, "SAME_AS")[0]["scope:string"] == "track"
    assert all(row["identityId:string"] == row["id:ID(Entity)"] for row in table(plan, "Entity"))
    assert plan.videos[VIDEO]["frameNodeCount"] == 18
    assert plan.videos[VIDEO]["windowEnds"] == [2]
    assert plan.later == {}


@pytest.mark.parametrize(
    "value", ["", ["a", ""], [1, 2.0], datetime(2026, 1, 1, tzinfo=UTC)], ids=["empty", "empty in", "mixed", "time"]
)
def test_a_value_that_files_cannot_hold_is_written_afterwards(tmp_path: Path, value: object) -> None:
    files = ImportFiles(tmp_path)
    files.write("bundle/start", video_id=VIDEO, properties={"title": "x"})
    row = {"id": f"{VIDEO}/0", "properties": {"videoId": VIDEO, "odd": value, "nothing": None, "t": 0.5}}
    files.write("ingest/frames", video_id=VIDEO, rows=[row])
    plan = files.close()
    assert plan.later == {"corrections/write_frames": [{"id": f"{VIDEO}/0", "properties": {"odd": value}}]}
    assert table(plan, "Frame") == [{"id:ID(Frame)": f"{VIDEO}/0", "videoId:string": VIDEO, "t:double": 0.5}]


def test_rows_with_other_columns_go_into_files_of_their_own(tmp_path: Path) -> None:
    files = ImportFiles(tmp_path)
    files.write("bundle/start", video_id=VIDEO, properties={})
    for number, extra in enumerate(({}, {"x": 1}, {"x": 1.5}, {"x": [True]}, {"x": []})):
        row = {"id": f"{VIDEO}/{number}", "properties": {"videoId": VIDEO, **extra}}
        files.write("ingest/frames", video_id=VIDEO, rows=[row])
    plan = files.close()
    assert sum(one.name == "Frame" for one in plan.nodes) == 5
    found = {name: value for row in table(plan, "Frame") for name, value in row.items() if name.startswith("x:")}
    assert found == {"x:long": 1, "x:double": 1.5, "x:boolean[]": [True], "x:string[]": []}


def test_what_is_no_part_of_a_first_load_is_refused(tmp_path: Path) -> None:
    files = ImportFiles(tmp_path)
    files.write("bundle/start", video_id=VIDEO, properties={})
    with pytest.raises(GraphError, match="twice"):
        files.write("bundle/start", video_id=VIDEO, properties={})
    with pytest.raises(GraphError, match="ingest/delete_video is no statement of a first load"):
        files.write("ingest/delete_video", video_id=VIDEO)
