// name: explore/cast
// mode: read
// summary: A video as a picture: its entities in order of appearance, and the first things that each of them does.
// param video_id: STRING - the video
// param limit: INTEGER - how many entities at most
// returns has_entity: PATH - the video and an entity
// returns does: LIST<PATH> - the entity and its first three events
MATCH has_entity = (:Video {id: $video_id})-[:HAS_ENTITY]->(entity:Entity)
WITH has_entity, entity
ORDER BY entity.tStart, entity.id
LIMIT $limit
RETURN has_entity, COLLECT {
  MATCH does = (entity)-[:HAS_EVENT]->(event:Event)
  RETURN does
  ORDER BY event.tStart, event.id
  LIMIT 3
} AS does
ORDER BY entity.tStart, entity.id
