// name: ingest/identity_neighbours
// mode: read
// summary: Entities that a link joins to the given ones, whatever its status.
// param entity_ids: LIST<STRING> - the given entities
// returns entity_id: STRING - a given entity
// returns other_id: STRING - an entity joined to it
// returns other_video_id: STRING - its video
// returns score: FLOAT - of the link, 0..1
// returns status: STRING - auto, accepted or rejected
MATCH (e:Entity)-[s:SAME_AS]-(o:Entity)
WHERE e.id IN $entity_ids
RETURN e.id AS entity_id, o.id AS other_id, o.videoId AS other_video_id, s.score AS score, s.status AS status
ORDER BY entity_id, other_id
