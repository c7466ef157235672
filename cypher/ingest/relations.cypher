// name: ingest/relations
// mode: write
// summary: Relations between frame nodes of one frame.
// param rows: LIST<MAP> - subjectId, objectId, predicate, source, properties (text, confidence)
// returns written: INTEGER - relations
UNWIND $rows AS row
MATCH (a:FrameNode {id: row.subjectId})
MATCH (b:FrameNode {id: row.objectId})
MERGE (a)-[r:REL {predicate: row.predicate, source: row.source}]->(b)
SET r += row.properties
RETURN count(r) AS written
