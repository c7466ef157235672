// name: ingest/identities
// mode: write
// summary: Set the identities of entities.
// param rows: LIST<MAP> - entity_id, identity_id
// returns written: INTEGER - entities
UNWIND $rows AS row
MATCH (e:Entity {id: row.entity_id})
SET e.identityId = row.identity_id
RETURN count(e) AS written
