// name: programs/find_entities
// mode: read
// summary: Entities by what they are called, or by id; in order of appearance.
// param video_id: STRING | NULL - the video; null for all that are complete
// param label: STRING | NULL - what they are, upper and lower case alike; null for anything
// param entity_ids: LIST<STRING> | NULL - only these; null for all
// param limit: INTEGER - how many at most
// returns video_id: STRING - the video
// returns title: STRING - its title
// returns entity_id: STRING - the entity
// returns identity_id: STRING - the identity it belongs to
// returns label: STRING - what it is
// returns description: STRING - what is known of it
// returns start_s: FLOAT - first seen, seconds
// returns end_s: FLOAT - last seen, seconds
// returns events: INTEGER - how many events it has
MATCH (v:Video)-[:HAS_ENTITY]->(e:Entity)
WHERE (v.id = $video_id OR ($video_id IS NULL AND v.status = 'ready'))
  AND ($label IS NULL OR toLower(e.label) = toLower($label))
  AND ($entity_ids IS NULL OR e.id IN $entity_ids)
RETURN v.id AS video_id, v.title AS title, e.id AS entity_id, coalesce(e.identityId, e.id) AS identity_id,
       e.label AS label, e.description AS description, e.tStart AS start_s, e.tEnd AS end_s,
       COUNT { (e)-[:HAS_EVENT]->() } AS events
ORDER BY title, video_id, start_s, e.trackId, entity_id
LIMIT $limit
