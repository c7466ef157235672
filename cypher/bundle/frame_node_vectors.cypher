// name: bundle/frame_node_vectors
// mode: read
// summary: Vectors of frame nodes for a bundle, a page at a time in the order of their ids.
// param after: STRING - ids behind this one
// param before: STRING - ids before this one
// param limit: INTEGER - how many
// returns id: STRING - the node
// returns embedding: LIST<FLOAT> | NULL - its vector
MATCH (n:FrameNode)
WHERE n.id > $after AND n.id < $before
RETURN n.id AS id, n.embedding AS embedding
ORDER BY id
LIMIT $limit
