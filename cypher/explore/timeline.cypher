// name: explore/timeline
// mode: read
// summary: Every event of a video in time order.
// param video_id: STRING - the video
// param from_s: FLOAT - events that end after this
// param to_s: FLOAT - events that start before this
// param limit: INTEGER - how many at most
// returns start_s: FLOAT - start
// returns end_s: FLOAT - end, exclusive
// returns label: STRING - what the entity is
// returns entity_id: STRING - who
// returns event: STRING - what happens
// returns source: STRING - geometry, model or annotation
// returns event_id: STRING - the event
MATCH (z:Event {videoId: $video_id})
WHERE z.tEnd > $from_s AND z.tStart < $to_s
WITH z ORDER BY z.tStart, z.tEnd, z.id
LIMIT $limit
MATCH (e:Entity {id: z.entityId})
RETURN z.tStart AS start_s, z.tEnd AS end_s, e.label AS label, e.id AS entity_id, z.description AS event,
       z.source AS source, z.id AS event_id
ORDER BY start_s, end_s, event_id
