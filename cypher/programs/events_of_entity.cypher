// name: programs/events_of_entity
// mode: read
// summary: What an entity does, in order of time.
// param entity_id: STRING - the entity
// param limit: INTEGER - how many events at most
// returns event_id: STRING - the event
// returns source: STRING - geometry, model or annotation
// returns start_s: FLOAT - from, seconds
// returns end_s: FLOAT - to, seconds
// returns description: STRING - what happens
MATCH (:Entity {id: $entity_id})-[:HAS_EVENT]->(z:Event)
RETURN z.id AS event_id, z.source AS source, z.tStart AS start_s, z.tEnd AS end_s, z.description AS description
ORDER BY start_s, end_s, event_id
LIMIT $limit
