// name: corrections/write_frame_nodes
// mode: write
// summary: Frame nodes as corrections say, with what was found beside it, and with the vectors of new sentences.
// param rows: LIST<MAP> - id, properties, embedding (null where the sentence stays)
// returns written: INTEGER - nodes
UNWIND $rows AS row
MATCH (n:FrameNode {id: row.id})
SET n += row.properties
WITH n, row
CALL (n, row) {
  WITH n, row
  WHERE row.embedding IS NOT NULL
  CALL db.create.setNodeVectorProperty(n, 'embedding', row.embedding)
}
RETURN count(n) AS written
