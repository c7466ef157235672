// name: lint/entities
// mode: read
// summary: The entities of a video with their tracks.
// param video_id: STRING - the video
// returns entity_id: STRING - the entity
// returns label: STRING - what it is
// returns description: STRING | NULL - what is known of it
// returns start_s: FLOAT - first seen, seconds
// returns end_s: FLOAT - last seen, seconds
// returns times_s: LIST<FLOAT> - when it was tracked
// returns boxes: LIST<FLOAT> - four numbers for each of these times
MATCH (e:Entity {videoId: $video_id})
RETURN e.id AS entity_id, e.label AS label, e.description AS description, e.tStart AS start_s, e.tEnd AS end_s,
       coalesce(e.trackT, []) AS times_s, coalesce(e.trackBoxes, []) AS boxes
ORDER BY start_s, e.trackId
