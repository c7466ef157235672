// name: reasoning/sample_entity_events
// mode: read
// summary: Events of entities before, after or around spans of time, nearest first, with frame nodes of each.
// param entity_ids: LIST<STRING> - the entities
// param direction: STRING - before, after or around
// param spans: LIST<LIST<FLOAT>> - each a start and an end in seconds; equal for a moment
// param part_start_s: FLOAT - only events that reach into the part from here, seconds
// param part_end_s: FLOAT - only events that start before the end of the part, seconds
// param events_to_sample: INTEGER - how many events of each span
// param frames_per_event: INTEGER - at most this many frame nodes of each event
// returns span: INTEGER - 0-based position of the span
// returns event_id: STRING - the event
// returns entity_id: STRING - its entity
// returns source: STRING - geometry, model or annotation
// returns start_s: FLOAT - start, seconds
// returns end_s: FLOAT - end, seconds, half-open
// returns description: STRING - what happens
// returns nodes: LIST<MAP> - node_id, frame_index, t, box, attributes and description of frame nodes within both
UNWIND range(0, size($spans) - 1) AS span
WITH span, $spans[span][0] AS from_s, $spans[span][1] AS to_s
CALL (from_s, to_s) {
  UNWIND $entity_ids AS wanted
  MATCH (z:Event {entityId: wanted})
  WHERE z.tEnd > $part_start_s AND z.tStart < $part_end_s
    // Frames are up to 0.1 s off the even seconds: what ends that soon after a moment does not come after it, and at
    // a moment is what goes on then, with what begins that soon after it.
    AND (($direction = 'after' AND (z.tEnd > to_s + 0.1 OR z.tStart >= to_s))
      OR ($direction = 'before' AND z.tStart < from_s)
      OR ($direction = 'around' AND from_s < to_s AND z.tStart <= to_s AND z.tEnd > from_s)
      OR ($direction = 'around' AND from_s = to_s AND z.tStart <= to_s + 0.1 AND (z.tEnd > from_s + 0.1
        OR (z.tEnd > from_s AND NOT EXISTS { MATCH (next:Event {entityId: wanted}) WHERE next.tStart >= z.tEnd }))))
    // What a model tells of a time stands for what was measured then.
    AND (z.source <> 'geometry' OR NOT EXISTS {
      MATCH (told:Event {entityId: wanted})
      WHERE told.source = 'model' AND told.tStart < z.tEnd AND told.tEnd > z.tStart
    })
  WITH z
  ORDER BY CASE $direction WHEN 'before' THEN -z.tEnd ELSE z.tStart END, z.tStart, z.id
  LIMIT $events_to_sample
  RETURN z
}
CALL (z, from_s, to_s) {
  MATCH (n:FrameNode {entityId: z.entityId})
  WHERE n.t >= z.tStart AND n.t < z.tEnd AND n.t >= $part_start_s AND n.t < $part_end_s
    AND CASE $direction WHEN 'after' THEN n.t >= to_s WHEN 'before' THEN n.t < from_s
        ELSE from_s = to_s OR (n.t >= from_s AND n.t < to_s) END
  WITH n ORDER BY n.t
  WITH collect(n) AS found
  WITH found, CASE WHEN size(found) < $frames_per_event THEN size(found) ELSE $frames_per_event END AS m
  RETURN [i IN range(0, m - 1) | found[toInteger((i + 0.5) * size(found) / m)]] AS picked
}
RETURN span, z.id AS event_id, z.entityId AS entity_id, z.source AS source, z.tStart AS start_s, z.tEnd AS end_s,
       z.description AS description,
       [n IN picked | {node_id: n.id, frame_index: n.frameIndex, t: n.t, attributes: coalesce(n.attributes, []),
         box: CASE WHEN n.xMin IS NULL THEN [] ELSE [n.xMin, n.yMin, n.xMax, n.yMax] END,
         description: n.description}] AS nodes
ORDER BY span, start_s, event_id
