// name: explore/life_of_entity
// mode: read
// summary: One entity as a picture: its events in order, and the entities it is linked to.
// param entity_id: STRING - the entity
// param limit: INTEGER - how many at most events
// returns entity: NODE - the entity
// returns has_event: RELATIONSHIP - from the entity to the event
// returns event: NODE - the event
// returns followed_by: RELATIONSHIP | NULL - to the next event
// returns same_as: LIST<RELATIONSHIP> - links to the same identity elsewhere
MATCH (entity:Entity {id: $entity_id})-[has_event:HAS_EVENT]->(event:Event)
WITH entity, has_event, event
ORDER BY event.tStart, event.id
LIMIT $limit
OPTIONAL MATCH (event)-[followed_by:NEXT]->(:Event)
RETURN entity, has_event, event, followed_by, [(entity)-[same_as:SAME_AS]-(:Entity) | same_as] AS same_as
ORDER BY event.tStart, event.id
