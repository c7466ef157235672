// name: reasoning/count_nodes
// mode: read
// summary: For each candidate entity its events and frame nodes nearest to a condition, to judge who meets it.
// param entityIds: LIST<STRING> - the candidates
// param embedding: LIST<FLOAT> - embedding of the condition
// param fromS: FLOAT - start of the span, seconds
// param toS: FLOAT - end of the span, seconds, half-open
// param perEntity: INTEGER - at most this many sentences of each kind
// returns entityId: STRING - the candidate
// returns kind: STRING - event or node
// returns id: STRING - the event or frame node
// returns source: STRING - geometry, model or annotation
// returns tStart: FLOAT - start, seconds
// returns tEnd: FLOAT - end, seconds
// returns description: STRING - the sentence
// returns score: FLOAT - cosine similarity to the condition, 0..1
UNWIND $entityIds AS wanted
CALL (wanted) {
  MATCH (z:Event {entityId: wanted})
  WHERE z.tEnd >= $fromS AND z.tStart < $toS AND z.embedding IS NOT NULL
  WITH z, vector.similarity.cosine(z.embedding, $embedding) AS score
  ORDER BY score DESC, z.id
  LIMIT $perEntity
  RETURN 'event' AS kind, z.id AS id, z.source AS source, z.tStart AS tStart, z.tEnd AS tEnd,
         z.description AS description, score
  UNION ALL
  MATCH (n:FrameNode {entityId: wanted})
  WHERE n.t >= $fromS AND n.t < $toS AND n.embedding IS NOT NULL
  WITH n, vector.similarity.cosine(n.embedding, $embedding) AS score
  ORDER BY score DESC, n.id
  LIMIT $perEntity
  RETURN 'node' AS kind, n.id AS id, n.source AS source, n.t AS tStart, n.t AS tEnd,
         n.description AS description, score
}
RETURN wanted AS entityId, kind, id, source, tStart, tEnd, description, score
ORDER BY entityId, score DESC, id
