// name: reasoning/identify_node
// mode: read
// summary: Entities among some candidates whose sentences are nearest to a query embedding, best first.
// param entity_ids: LIST<STRING> - the candidates
// param embedding: LIST<FLOAT> - query embedding, as long as the nodes' vectors
// param from_s: FLOAT - start of the span, seconds
// param to_s: FLOAT - end of the span, seconds, half-open
// param k: INTEGER - how many entities
// returns entity_id: STRING - the entity
// returns label: STRING - what it is
// returns score: FLOAT - best similarity of its nodes, 0..1
// returns node_id: STRING - its best node
// returns frame_index: INTEGER - the sampled frame of that node
// returns t: FLOAT - seconds of that node
// returns description: STRING - the sentence of that node
UNWIND $entity_ids AS wanted
CALL (wanted) {
  MATCH (n:FrameNode {entityId: wanted})
  WHERE n.t >= $from_s AND n.t < $to_s AND n.embedding IS NOT NULL
  WITH n, vector.similarity.cosine(n.embedding, $embedding) AS score
  ORDER BY score DESC, n.id
  LIMIT 1
  RETURN n, score
}
RETURN n.entityId AS entity_id, n.label AS label, score, n.id AS node_id, n.frameIndex AS frame_index, n.t AS t,
       n.description AS description
ORDER BY score DESC, entity_id
LIMIT $k
