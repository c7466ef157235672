"""Queries that an analyst may want to run: the gate before ad-hoc Cypher must let every one of them pass.

They take ``$v`` (a video), ``$t`` (seconds), ``$q`` (a vector), ``$names`` and ``$n``; those not used are ignored.
"""

from __future__ import annotations

# ruff: noqa: E501  -- a query stands as it is typed


def queries(version: tuple[int, ...]) -> list[str]:
    """Those that the server version knows."""
    known = [text.strip() for text in _EVERYWHERE.strip().split("\n\n")]
    if version >= (2026, 6):
        known += [text.strip() for text in _FROM_2026_06.strip().split("\n\n")]
    return known


_EVERYWHERE = r"""
MATCH (v:Video) RETURN v.id, v.title, v.duration ORDER BY v.title

MATCH (v:Video {id: $v})-[:HAS_ENTITY]->(e:Entity) RETURN e.label AS label, count(*) AS n ORDER BY n DESC

MATCH (v:Video {id: $v}) RETURN v

MATCH (f:Frame {videoId: $v}) RETURN f.index, f.t, f.description ORDER BY f.t SKIP 1 LIMIT 2

MATCH (f:Frame {videoId: $v})-[:CONTAINS]->(n:FrameNode) RETURN f.index AS frame, collect(n.label) AS labels ORDER BY frame

MATCH (f:Frame {videoId: $v}) OPTIONAL MATCH (f)-[:CONTAINS]->(n) RETURN f.index, count(n) AS `how many (in all)`

MATCH (e:Entity {videoId: $v}) WHERE e.tEnd - e.tStart > 2 RETURN e.id

MATCH (e:Entity {videoId: $v}) WHERE e.label IN $names RETURN e.id, toUpper(e.label) AS label

MATCH (e:Entity {videoId: $v}) WHERE e.label =~ '(?i)PER.*' RETURN e.id

MATCH (e:Entity {videoId: $v}) WHERE e.description STARTS WITH 'per' OR e.description ENDS WITH '3' RETURN e

MATCH (e:Entity {videoId: $v})-[:HAS_EVENT]->(z:Event) RETURN e.id, z.description, z.tStart ORDER BY z.tStart

MATCH (z:Event {videoId: $v}) WHERE z.tStart <= $t < z.tEnd RETURN z.description

MATCH (z:Event {videoId: $v}) WHERE toLower(z.description) CONTAINS 'thing 1' RETURN z.id

MATCH (e:Entity {videoId: $v}) RETURN e.id, COUNT { (e)-[:HAS_EVENT]->() } AS events

MATCH (e:Entity {videoId: $v}) WHERE EXISTS { (e)-[:HAS_EVENT]->(z) WHERE z.tStart > 1 } RETURN e.id

MATCH (e:Entity {videoId: $v}) WHERE NOT EXISTS { MATCH (e)-[:SAME_AS]-() } RETURN e.id

MATCH (e:Entity {videoId: $v}) RETURN e.id, COLLECT { MATCH (e)-[:HAS_EVENT]->(z) RETURN z.tStart ORDER BY z.tStart } AS starts

MATCH (e:Entity {videoId: $v}) CALL (e) { MATCH (e)-[:HAS_EVENT]->(z) RETURN max(z.tEnd) AS last } RETURN e.id, last

MATCH (e:Entity {videoId: $v}) CALL { WITH e MATCH (e)-[:HAS_EVENT]->(z) RETURN min(z.tStart) AS first } RETURN e.id, first

MATCH p = (e:Entity {videoId: $v})-[:APPEARS_AS]->(:FrameNode)-[:REL]->(:FrameNode) RETURN p LIMIT 3

MATCH (a:FrameNode {videoId: $v})-[r:REL]->(b:FrameNode) RETURN r.predicate, count(*) AS n, avg(r.confidence) AS sure

MATCH (a:FrameNode {videoId: $v})-[r:REL {predicate: 'left_of'}]->(b) RETURN a, r, b LIMIT 5

MATCH (n:FrameNode {id: $v + '/0/1'})-[:SAME_AS*0..9]->(m) RETURN m.t

MATCH (n:FrameNode {id: $v + '/0/1'})-[:SAME_AS]->{1,3}(m:FrameNode) RETURN m.id, m.t

MATCH p = shortestPath((a:FrameNode {id: $v + '/0/1'})-[:SAME_AS*..9]->(b:FrameNode {id: $v + '/3/1'})) RETURN length(p) AS hops

MATCH p = allShortestPaths((a:Frame {id: $v + '/0'})-[:NEXT*..9]->(b:Frame {id: $v + '/2'})) RETURN [n IN nodes(p) | n.t] AS ts

MATCH p = ANY SHORTEST (a:Frame {id: $v + '/0'})-[:NEXT]->+(b:Frame {id: $v + '/3'}) RETURN length(p) AS hops

MATCH (a:Frame {id: $v + '/0'}) ((x)-[:NEXT]->(y)){1,2} (b:Frame) RETURN b.id, size(x) AS hops

MATCH (n:FrameNode {videoId: $v}) RETURN n.label, percentileCont(n.confidence, 0.5) AS median, stDev(n.t) AS spread

MATCH (n:FrameNode {videoId: $v}) WITH n ORDER BY n.t WITH n.entityId AS e, collect(n.t) AS ts RETURN e, head(ts), last(ts), ts[1..3]

MATCH (n:FrameNode {videoId: $v}) RETURN n.id, (n.xMax - n.xMin) * (n.yMax - n.yMin) AS area ORDER BY area DESC LIMIT $n

MATCH (n:FrameNode {videoId: $v}) RETURN n.id, point.distance(point({x: n.xMin, y: n.yMin}), point({x: 0, y: 0})) AS d ORDER BY d

MATCH (n:FrameNode {videoId: $v}) RETURN vector.similarity.cosine(n.embedding, $q) AS score ORDER BY score DESC LIMIT 3

CALL db.index.fulltext.queryNodes('event_text', 'thing') YIELD node, score RETURN node.description, score LIMIT 3

CALL db.index.fulltext.queryNodes('frame_node_text', '"stands on the left"', {limit: 3}) YIELD node RETURN node.id

CALL db.index.vector.queryNodes('frame_node_embedding', 3, $q) YIELD node, score WHERE node.videoId = $v RETURN node.id, score

CALL db.labels()

CALL db.labels() YIELD label WHERE label STARTS WITH 'F' RETURN label

CALL db.relationshipTypes

CALL db.propertyKeys() YIELD propertyKey AS key RETURN key ORDER BY key

CALL db.schema.visualization()

CALL db.schema.nodeTypeProperties() YIELD nodeLabels, propertyName, propertyTypes RETURN *

CALL db.schema.relTypeProperties() YIELD relType, propertyName RETURN relType, collect(propertyName) AS names

MATCH (v:Video) RETURN v.createdAt, date(v.createdAt) AS day, duration.between(v.createdAt, datetime()).days AS age

RETURN date.truncate('month', date('2026-02-03')) AS d, time('10:00') AS t, localdatetime.realtime() AS l, duration('PT5S') AS s

UNWIND range(0, 5) AS i RETURN i, i % 2 = 0 AS even, CASE WHEN i > 3 THEN 'late' ELSE 'early' END AS part

UNWIND [{a: 1, b: 'x'}, {a: 2, b: null}] AS row RETURN row.a, coalesce(row.b, '-') AS b, keys(row) AS ks

WITH [1, 2, 3] AS xs RETURN reduce(s = 0, x IN xs | s + x) AS total, [x IN xs WHERE x > 1 | x * 2] AS ys, all(x IN xs WHERE x > 0) AS ok

MATCH (n:FrameNode {videoId: $v}) RETURN n {.id, .t, box: [n.xMin, n.yMin, n.xMax, n.yMax]} AS node LIMIT 2

MATCH (n:FrameNode {videoId: $v}) RETURN n {.*} AS node LIMIT 1

MATCH (n:FrameNode {videoId: $v}) USING INDEX n:FrameNode(videoId) RETURN count(*) AS n

MATCH (e:Entity {videoId: $v}) RETURN e.id AS id UNION MATCH (v:Video {id: $v}) RETURN v.id AS id

MATCH (e:Entity {videoId: $v}) RETURN 'entity' AS kind, e.id AS id UNION ALL MATCH (z:Event {videoId: $v}) RETURN 'event' AS kind, z.id AS id

MATCH (n:FrameNode|Event {videoId: $v}) RETURN labels(n)[0] AS kind, count(*) AS n

MATCH (n:!Video&!Frame {videoId: $v}) RETURN DISTINCT labels(n) AS kinds

MATCH (e:Entity {videoId: $v}) WITH e.label AS label, count(*) AS n WHERE n > 1 RETURN label, n

MATCH (v:Video) WHERE v.id = $v RETURN properties(v) AS everything, elementId(v) AS internal, valueType(v.duration) AS kind

// what is written first: CREATE, DELETE; LOAD CSV
MATCH (e:Entity {videoId: $v}) RETURN e.label AS `create`, 'DETACH DELETE n; MERGE' AS `set` /* REMOVE */

MATCH (create:Entity {videoId: $v}) RETURN create.label AS delete, "LOAD CSV FROM 'http://x'" AS load

CYPHER 5 MATCH (v:Video {id: $v}) RETURN v.title AS title;

CYPHER runtime=slotted MATCH (v:Video {id: $v}) RETURN v.title AS title

match(f:Frame{videoId:$v})where f.t>0 and(f.t<3 or not(f.t=1))return count(*)as n

MATCH (f:Frame {videoId: $v}) WHERE f.t IN [0.0, 1.0] OR f.index IN range(2, 3) RETURN f.id ORDER BY f.t

MATCH (a:Entity {videoId: $v})-[s:SAME_AS]-(b:Entity) RETURN a.id, b.id, s.score, s.status, type(s) AS kind, startNode(s).id AS start

MATCH (n:FrameNode {videoId: $v}) WITH n.entityId AS e, {first: min(n.t), last: max(n.t)} AS span RETURN e, span.last - span.first AS s
"""

_FROM_2026_06 = r"""
CYPHER 25 MATCH (v:Video {id: $v}) LET minutes = v.duration / 60 FILTER minutes > 0 RETURN minutes

CYPHER 25 MATCH (n:FrameNode) SEARCH n IN (VECTOR INDEX frame_node_embedding FOR $q WHERE n.videoId = $v LIMIT 3) SCORE AS score
RETURN n.id, score

CYPHER 25 MATCH (v:Video {id: $v}) RETURN v.duration AS d NEXT RETURN d * 2 AS doubled

CYPHER 25 WHEN $n > 2 THEN RETURN 'many' AS word ELSE RETURN 'few' AS word

CYPHER 25 RETURN coll.distinct([1, 1, 2]) AS xs

CYPHER 25 MATCH p = ACYCLIC (a:Frame {id: $v + '/0'})-[:NEXT]->{1,3}(b:Frame) RETURN length(p) AS hops
"""
