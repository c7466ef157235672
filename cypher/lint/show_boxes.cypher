// name: lint/show_boxes
// mode: read
// summary: Where entities are, moment by moment: shows duplicates, jumps and boxes outside the picture.
// param entity_ids: LIST<STRING> - the entities
// param from_s: FLOAT - from this second
// param to_s: FLOAT - to this one
// returns t: FLOAT - second
// returns entity_id: STRING - the entity
// returns label: STRING - what it is
// returns box: LIST<FLOAT> - x_min, y_min, x_max, y_max
// returns width: INTEGER - of the picture, pixels
// returns height: INTEGER - likewise
UNWIND $entity_ids AS wanted
MATCH (v:Video)-[:HAS_ENTITY]->(e:Entity {id: wanted})
UNWIND range(0, size(e.trackT) - 1) AS i
WITH v, e, i, e.trackT[i] AS t
WHERE $from_s <= t <= $to_s
RETURN t, e.id AS entity_id, e.label AS label, e.trackBoxes[4 * i..4 * i + 4] AS box, v.width AS width,
       v.height AS height
ORDER BY t, entity_id
