// name: ingest/identities
// mode: write
// summary: Set the identities of entities.
// param rows: LIST<MAP> - entityId, identityId
// returns written: INTEGER - entities
UNWIND $rows AS row
MATCH (e:Entity {id: row.entityId})
SET e.identityId = row.identityId
RETURN count(e) AS written
