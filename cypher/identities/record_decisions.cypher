// name: identities/record_decisions
// mode: write
// summary: Keep decisions about pairs of entities.
// param rows: LIST<MAP> - id, properties
// returns written: INTEGER - records
UNWIND $rows AS row
CREATE (d:Decision {id: row.id})
SET d += row.properties, d.decidedAt = datetime()
RETURN count(d) AS written
