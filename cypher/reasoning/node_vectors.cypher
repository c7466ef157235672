// name: reasoning/node_vectors
// mode: read
// summary: The vectors of a video's frame nodes, to compare phrases with them in memory.
// param video_id: STRING - the video
// param dimensions: INTEGER - length of the vectors; others are left out
// returns node_id: STRING - the frame node
// returns entity_id: STRING - its entity
// returns frame_index: INTEGER - the sampled frame
// returns t: FLOAT - seconds
// returns embedding: LIST<FLOAT> - its vector
MATCH (n:FrameNode {videoId: $video_id})
WHERE n.embedding IS NOT NULL AND size(n.embedding) = $dimensions
RETURN n.id AS node_id, n.entityId AS entity_id, n.frameIndex AS frame_index, n.t AS t, n.embedding AS embedding
ORDER BY node_id
