// name: ingest/identity_neighbours
// mode: read
// summary: Entities that an automatic or accepted link joins to the given ones.
// param entity_ids: LIST<STRING> - the given entities
// returns entity_id: STRING - a given entity
// returns other_id: STRING - an entity joined to it
// returns other_video_id: STRING - its video
MATCH (e:Entity)-[s:SAME_AS]-(o:Entity)
WHERE e.id IN $entity_ids AND s.status IN ['auto', 'accepted']
RETURN e.id AS entity_id, o.id AS other_id, o.videoId AS other_video_id
ORDER BY entity_id, other_id
