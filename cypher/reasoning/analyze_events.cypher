// name: reasoning/analyze_events
// mode: read
// summary: Events of a video that are nearest to a query embedding, within a span of time.
// param videoId: STRING - the video
// param embedding: LIST<FLOAT> - query embedding, as long as the events' vectors
// param fromS: FLOAT - start of the span, seconds
// param toS: FLOAT - end of the span, seconds, half-open
// param k: INTEGER - how many events
// returns eventId: STRING - the event
// returns entityId: STRING - its entity
// returns source: STRING - geometry, model or annotation
// returns tStart: FLOAT - start, seconds
// returns tEnd: FLOAT - end, seconds, half-open
// returns description: STRING - what happens
// returns score: FLOAT - cosine similarity mapped to 0..1
// returns nodes: LIST<MAP> - nodeId, frameIndex, t, box, attributes and description of the frame node in its middle
MATCH (z:Event {videoId: $videoId})
WHERE z.tEnd >= $fromS AND z.tStart < $toS AND z.embedding IS NOT NULL
WITH z, vector.similarity.cosine(z.embedding, $embedding) AS score
ORDER BY score DESC, z.id
LIMIT $k
CALL (z) {
  MATCH (n:FrameNode {entityId: z.entityId})
  WHERE n.t >= z.tStart AND n.t < z.tEnd AND n.t >= $fromS AND n.t < $toS
  WITH n ORDER BY abs(n.t - (z.tStart + z.tEnd) / 2), n.t
  LIMIT 1
  RETURN collect({nodeId: n.id, frameIndex: n.frameIndex, t: n.t, attributes: coalesce(n.attributes, []),
                  box: CASE WHEN n.xMin IS NULL THEN [] ELSE [n.xMin, n.yMin, n.xMax, n.yMax] END,
                  description: n.description}) AS nodes
}
RETURN z.id AS eventId, z.entityId AS entityId, z.source AS source, z.tStart AS tStart, z.tEnd AS tEnd,
       z.description AS description, score, nodes
ORDER BY score DESC, eventId
