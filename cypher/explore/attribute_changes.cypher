// name: explore/attribute_changes
// mode: read
// summary: When the attributes of an entity change from one appearance to the next.
// param entity_id: STRING - the entity
// returns t: FLOAT - second of the later appearance
// returns gained: LIST<STRING> - attributes that are new
// returns lost: LIST<STRING> - attributes that are gone
// returns sentence: STRING - how it looks then
MATCH (n:FrameNode {entityId: $entity_id})-[:SAME_AS]->(m:FrameNode)
WHERE n.t IS NOT NULL
WITH m, [x IN coalesce(m.attributes, []) WHERE NOT x IN coalesce(n.attributes, [])] AS gained,
     [x IN coalesce(n.attributes, []) WHERE NOT x IN coalesce(m.attributes, [])] AS lost
WHERE gained <> [] OR lost <> []
RETURN m.t AS t, gained, lost, m.description AS sentence
ORDER BY t
