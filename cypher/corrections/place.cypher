// name: corrections/place
// mode: write
// summary: Say what corrections are about now, and why one has to wait.
// param rows: LIST<MAP> - id, target_id, note (null while it is applied)
// returns written: INTEGER - records
UNWIND $rows AS row
MATCH (c:Correction {id: row.id})
SET c.targetId = row.target_id, c.note = row.note
RETURN count(c) AS written
