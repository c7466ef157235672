// name: bundle/frame_nodes
// mode: read
// summary: Frame nodes for a bundle, a page at a time in the order of their ids.
// param after: STRING - ids behind this one
// param before: STRING - ids before this one
// param limit: INTEGER - how many
// returns id: STRING - the node
// returns properties: MAP - all properties but the id and the vector
MATCH (n:FrameNode)
WHERE n.id > $after AND n.id < $before
RETURN n.id AS id, n {.*, id: null, embedding: null} AS properties
ORDER BY id
LIMIT $limit
