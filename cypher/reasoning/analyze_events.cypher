// name: reasoning/analyze_events
// mode: read
// summary: Events of a video that are nearest to a query embedding, within a span of time.
// param video_id: STRING - the video
// param embedding: LIST<FLOAT> - query embedding, as long as the events' vectors
// param from_s: FLOAT - start of the span, seconds
// param to_s: FLOAT - end of the span, seconds, half-open
// param k: INTEGER - how many events
// returns event_id: STRING - the event
// returns entity_id: STRING - its entity
// returns source: STRING - geometry, model or annotation
// returns start_s: FLOAT - start, seconds
// returns end_s: FLOAT - end, seconds, half-open
// returns description: STRING - what happens
// returns score: FLOAT - cosine similarity mapped to 0..1
// returns nodes: LIST<MAP> - node_id, frame_index, t, box, attributes and description of the frame node in its middle
MATCH (z:Event {videoId: $video_id})
WHERE z.tEnd >= $from_s AND z.tStart < $to_s AND z.embedding IS NOT NULL
WITH z, vector.similarity.cosine(z.embedding, $embedding) AS score
ORDER BY score DESC, z.id
LIMIT $k
CALL (z) {
  MATCH (n:FrameNode {entityId: z.entityId})
  WHERE n.t >= z.tStart AND n.t < z.tEnd AND n.t >= $from_s AND n.t < $to_s
  WITH n ORDER BY abs(n.t - (z.tStart + z.tEnd) / 2), n.t
  LIMIT 1
  RETURN collect({node_id: n.id, frame_index: n.frameIndex, t: n.t, attributes: coalesce(n.attributes, []),
                  box: CASE WHEN n.xMin IS NULL THEN [] ELSE [n.xMin, n.yMin, n.xMax, n.yMax] END,
                  description: n.description}) AS nodes
}
RETURN z.id AS event_id, z.entityId AS entity_id, z.source AS source, z.tStart AS start_s, z.tEnd AS end_s,
       z.description AS description, score, nodes
ORDER BY score DESC, event_id
