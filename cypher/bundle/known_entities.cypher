// name: bundle/known_entities
// mode: read
// summary: Which of some entities are there.
// param entity_ids: LIST<STRING> - the entities
// returns entity_id: STRING - one that is there
MATCH (e:Entity)
WHERE e.id IN $entity_ids
RETURN e.id AS entity_id
ORDER BY entity_id
