// name: reasoning/tracks
// mode: read
// summary: Times and boxes of entities at the tracking rate.
// param entity_ids: LIST<STRING> - the entities
// returns entity_id: STRING - the entity
// returns timestamps_s: LIST<FLOAT> - times it was seen at, seconds
// returns boxes: LIST<FLOAT> - four numbers for each time: x_min, y_min, x_max, y_max
UNWIND $entity_ids AS wanted
MATCH (e:Entity {id: wanted})
RETURN e.id AS entity_id, e.trackT AS timestamps_s, e.trackBoxes AS boxes
ORDER BY entity_id
