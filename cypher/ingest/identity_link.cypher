// name: ingest/identity_link
// mode: read
// summary: The link between two entities, in whichever direction it is stored; no row when there is none.
// param entity_id: STRING - one entity
// param other_id: STRING - the other
// returns earlier_id: STRING - where the link starts
// returns later_id: STRING - where it ends
MATCH (e:Entity {id: $entity_id})-[s:SAME_AS]-(o:Entity {id: $other_id})
RETURN startNode(s).id AS earlier_id, endNode(s).id AS later_id
ORDER BY earlier_id, later_id
