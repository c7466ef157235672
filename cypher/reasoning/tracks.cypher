// name: reasoning/tracks
// mode: read
// summary: Times and boxes of entities at the tracking rate.
// param entityIds: LIST<STRING> - the entities
// returns entityId: STRING - the entity
// returns trackT: LIST<FLOAT> - times it was seen at, seconds
// returns trackBoxes: LIST<FLOAT> - four numbers for each time: x_min, y_min, x_max, y_max
UNWIND $entityIds AS wanted
MATCH (e:Entity {id: wanted})
RETURN e.id AS entityId, e.trackT AS trackT, e.trackBoxes AS trackBoxes
ORDER BY entityId
