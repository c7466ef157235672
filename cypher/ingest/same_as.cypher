// name: ingest/same_as
// mode: write
// summary: Consecutive appearances of one entity, forward in time.
// param rows: LIST<MAP> - earlier_id, later_id, properties (gap, score, method)
// returns written: INTEGER - relationships
UNWIND $rows AS row
MATCH (a:FrameNode {id: row.earlier_id})
MATCH (b:FrameNode {id: row.later_id})
MERGE (a)-[s:SAME_AS]->(b)
SET s += row.properties, s.scope = 'track'
RETURN count(s) AS written
