// name: corrections/write_frames
// mode: write
// summary: Frames as corrections say, with what was found beside it.
// param rows: LIST<MAP> - id, properties
// returns written: INTEGER - nodes
UNWIND $rows AS row
MATCH (n:Frame {id: row.id})
SET n += row.properties
RETURN count(n) AS written
