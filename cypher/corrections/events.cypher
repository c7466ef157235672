// name: corrections/events
// mode: read
// summary: The events of some entities as they are and as they were written.
// param entity_ids: LIST<STRING> - the entities
// returns id: STRING - the event
// returns entity_id: STRING - its entity
// returns source: STRING - geometry, model or annotation
// returns start_s: FLOAT - start, seconds
// returns end_s: FLOAT - end, seconds
// returns found_start_s: FLOAT - start before it was corrected
// returns found_end_s: FLOAT - end before it was corrected
// returns description: STRING - what happens
// returns found_description: STRING - what was said to happen before it was corrected
MATCH (z:Event)
WHERE z.entityId IN $entity_ids
RETURN z.id AS id, z.entityId AS entity_id, z.source AS source, z.tStart AS start_s, z.tEnd AS end_s,
       coalesce(z.originalStart, z.tStart) AS found_start_s, coalesce(z.originalEnd, z.tEnd) AS found_end_s,
       z.description AS description, coalesce(z.originalDescription, z.description) AS found_description
ORDER BY id
