// name: reasoning/sample_entity_events
// mode: read
// summary: Events of entities before, after or around spans of time, nearest first, with frame nodes of each.
// param entityIds: LIST<STRING> - the entities
// param direction: STRING - before, after or around
// param spans: LIST<LIST<FLOAT>> - each a start and an end in seconds; equal for a moment
// param partStart: FLOAT - only events that reach into the part from here, seconds
// param partEnd: FLOAT - only events that start before the end of the part, seconds
// param eventsToSample: INTEGER - how many events of each span
// param framesPerEvent: INTEGER - at most this many frame nodes of each event
// returns span: INTEGER - 0-based position of the span
// returns eventId: STRING - the event
// returns entityId: STRING - its entity
// returns source: STRING - geometry, model or annotation
// returns tStart: FLOAT - start, seconds
// returns tEnd: FLOAT - end, seconds, half-open
// returns description: STRING - what happens
// returns nodes: LIST<MAP> - nodeId, frameIndex, t, box, attributes and description of frame nodes within both
UNWIND range(0, size($spans) - 1) AS span
WITH span, $spans[span][0] AS startTime, $spans[span][1] AS endTime
CALL (startTime, endTime) {
  UNWIND $entityIds AS wanted
  MATCH (z:Event {entityId: wanted})
  WHERE z.tEnd > $partStart AND z.tStart < $partEnd
    AND (($direction = 'after' AND z.tEnd > endTime) OR ($direction = 'before' AND z.tStart < startTime)
      OR ($direction = 'around' AND z.tStart <= endTime AND z.tEnd > startTime))
  WITH z
  ORDER BY CASE $direction WHEN 'before' THEN -z.tEnd ELSE z.tStart END, z.tStart, z.id
  LIMIT $eventsToSample
  RETURN z
}
CALL (z, startTime, endTime) {
  MATCH (n:FrameNode {entityId: z.entityId})
  WHERE n.t >= z.tStart AND n.t < z.tEnd AND n.t >= $partStart AND n.t < $partEnd
    AND CASE $direction WHEN 'after' THEN n.t >= endTime WHEN 'before' THEN n.t < startTime
        ELSE startTime = endTime OR (n.t >= startTime AND n.t < endTime) END
  WITH n ORDER BY n.t
  WITH collect(n) AS found
  WITH found, CASE WHEN size(found) < $framesPerEvent THEN size(found) ELSE $framesPerEvent END AS m
  RETURN [i IN range(0, m - 1) | found[toInteger((i + 0.5) * size(found) / m)]] AS picked
}
RETURN span, z.id AS eventId, z.entityId AS entityId, z.source AS source, z.tStart AS tStart, z.tEnd AS tEnd,
       z.description AS description,
       [n IN picked | {nodeId: n.id, frameIndex: n.frameIndex, t: n.t, attributes: coalesce(n.attributes, []),
         box: CASE WHEN n.xMin IS NULL THEN [] ELSE [n.xMin, n.yMin, n.xMax, n.yMax] END,
         description: n.description}] AS nodes
ORDER BY span, tStart, eventId
