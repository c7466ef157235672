// name: lint/show_events
// mode: read
// summary: The events of an entity about a time, source by source: shows what overlaps and what is left out.
// param entity_id: STRING - the entity
// param from_s: FLOAT - from this second
// param to_s: FLOAT - to this one
// returns source: STRING - geometry, model or annotation
// returns start_s: FLOAT - from
// returns end_s: FLOAT - to, half-open
// returns description: STRING | NULL - what happens
// returns seen_from_s: FLOAT - the entity is seen from
// returns seen_to_s: FLOAT - to
MATCH (e:Entity {id: $entity_id})-[:HAS_EVENT]->(z:Event)
WHERE z.tStart <= $to_s AND z.tEnd >= $from_s
RETURN z.source AS source, z.tStart AS start_s, z.tEnd AS end_s, z.description AS description,
       e.tStart AS seen_from_s, e.tEnd AS seen_to_s
ORDER BY source, start_s, end_s
