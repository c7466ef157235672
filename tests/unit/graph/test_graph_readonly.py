"""What somebody's own Cypher may do, as far as text and plan tell."""

from __future__ import annotations

import pytest

from ravu_kg.errors import UsageError
from ravu_kg.graph.readonly import refuse_plan, refuse_text


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "empty"),
        ("  // only a comment", "empty"),
        ("PROFILE MATCH (n) RETURN n", "Leave out PROFILE"),
        ("/* x */ explain MATCH (n) RETURN n", "Leave out EXPLAIN"),
        ("CYPHER 25 runtime=slotted PROFILE CREATE ()", "Leave out PROFILE"),
        ("CYPHER 5 CYPHER planner=cost explain CREATE ()", "Leave out EXPLAIN"),
        ("RETURN apoc.cypher.runFirstColumnSingle('CREATE ()', {})", "'apoc.cypher.runFirstColumnSingle'"),
        ("RETURN `apoc`.`cypher`.`run`('x')", "'apoc.cypher.run'"),
        ("RETURN apoc . load /* */ . json('http://x')", "poc.load.json' may not be called"),
        ("RETURN \\u0061poc.load.json('http://x')", "poc.load.json' may not be called"),
        ("RETURN '\\u0027 + apoc.load.json(1) + \\u0027'", "'apoc.load.json'"),
        ("/* \\u002a\\u002f RETURN apoc.load.json(1) // */ RETURN 1", "'apoc.load.json'"),
        ("RETURN graph.byName('neo4j')", "'graph.byName'"),
        ("RETURN file()", "'file'"),
        ("RETURN toUpperr('x')", "did you mean `toUpper`"),
        ("CALL db.label() YIELD label RETURN label", "did you mean `db.labels`"),
        ("RETURN 1; RETURN 2", "One statement"),
        ("USE neo4j RETURN 1", "Leave out USE"),
        ("RETURN '" + "x" * 100_000 + "'", "the most"),
        ("RETURN '\ud800'", "no well-formed text"),
        ("RETURN genai.vector.encode('x', 'OpenAI', {})", "'genai.vector.encode'"),
        ("CALL dbms.listConfig() YIELD name RETURN name", "'dbms.listConfig'"),
    ],
)
def test_text_that_would_do_more_than_read_is_refused(text: str, problem: str) -> None:
    with pytest.raises(UsageError, match=problem):
        refuse_text(text)


@pytest.mark.parametrize(
    "text",
    [
        "MATCH (n) RETURN n",
        "CYPHER 25 MATCH (n) RETURN n.explain, 'PROFILE'",
        "MATCH (explain) RETURN explain",
        "RETURN vector.similarity.cosine([1.0], [1.0]), point.distance(point({x: 0, y: 0}), null)",
        "RETURN date.truncate('year', date()), 'apoc.cypher.run(1)' // apoc.cypher.run(2)",
        "CALL db.labels() YIELD label RETURN label",
        "MATCH (n) RETURN n.id, (n.t + 1) * 2",
        "MATCH (n) RETURN count(n) AS `how many (in all)`, 'apoc.x(1)' AS `apoc.x`;",
        "MATCH (n) USING INDEX n:Frame(videoId) RETURN n.id",
        "MATCH (use) RETURN use.t, {use: 1} AS m",
    ],
)
def test_text_that_reads_passes(text: str) -> None:
    refuse_text(text)


def test_a_plan_that_writes_is_refused() -> None:
    with pytest.raises(UsageError, match="change something"):
        refuse_plan("rw", {"operatorType": "Create@neo4j"})


@pytest.mark.parametrize("operator", ["LoadCSV", "TerminateTransactions", "ShowSettings", "ShowFoo", "SomeCommand"])
def test_operators_that_leave_the_graph_are_refused_wherever_they_stand(operator: str) -> None:
    plan = {"operatorType": "ProduceResults@neo4j", "children": [{"operatorType": f"{operator}@neo4j", "args": {}}]}
    with pytest.raises(UsageError, match=operator):
        refuse_plan("r", plan)


def test_only_listed_procedures_may_be_called() -> None:
    allowed = {"operatorType": "ProcedureCall@neo4j", "args": {"Details": "db.labels() :: (label :: STRING)"}}
    refuse_plan("r", {"operatorType": "ProduceResults@neo4j", "children": [allowed]})
    with pytest.raises(UsageError, match=r"'dbms\.listConfig'"):
        refuse_plan("r", {"operatorType": "ProcedureCall@neo4j", "args": {"Details": "dbms.listConfig(x) :: y"}})
    with pytest.raises(UsageError, match="procedure ''"):
        refuse_plan("r", {"operatorType": "ProcedureCall@neo4j"})
