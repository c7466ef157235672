// name: explore/frame
// mode: read
// summary: One frame as a picture: its frame nodes, their relations, and whose they are.
// param frame_id: STRING - the frame
// returns frame: NODE - the frame
// returns contains: RELATIONSHIP - from the frame to the node
// returns node: NODE - an entity in this frame
// returns appears_as: RELATIONSHIP - from its entity
// returns entity: NODE - the entity
// returns relations: LIST<RELATIONSHIP> - to other nodes of the frame
MATCH (frame:Frame {id: $frame_id})-[contains:CONTAINS]->(node:FrameNode)<-[appears_as:APPEARS_AS]-(entity:Entity)
RETURN frame, contains, node, appears_as, entity, [(node)-[relation:REL]->(:FrameNode) | relation] AS relations
ORDER BY entity.id
