// name: reasoning/identify_node
// mode: read
// summary: Entities among some candidates whose sentences are nearest to a query embedding, best first.
// param entityIds: LIST<STRING> - the candidates
// param embedding: LIST<FLOAT> - query embedding, as long as the nodes' vectors
// param fromS: FLOAT - start of the span, seconds
// param toS: FLOAT - end of the span, seconds, half-open
// param k: INTEGER - how many entities
// returns entityId: STRING - the entity
// returns label: STRING - what it is
// returns score: FLOAT - best similarity of its nodes, 0..1
// returns nodeId: STRING - its best node
// returns frameIndex: INTEGER - the sampled frame of that node
// returns t: FLOAT - seconds of that node
// returns description: STRING - the sentence of that node
UNWIND $entityIds AS wanted
CALL (wanted) {
  MATCH (n:FrameNode {entityId: wanted})
  WHERE n.t >= $fromS AND n.t < $toS AND n.embedding IS NOT NULL
  WITH n, vector.similarity.cosine(n.embedding, $embedding) AS score
  ORDER BY score DESC, n.id
  LIMIT 1
  RETURN n, score
}
RETURN n.entityId AS entityId, n.label AS label, score, n.id AS nodeId, n.frameIndex AS frameIndex, n.t AS t,
       n.description AS description
ORDER BY score DESC, entityId
LIMIT $k
