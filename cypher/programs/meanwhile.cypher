// name: programs/meanwhile
// mode: read
// summary: The events of entities that go on at given moments.
// param moments: LIST<MAP> - each an entity_id and a time_s
// returns position: INTEGER - which moment, from 0
// returns events: LIST<STRING> - what the entity does then, the longest event first
UNWIND range(0, size($moments) - 1) AS position
MATCH (:Entity {id: $moments[position].entity_id})-[:HAS_EVENT]->(z:Event)
WHERE z.tStart <= $moments[position].time_s AND $moments[position].time_s < z.tEnd
WITH position, z
ORDER BY z.tEnd - z.tStart DESC, z.id
RETURN position, collect(z.description) AS events
ORDER BY position
