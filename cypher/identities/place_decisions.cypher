// name: identities/place_decisions
// mode: write
// summary: Say which entities decisions are about now, and why one has to wait.
// param rows: LIST<MAP> - id, first_id, second_id, note (null while it is applied)
// returns written: INTEGER - records
UNWIND $rows AS row
MATCH (d:Decision {id: row.id})
SET d.firstId = row.first_id, d.secondId = row.second_id, d.note = row.note
RETURN count(d) AS written
