// name: explore/longest_events
// mode: read
// summary: The events of a video that last longest.
// param video_id: STRING - the video
// param limit: INTEGER - how many at most
// returns lasts_s: FLOAT - seconds
// returns start_s: FLOAT - start
// returns end_s: FLOAT - end, exclusive
// returns entity_id: STRING - who
// returns event: STRING - what happens
// returns event_id: STRING - the event
MATCH (z:Event {videoId: $video_id})
RETURN z.tEnd - z.tStart AS lasts_s, z.tStart AS start_s, z.tEnd AS end_s, z.entityId AS entity_id,
       z.description AS event, z.id AS event_id
ORDER BY lasts_s DESC, event_id
LIMIT $limit
