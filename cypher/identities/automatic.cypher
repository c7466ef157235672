// name: identities/automatic
// mode: read
// summary: Entities that an automatic link joins: what another threshold may change.
// returns entity_id: STRING - the entity
MATCH (e:Entity)-[s:SAME_AS {status: 'auto'}]-(:Entity)
RETURN DISTINCT e.id AS entity_id
ORDER BY entity_id
