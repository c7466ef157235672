"""Ad-hoc Cypher that an analyst may run, and what it says about a query that is wrong."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from analyst_queries import queries
from builders import a_scene, write_scene

from ravu_kg.errors import GraphError, NotFoundError, UsageError
from ravu_kg.graph.store import Store
from ravu_kg.graph.tables import to_csv, to_frame, to_json, write_parquet
from ravu_kg.graph.writer import GraphWriter

pytestmark = pytest.mark.neo4j

VIDEO = "a11d0b1e00000001"
ENDLESS = "UNWIND range(1, 1000000000) AS i WITH i WHERE i < 0 RETURN count(i) AS n"


@pytest.fixture(scope="module", autouse=True)
def video(store: Store) -> Iterator[None]:
    scene = a_scene(VIDEO, frame_count=4)
    writer = GraphWriter(store)
    with suppress(NotFoundError):  # left by a broken run on a kept server
        writer.delete(VIDEO)
    write_scene(store, scene)
    yield
    writer.delete(VIDEO)


def refused(store: Store, text: str, parameters: dict[str, object] | None = None, **limits: float) -> str:
    """What the error says; nothing but an error of the package may come."""
    with pytest.raises((UsageError, GraphError)) as caught:
        store.query_readonly(text, parameters, **limits)  # type: ignore[arg-type]
    return str(caught.value)


def test_all_harmless_queries_are_answered(store: Store) -> None:
    known = queries(store.server_version)
    assert len(known) >= 60
    failed = list[str]()
    for text in known:
        try:
            result = store.query_readonly(text, {"v": VIDEO, "t": 1.0, "q": [0.1] * 768, "names": ["person"], "n": 3})
        except (UsageError, GraphError) as error:
            failed.append(f"{text}: {error}")
            continue
        if result.notes or not result.columns:
            failed.append(f"{text}: {result.notes} {result.columns}")
        json.loads(to_json(result))
    assert failed == []


@pytest.mark.parametrize(
    ("text", "place", "meant"),
    [
        ("MATCH (e:Entity) RETURN e.tstart", "line 1, column 27", "tStart"),
        ("MATCH (e:Entity)\nWHERE e.lable = 'dog'\nRETURN e.id", "line 2, column 9", "label"),
        ("MATCH (e:Entty) RETURN e.id", "line 1, column 10", "Entity"),
        ("MATCH (:Entity)-[:HAS_EVNT]->(z) RETURN z.id", "line 1, column 19", "HAS_EVENT"),
        ("CYPHER 5 MATCH (e:Entity) RETURN e.videoID", "line 1, column 36", "videoId"),
        ("MATCH (entity:Entity) RETURN entty.id", "line 1, column 30", "entity"),
        ("MATCH (e:Entity) RETURN toUper(e.label)", "line 1, column 25", "toUpper"),
        ("CALL db.lables() YIELD label RETURN label", "line 1, column 6", "db.labels"),
        ("MATCH (e:Entity) RETRUN e.id", "line 1, column 18", "RETURN"),
        ("// é ü 日本\nMATCH (e:Entity) RETURN e.tstart", "line 2, column 27", "tStart"),
    ],
)
def test_an_error_shows_the_place_and_what_was_meant(store: Store, text: str, place: str, meant: str) -> None:
    message = refused(store, text)
    assert place in message
    assert f"did you mean `{meant}`?" in message
    sentence, line, caret = message.split("\n")
    wrong = line[len(caret) - 1 :]  # what stands above the caret
    assert place.endswith(f"column {len(caret) - 2}")
    assert sentence
    assert wrong[:2].isalpha()


def test_a_name_that_is_like_no_other_is_a_note(store: Store) -> None:
    result = store.query_readonly("MATCH (e:Entity {videoId: $v}) RETURN e.qqqq AS q", {"v": VIDEO})
    assert [row["q"] for row in result.rows] == [None] * 3
    assert result.notes == ("The graph has no property `qqqq` (line 1, column 41).",)


def test_a_query_that_never_ends_is_stopped(store: Store) -> None:
    started_s = time.monotonic()
    assert "longer than allowed" in refused(store, ENDLESS, timeout_s=1.0)
    assert time.monotonic() - started_s < 60


def test_a_server_that_never_replies_is_given_up(store: Store) -> None:
    # Neo4j loses its reply to some deep expressions; no time limit of its own or of the driver ends the wait.
    deep = "RETURN " + "+".join(["1"] * 20_000)
    started_s = time.monotonic()
    refused(store, deep, timeout_s=1.0)
    assert time.monotonic() - started_s < 60
    assert store.query_readonly("RETURN 1 AS one").rows == [{"one": 1}]


def test_ten_million_rows_end_at_the_limit(store: Store) -> None:
    result = store.query_readonly("UNWIND range(1, 10000000) AS i RETURN i", limit=2000)
    assert len(result.rows) == 2000
    assert result.truncated
    assert "1,000,000" in refused(store, "RETURN 1", limit=10_000_000)


def test_large_rows_end_at_the_limit_of_bytes(store: Store) -> None:
    text = "UNWIND range(1, 1000) AS i RETURN i, reduce(s = '', j IN range(1, 100) | s + '0123456789') AS words"
    result = store.query_readonly(text, max_bytes=10_500)
    assert len(result.rows) == 10
    assert result.truncated


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("RETURN '" + "x" * 1_000_000 + "'", "1,000,009 bytes"),
        ("RETURN 1; CREATE (:Attack)", "One statement at a time"),
        ("MATCH (n) RETURN n.id LIMIT 1; MATCH (n) DETACH DELETE n;", "One statement at a time"),
        ("", "empty"),
        (" ;\n", "empty"),
        ("RETURN '\ud800'", "no well-formed text"),
        ("MATCH (n) RETURN n /* only a look \\u002a\\u002f DETACH DELETE n // */", "Not valid Cypher|change something"),
        ("USE system RETURN 1", "Leave out USE"),
        ("CALL () { USE neo4j RETURN 1 AS x } RETURN x", "Leave out USE"),
        ("RETURN 1 AS x UNION USE neo4j RETURN 2 AS x", "Leave out USE"),
        ("RETURN $missing", r"needs a value for \$missing"),
        ("MATCH (n:Frame {videoId: $v}) RETURN n.id LIMIT $n", r"needs a value for \$v, \$n"),
        ("RETURN 1 / 0", "Not valid Cypher|by zero"),
        ("Wer geht da? 誰が", "Not valid Cypher"),
        ("how many dogs are there", "Not valid Cypher"),
    ],
)
def test_bad_input_is_a_clear_error(store: Store, text: str, says: str) -> None:
    message = refused(store, text)
    assert re.search(says, message)
    assert len(message) < 1000


@pytest.mark.parametrize("value", ["three", -1, None, [3], 1.5])
def test_a_parameter_of_a_wrong_type_is_a_clear_error(store: Store, value: object) -> None:
    message = refused(store, "MATCH (n:Frame) RETURN n.id LIMIT $n", {"n": value})
    assert "Not valid Cypher" in message


def test_non_ascii_text_passes_unharmed(store: Store) -> None:
    words = "naïve Κόσμε 日本 🐶 \u200b"
    result = store.query_readonly(f"RETURN $w AS `名前`, '{words}' AS b, size($w) AS n", {"w": words})
    assert [*result.rows[0].values()][:2] == [words, words]
    assert result.columns == ("名前", "b", "n")


def test_results_as_csv_json_frame_and_parquet(store: Store, tmp_path: Path) -> None:
    result = store.query_readonly(
        "MATCH (n:FrameNode {videoId: $v}) RETURN n.id AS id, n.t AS t, n.frameIndex AS i, n.attributes AS words, "
        "n.embedding AS vector, {t: n.t} AS map, null AS nothing, "
        "CASE n.frameIndex WHEN 0 THEN 1 ELSE 'x' END AS mixed, 0.0 / 0.0 AS nan, n ORDER BY id LIMIT 5",
        {"v": VIDEO},
    )
    pandas = pytest.importorskip("pandas")
    lines = to_csv(result).splitlines()
    assert lines[0] == "id,t,i,words,vector,map,nothing,mixed,nan,n"
    assert lines[1].startswith(f'{VIDEO}/0/1,0.0,0,"[""red"", ""left""]",<768 floats>,"{{""t"": 0.0}}",,1,nan,')
    assert json.loads(to_json(result))[0]["nan"] == "NaN"
    frame = to_frame(result)
    assert list(frame.columns) == list(result.columns)
    assert len(frame) == 5
    write_parquet(result, tmp_path / "rows.parquet")
    back = pandas.read_parquet(tmp_path / "rows.parquet")
    assert back["t"].tolist() == [0.0, 0.0, 0.0, 1.0, 1.0]
    assert back["i"].dtype == "int64"
    assert [list(words) for words in back["words"]] == [["red", "left"]] * 5
    assert back["vector"].tolist() == ["<768 floats>"] * 5
    assert json.loads(back["n"][0])["labels"] == ["FrameNode"]
    assert back["mixed"].tolist() == ["1", "1", "1", "x", "x"]
    with pytest.raises(UsageError, match="cannot be written"):
        write_parquet(result, tmp_path / "no folder" / "rows.parquet")
