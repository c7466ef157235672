// name: schema/0020_frame_node_text
// mode: schema
// summary: Full-text search over the sentences of frame nodes.
CREATE FULLTEXT INDEX frame_node_text IF NOT EXISTS
FOR (n:FrameNode) ON EACH [n.description, n.label]
