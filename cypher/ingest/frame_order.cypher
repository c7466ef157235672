// name: ingest/frame_order
// mode: write
// summary: Each frame points to the next one.
// param rows: LIST<MAP> - earlier_id, later_id
// returns written: INTEGER - relationships
UNWIND $rows AS row
MATCH (a:Frame {id: row.earlier_id})
MATCH (b:Frame {id: row.later_id})
MERGE (a)-[r:NEXT]->(b)
RETURN count(r) AS written
