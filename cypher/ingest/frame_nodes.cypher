// name: ingest/frame_nodes
// mode: write
// summary: Frame nodes with their vectors, each in its frame and of its entity.
// param rows: LIST<MAP> - id, frame_id, entity_id, properties, embedding
// returns written: INTEGER - frame nodes
UNWIND $rows AS row
MATCH (f:Frame {id: row.frame_id})
MATCH (e:Entity {id: row.entity_id})
MERGE (n:FrameNode {id: row.id})
SET n += row.properties
MERGE (f)-[:CONTAINS]->(n)
MERGE (e)-[:APPEARS_AS]->(n)
WITH n, row
CALL db.create.setNodeVectorProperty(n, 'embedding', row.embedding)
RETURN count(n) AS written
