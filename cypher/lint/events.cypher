// name: lint/events
// mode: read
// summary: The events of a video, entity by entity and source by source, in time order.
// param video_id: STRING - the video
// returns event_id: STRING - the event
// returns entity_id: STRING - whose it is
// returns source: STRING - geometry, model or annotation
// returns start_s: FLOAT - from
// returns end_s: FLOAT - to, half-open
// returns description: STRING | NULL - what happens
MATCH (z:Event {videoId: $video_id})
RETURN z.id AS event_id, z.entityId AS entity_id, z.source AS source, z.tStart AS start_s, z.tEnd AS end_s,
       z.description AS description
ORDER BY entity_id, source, start_s, end_s, event_id
