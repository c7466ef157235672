// name: schema/set_event_embeddings
// mode: write
// summary: Give events new vectors.
// param rows: LIST<MAP> - id, embedding
// returns written: INTEGER - nodes
UNWIND $rows AS row
MATCH (n:Event {id: row.id})
CALL db.create.setNodeVectorProperty(n, 'embedding', row.embedding)
RETURN count(n) AS written
