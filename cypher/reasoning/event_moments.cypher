// name: reasoning/event_moments
// mode: read
// summary: Within each event of a video the frame nodes nearest to a query embedding, with what is said of their frames.
// param video_id: STRING - the video
// param embedding: LIST<FLOAT> - query embedding, as long as the nodes' vectors
// param from_s: FLOAT - start of the span, seconds
// param to_s: FLOAT - end of the span, seconds, half-open
// param per_event: INTEGER - at most this many frame nodes of each event
// param k: INTEGER - how many frame nodes at most, the nearest ones
// returns event_id: STRING - the event, the first of those that the node is in
// returns entity_id: STRING - its entity
// returns node_id: STRING - the frame node
// returns frame_index: INTEGER - the sampled frame
// returns t: FLOAT - seconds
// returns attributes: LIST<STRING> - attributes of the frame node
// returns description: STRING - its sentence
// returns score: FLOAT - cosine similarity mapped to 0..1
// returns frame_description: STRING - what is said of the whole frame
// returns frame_entity_ids: LIST<STRING> - the entities in the frame
MATCH (z:Event {videoId: $video_id})
WHERE z.tEnd >= $from_s AND z.tStart < $to_s
CALL (z) {
  MATCH (n:FrameNode {entityId: z.entityId})
  WHERE n.t >= z.tStart AND n.t < z.tEnd AND n.t >= $from_s AND n.t < $to_s AND n.embedding IS NOT NULL
  WITH n, vector.similarity.cosine(n.embedding, $embedding) AS score
  ORDER BY score DESC, n.id
  LIMIT $per_event
  RETURN n, score
}
WITH n, score, min(z.id) AS event_id
ORDER BY score DESC, n.id
LIMIT $k
MATCH (f:Frame)-[:CONTAINS]->(n)
RETURN event_id, n.entityId AS entity_id, n.id AS node_id, n.frameIndex AS frame_index, n.t AS t,
       coalesce(n.attributes, []) AS attributes, n.description AS description, score,
       f.description AS frame_description,
       COLLECT { MATCH (f)-[:CONTAINS]->(o:FrameNode) RETURN o.entityId ORDER BY o.entityId } AS frame_entity_ids
ORDER BY score DESC, node_id
