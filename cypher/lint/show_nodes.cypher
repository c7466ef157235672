// name: lint/show_nodes
// mode: read
// summary: What stands in the frames about entities: their boxes and sentences.
// param entity_ids: LIST<STRING> - the entities
// param from_s: FLOAT - from this second
// param to_s: FLOAT - to this one
// returns t: FLOAT - second
// returns entity_id: STRING - the entity
// returns label: STRING - what it is
// returns box: LIST<FLOAT | NULL> - x_min, y_min, x_max, y_max
// returns sentence: STRING | NULL - what is said of it
UNWIND $entity_ids AS wanted
MATCH (n:FrameNode {entityId: wanted})
WHERE $from_s <= n.t <= $to_s
RETURN n.t AS t, n.entityId AS entity_id, n.label AS label, [n.xMin, n.yMin, n.xMax, n.yMax] AS box,
       n.description AS sentence
ORDER BY t, entity_id
