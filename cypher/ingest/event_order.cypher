// name: ingest/event_order
// mode: write
// summary: Each event points to the next one of its entity and source.
// param rows: LIST<MAP> - earlier_id, later_id
// returns written: INTEGER - relationships
UNWIND $rows AS row
MATCH (a:Event {id: row.earlier_id})
MATCH (b:Event {id: row.later_id})
MERGE (a)-[r:NEXT]->(b)
RETURN count(r) AS written
