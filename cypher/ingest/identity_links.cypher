// name: ingest/identity_links
// mode: write
// summary: Links between entities of one identity; a link that is there keeps its decision.
// param rows: LIST<MAP> - earlier_id, later_id, properties (score, method, scope, status)
// returns written: INTEGER - links
UNWIND $rows AS row
MATCH (a:Entity {id: row.earlier_id})
MATCH (b:Entity {id: row.later_id})
MERGE (a)-[s:SAME_AS]->(b)
ON CREATE SET s += row.properties, s.createdAt = datetime()
RETURN count(s) AS written
