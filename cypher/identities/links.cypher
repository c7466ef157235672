// name: identities/links
// mode: read
// summary: The links between some entities, and to any other; each once.
// param entity_ids: LIST<STRING> - the entities
// returns earlier_id: STRING - where the link starts
// returns later_id: STRING - where it ends
// returns score: FLOAT - how alike, 0..1
// returns status: STRING - auto, accepted or rejected
// returns operation: INTEGER | NULL - the decision that made the link; null when indexing did
MATCH (e:Entity)-[s:SAME_AS]-(:Entity)
WHERE e.id IN $entity_ids
WITH DISTINCT s
RETURN startNode(s).id AS earlier_id, endNode(s).id AS later_id, s.score AS score, s.status AS status,
       s.operation AS operation
ORDER BY earlier_id, later_id
