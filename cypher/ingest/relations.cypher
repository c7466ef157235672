// name: ingest/relations
// mode: write
// summary: Relations between frame nodes of one frame.
// param rows: LIST<MAP> - subject_id, object_id, predicate, source, properties (text, confidence)
// returns written: INTEGER - relations
UNWIND $rows AS row
MATCH (a:FrameNode {id: row.subject_id})
MATCH (b:FrameNode {id: row.object_id})
MERGE (a)-[r:REL {predicate: row.predicate, source: row.source}]->(b)
SET r += row.properties
RETURN count(r) AS written
