// name: ingest/identity_link
// mode: read
// summary: The link between two entities, in whichever direction it is stored; no row when there is none.
// param entity_id: STRING - one entity
// param other_id: STRING - the other
// returns earlier_id: STRING - where the link starts
// returns later_id: STRING - where it ends
// returns score: FLOAT - how alike they are, 0..1
// returns method: STRING - how that was found
// returns scope: STRING - reentry or video
// returns status: STRING - auto, accepted or rejected
MATCH (e:Entity {id: $entity_id})-[s:SAME_AS]-(o:Entity {id: $other_id})
RETURN startNode(s).id AS earlier_id, endNode(s).id AS later_id, s.score AS score, s.method AS method, s.scope AS scope,
       s.status AS status
