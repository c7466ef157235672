// name: ingest/events
// mode: write
// summary: Events with their vectors, each of its entity.
// param rows: LIST<MAP> - id, entity_id, properties, embedding
// returns written: INTEGER - events
UNWIND $rows AS row
MATCH (e:Entity {id: row.entity_id})
MERGE (z:Event {id: row.id})
SET z += row.properties
MERGE (e)-[:HAS_EVENT]->(z)
WITH z, row
CALL db.create.setNodeVectorProperty(z, 'embedding', row.embedding)
RETURN count(z) AS written
