// name: reasoning/grounded_nodes
// mode: read
// summary: Of each of some frames the frame node that says most about a query, first those of wanted entities.
// param video_id: STRING - the video
// param frame_indices: LIST<INTEGER> - the sampled frames
// param entity_ids: LIST<STRING> - entities whose nodes come first; may be empty
// param embedding: LIST<FLOAT> - query embedding, as long as the nodes' vectors
// returns node_id: STRING - the frame node
// returns video_id: STRING - its video
// returns entity_id: STRING - its entity
// returns label: STRING - what it is
// returns frame_index: INTEGER - the sampled frame
// returns t: FLOAT - seconds
// returns box: LIST<FLOAT> - x_min, y_min, x_max, y_max; empty when unknown
// returns attributes: LIST<STRING> - its attributes
// returns description: STRING - its sentence
// returns score: FLOAT - cosine similarity mapped to 0..1
UNWIND $frame_indices AS wanted
MATCH (f:Frame {videoId: $video_id, index: wanted})
CALL (f) {
  MATCH (f)-[:CONTAINS]->(n:FrameNode)
  WHERE n.embedding IS NOT NULL
  WITH n, vector.similarity.cosine(n.embedding, $embedding) AS score
  ORDER BY n.entityId IN $entity_ids DESC, score DESC, n.id
  LIMIT 1
  RETURN n, score
}
RETURN n.id AS node_id, n.videoId AS video_id, n.entityId AS entity_id, n.label AS label, n.frameIndex AS frame_index,
       n.t AS t, CASE WHEN n.xMin IS NULL THEN [] ELSE [n.xMin, n.yMin, n.xMax, n.yMax] END AS box,
       coalesce(n.attributes, []) AS attributes, n.description AS description, score
ORDER BY frame_index
