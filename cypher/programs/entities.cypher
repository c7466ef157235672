// name: programs/entities
// mode: read
// summary: Entities as a table, of one video or of all that are complete, in order of appearance.
// param video_id: STRING | NULL - the video; null for all
// returns video_id: STRING - the video
// returns title: STRING - its title
// returns entity_id: STRING - the entity
// returns identity_id: STRING - the identity it belongs to
// returns label: STRING - what it is
// returns description: STRING - what is known of it
// returns color: STRING - of its box, #rrggbb
// returns start_s: FLOAT - first seen, seconds
// returns end_s: FLOAT - last seen, seconds
// returns frames: INTEGER - in how many sampled frames it is
// returns events: INTEGER - how many events it has
MATCH (v:Video)-[:HAS_ENTITY]->(e:Entity)
WHERE v.id = $video_id OR ($video_id IS NULL AND v.status = 'ready')
RETURN v.id AS video_id, v.title AS title, e.id AS entity_id, coalesce(e.identityId, e.id) AS identity_id,
       e.label AS label, e.description AS description, e.color AS color, e.tStart AS start_s, e.tEnd AS end_s,
       COUNT { (e)-[:APPEARS_AS]->() } AS frames, COUNT { (e)-[:HAS_EVENT]->() } AS events
ORDER BY title, video_id, start_s, e.trackId, entity_id
