// name: report/events
// mode: read
// summary: Every event of a video in time order.
// param video_id: STRING - the video
// returns event_id: STRING - the event
// returns entity_id: STRING - who
// returns start_s: FLOAT - start, seconds
// returns end_s: FLOAT - end, exclusive
// returns description: STRING - what happens
// returns source: STRING - geometry, model or annotation
MATCH (z:Event {videoId: $video_id})
RETURN z.id AS event_id, z.entityId AS entity_id, z.tStart AS start_s, z.tEnd AS end_s,
       z.description AS description, z.source AS source
ORDER BY start_s, end_s, event_id
