// name: ingest/event_order
// mode: write
// summary: Each event points to the next one of its entity and source.
// param rows: LIST<MAP> - earlierId, laterId
// returns written: INTEGER - relationships
UNWIND $rows AS row
MATCH (a:Event {id: row.earlierId})
MATCH (b:Event {id: row.laterId})
MERGE (a)-[r:NEXT]->(b)
RETURN count(r) AS written
