"""The store against a real server."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator

import pytest
from builders import a_scene

from ravu_kg.errors import AuthenticationError, GraphError, NotFoundError, UnavailableError, UsageError
from ravu_kg.graph.store import Store, check_templates
from ravu_kg.graph.templates import TemplateLibrary, parse_template
from ravu_kg.graph.writer import GraphWriter
from ravu_kg.server import Endpoint

pytestmark = pytest.mark.neo4j


@pytest.fixture(scope="module")
def video(store: Store) -> Iterator[str]:
    scene = a_scene("5709e5709e5709e5", frame_count=4)
    writer = GraphWriter(store)
    writer.begin(scene.video, scene.entities, scene.links)
    for window in scene.windows:
        writer.write_window(scene.video.id, window, scene.embeddings(window))
    writer.write_events(scene.video.id, scene.events, scene.event_embeddings)
    writer.finish(scene.video.id)
    yield scene.video.id
    writer.delete(scene.video.id)


@pytest.fixture
def own_store(neo4j_endpoint: Endpoint, tmp_path):  # type: ignore[no-untyped-def]
    """Opens stores over templates that a test writes itself."""
    opened: list[Store] = []

    def open_store(**bodies: tuple[str, str]) -> Store:
        templates = [
            parse_template(
                f"// name: own/{name}\n// mode: {mode}\n// summary: x\n{body}",
                tmp_path / f"own/{name}.cypher",
                tmp_path,
            )
            for name, (mode, body) in bodies.items()
        ]
        endpoint = neo4j_endpoint
        store = Store.connect(
            endpoint.bolt_uri, endpoint.username, endpoint.password, templates=TemplateLibrary(templates)
        )
        opened.append(store)
        return store

    yield open_store
    for store in opened:
        store.close()


def test_every_template_plans_without_a_warning_and_keeps_its_header(store: Store, video: str) -> None:
    assert check_templates(store) == []


def test_the_check_finds_each_kind_of_broken_promise(own_store) -> None:  # type: ignore[no-untyped-def]
    store = own_store(
        label=("read", "// returns id: STRING - x\nMATCH (n:NoSuchLabel) RETURN n.id AS id"),
        mode=("read", "CREATE (n:Frame)"),
        columns=("read", "// returns one: INTEGER - x\nRETURN 1 AS two"),
        syntax=("read", "RETRUN 1"),
        old=("read", "// returns x: INTEGER - x\nMATCH (n:Frame) RETURN id(n) AS x"),
        good=("read", "// returns x: INTEGER - x\nRETURN 1 AS x"),
    )
    found = {problem.template: problem.problem for problem in check_templates(store)}
    assert set(found) == {"own/label", "own/mode", "own/columns", "own/syntax", "own/old"}
    assert "NoSuchLabel" in found["own/label"]
    assert "mode is 'read'" in found["own/mode"]
    assert "['two']" in found["own/columns"]
    assert "RETRUN" in found["own/syntax"]
    assert "deprecated" in found["own/old"]


def test_a_read_template_cannot_write(own_store) -> None:  # type: ignore[no-untyped-def]
    store = own_store(sneak=("read", "MERGE (n:Frame {id: 'sneaked in'})"))
    with pytest.raises(GraphError, match="only reading is allowed"):
        store.read("own/sneak")


def test_a_failed_statement_takes_the_whole_transaction_back(store: Store, unique_video: str) -> None:
    with pytest.raises(GraphError, match=r"ingest/entities wrote 0 of 1 rows"):
        store.write_all(
            [
                ("ingest/video", {"video_id": unique_video, "properties": {"title": "half"}}),
                ("ingest/entities", {"video_id": "no such video", "rows": [{"id": "x", "properties": {}}]}),
            ]
        )
    assert store.read("ingest/video_state", video_id=unique_video).rows == []


def test_a_broken_constraint_is_a_graph_error(store: Store, video: str) -> None:
    row = {"id": "another", "properties": {"videoId": video, "index": 0}}
    with pytest.raises(GraphError, match="breaks a constraint"):
        store.write("ingest/frames", video_id=video, rows=[row])


def test_read_results_are_plain_data_without_vectors(store: Store, video: str) -> None:
    result = store.read("explore/frame", frame_id=f"{video}/1")
    assert result.columns == ("frame", "contains", "node", "appears_as", "entity", "relations")
    row = result.rows[0]
    assert row["node"]["properties"]["embedding"] == "<768 floats>"  # type: ignore[index]
    assert row["contains"] == {"type": "CONTAINS", "start": f"{video}/1", "end": f"{video}/1/1", "properties": {}}
    json.dumps(result.rows)
    assert result.template == "explore/frame"
    assert result.parameters == {"frame_id": f"{video}/1"}
    assert result.elapsed_s > 0
    path = store.read("explore/interactions", video_id=video, limit=1).rows[0]["example"]
    assert [node["labels"] for node in path["nodes"]] == [["Entity"], ["FrameNode"], ["FrameNode"], ["Entity"]]  # type: ignore[index]


def test_a_trace_shows_vectors_short(store: Store) -> None:
    result = store.query_readonly("RETURN size($v) AS n", {"v": [0.5] * 768})
    assert result.rows == [{"n": 768}]
    assert result.shown_parameters() == {"v": "<768 floats>"}


def test_explore_templates_answer_about_a_small_graph(store: Store, video: str) -> None:
    def rows(name: str, **parameters: object) -> list[dict[str, object]]:
        return store.read(f"explore/{name}", **parameters).rows

    mine = next(row for row in rows("overview") if row["video_id"] == video)
    assert (mine["frames"], mine["entities"], mine["identities"], mine["events"]) == (4, 3, 2, 6)
    who = rows("who_appears_when", video_id=video, label="person")
    assert [len(row["stays"]) for row in who] == [2, 1]  # type: ignore[arg-type]
    assert rows("who_appears_when", video_id=video, label="dog") == []
    assert [row["event"] for row in rows("timeline", video_id=video, from_s=1.0, to_s=2.0, limit=9)] == [
        f"Person {track} does thing 0." for track in (1, 2, 3)
    ]
    assert len(rows("life_of_entity", entity_id=f"{video}#1", limit=9)) == 2
    near = rows("seen_with", entity_id=f"{video}#1", within_s=0.0)
    assert [(row["entity_id"], row["frames"]) for row in near] == [(f"{video}#2", 4), (f"{video}#3", 4)]
    assert rows("nearest_in_picture", entity_id=f"{video}#1", other_id=f"{video}#2", limit=1)[0]["gap_px"] == 0.0
    sights = rows("first_and_last_sight", video_id=video)
    assert [(row["first_s"], row["last_s"]) for row in sights] == [(0.0, 3.0)] * 3
    assert [(row["predicate"], row["frames"]) for row in rows("relations", video_id=video)] == [("left_of", 4)]
    assert len(rows("relation_moments", video_id=video, predicate="left_of", limit=3)) == 3
    assert [row["frames"] for row in rows("interactions", video_id=video, limit=9)] == [4, 4]
    assert rows("gaps", video_id=video, longer_than_s=0.0) == []
    assert [row["status"] for row in rows("identities", video_id=video, limit=9)] == ["auto"]
    assert [row["entities"] for row in rows("crowding", video_id=video)] == [3] * 4
    found = rows("events_about", words='"does thing 1"', limit=10_000)  # other tests write such events too
    assert video in {str(row["event_id"]).split("/")[0] for row in found}


REFUSED = [
    "CREATE (n:Frame)",
    "MATCH (n:Frame) SET n.t = 0",
    "MATCH (n) DETACH DELETE n",
    "MERGE (n:Frame {id: 'x'})",
    "LOAD CSV FROM 'http://127.0.0.1:1/x' AS line RETURN line",
    "LOAD CSV FROM 'file:///etc/passwd' AS line RETURN line",
    "MATCH (n:Frame) CALL (n) { LOAD CSV FROM 'http://127.0.0.1:1/x' AS line RETURN line } RETURN line",
    "CALL { LOAD CSV FROM 'http://127.0.0.1:1/x' AS line RETURN line } RETURN line",
    "TERMINATE TRANSACTIONS 'neo4j-transaction-1'",
    "SHOW SETTINGS",
    "SHOW TRANSACTIONS YIELD transactionId AS id TERMINATE TRANSACTIONS id YIELD message RETURN message",
    "SHOW PROCEDURES",
    "SHOW USERS",
    "CALL dbms.listConfig() YIELD name, value RETURN name, value",
    "CALL dbms.listConfig",
    "CALL `dbms`.`listConfig`()",
    "CALL db.clearQueryCaches()",
    "CALL tx.setMetaData({a: 1})",
    "CALL db.createLabel('Sneaked')",
    "CALL db.create.setNodeVectorProperty(null, 'a', [1.0])",
    "CREATE INDEX sneaked FOR (n:Frame) ON (n.x)",
    "DROP CONSTRAINT video_id",
    "CREATE USER mallory SET PASSWORD 'password123'",
    "PROFILE CREATE (n:Frame)",
    "EXPLAIN MATCH (n) RETURN n",
    "CYPHER runtime=slotted PROFILE LOAD CSV FROM 'http://127.0.0.1:1/x' AS line RETURN line",
    "MATCH (n:Frame) CALL { WITH n DELETE n } IN TRANSACTIONS OF 10 ROWS",
    "MATCH (n) RETURN n LIMIT 1; MATCH (m) DETACH DELETE m",
    "FOREACH (i IN [1] | CREATE (:Frame))",
]


@pytest.mark.parametrize("text", REFUSED)
def test_cypher_that_would_do_more_than_read_is_refused(store: Store, video: str, text: str) -> None:
    before = store.query_readonly("MATCH (n) RETURN count(n) AS n").rows
    with pytest.raises((UsageError, GraphError)):
        store.query_readonly(text)
    assert store.query_readonly("MATCH (n) RETURN count(n) AS n").rows == before


ALLOWED = [
    "MATCH (v:Video {id: $v}) RETURN v.title",
    "MATCH (v:Video {id: $v})-[:HAS_FRAME]->(f) RETURN f ORDER BY f.index",
    "MATCH p = (:Entity {videoId: $v})-[:APPEARS_AS]->() RETURN p LIMIT 2",
    "MATCH (n:FrameNode {videoId: $v}) RETURN n.label AS label, count(*) AS n ORDER BY n",
    "MATCH (n:FrameNode {videoId: $v}) RETURN n.embedding LIMIT 1",
    "UNWIND range(1, 3) AS i RETURN i, $v AS v",
    "CALL db.labels() YIELD label RETURN label, $v AS v",
    "CALL db.index.fulltext.queryNodes('event_text', 'thing') YIELD node AS z WITH z WHERE z.videoId = $v RETURN z.id",
    "MATCH (a:FrameNode {videoId: $v})-[r:REL]->(b) RETURN a.t, r, b.t LIMIT 1",
    "MATCH (n:FrameNode {videoId: $v}) RETURN vector.similarity.cosine(n.embedding, n.embedding) AS one LIMIT 1",
    "MATCH (e:Entity {videoId: $v}) RETURN e.id, COUNT { (e)-[:HAS_EVENT]->() } AS events",
    "MATCH (e:Entity {videoId: $v}) CALL (e) { MATCH (e)-[:HAS_EVENT]->(z) RETURN max(z.tEnd) AS last } RETURN last",
    "MATCH (n:FrameNode {id: $v + '/0/1'})-[:SAME_AS*0..9]->(m) RETURN m.t",
    "/* a comment */ MATCH (v:Video) WHERE v.id = $v RETURN v.createdAt // and another",
    "MATCH (n {videoId: $v}) RETURN n.id UNION MATCH (n:Video {id: $v}) RETURN n.id",
]


@pytest.mark.parametrize("text", ALLOWED)
def test_cypher_that_reads_is_answered(store: Store, video: str, text: str) -> None:
    result = store.query_readonly(text, {"v": video})
    assert result.rows
    assert len(json.dumps(result.rows)) < 50_000


def test_an_embedding_is_shown_by_its_length(store: Store, video: str) -> None:
    text = (
        "MATCH (n:FrameNode {videoId: $v}) RETURN n.embedding AS e, [n.embedding] AS es, {e: n.embedding} AS m LIMIT 1"
    )
    shown = "<768 floats>"
    assert store.query_readonly(text, {"v": video}).rows == [{"e": shown, "es": [shown], "m": {"e": shown}}]


def test_rows_beyond_the_limit_are_left_out_and_told(store: Store) -> None:
    result = store.query_readonly("UNWIND range(1, 1000000000) AS i RETURN i", limit=3)
    assert [row["i"] for row in result.rows] == [1, 2, 3]
    assert result.truncated
    assert not store.query_readonly("UNWIND range(1, 3) AS i RETURN i", limit=3).truncated


def test_a_query_that_takes_too_long_is_stopped(store: Store) -> None:
    with pytest.raises(GraphError, match="ran longer than allowed"):
        store.query_readonly("UNWIND range(1, 1000000000) AS i WITH i WHERE i < 0 RETURN count(i)", timeout_s=1.0)


@pytest.mark.parametrize("parameters", [{"x": 2**63}, {"x": object()}, {"x": "\ud800"}])
def test_parameters_that_cannot_be_sent_are_usage_errors(store: Store, parameters: dict[str, object]) -> None:
    with pytest.raises(UsageError, match=r"\$x"):
        store.query_readonly("RETURN $x", parameters)


def test_bad_cypher_is_explained(store: Store) -> None:
    with pytest.raises(GraphError, match="Not valid Cypher"):
        store.query_readonly("MATCH (n RETURN n")


def test_dates_and_durations_come_as_text(store: Store) -> None:
    row = store.query_readonly(
        "RETURN datetime('2020-01-02T03:04:05Z') AS t, duration('PT5S') AS d, date('2020-01-02') AS day"
    ).rows[0]
    assert row == {"t": "2020-01-02T03:04:05.000000000+00:00", "d": "PT5S", "day": "2020-01-02"}


def test_a_wrong_password_is_an_authentication_error(neo4j_endpoint: Endpoint) -> None:
    with pytest.raises(AuthenticationError, match="NEO4J_PASSWORD"):
        Store.connect(neo4j_endpoint.bolt_uri, neo4j_endpoint.username, "wrong password")


def test_no_server_is_an_unavailable_error() -> None:
    with pytest.raises(UnavailableError, match=r"No Neo4j server answers at bolt://127\.0\.0\.1:1"):
        Store.connect("bolt://127.0.0.1:1", "neo4j", "password")


def test_an_unknown_database_is_named(neo4j_endpoint: Endpoint) -> None:
    endpoint = neo4j_endpoint
    with (
        Store.connect(endpoint.bolt_uri, endpoint.username, endpoint.password, database="nowhere") as store,
        pytest.raises(GraphError, match="NEO4J_DATABASE"),
    ):
        store.read("schema/migrations")


def test_an_unknown_template_is_not_found(store: Store) -> None:
    with pytest.raises(NotFoundError):
        store.read("reasoning/telepathy")


def test_one_store_serves_many_threads(store: Store, video: str) -> None:
    answers = list[int]()

    def ask() -> None:
        answers.append(len(store.read("explore/crowding", video_id=video).rows))

    threads = [threading.Thread(target=ask) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert answers == [4] * 8
