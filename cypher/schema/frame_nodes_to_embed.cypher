// name: schema/frame_nodes_to_embed
// mode: read
// summary: The next frame nodes to embed, by id.
// param after_id: STRING - the last one done; empty for the first
// param limit: INTEGER - how many
// returns id: STRING - the node
// returns description: STRING - its sentence
MATCH (n:FrameNode)
WHERE n.id > $after_id
RETURN n.id AS id, n.description AS description
ORDER BY n.id
LIMIT $limit
