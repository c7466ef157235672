// name: explore/chain_of_entity
// mode: read
// summary: One entity through time as a picture: its appearances, each tied to the next and to its frame.
// param entity_id: STRING - the entity
// param from_s: FLOAT - appearances from here on
// param limit: INTEGER - how many at most
// returns entity: NODE - the entity
// returns appears_as: RELATIONSHIP - to the appearance
// returns node: NODE - the entity in one frame
// returns in_frame: RELATIONSHIP - from the frame
// returns frame: NODE - the frame
// returns next: LIST<RELATIONSHIP> - to its next appearance
MATCH (n:FrameNode {entityId: $entity_id})
WHERE n.t >= $from_s
WITH n ORDER BY n.t LIMIT $limit
MATCH (entity:Entity)-[appears_as:APPEARS_AS]->(n)<-[in_frame:CONTAINS]-(frame:Frame)
RETURN entity, appears_as, n AS node, in_frame, frame, [(n)-[s:SAME_AS]->(:FrameNode) | s] AS next
ORDER BY n.t
