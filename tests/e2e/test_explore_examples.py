from __future__ import annotations

import json

import pytest

from ravu_kg.graph.catalogue import EXAMPLES
from ravu_kg.graph.templates import templates_root
from ravu_kg.memory import VideoMemory
from tests.e2e.conftest import Ravu
from tests.explore_examples import examples_text, index_demo

pytestmark = [pytest.mark.e2e, pytest.mark.neo4j]


def test_the_examples_in_the_catalogue_are_what_the_queries_say_of_the_demo_clip(memory: VideoMemory):
    made = json.loads(examples_text(memory.store, index_demo(memory)))
    kept = json.loads((templates_root() / EXAMPLES).read_text(encoding="utf-8"))
    assert set(made) == set(kept)
    for examples in (made, kept):  # the relevance of words depends on all videos that are stored
        for row in examples["explore/events_about"]["rows"]:
            assert float(row.pop(0)) > 0
    changed = [name for name in made if made[name] != kept[name]]
    assert changed == [], "make them anew: python -m tests.explore_examples && python -m ravu_kg.graph.catalogue"


def test_the_command_runs_a_query_by_name_and_writes_files(memory: VideoMemory, ravu: Ravu):
    video_id = index_demo(memory)
    rows = ravu.json("cypher", "explore/labels", "--param", f"video_id={video_id}")
    assert {row["label"] for row in rows} >= {"bus", "taxi", "van"}  # type: ignore[attr-defined, index]
    query = "MATCH (e:Entity {videoId: $v}) RETURN e.label AS label, e.tStart AS start ORDER BY start LIMIT $n"
    given = ("--param", f"v={video_id}", "-p", "n=2")
    assert ravu("cypher", query, *given, "--format", "csv").stdout.splitlines() == ["label,start", "bus,0.0", "car,0.6"]
    assert "2 rows written" in ravu("cypher", query, *given, "-o", "rows.parquet").stderr
    assert ravu("cypher", query.replace("$v", "$video_id"), "-p", f"video_id={video_id[:8]}~hand", "-p", "n=1").stdout
    assert "needs" not in ravu("cypher", "explore/cast", "-p", f"video_id={video_id}").stderr
    assert ravu("cypher", "-", *given, "--json", stdin=query).stdout.count('"label"') == 2


@pytest.mark.parametrize(
    ("arguments", "code", "says"),
    [
        (("MATCH (e:Entity) RETURN e.tstart",), 2, "did you mean `tStart`?"),
        (("MATCH (e:Entity) RETURN x",), 6, "Variable `x` not defined (line 1, column 25)"),
        (("explore/labels",), 2, "needs $video_id (STRING): the video"),
        (("explore/labels", "-p", "video=x"), 2, "has no parameter $video; it takes video_id"),
        (("explore/labels", "-p", "video_id=no such"), 6, "no such"),
        (("RETURN $video_id", "-p", "video_id=no such"), 6, "no such"),
        (("explore/lables",), 6, "No template is named 'explore/lables'; did you mean `explore/labels`?"),
        (("explore/",), 6, "No template is named 'explore/'. 'ravu-kg templates list' shows them all."),
        (("ingest/start_delete", "-p", "video_id=no such"), 6, "no such"),
        (("schema/move_cursor",), 2, "needs $"),
        (("RETURN $n", "-p", "n"), 2, "write NAME=VALUE"),
        (("RETURN 1", "--format", "parquet"), 2, "name a file"),
        (("RETURN 1", "-o", "rows.txt"), 2, "choose --format"),
        (("RETURN 1", "-o", "no/rows.csv"), 2, "cannot be written"),
        (("RETURN 1", "--json", "--format", "csv"), 2, "contradict"),
        (("RETURN 1", "--limit", "0"), 2, "limit of rows"),
        (("RETURN 1; RETURN 2",), 2, "One statement at a time"),
    ],
)
def test_a_wrong_call_says_what_to_do(
    memory: VideoMemory, ravu: Ravu, arguments: tuple[str, ...], code: int, says: str
):
    assert says in ravu("cypher", *arguments, code=code).stderr


def test_a_template_that_writes_is_refused(memory: VideoMemory, ravu: Ravu):
    video_id = index_demo(memory)
    assert (
        "would change something" in ravu("cypher", "ingest/finish_video", "-p", f"video_id={video_id}", code=2).stderr
    )
