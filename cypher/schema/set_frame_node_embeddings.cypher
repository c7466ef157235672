// name: schema/set_frame_node_embeddings
// mode: write
// summary: Give frame nodes new vectors.
// param rows: LIST<MAP> - id, embedding
// returns written: INTEGER - nodes
UNWIND $rows AS row
MATCH (n:FrameNode {id: row.id})
CALL db.create.setNodeVectorProperty(n, 'embedding', row.embedding)
RETURN count(n) AS written
