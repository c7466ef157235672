// name: corrections/record
// mode: write
// summary: Keep a correction.
// param rows: LIST<MAP> - id, properties
// returns written: INTEGER - records
UNWIND $rows AS row
CREATE (c:Correction {id: row.id})
SET c += row.properties, c.decidedAt = datetime()
RETURN count(c) AS written
