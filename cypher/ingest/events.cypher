// name: ingest/events
// mode: write
// summary: Events with their vectors, each of its entity.
// param rows: LIST<MAP> - id, entityId, properties, embedding
// returns written: INTEGER - events
UNWIND $rows AS row
MATCH (e:Entity {id: row.entityId})
MERGE (z:Event {id: row.id})
SET z += row.properties
MERGE (e)-[:HAS_EVENT]->(z)
WITH z, row
CALL db.create.setNodeVectorProperty(z, 'embedding', row.embedding)
RETURN count(z) AS written
