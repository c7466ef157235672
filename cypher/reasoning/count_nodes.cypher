// name: reasoning/count_nodes
// mode: read
// summary: For each candidate entity its events and frame nodes nearest to a condition, to judge who meets it.
// param entity_ids: LIST<STRING> - the candidates
// param embedding: LIST<FLOAT> - embedding of the condition
// param from_s: FLOAT - start of the span, seconds
// param to_s: FLOAT - end of the span, seconds, half-open
// param per_entity: INTEGER - at most this many sentences of each kind
// returns entity_id: STRING - the candidate
// returns kind: STRING - event or node
// returns id: STRING - the event or frame node
// returns source: STRING - geometry, model or annotation
// returns start_s: FLOAT - start, seconds
// returns end_s: FLOAT - end, seconds
// returns description: STRING - the sentence
// returns score: FLOAT - cosine similarity to the condition, 0..1
UNWIND $entity_ids AS wanted
CALL (wanted) {
  MATCH (z:Event {entityId: wanted})
  WHERE z.tEnd >= $from_s AND z.tStart < $to_s AND z.embedding IS NOT NULL
  WITH z, vector.similarity.cosine(z.embedding, $embedding) AS score
  ORDER BY score DESC, z.id
  LIMIT $per_entity
  RETURN 'event' AS kind, z.id AS id, z.source AS source, z.tStart AS start_s, z.tEnd AS end_s,
         z.description AS description, score
  UNION ALL
  MATCH (n:FrameNode {entityId: wanted})
  WHERE n.t >= $from_s AND n.t < $to_s AND n.embedding IS NOT NULL
  WITH n, vector.similarity.cosine(n.embedding, $embedding) AS score
  ORDER BY score DESC, n.id
  LIMIT $per_entity
  RETURN 'node' AS kind, n.id AS id, n.source AS source, n.t AS start_s, n.t AS end_s,
         n.description AS description, score
}
RETURN wanted AS entity_id, kind, id, source, start_s, end_s, description, score
ORDER BY entity_id, score DESC, id
