// name: library/frame_nodes
// mode: read
// summary: Whether the memory has any frame node.
// returns found: BOOLEAN - there is one
RETURN EXISTS { MATCH (:FrameNode) } AS found
