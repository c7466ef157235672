// name: explore/evidence
// mode: read
// summary: The evidence of an answer as a picture: its frames, the entities in them, their relations and their events.
// param frame_ids: LIST<STRING> - the frames
// param node_ids: LIST<STRING> - the frame nodes
// param event_ids: LIST<STRING> - the events
// returns frame: NODE - a frame
// returns contains: RELATIONSHIP | NULL - from the frame to the node
// returns node: NODE | NULL - an entity in the frame
// returns appears_as: RELATIONSHIP | NULL - from its entity
// returns entity: NODE | NULL - the entity
// returns relations: LIST<RELATIONSHIP> - to other nodes of the evidence
// returns events: LIST<PATH> - events of the evidence
MATCH (frame:Frame) WHERE frame.id IN $frame_ids
OPTIONAL MATCH (frame)-[contains:CONTAINS]->(node:FrameNode)<-[appears_as:APPEARS_AS]-(entity:Entity)
WHERE node.id IN $node_ids
RETURN frame, contains, node, appears_as, entity,
       [(node)-[relation:REL]->(other:FrameNode) WHERE other.id IN $node_ids | relation] AS relations,
       [path = (entity)-[:HAS_EVENT]->(event:Event) WHERE event.id IN $event_ids | path] AS events
ORDER BY frame.id, node.id
