// name: explore/evidence
// mode: read
// summary: The evidence of an answer as a picture: its frames, the entities in them, and what they do.
// param node_ids: LIST<STRING> - the frame nodes
// param event_ids: LIST<STRING> - the events
// returns seen: PATH - a frame, an entity in it, and whose it is
// returns events: LIST<NODE> - what the entity does
MATCH seen = (:Frame)-[:CONTAINS]->(n:FrameNode)<-[:APPEARS_AS]-(e:Entity)
WHERE n.id IN $node_ids
RETURN seen, [(e)-[:HAS_EVENT]->(z:Event) WHERE z.id IN $event_ids | z] AS events
ORDER BY n.id
