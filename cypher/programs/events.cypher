// name: programs/events
// mode: read
// summary: Events as a table, of one video or of all that are complete, in order of time.
// param video_id: STRING | NULL - the video; null for all
// returns video_id: STRING - the video
// returns event_id: STRING - the event
// returns entity_id: STRING - whose it is
// returns label: STRING - what the entity is
// returns source: STRING - geometry, model or annotation
// returns start_s: FLOAT - from, seconds
// returns end_s: FLOAT - to, seconds
// returns description: STRING - what happens
MATCH (v:Video)-[:HAS_ENTITY]->(e:Entity)-[:HAS_EVENT]->(z:Event)
WHERE v.id = $video_id OR ($video_id IS NULL AND v.status = 'ready')
RETURN v.id AS video_id, z.id AS event_id, e.id AS entity_id, e.label AS label, z.source AS source,
       z.tStart AS start_s, z.tEnd AS end_s, z.description AS description
ORDER BY video_id, start_s, end_s, event_id
