// name: ingest/frame_order
// mode: write
// summary: Each frame points to the next one.
// param rows: LIST<MAP> - earlierId, laterId
// returns written: INTEGER - relationships
UNWIND $rows AS row
MATCH (a:Frame {id: row.earlierId})
MATCH (b:Frame {id: row.laterId})
MERGE (a)-[r:NEXT]->(b)
RETURN count(r) AS written
