// name: schema/0006_frame_node_id
// mode: schema
// summary: A frame node's id is unique.
CREATE CONSTRAINT frame_node_id IF NOT EXISTS
FOR (n:FrameNode) REQUIRE n.id IS UNIQUE
