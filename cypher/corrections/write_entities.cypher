// name: corrections/write_entities
// mode: write
// summary: Entities as corrections say, with what was found beside it.
// param rows: LIST<MAP> - id, properties
// returns written: INTEGER - nodes
UNWIND $rows AS row
MATCH (n:Entity {id: row.id})
SET n += row.properties
RETURN count(n) AS written
